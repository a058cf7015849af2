"""From any earlier database to the present one, with all that was kept in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import inspect

from checks.vocabulary import Severity
from review_graph.adapters.store import Place, SqlitePlace, place_of
from review_graph.adapters.store import migrations as migrations_module
from review_graph.adapters.store.facade import SqlStore
from review_graph.adapters.store.migrations import MIGRATIONS
from review_graph.adapters.store.schema import METADATA
from review_graph.errors import SetupError
from review_graph.ports import Entry
from review_graph.vocabulary import Problem, Status
from tests.adapters.store.things import ID, decision, entry, happened

COLUMNS = {table.name: {column.name for column in table.columns} for table in METADATA.sorted_tables}


def columns(store: SqlStore) -> dict[str, set[str]]:
    with store._database.reading() as connection:
        inspector = inspect(connection)
        return {name: {str(each["name"]) for each in inspector.get_columns(name)} for name in COLUMNS}


def nullable(store: SqlStore) -> set[tuple[str, str]]:
    with store._database.reading() as connection:
        inspector = inspect(connection)
        return {
            (name, str(each["name"])) for name in COLUMNS for each in inspector.get_columns(name) if each["nullable"]
        }


def test_new_database_has_the_tables_of_the_schema(store: SqlStore) -> None:
    assert columns(store) == COLUMNS
    meant = {
        (table.name, column.name) for table in METADATA.sorted_tables for column in table.columns if column.nullable
    }
    sqlite_says_so_of_a_text_key = {("reviews", "id")}
    assert nullable(store) - sqlite_says_so_of_a_text_key == meant


BEFORE_THE_STORE = """
CREATE TABLE IF NOT EXISTS reviews (
    id TEXT PRIMARY KEY,
    first_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    name TEXT NOT NULL,
    uri TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    spec_digest TEXT NOT NULL,
    created_at TEXT NOT NULL,
    problem_kind TEXT,
    problem_message TEXT,
    UNIQUE (first_id, attempt)
)
"""
"""The list of reviews as it was made before there was a store."""


def add_as_before_the_store(connection: sqlite3.Connection, added: Entry) -> None:
    known = ("id", "attempt", "spec_digest", "created_at")
    values: dict[str, object] = {name: getattr(added, name) for name in known}
    values |= {name: getattr(added.located, name) for name in ("name", "uri", "fingerprint")}
    values["first_id"] = ID
    if added.problem is not None:
        values |= {"problem_kind": added.problem.kind, "problem_message": added.problem.message}
    columns, places = ", ".join(values), ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO reviews ({columns}) VALUES ({places})", tuple(values.values()))  # noqa: S608 - our own names


def test_list_of_reviews_from_before_the_store_is_kept(
    sqlite_place: SqlitePlace, opened: Callable[..., SqlStore]
) -> None:
    sqlite_place.path.parent.mkdir()
    with sqlite3.connect(sqlite_place.path) as connection:
        connection.execute(BEFORE_THE_STORE)
        add_as_before_the_store(connection, entry(problem=Problem(kind="input", message="gone")))
        add_as_before_the_store(connection, entry(attempt=2, created_at="2026-02-02T00:00:00+00:00"))
        connection.execute("CREATE TABLE checkpoints (thread_id TEXT)")
        connection.execute("INSERT INTO checkpoints VALUES ('dm-1')")
    connection.close()
    store = opened(sqlite_place)
    first, second = store.get(ID), store.latest(ID)
    assert first == entry(problem=Problem(kind="input", message="gone"), updated_at="2026-01-01T00:00:00+00:00")
    assert second is not None
    assert (second.attempt, second.status, second.severity, second.version) == (2, Status.RUNNING, Severity.MAJOR, 1)
    assert columns(store) == COLUMNS
    store.record(second, [decision()], audit=[happened()])
    with sqlite3.connect(sqlite_place.path) as connection:
        assert connection.execute("SELECT * FROM checkpoints").fetchall() == [("dm-1",)]
    connection.close()


def test_code_from_before_the_store_can_still_add_to_its_list(
    sqlite_place: SqlitePlace, opened: Callable[..., SqlStore]
) -> None:
    store = opened(sqlite_place)
    with sqlite3.connect(sqlite_place.path) as connection:
        add_as_before_the_store(connection, entry())
    connection.close()
    assert store.get(ID) == entry()


def test_opening_again_changes_nothing(place: Place, opened: Callable[..., SqlStore], seen: Entry) -> None:
    assert opened(place).get(ID) == seen


def test_many_may_open_a_new_database_at_the_same_moment(place: Place, opened: Callable[..., SqlStore]) -> None:
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: opened(place), range(16)))
    stores[0].add(entry())
    assert {each.get(ID) for each in stores} == {stores[0].get(ID)}


def test_database_of_a_newer_version_is_refused_and_left_alone(
    place: Place, opened: Callable[..., SqlStore], store: SqlStore
) -> None:
    with store._database.writing() as connection:
        connection.exec_driver_sql("INSERT INTO review_graph_schema VALUES (99, '2030-01-01')")
    with pytest.raises(SetupError, match=r"has version 99, this review-graph knows up to \d+: update review-graph"):
        opened(place)
    with store._database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM review_graph_schema WHERE version = 99")
    assert opened(place).get(ID) is None


def test_migration_that_fails_leaves_the_database_as_it_was(
    place: Place, opened: Callable[..., SqlStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(connection: object) -> None:
        assert connection
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(migrations_module, "MIGRATIONS", (*MIGRATIONS, fails))
        with pytest.raises(ZeroDivisionError):
            opened(place)
    store = opened(place)  # nothing of the first step had stayed: it would fail over its own tables
    assert columns(store) == COLUMNS


def test_postgres_sorts_text_as_sqlite_does(postgres: str, opened: Callable[..., SqlStore]) -> None:
    # Asked of the columns: the servers of the tests know no other order, one that was set up by hand does.
    asked = (
        "SELECT DISTINCT collation_name FROM information_schema.columns "
        "WHERE table_schema = current_schema() AND data_type = 'text' AND table_name <> 'review_graph_schema'"
    )
    with opened(place_of(postgres))._database.reading() as connection:
        assert connection.exec_driver_sql(asked).scalars().all() == ["C"]
