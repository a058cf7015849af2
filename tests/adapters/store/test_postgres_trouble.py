"""What can happen to a PostgreSQL server: one line that says what to do, never a password, and it goes on later."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from review_graph.adapters.store import PostgresPlace
from review_graph.adapters.store import postgres as postgres_module
from review_graph.adapters.store.engines import WRITERS_LOCK
from review_graph.adapters.store.facade import SqlStore
from review_graph.adapters.store.migrations import MIGRATIONS
from review_graph.errors import SetupError
from tests.adapters.store.things import ID, NOW, entry

END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid()"
)


@pytest.fixture
def server(postgres: str) -> PostgresPlace:
    """A database of the test's own."""
    return PostgresPlace(postgres)


def end_others(place: PostgresPlace) -> None:
    with closing(psycopg.connect(place.url, autocommit=True)) as connection:
        connection.execute(END_OTHERS)


def test_server_that_cannot_be_reached_is_said_in_one_line_without_the_password() -> None:
    with pytest.raises(SetupError, match=r"postgresql://ada:…@127\.0\.0\.1:1/db: .*is the server running") as refusal:
        SqlStore(PostgresPlace("postgresql://ada:s3cret@127.0.0.1:1/db"), lambda: NOW)
    assert "s3cret" not in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert refusal.value.__cause__ is None


def test_address_that_cannot_be_read_is_not_quoted() -> None:
    with pytest.raises(SetupError, match="percent-encoded") as refusal:
        SqlStore(PostgresPlace("postgresql://ada:s3cret%zz@127.0.0.1:1/db"), lambda: NOW)
    assert "s3cret" not in str(refusal.value)


def test_unknown_database_is_named(server: PostgresPlace) -> None:
    other = PostgresPlace(server.url.replace("/test_", "/no_such_"))
    with pytest.raises(SetupError, match=r'database "no_such_.*" does not exist'):
        SqlStore(other, lambda: NOW)


@pytest.mark.parametrize("missing", ["psycopg", "langgraph.checkpoint.postgres"])
def test_missing_package_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(SetupError, match=r"pip install 'review-graph\[postgres\]'"):
        SqlStore(PostgresPlace("postgresql://ada@host/db"), lambda: NOW)


def test_connections_that_broke_are_made_again(server: PostgresPlace, opened: Callable[..., SqlStore]) -> None:
    store = opened(server)
    store.add(entry())
    end_others(server)
    assert store.get(ID) is not None


def test_connection_that_breaks_in_the_middle_keeps_nothing_of_it(
    server: PostgresPlace, opened: Callable[..., SqlStore]
) -> None:
    store = opened(server)

    def write_and_break() -> None:
        with store._database.writing() as connection:
            connection.exec_driver_sql("INSERT INTO review_graph_schema VALUES (7, '')")
            end_others(server)
            connection.exec_driver_sql("INSERT INTO review_graph_schema VALUES (8, '')")

    with pytest.raises(SetupError, match="cannot use the database postgresql://"):
        write_and_break()
    with store._database.reading() as connection:
        assert connection.exec_driver_sql("SELECT max(version) FROM review_graph_schema").scalar() == len(MIGRATIONS)


def test_database_that_was_dropped_in_the_middle(postgres_server: str, opened: Callable[..., SqlStore]) -> None:
    name = "dropped_in_the_middle"
    with closing(psycopg.connect(postgres_server, autocommit=True)) as connection:
        connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        store = opened(PostgresPlace(postgres_server.replace("/postgres?", f"/{name}?")))
        connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
    with pytest.raises(SetupError, match=f'database "{name}" does not exist'):
        store.get(ID)


def test_database_that_may_only_be_read(server: PostgresPlace, opened: Callable[..., SqlStore]) -> None:
    opened(server).add(entry())
    reader = opened(PostgresPlace(f"{server.url}&options=-c%20default_transaction_read_only%3Don"))
    assert reader.get(ID) is not None
    with pytest.raises(SetupError, match="read-only transaction") as refusal:
        reader.add(entry("dm-2"))
    assert "\n" not in str(refusal.value)


def test_writer_that_takes_too_long(
    server: PostgresPlace, opened: Callable[..., SqlStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(server)
    monkeypatch.setattr(postgres_module, "LOCK_TIMEOUT_S", 0.05)
    store = opened(server)
    with closing(psycopg.connect(server.url)) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", (WRITERS_LOCK,))
        with pytest.raises(SetupError, match="lock timeout"):
            store.add(entry())
        assert store.get(ID) is None  # readers go on
    assert store.add(entry())
