"""A review that another version of the graph started is refused with a way out, and never silently finished."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status, build
from review_graph.errors import DecisionNotAllowed, GraphVersionError
from review_graph.nodes import GRAPH_VERSION, Nodes
from review_graph.vocabulary import AuditAction

NEXT = GRAPH_VERSION + 1


@pytest.fixture
def next_version(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes this process run another version of the graph from now on."""

    def upgrade() -> None:
        for module in ("nodes", "gate", "advancing", "look"):
            monkeypatch.setattr(f"review_graph.{module}.GRAPH_VERSION", NEXT)

    return upgrade


def checkpoints(settings: Settings) -> list[Any]:
    with closing(sqlite3.connect(settings.db_path)) as connection:
        return [connection.execute(f"SELECT * FROM {name}").fetchall() for name in ("checkpoints", "writes")]  # noqa: S608 - two constants


def test_paused_under_another_version_is_refused_and_nothing_written(
    service: ReviewService,
    settings: Settings,
    table: Callable[..., Path],
    spec: dict[str, Any],
    ask: Callable[..., DecisionRequest],
    next_version: Callable[[], None],
) -> None:
    path = table("major")
    paused = service.start(path, spec)
    before = checkpoints(settings)
    next_version()
    for action in ("confirm", "override"):
        with pytest.raises(GraphVersionError, match=rf"version {GRAPH_VERSION} .* version {NEXT}.*migrate.*--fresh"):
            build(settings).decide(paused.id or "", ask(action))
    assert not build(settings).start(path, spec).status.is_final
    assert checkpoints(settings) == before
    assert build(settings).start(path, spec, fresh=True).status is Status.PAUSED


def test_paused_under_another_version_is_taken_over_and_decided(
    service: ReviewService,
    settings: Settings,
    table: Callable[..., Path],
    spec: dict[str, Any],
    ask: Callable[..., DecisionRequest],
    next_version: Callable[[], None],
) -> None:
    paused = service.start(table("major"), spec)
    identity = paused.id or ""
    next_version()
    later = build(settings)
    taken = later.migrate(identity)
    assert (taken.status, taken.findings) == (Status.PAUSED, paused.findings)
    (told,) = [entry for entry in later.trail.entries(identity) if entry.action is AuditAction.MIGRATED]
    assert (told.detail["from"], told.detail["to"]) == (GRAPH_VERSION, NEXT)
    with pytest.raises(DecisionNotAllowed, match="needs no taking over"):
        later.migrate(identity)
    assert later.decide(identity, ask("confirm")).status is Status.ESCALATED
    assert later.trail.verify() is None


def test_interrupted_under_another_version_is_reported_and_not_finished(
    settings: Settings,
    table: Callable[..., Path],
    spec: dict[str, Any],
    next_version: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = table("minor")
    triage = Nodes.triage

    @wraps(triage)  # LangGraph reads the signature
    def interrupted(*_arguments: Any, **_named: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Nodes, "triage", interrupted)
        with pytest.raises(KeyboardInterrupt):
            build(settings).start(path, spec)
    before = checkpoints(settings)
    next_version()
    review: Review = build(settings).start(path, spec)
    assert review.status is Status.FAILED
    assert review.problem is not None
    assert f"version {GRAPH_VERSION}" in review.problem.message
    assert "--fresh" in review.problem.message
    assert checkpoints(settings) == before
