"""A full disk, a database that is read-only or gone: one line says so, nothing is half-done, the same call goes on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status, build
from review_graph.adapters.store.leases import LEASE_S
from review_graph.errors import DecisionConflict, SetupError
from review_graph.nodes import Nodes
from review_graph.vocabulary import AuditAction
from tests.disks import mount, small_disk
from tests.flow.conftest import Built
from tests.flow.things import ROOT, Hands, told

Ask = Callable[..., DecisionRequest]
Table = Callable[..., Path]

DATABASE = r"(the|cannot use the) database \S+reviews\.sqlite"
FULL = rf"{DATABASE}: database or disk is full; .*|cannot (write|keep files in) .*No space left on device; .*"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 3 MB."""
    with small_disk(tmp_path / "disk", 3, "test_file_that_may_not_grow stands for it") as folder:
        yield folder


@pytest.fixture
def on_disk(disk: Path) -> Settings:
    return Settings(db=str(disk / "reviews.sqlite"))


def fill(disk: Path, leave_kb: int) -> Path:
    """Leave so much room."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4096):
            pass
    os.truncate(filler, max(filler.stat().st_size - leave_kb * 1024, 0))
    return filler


def in_one_line(error: SetupError) -> str:
    said = str(error)
    assert "\n" not in said
    return said


def test_disk_that_becomes_full_while_datasets_are_reviewed(
    disk: Path, on_disk: Settings, built: Built, hands: Hands, table: Table, spec: dict[str, Any]
) -> None:
    service, path, kept = built(on_disk), table("major"), list[Review]()

    def review_for_ever() -> None:
        while len(kept) < 500:
            kept.append(service.start(path, spec, name=f"t{len(kept)}"))

    with pytest.raises(SetupError) as refusal:
        review_for_ever()
    assert kept
    assert re.fullmatch(FULL, in_one_line(refusal.value))
    assert mount(disk, "remount,size=16m")
    hands.go_on(seconds=LEASE_S)  # this process lives, and may not have had the room to say that it let go
    later = built(on_disk)
    assert [later.get(review.id or "").status for review in kept] == [Status.PAUSED] * len(kept)
    assert later.start(path, spec, name=f"t{len(kept)}").status is Status.PAUSED
    assert len(later.list()) == len(kept) + 1
    assert later.trail.verify() is None


@pytest.mark.parametrize("action", ["confirm", "override"])
def test_decision_on_a_full_disk_is_kept_wholly_or_not_at_all(
    disk: Path, on_disk: Settings, built: Built, hands: Hands, table: Table, spec: dict[str, Any], ask: Ask, action: str
) -> None:
    path, refused = table("major"), list[str]()
    assert mount(disk, "remount,size=16m")
    for leave_kb in (0, 8, 24, 48, 72, 96, 128, 160, 200):
        service = built(on_disk)
        paused = service.start(path, spec, name=f"left-{leave_kb}")
        filler = fill(disk, leave_kb)
        try:
            service.decide(paused.id or "", ask(action))
        except SetupError as error:
            refused.append(in_one_line(error))
        filler.unlink()
        hands.go_on(seconds=LEASE_S)  # this process lives, and may not have had the room to say that it let go
        later = built(on_disk)
        assert later.trail.verify() is None
        review = later.resume(paused.id or "")
        if not review.decisions:
            assert review.status is Status.PAUSED
            review = later.decide(paused.id or "", ask(action))
        assert (review.status.is_final, len(review.decisions)) == (True, 1)
        assert told(later, review, AuditAction.DECIDED) == told(later, review, AuditAction.REVIEW_FINISHED) == 1
    assert len(refused) >= 2
    assert all(re.fullmatch(FULL, said) for said in refused), refused


def test_disk_that_became_read_only(
    disk: Path, on_disk: Settings, table: Table, spec: dict[str, Any], ask: Ask
) -> None:
    path = table("major")
    with build(on_disk) as service:
        paused = service.start(path, spec)
    assert mount(disk, "remount,ro")
    acts: dict[str, Callable[[ReviewService], Review]] = {
        "run": lambda service: service.start(path, spec, name="other"),
        "decide": lambda service: service.decide(paused.id or "", ask()),
    }
    for act in acts.values():
        with pytest.raises(SetupError, match=DATABASE) as refusal, build(on_disk) as service:
            act(service)
        assert "readonly" in in_one_line(refusal.value) or "unable to open" in str(refusal.value)
    assert mount(disk, "remount,rw")
    with build(on_disk) as service:
        assert [review.id for review in service.list()] == [paused.id]
        assert [act(service).status for act in acts.values()] == [Status.PAUSED, Status.ESCALATED]
        assert service.trail.verify() is None


LIMITED = """
import json, resource, sys
from review_graph import DecisionRequest, Settings, build
from review_graph.errors import SetupError
db, path, spec = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
service = build(Settings(db=db))
resource.setrlimit(resource.RLIMIT_FSIZE, (900_000, 900_000))
kept = []
try:
    while len(kept) < 500:
        review = service.start(path, spec, name=f"t{len(kept)}")
        kept.append(review.id)
except SetupError as error:
    print(json.dumps([str(error), kept]))
"""


def test_file_that_may_not_grow(settings: Settings, table: Table, spec: dict[str, Any], ask: Ask, built: Built) -> None:
    path = table("major")
    done = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-c", LIMITED, settings.db, str(path), json.dumps(spec)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        cwd=ROOT,
    )
    said, kept = json.loads(done.stdout)
    assert done.stderr == ""
    assert re.match(DATABASE, said)
    assert "\n" not in said
    service = built(settings)
    assert [service.get(identity).status for identity in kept] == [Status.PAUSED] * len(kept)
    again = service.start(path, spec, name=f"t{len(kept)}")
    assert service.decide(again.id or "", ask()).status is Status.ESCALATED
    assert service.trail.verify() is None


@pytest.mark.parametrize("fate", ["deleted", "moved away and back"])
@pytest.mark.parametrize("node", ["intake", "ranges", "triage"])
def test_database_that_goes_in_the_middle_of_a_run(
    settings: Settings,
    built: Built,
    hands: Hands,
    table: Table,
    spec: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    fate: str,
    node: str,
) -> None:
    work, path, away = getattr(Nodes, node), settings.db_path, settings.db_path.with_name("away.sqlite")

    @wraps(work)  # LangGraph reads the signature
    def and_gone(*arguments: Any, **named: Any) -> Any:
        update = work(*arguments, **named)
        if path.exists():
            path.rename(away)
        return update

    with monkeypatch.context() as patched:
        patched.setattr(Nodes, node, and_gone)
        service = built(settings)
        with pytest.raises(SetupError, match="was deleted or replaced while it was in use: put it back") as refusal:
            service.start(table("major"), spec)
    in_one_line(refusal.value)
    assert not path.exists()  # and no empty one was put in its place
    if fate != "deleted":
        away.rename(path)
        hands.go_on(seconds=LEASE_S)  # this process lives, and could not say that it let go
    later = built(settings)
    review = later.start(table("major"), spec)
    assert (review.status, len(review.findings), len(later.list())) == (Status.PAUSED, 2, 1)
    assert told(later, review, AuditAction.REVIEW_STARTED) == 1
    assert later.trail.verify() is None


def test_database_that_went_before_a_decision(
    settings: Settings, service: ReviewService, table: Table, spec: dict[str, Any], ask: Ask
) -> None:
    paused, away = service.start(table("major"), spec), settings.db_path.with_name("away.sqlite")
    settings.db_path.rename(away)
    acts: tuple[Callable[[], object], ...] = (
        lambda: service.decide(paused.id or "", ask()),
        lambda: service.get(paused.id or ""),
        service.list,
        service.trail.verify,
    )
    for act in acts:
        with pytest.raises(SetupError, match="was deleted or replaced"):
            act()
    away.rename(settings.db_path)
    assert service.decide(paused.id or "", ask()).status is Status.ESCALATED


@pytest.mark.parametrize("action", ["confirm", "override"])
def test_report_that_cannot_be_written_loses_no_decision(
    settings: Settings, service: ReviewService, table: Table, spec: dict[str, Any], ask: Ask, action: str
) -> None:
    paused = service.start(table("major"), spec)
    folder = settings.out_path / (paused.id or "")
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("in the way")
    with pytest.raises(SetupError, match=r"cannot write \S+(report\.md|queries\.csv)"):
        service.decide(paused.id or "", ask(action))
    folder.unlink()
    with pytest.raises(DecisionConflict, match=f"Ada recorded {action}"):
        service.decide(paused.id or "", ask(action))
    review = service.start(table("major"), spec)
    assert (review.status.is_final, len(review.decisions)) == (True, 1)
    assert told(service, review, AuditAction.DECIDED) == 1
