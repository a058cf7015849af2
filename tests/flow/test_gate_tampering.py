"""Whoever has the database in hand can change it, and the audit trail or the review itself tells."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from checks.vocabulary import canonical
from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.core.chaining import FaultKind
from review_graph.errors import SetupError
from review_graph.vocabulary import Anchor, AuditAction, AuditEntry
from tests.flow.conftest import Built
from tests.flow.things import on_one_database, run, unguarded

Ask = Callable[..., DecisionRequest]
Sql = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def service(kept: Settings, built: Built) -> ReviewService:
    return built(kept)


@pytest.fixture
def decided(service: ReviewService, table: Callable[..., Path], spec: dict[str, Any], ask: Ask) -> Review:
    """A review with two decisions, and one more review in the trail."""
    service.start(table("clean"), spec)
    paused = service.start(table("major"), spec)
    service.decide(paused.id or "", ask("comment", reason="who knows why"))
    ended = service.decide(paused.id or "", ask("confirm"))
    assert service.trail.verify() is None
    return ended


@pytest.fixture
def sql(kept: Settings, decided: Review) -> Sql:
    """Executes statements, as somebody would who may alter the database: the triggers go first."""
    assert decided.status is Status.ESCALATED

    def execute(*statements: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        for statement in statements:
            rows = run(kept, statement)
        return rows

    unguarded(kept, "audit", "decisions")
    return execute


def number_of(service: ReviewService, action: AuditAction, place: int = 0) -> int:
    return [entry.number for entry in service.trail.entries() if entry.action is action][place]


def test_database_refuses_while_it_has_its_triggers(kept: Settings, service: ReviewService, decided: Review) -> None:
    for statement in ("UPDATE audit SET actor = 'Eve'", "DELETE FROM audit", "DELETE FROM decisions"):
        with pytest.raises((sqlite3.Error, psycopg.Error), match="is never changed or deleted"):
            run(kept, statement)
    assert service.trail.verify() is None
    assert service.get(decided.id or "").decisions == decided.decisions


COLUMNS = {
    "actor": "'Eve'",
    "at": "'2020-01-01T00:00:00+00:00'",
    "role": "'sponsor'",
    "review_id": "'other-0123456789'",
    "detail": "'{}'",
    "subject": "'{}'",
    "action": "'inspected'",
}


def test_changed_entry_is_named(service: ReviewService, sql: Sql) -> None:
    number = number_of(service, AuditAction.DECIDED)
    for column, forged_value in COLUMNS.items():
        ((was,),) = sql(f"SELECT {column} FROM audit WHERE number = {number}")  # noqa: S608 - our own
        sql(f"UPDATE audit SET {column} = {forged_value} WHERE number = {number}")  # noqa: S608 - our own
        fault = service.trail.verify()
        assert fault is not None, column
        assert (fault.kind, fault.number) == (FaultKind.CHANGED, number)
        assert f"entry {number} was changed" in fault.message
        sql(f"UPDATE audit SET {column} = '{was}' WHERE number = {number}")  # noqa: S608 - our own
        assert service.trail.verify() is None


def test_removed_entry_is_named(service: ReviewService, sql: Sql) -> None:
    number = number_of(service, AuditAction.DECIDED)
    sql(f"DELETE FROM audit WHERE number = {number}")  # noqa: S608 - our own
    fault = service.trail.verify()
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.REMOVED, number)


def test_removed_entry_is_named_when_those_after_it_were_moved_up(service: ReviewService, sql: Sql) -> None:
    number, last = number_of(service, AuditAction.DECIDED), service.trail.last()
    assert last is not None
    sql(
        f"DELETE FROM audit WHERE number = {number}",  # noqa: S608 - our own
        *(f"UPDATE audit SET number = {n - 1} WHERE number = {n}" for n in range(number + 1, last.number + 1)),  # noqa: S608 - our own
    )
    fault = service.trail.verify()
    assert fault is not None
    assert fault.number == number


def cut_last(service: ReviewService, sql: Sql) -> AuditEntry:
    """Remove the last entry, which told of an end, and let the row of its review say what the rest tells."""
    last = service.trail.last()
    assert last is not None
    sql(f"DELETE FROM audit WHERE number = {last.number}")  # noqa: S608 - our own
    fault = service.trail.verify()
    assert fault is not None
    assert (fault.kind, "or the end of the trail cut off" in fault.message) == (FaultKind.REVIEW, True)
    sql(f"UPDATE reviews SET status = 'running' WHERE id = '{last.review_id}'")  # noqa: S608 - our own
    assert service.trail.verify() is None
    return last


def test_removed_tail_is_named_with_an_anchor_and_only_with_one(service: ReviewService, sql: Sql) -> None:
    last = cut_last(service, sql)
    fault = service.trail.verify(Anchor.of(last))
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.CUT, last.number)
    assert f"a report tells of entry {last.number}" in fault.message


def test_tail_that_was_written_anew_is_named_with_an_anchor(service: ReviewService, sql: Sql, decided: Review) -> None:
    last = cut_last(service, sql)
    service.inspect(decided.id or "", by="Eve")
    assert service.trail.verify() is None
    fault = service.trail.verify(Anchor.of(last))
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.CHANGED, last.number)


def test_swapped_entries_are_named(service: ReviewService, sql: Sql) -> None:
    one, two = number_of(service, AuditAction.DECIDED, 0), number_of(service, AuditAction.DECIDED, 1)
    sql(
        f"UPDATE audit SET number = 0 WHERE number = {one}",  # noqa: S608 - our own
        f"UPDATE audit SET number = {one} WHERE number = {two}",  # noqa: S608 - our own
        f"UPDATE audit SET number = {two} WHERE number = 0",  # noqa: S608 - our own
    )
    fault = service.trail.verify()
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.SWAPPED, one)


EDITS = {"by": "Eve", "reason": "all is well", "at": "2020-01-01T00:00:00+00:00", "action": "override", "to": "none"}


def test_edited_decision_is_named(service: ReviewService, sql: Sql, decided: Review) -> None:
    for field, forged_value in EDITS.items():
        plain = decided.decisions[1].to_plain() | {field: forged_value}
        sql(f"UPDATE decisions SET record = '{canonical(plain)}' WHERE number = 2")  # noqa: S608 - our own
        fault = service.trail.verify()
        assert fault is not None, field
        assert fault.kind is FaultKind.DECISION
        assert fault.message.startswith(f"decision 2 of review {decided.id}")
        assert "it was edited" in fault.message
        assert service.get(decided.id or "").status is Status.FAILED  # its thread tells another story


def test_removed_and_added_decisions_are_named(service: ReviewService, sql: Sql, decided: Review) -> None:
    (record,) = sql("SELECT record FROM decisions WHERE number = 2")
    sql("DELETE FROM decisions WHERE number = 2")
    removed = service.trail.verify()
    assert removed is not None
    assert removed.message.startswith(f"decision 2 of review {decided.id}")
    for number, record_ in ((2, record[0]), (3, canonical(json.loads(record[0]) | {"number": 3}))):
        sql(f"INSERT INTO decisions VALUES ('{decided.id}', {number}, '{record_}', 'x')")  # noqa: S608 - our own
    added = service.trail.verify()
    assert added is not None
    assert added.message.startswith(f"decision 3 of review {decided.id} is in no entry")


def test_decision_that_is_no_decision_any_more_is_said_in_one_line(
    service: ReviewService, sql: Sql, decided: Review
) -> None:
    sql("UPDATE decisions SET record = '{' WHERE number = 1")
    with pytest.raises(SetupError, match=rf"decision 1 of review {decided.id} is damaged"):
        service.get(decided.id or "")


@on_one_database
@pytest.mark.parametrize("node", ["triage", "summarise", "escalate", "intake"])
def test_review_that_ended_and_was_written_to_is_flagged(
    service: ReviewService, graph: Any, decided: Review, table: Callable[..., Path], spec: dict[str, Any], node: str
) -> None:
    thread: Any = {"configurable": {"thread_id": decided.id}}
    values = {"review": {"status": "summarised"}} if node in ("summarise", "escalate") else {}
    graph.update_state(thread, values, as_node=node)
    for review in (service.get(decided.id or ""), service.start(table("major"), spec)):
        assert review.status is Status.FAILED
        assert review.problem is not None
        assert "had ended, and its thread was changed" in review.problem.message
    assert service.start(table("major"), spec, fresh=True).status is Status.PAUSED
