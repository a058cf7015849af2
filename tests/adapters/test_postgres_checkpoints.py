"""LangGraph's checkpoints in PostgreSQL: the same reviews, nothing built from a crafted row, errors in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from review_graph import DecisionRequest, build_graph
from review_graph.adapters.checkpoints import SqliteCheckpoints, open_checkpoints
from review_graph.adapters.postgres_checkpoints import PostgresCheckpoints
from review_graph.adapters.store import place_of
from review_graph.errors import SetupError
from review_graph.gate import pending, record
from tests.adapters.test_checkpoints import CRAFTED, crafted

THREAD: Any = {"configurable": {"thread_id": "t"}}


@pytest.fixture
def checkpoints(postgres: str) -> Any:
    """A checkpointer on a new database."""
    with closing(open_checkpoints(place_of(postgres))) as opened:
        assert isinstance(opened, PostgresCheckpoints)
        yield opened


def paused(checkpointer: Any, path: Path, spec: dict[str, Any]) -> Any:
    graph = build_graph(checkpointer=checkpointer)
    graph.invoke({"review_request": {"path": str(path), "spec": spec}}, THREAD)
    return graph


def run(url: str, statement: str, *parameters: object) -> None:
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        changed = connection.execute(statement.encode(), parameters)
        assert changed.rowcount != 0


def test_path_gets_the_checkpointer_of_sqlite(tmp_path: Path) -> None:
    with closing(open_checkpoints(place_of(str(tmp_path / "reviews.sqlite")))) as opened:
        assert isinstance(opened, SqliteCheckpoints)


def test_review_pauses_in_one_process_and_is_decided_in_another(
    checkpoints: Any, postgres: str, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    paused(checkpoints, table("major"), spec)
    with closing(open_checkpoints(place_of(postgres))) as other:
        graph = build_graph(checkpointer=other)
        assert graph.get_state(THREAD).next == ("escalate",)
        (waiting,) = pending(graph, THREAD)
        record(graph, waiting.config, DecisionRequest(action="confirm", by="Ada", reason="looked at it"))
        assert graph.invoke(None, THREAD)["review"]["status"] == "escalated"


def test_the_same_review_as_in_sqlite(
    checkpoints: Any, tmp_path: Path, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    with closing(SqliteCheckpoints(tmp_path / "reviews.sqlite")) as sqlite:
        one, other = (paused(each, table("major"), spec).get_state(THREAD).values for each in (sqlite, checkpoints))
    assert one == other
    assert one["findings"]


def test_nul_in_the_data_is_no_trouble(checkpoints: Any, table: Callable[..., Path], spec: dict[str, Any]) -> None:
    path = table("", name="odd", **{"ID": ["S\x00-1", "S\x00-1"], "A": [1, 99], "B\x00 \u202e": ["\x00", "x"]})
    state = paused(checkpoints, path, spec).get_state(THREAD)
    assert state.next == ("escalate",)
    evidence = json.dumps(state.values["findings"])
    assert "S\\\\x00-1" in evidence


@pytest.mark.parametrize("where", ["blob", "write"])
@pytest.mark.parametrize("kind", list(CRAFTED))
def test_crafted_row_builds_nothing(
    checkpoints: Any,
    postgres: str,
    table: Callable[..., Path],
    spec: dict[str, Any],
    tmp_path: Path,
    kind: str,
    where: str,
) -> None:
    graph = paused(checkpoints, table("major"), spec)
    mark = tmp_path / "made by a crafted row"
    spoilt = crafted(kind, mark)
    if where == "blob":
        run(postgres, "UPDATE checkpoint_blobs SET blob = %s WHERE type = 'msgpack' AND channel = 'dataset'", spoilt)
    else:
        run(postgres, "UPDATE checkpoint_writes SET blob = %s WHERE type = 'msgpack'", spoilt)
    for snapshot in graph.get_state_history(THREAD):
        assert json.dumps(snapshot.values)  # plain data is all that is left
    assert not mark.exists()


@pytest.mark.parametrize("kind", ["pickle", "json"])
def test_blob_that_says_it_is_something_else_builds_nothing(
    checkpoints: Any, postgres: str, table: Callable[..., Path], spec: dict[str, Any], tmp_path: Path, kind: str
) -> None:
    graph = paused(checkpoints, table("major"), spec)
    mark = tmp_path / "made by a crafted row"
    # What pickle would do with it: call os.mkdir.
    spoilt = f"cos\nmkdir\n(V{mark}\ntR.".encode()
    if kind == "json":
        spoilt = json.dumps({"lc": 2, "type": "constructor", "id": ["os", "mkdir"], "args": [str(mark)]}).encode()
    run(postgres, "UPDATE checkpoint_blobs SET type = %s, blob = %s WHERE channel = 'dataset'", kind, spoilt)
    if kind == "pickle":
        with pytest.raises(NotImplementedError):
            graph.get_state(THREAD)
    else:
        assert graph.get_state(THREAD).values
    assert not mark.exists()


def test_many_may_open_a_new_database_at_the_same_moment(postgres: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(lambda _: open_checkpoints(place_of(postgres)), range(16)))
    for each in opened:
        assert each.get_tuple(THREAD) is None
        each.close()


def test_broken_connection_is_said_in_one_line_and_made_again(
    checkpoints: Any, postgres: str, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    graph = paused(checkpoints, table("major"), spec)
    run(postgres, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                  "AND datname = current_database()")  # fmt: skip
    with pytest.raises(SetupError, match="cannot use the database postgresql://") as refusal:
        graph.get_state(THREAD)
    assert "\n" not in str(refusal.value)
    assert graph.get_state(THREAD).next == ("escalate",)


def test_database_that_may_only_be_read(
    checkpoints: Any, postgres: str, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    paused(checkpoints, table("major"), spec)
    with closing(open_checkpoints(place_of(f"{postgres}&options=-c%20default_transaction_read_only%3Don"))) as reader:
        assert build_graph(checkpointer=reader).get_state(THREAD).next == ("escalate",)
        with pytest.raises(SetupError, match="read-only transaction"):
            reader.delete_thread("t")


def test_server_that_cannot_be_reached_shows_no_password() -> None:
    with pytest.raises(SetupError, match=r"ada:…@127\.0\.0\.1") as refusal:
        open_checkpoints(place_of("postgresql://ada:s3cret@127.0.0.1:1/db"))
    assert "s3cret" not in str(refusal.value)


def test_sqlite_file_that_was_deleted_is_missed_at_once(
    tmp_path: Path, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    with closing(SqliteCheckpoints(tmp_path / "kept" / "reviews.sqlite")) as checkpointer:
        graph = paused(checkpointer, table("major"), spec)
        (tmp_path / "kept" / "reviews.sqlite").unlink()
        with pytest.raises(SetupError, match="was deleted or replaced while it was in use"):
            graph.get_state(THREAD)
