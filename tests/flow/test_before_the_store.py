"""Databases from before there was a store: what was decided stands in the threads alone, and is taken over."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.vocabulary import AuditAction
from tests.flow.conftest import Built
from tests.flow.things import RANGE, ids, states, told

Ask = Callable[..., DecisionRequest]

FORGET = """
DROP TABLE decisions;
DROP TABLE waivers;
DROP TABLE drafts;
DROP TABLE audit;
DROP TABLE effects;
DROP TABLE ledger;
DROP TABLE ledger_units;
DROP TABLE turns;
DROP TABLE review_graph_schema;
ALTER TABLE reviews RENAME TO newer;
CREATE TABLE reviews (
    id TEXT PRIMARY KEY, first_id TEXT NOT NULL, attempt INTEGER NOT NULL, name TEXT NOT NULL, uri TEXT NOT NULL,
    fingerprint TEXT NOT NULL, spec_digest TEXT NOT NULL, created_at TEXT NOT NULL, problem_kind TEXT,
    problem_message TEXT, UNIQUE (first_id, attempt)
);
INSERT INTO reviews
SELECT id, first_id, attempt, name, uri, fingerprint, spec_digest, created_at, NULL, NULL FROM newer;
DROP TABLE newer;
DROP INDEX IF EXISTS reviews_by_name;
"""


@pytest.fixture
def aged(settings: Settings, built: Built) -> Callable[[ReviewService], ReviewService]:
    """Makes the database what it was before there was a store, and opens it again."""

    def age(service: ReviewService) -> ReviewService:
        service.close()
        with closing(sqlite3.connect(settings.db_path)) as connection:
            connection.executescript(FORGET)
        return built(settings)

    return age


def run(service: ReviewService, table: Callable[..., Path], spec: dict[str, Any]) -> Review:
    return service.start(table("major"), spec | {"policy": {"majorAt": 1}})


def test_what_was_decided_on_a_waiting_review_is_taken_over(
    service: ReviewService,
    aged: Callable[[ReviewService], ReviewService],
    table: Callable[..., Path],
    spec: dict[str, Any],
    ask: Ask,
) -> None:
    paused = run(service, table, spec)
    identity = paused.id or ""
    decided = service.decide(identity, ask("dismiss", findings=ids(paused, RANGE)))
    later = aged(service)
    assert later.get(identity).decisions == decided.decisions
    found = run(later, table, spec)
    assert (found.id, found.status, found.decisions, states(found)) == (
        identity,
        Status.PAUSED,
        decided.decisions,
        states(decided),
    )
    assert told(later, found, AuditAction.DECIDED) == 1
    ended = later.decide(identity, ask("confirm", by="Bob"))
    assert (ended.status, [d.by for d in ended.decisions]) == (Status.ESCALATED, ["Ada", "Bob"])
    assert later.trail.verify() is None


@pytest.mark.parametrize("act", ["run", "resume", "comment"])
def test_review_that_had_ended_is_taken_over_as_it_ended(
    service: ReviewService,
    aged: Callable[[ReviewService], ReviewService],
    table: Callable[..., Path],
    spec: dict[str, Any],
    ask: Ask,
    act: str,
) -> None:
    paused = run(service, table, spec)
    identity = paused.id or ""
    ended = service.decide(identity, ask("confirm"))
    later = aged(service)
    acts: dict[str, Callable[[], Review]] = {
        "run": lambda: run(later, table, spec),
        "resume": lambda: later.resume(identity),
        "comment": lambda: later.decide(identity, ask("comment", by="Bob")),
    }
    found = acts[act]()
    assert (found.id, found.status, found.decisions[:1]) == (identity, Status.ESCALATED, ended.decisions)
    assert later.resume(identity).status is Status.ESCALATED
    assert later.trail.verify() is None
