"""H1: the queue, whose a review is, and what may still be said of one that ended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checks.vocabulary import Severity
from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.errors import DecisionConflict, DecisionNotAllowed, InvalidDecision
from review_graph.ports import ReviewFilter
from review_graph.vocabulary import Action, AuditAction
from tests.flow.conftest import Built
from tests.flow.things import Hands, told

Ask = Callable[..., DecisionRequest]


@pytest.fixture
def service(settings: Settings, built: Built) -> ReviewService:
    return built(settings)


@pytest.fixture
def queue(
    service: ReviewService, table: Callable[..., Path], spec: dict[str, Any], hands: Hands, ask: Ask
) -> dict[str, Review]:
    """One review of each kind, a day apart: clean, minor, escalated, waiting."""
    reviews = {}
    for name, kind in {
        "clean": "clean",
        "minor": "minor",
        "sent": "major",
        "old": "major",
        "new": "three-minor",
    }.items():
        reviews[name] = service.start(table(kind, name), spec)
        hands.go_on(days=1)
    reviews["sent"] = service.decide(reviews["sent"].id or "", ask("confirm"))
    return reviews


FILTERS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "all": ({}, ["old", "new", "sent", "minor", "clean"]),
    "those that wait": ({"status": (Status.PAUSED,)}, ["old", "new"]),
    "ended": ({"status": (Status.SUMMARISED, Status.ESCALATED)}, ["sent", "minor", "clean"]),
    "minor and none": ({"severity": (Severity.MINOR, Severity.NONE)}, ["minor", "clean"]),
    "one dataset": ({"dataset": "sent"}, ["sent"]),
    "somebody's": ({"assignee": "Bob"}, ["new"]),
    "nobody's that wait": ({"assignee": "", "status": (Status.PAUSED,)}, ["old"]),
    "old": ({"created_before": "2026-03-06T00:00:00+00:00"}, ["minor", "clean"]),
    "nothing": ({"dataset": "old", "status": (Status.FAILED,)}, []),
}


def test_queue_is_filtered_and_what_presses_comes_first(service: ReviewService, queue: dict[str, Review]) -> None:
    service.assign(queue["new"].id or "", "Bob", by="Ada")
    for name, (wanted, expected) in FILTERS.items():
        assert [review.dataset.name for review in service.list(ReviewFilter(**wanted))] == expected, name


def test_assigning_is_told_and_binds_nobody(service: ReviewService, queue: dict[str, Review], ask: Ask) -> None:
    identity = queue["old"].id or ""
    service.assign(identity, "Bob", by="Ada")
    service.assign(identity, "", by="Bob")
    service.assign(identity, "Cyd", by="Ada")
    moves = [entry.detail for entry in service.trail.entries(identity) if entry.action is AuditAction.ASSIGNED]
    assert [(move["from"], move["to"]) for move in moves] == [("", "Bob"), ("Bob", ""), ("", "Cyd")]
    for who, by in (("Bob", ""), ("Bob\n", "\x1b"), ("-", "Ada")):
        with pytest.raises(InvalidDecision):
            service.assign(identity, who, by=by)
    assert service.decide(identity, ask("confirm", by="Dan")).status is Status.ESCALATED
    assert service.trail.verify() is None


@pytest.mark.parametrize("name", ["clean", "sent"])
def test_comment_on_a_review_that_ended_changes_nothing_else(
    service: ReviewService,
    settings: Settings,
    queue: dict[str, Review],
    table: Callable[..., Path],
    spec: dict[str, Any],
    ask: Ask,
    name: str,
) -> None:
    ended = queue[name]
    identity = ended.id or ""
    files = {path: path.read_bytes() for path in (settings.out_path / identity).rglob("*") if path.is_file()}
    thread = service._advancing.look(identity).kept
    commented = service.decide(identity, ask("comment", by="Bob", reason="the site answered"))
    assert (commented.status, commented.triage, commented.findings) == (ended.status, ended.triage, ended.findings)
    assert [(d.action, d.by) for d in commented.decisions[len(ended.decisions) :]] == [(Action.COMMENT, "Bob")]
    assert service._advancing.look(identity).kept == thread
    assert {path: path.read_bytes() for path in files} == files
    assert service.start(table("clean" if name == "clean" else "major", name), spec).id == identity
    assert told(service, ended, AuditAction.DECIDED) == len(commented.decisions)
    for action in ("confirm", "override"):
        with pytest.raises((DecisionNotAllowed, DecisionConflict)):
            service.decide(identity, ask(action, by="Cyd"))
    assert service.trail.verify() is None


def test_looking_and_exporting_are_told(service: ReviewService, queue: dict[str, Review]) -> None:
    identity = queue["sent"].id or ""
    service.inspect(identity, by="Ada")
    service.export(identity, as_="xlsx", by="Bob")
    told_of = [(entry.action, entry.actor, entry.detail) for entry in service.trail.entries(identity)][-2:]
    assert told_of == [
        (AuditAction.INSPECTED, "Ada", {}),
        (AuditAction.EXPORTED, "Bob", {"format": "xlsx"}),
    ]


def test_comment_on_a_review_whose_process_died_says_nothing_of_its_severity(
    service: ReviewService, table: Callable[..., Path], spec: dict[str, Any], ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_arguments: Any, **_named: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("review_graph.advancing.Advancing._run", die)
        with pytest.raises(KeyboardInterrupt):
            service.start(table("major"), spec)
    (review,) = service.list()
    assert service.decide(review.id or "", ask("comment")).triage.severity is Severity.MAJOR
    assert service._advancing.known(review.id or "").severity is Severity.MAJOR
    with pytest.raises(DecisionNotAllowed, match="had not begun when its process ended: run its dataset again"):
        service.resume(review.id or "")
    paused = service.start(table("major"), spec)
    assert (paused.status, [d.action for d in paused.decisions]) == (Status.PAUSED, [Action.COMMENT])
    assert service.decide(paused.id or "", ask("confirm")).status is Status.ESCALATED


def test_pause_that_was_not_put_down_can_be_decided_on(
    service: ReviewService, table: Callable[..., Path], spec: dict[str, Any], ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_arguments: Any, **_named: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("review_graph.advancing.Advancing._settle", die)
        with pytest.raises(KeyboardInterrupt):
            service.start(table("major"), spec)
    (review,) = service.list()
    assert service._advancing.known(review.id or "").status is Status.RUNNING
    assert service.decide(review.id or "", ask("confirm")).status is Status.ESCALATED
    assert told(service, review, AuditAction.REVIEW_PAUSED) == 1
