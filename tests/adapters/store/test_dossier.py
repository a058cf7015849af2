"""What is recorded of one review, read at one moment, and never by reading all that was ever recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from review_graph.adapters.store import Place
from review_graph.adapters.store.facade import SqlStore
from review_graph.core.telling import told_of_waiver
from review_graph.errors import ReviewNotFound
from review_graph.ports import Dossier, Entry
from review_graph.vocabulary import AuditAction
from tests.adapters.store.test_audit import disarm, run
from tests.adapters.store.things import AT, ID, decision, entry, happened, waiver


def numbers(dossier: Dossier) -> list[int]:
    return [told.number for told in dossier.told]


def keep_waiver(store: SqlStore) -> None:
    told = told_of_waiver(AuditAction.WAIVER_ADDED, waiver(), by="Ada", at=AT, why="known")
    store.add_waiver(waiver(), audit=[told])


def test_dossier_of_a_review_nobody_touched_is_empty(store: SqlStore, seen: Entry) -> None:
    empty = Dossier(entry=seen, decisions=(), told=(), mentioned=frozenset(), waivers=(), last=None)
    assert store.dossier(ID) == empty


def test_dossier_of_an_unknown_review_is_refused(store: SqlStore) -> None:
    with pytest.raises(ReviewNotFound, match="no review has the id 'dm-9'"):
        store.dossier("dm-9")


def test_dossier_holds_what_is_recorded_of_the_review_alone(store: SqlStore, seen: Entry) -> None:
    store.add(entry("ae-1"), audit=[happened(AuditAction.REVIEW_STARTED, review_id="ae-1")])
    keep_waiver(store)
    store.record(seen, [decision()], audit=[happened(), happened(AuditAction.DECISION_APPLIED)])
    store.append([happened(AuditAction.INSPECTED), happened(AuditAction.EXPORTED), happened(AuditAction.ASKED)])
    found = store.dossier(ID)
    assert (found.entry, found.decisions, found.waivers) == (store.get(ID), (decision(),), (waiver(),))
    assert numbers(found) == [3, 4]
    assert found.told == tuple(told for told in store.audit(ID) if told.number in (3, 4))
    assert found.mentioned == {AuditAction.DECIDED, AuditAction.DECISION_APPLIED}
    assert found.last == store.last_audit() == list(store.audit())[-1]


def test_entry_that_was_changed_is_mentioned_and_not_told(store: SqlStore, seen: Entry) -> None:
    store.append([happened(AuditAction.REVIEW_STARTED), happened(), happened(AuditAction.ASSIGNED)])
    disarm(store)
    run(store, "UPDATE audit SET actor = 'Eve' WHERE number = 2")
    found = store.dossier(seen.id)
    assert AuditAction.DECIDED in found.mentioned
    assert numbers(found) == [1, 3]


def test_removed_entry_takes_no_other_review_with_it(store: SqlStore, seen: Entry) -> None:
    store.append([happened(review_id="ae-1"), happened(review_id="ae-1"), happened(), happened()])
    disarm(store)
    run(store, "DELETE FROM audit WHERE number = 1")
    assert numbers(store.dossier(seen.id)) == [3, 4]
    store.append([happened()])
    assert numbers(store.dossier(seen.id)) == [3, 4, 5]


def test_what_another_process_adds_is_told(
    store: SqlStore, place: Place, opened: Callable[..., SqlStore], seen: Entry
) -> None:
    other = opened(place)
    for number in range(1, 4):
        other.append([happened()])
        assert numbers(store.dossier(seen.id)) == list(range(1, number + 1))


@contextmanager
def asked(store: SqlStore) -> Iterator[list[tuple[str, Any]]]:
    """The statements that are executed meanwhile."""
    statements = list[tuple[str, Any]]()

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        if statement.startswith("SELECT"):
            statements.append((statement, parameters))

    engine = store._database._engine
    event.listen(engine, "before_cursor_execute", note)
    yield statements
    event.remove(engine, "before_cursor_execute", note)


def test_look_at_one_review_does_not_read_what_is_recorded_of_all_others(
    sqlite_place: Place, opened: Callable[..., SqlStore]
) -> None:
    # PostgreSQL plans by how much there is, and here is next to nothing.
    store = opened(sqlite_place)
    store.add(entry())
    keep_waiver(store)
    with asked(store) as statements:
        seen = store.dossier(ID).entry
        store.previous(seen)
        store.latest(seen.id)
    assert len(statements) >= 7
    with store._database.reading() as connection:
        for statement, parameters in statements:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            assert not [
                step.detail for step in plan if step.detail.startswith("SCAN") and "CONSTANT" not in step.detail
            ]
