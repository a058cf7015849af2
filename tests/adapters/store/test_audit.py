"""The audit trail: one chain, whoever appends; the database refuses to change it; what was changed is found."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from review_graph.adapters.store import Place, SqlitePlace
from review_graph.adapters.store import facade as facade_module
from review_graph.adapters.store.facade import SqlStore
from review_graph.core.chaining import verify
from review_graph.errors import SetupError
from review_graph.ports import Entry
from review_graph.vocabulary import FIRST_PREVIOUS, AuditAction
from tests.adapters.store.things import ID, decision, happened


def run(store: SqlStore, *statements: str) -> None:
    with store._database.writing() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def disarm(store: SqlStore) -> None:
    """What somebody with all rights could do."""
    if isinstance(store._database._place, SqlitePlace):
        run(store, *(f"DROP TRIGGER audit_refuses_{act}" for act in ("update", "delete", "replace")))
    else:
        run(store, "DROP TRIGGER audit_refuses ON audit")


def test_entries_come_back_as_they_were_chained(store: SqlStore) -> None:
    drafts = [
        happened(AuditAction.REVIEW_STARTED, subject={"dataset": "dm", "graph_version": 4}, role="lead"),
        happened(detail={"from": "major", "to": "minor", "findings": ["a"], "why": "\u202e 'x'"}, review_id=None),
    ]
    appended = store.append(drafts)
    assert tuple(store.audit()) == appended
    assert store.last_audit() == appended[-1]
    assert [entry.number for entry in appended] == [1, 2]
    assert (appended[0].previous, appended[1].previous) == (FIRST_PREVIOUS, appended[0].hash)
    assert appended[1].detail == drafts[1].detail
    assert verify(list(store.audit())) is None


def test_text_that_a_database_cannot_hold_does_not_look_like_a_changed_entry(store: SqlStore) -> None:
    store.append([happened(actor="A\x00da", role="\udc80", detail={"wh\x00y \udc80": ["\udc80"]})])
    assert verify(list(store.audit())) is None


def test_nothing_happened_adds_nothing(store: SqlStore) -> None:
    assert (store.append([]), store.last_audit(), list(store.audit())) == ((), None, [])


def test_trail_of_one_review_leaves_the_others_out(store: SqlStore) -> None:
    store.append([happened(), happened(review_id="ae-1"), happened(review_id=None), happened()])
    assert [entry.number for entry in store.audit(ID)] == [1, 4]


def test_long_trail_is_read_in_pages(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facade_module, "PAGE", 3)
    store.append([happened(detail={"n": number}) for number in range(10)])
    assert [entry.detail["n"] for entry in store.audit()] == list(range(10))


def test_many_writers_make_one_chain(store: SqlStore, place: Place, opened: Callable[..., SqlStore]) -> None:
    stores = [store, opened(place)]

    def append(number: int) -> None:
        stores[number % 2].append([happened(detail={"n": number}), happened()])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(append, range(40)))
    entries = list(store.audit())
    assert [entry.number for entry in entries] == list(range(1, 81))
    assert verify(entries) is None


TAMPERING = {
    "update": "UPDATE {table} SET {column} = 'x'",
    "delete": "DELETE FROM {table}",
    "delete one": "DELETE FROM {table} WHERE number = 1",
}


@pytest.mark.parametrize("statement", TAMPERING.values(), ids=list(TAMPERING))
@pytest.mark.parametrize(("table", "column"), [("audit", "actor"), ("decisions", "record")])
def test_database_refuses_to_change_what_was_recorded(
    store: SqlStore, seen: Entry, statement: str, table: str, column: str
) -> None:
    store.record(seen, [decision()], audit=[happened()])
    before = (store.decisions(ID), list(store.audit()))
    with pytest.raises(SetupError, match=f"recorded in {table} is never changed or deleted"):
        run(store, statement.format(table=table, column=column))
    assert (store.decisions(ID), list(store.audit())) == before


@pytest.mark.parametrize("table", ["audit", "decisions"])
def test_database_refuses_the_ways_round_as_well(store: SqlStore, seen: Entry, table: str) -> None:
    store.record(seen, [decision()], audit=[happened()])
    if isinstance(store._database._place, SqlitePlace):
        ways = [[f"REPLACE INTO {table} SELECT * FROM {table}"]]  # noqa: S608 - our own names
    else:
        as_replica = ["SET session_replication_role = replica", f"DELETE FROM {table}"]  # noqa: S608 - our own names
        ways = [[f"TRUNCATE {table}"], as_replica]
    for way in ways:
        with pytest.raises(SetupError, match=f"recorded in {table} is never changed or deleted"):
            run(store, *way)
    assert (len(store.decisions(ID)), len(list(store.audit()))) == (1, 1)


CHANGES = {
    "actor": "UPDATE audit SET actor = 'Eve' WHERE number = 2",
    "review": "UPDATE audit SET review_id = NULL WHERE number = 2",
    "detail": "UPDATE audit SET detail = '{}' WHERE number = 2",
    "no JSON": "UPDATE audit SET detail = '{' WHERE number = 2",
    "no object": "UPDATE audit SET subject = '1' WHERE number = 2",
    "removed": "DELETE FROM audit WHERE number = 2",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_change_by_somebody_with_all_rights_is_found(store: SqlStore, change: str) -> None:
    store.append([happened(detail={"n": number}) for number in range(3)])
    assert verify(list(store.audit())) is None
    disarm(store)
    run(store, change)
    assert verify(list(store.audit())) is not None


def test_action_that_nobody_knows_is_said_in_one_line(store: SqlStore) -> None:
    store.append([happened()])
    disarm(store)
    run(store, "UPDATE audit SET action = 'approved by the king'")
    with pytest.raises(SetupError, match="entry 1 of the audit trail has the unknown action"):
        list(store.audit())


def test_decision_that_is_no_record_any_more_is_said_in_one_line(store: SqlStore, seen: Entry) -> None:
    store.record(seen, [decision()])
    sqlite = isinstance(store._database._place, SqlitePlace)
    run(store, "DROP TRIGGER decisions_refuses_update" if sqlite else "DROP TRIGGER decisions_refuses ON decisions")
    for record in ("{", "{}", "[]", '{"number": 1}'):
        run(store, f"UPDATE decisions SET record = '{record}'")  # noqa: S608 - our own text
        with pytest.raises(SetupError, match=f"decision 1 of review {ID} is damaged"):
            store.decisions(ID)
