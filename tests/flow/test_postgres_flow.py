"""The whole life of a review on a PostgreSQL server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from review_graph import DecisionRequest, ReviewService, Settings, Status
from review_graph.errors import SetupError
from review_graph.gate import system_clock
from review_graph.vocabulary import Anchor, AuditAction
from tests.flow.conftest import Built
from tests.flow.things import KEY, ROOT, Hands, ids, states

Ask = Callable[..., DecisionRequest]

CORRECTED = {"ID": ["S-1", "S-2", "S-2"], "A": [1, 2, 3]}


@pytest.fixture
def settings(postgres: str, tmp_path: Path) -> Settings:
    return Settings(db=postgres, out=tmp_path / "reviews", cache=tmp_path / "cache")


@pytest.fixture
def service(settings: Settings, built: Built) -> ReviewService:
    return built(settings)


def test_life_of_a_review(
    service: ReviewService,
    settings: Settings,
    built: Built,
    table: Callable[..., Path],
    spec: dict[str, Any],
    ask: Ask,
    hands: Hands,
) -> None:
    path = table("major", "dm")
    paused = service.start(path, spec)
    identity = paused.id or ""
    assert paused.status is Status.PAUSED
    service.inspect(identity, by="Ada")
    service.assign(identity, "Ada", by="Bob")
    service.save_draft(identity, "Ada", [ask("comment"), ask("waive", findings=ids(paused, KEY), expires="2026-06-30")])
    later = built(settings)  # as another process has it
    review = later.submit_draft(identity, "Ada")
    assert (review.status, states(review)[f"{KEY} ID"], len(review.decisions)) == (Status.SUMMARISED, "waived", 2)
    assert Path(review.report or "").exists()
    assert service.start(path, spec).id == identity

    hands.go_on(days=1)
    again = service.start(table("major", "dm", **CORRECTED), spec)
    assert (again.status, states(again)) == (Status.SUMMARISED, {f"{KEY} ID": "waived"})
    assert again.diff is not None
    assert again.diff.before == identity
    assert len(again.diff.fixed) == 1
    (waiver,) = service.waivers.list("dm")
    later.waivers.revoke(waiver.id, by="Cyd", reason="it was no duplicate")
    third = service.start(table("major", "dm", **CORRECTED), spec)
    assert (third.id, third.status) == (f"{again.id}-2", Status.PAUSED)
    assert later.decide(third.id or "", ask("confirm", by="Cyd")).status is Status.ESCALATED
    assert [(each.id, each.status) for each in service.list()] == [
        (third.id, Status.ESCALATED),
        (identity, Status.SUMMARISED),
        (again.id, Status.SUMMARISED),
    ]
    assert service.trail.verify(Anchor.of(service.trail.last())) is None
    acts = {entry.action for entry in service.trail.entries()}
    assert acts == {
        AuditAction.REVIEW_STARTED,
        AuditAction.REVIEW_PAUSED,
        AuditAction.REVIEW_RESUMED,
        AuditAction.REVIEW_FINISHED,
        AuditAction.INSPECTED,
        AuditAction.ASSIGNED,
        AuditAction.DRAFT_SAVED,
        AuditAction.DRAFT_SUBMITTED,
        AuditAction.DECIDED,
        AuditAction.DECISION_APPLIED,
        AuditAction.WAIVER_ADDED,
        AuditAction.WAIVER_REVOKED,
    }


DECIDE = """
import sys
from review_graph import DecisionRequest, Settings, build
with build(Settings(db=sys.argv[1], out=sys.argv[2], cache=sys.argv[3])) as service:
    request = DecisionRequest(action="override", severity="none", by="Ada", reason="seen")
    print(service.decide(sys.argv[4], request).status)
"""


def test_another_process_decides(
    settings: Settings, built: Built, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    service = built(settings, clock=system_clock)
    paused = service.start(table("major"), spec)
    done = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-c", DECIDE, settings.db, str(settings.out_path), str(settings.cache_path), paused.id or ""],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=ROOT,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "summarised\n", "")
    assert service.get(paused.id or "").status is Status.SUMMARISED


def test_connections_that_break_between_two_steps_are_said_once_and_made_again(
    service: ReviewService, settings: Settings, table: Callable[..., Path], spec: dict[str, Any], ask: Ask
) -> None:
    paused = service.start(table("major"), spec)
    with psycopg.connect(settings.db, autocommit=True) as server:
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    with pytest.raises(SetupError, match="run the same command again"):
        service.decide(paused.id or "", ask("confirm"))
    assert service.decide(paused.id or "", ask("confirm")).status is Status.ESCALATED
    assert service.trail.verify() is None


def test_no_password_is_kept_or_shown(
    settings: Settings, built: Built, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    with_password = settings.db.replace("postgres@", "postgres:s3cret@").replace("postgres:@", "postgres:s3cret@")
    assert "s3cret" in with_password
    service = built(settings.model_copy(update={"db": with_password}))
    paused = service.start(table("major"), spec)
    kept = [str(paused.to_plain()), *(str(entry.to_plain()) for entry in service.trail.entries())]
    assert not [text for text in kept if "s3cret" in text or settings.db in text]
