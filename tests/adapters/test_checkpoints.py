"""What is read from the database is data, whatever somebody wrote into it."""

from __future__ import annotations

import json
import pickle
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import ormsgpack
import pytest

from review_graph import ReviewService, Settings, Status, build
from review_graph.adapters.checkpoints import SqliteCheckpoints, strict_serialiser
from review_graph.adapters.sqlite import connect

SINGLE, POSITIONAL, KEYWORDS, METHOD, PYDANTIC_1, PYDANTIC_2 = range(6)
"""Codes of the extension types by which LangGraph's serialiser writes objects."""

CRAFTED: dict[str, tuple[int, Callable[[str], list[Any]]]] = {
    "one argument": (SINGLE, lambda path: ["pathlib", "Path.touch", path]),
    "one callable": (SINGLE, lambda path: ["os", "mkdir", path]),
    "arguments": (POSITIONAL, lambda path: ["os", "mkdir", [path]]),
    "keywords": (KEYWORDS, lambda path: ["os", "mkdir", {"path": path}]),
    "method": (METHOD, lambda path: ["pathlib", "Path", path, "mkdir"]),
    "pydantic 1": (PYDANTIC_1, lambda path: ["os", "mkdir", {"path": path}]),
    "pydantic 2": (PYDANTIC_2, lambda path: ["os", "mkdir", {"path": path}, "model_validate"]),
}


def crafted(kind: str, path: Path) -> bytes:
    code, payload = CRAFTED[kind]
    return ormsgpack.packb({"evil": ormsgpack.Ext(code, ormsgpack.packb(payload(str(path))))})


@pytest.mark.parametrize("kind", list(CRAFTED))
def test_crafted_row_builds_nothing(tmp_path: Path, kind: str) -> None:
    mark = tmp_path / "made by a crafted row"
    loaded = strict_serialiser().loads_typed(("msgpack", crafted(kind, mark)))
    assert not mark.exists()
    assert json.loads(json.dumps(loaded)) == loaded  # plain data is all that is left


def test_pickle_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError):
        strict_serialiser().loads_typed(("pickle", pickle.dumps({"path": str(tmp_path)})))


def test_object_named_in_json_is_not_built(tmp_path: Path) -> None:
    mark = tmp_path / "made by a crafted row"
    named = {"lc": 2, "type": "constructor", "id": ["os", "mkdir"], "args": [str(mark)]}
    loaded = strict_serialiser().loads_typed(("json", json.dumps(named).encode()))
    assert loaded in (None, named)
    assert not mark.exists()


@pytest.mark.parametrize("kind", list(CRAFTED))
def test_crafted_checkpoint_in_the_database_builds_nothing(
    settings: Settings,
    service: ReviewService,
    table: Callable[..., Path],
    spec: dict[str, Any],
    tmp_path: Path,
    kind: str,
) -> None:
    review = service.start(table("major"), spec)
    mark = tmp_path / "made by a crafted row"
    connection = connect(settings.db_path)
    serialiser = strict_serialiser()
    rowid, data = connection.execute("SELECT rowid, checkpoint FROM checkpoints ORDER BY checkpoint_id DESC").fetchone()
    checkpoint = serialiser.loads_typed(("msgpack", data))
    code, payload = CRAFTED[kind]
    checkpoint["channel_values"]["today"] = ormsgpack.Ext(code, ormsgpack.packb(payload(str(mark))))
    with connection:
        spoilt = (ormsgpack.packb(checkpoint, default=list), rowid)
        connection.execute("UPDATE checkpoints SET checkpoint = ? WHERE rowid = ?", spoilt)
    connection.close()
    spoilt_review = build(settings).get(review.id or "")
    assert spoilt_review.status is Status.FAILED  # it is no longer what the trail tells of
    assert spoilt_review.problem is not None
    assert spoilt_review.problem.kind != "bug"
    assert not mark.exists()


@pytest.mark.parametrize(
    "value",
    [None, True, -(2**63), 2**64 - 1, 0.1, 1e308, "", "\u202e\U0010ffff", [], {"a": [{"b": None}]}, ["x" * 100_000]],
    ids=["none", "bool", "least", "most", "float", "large", "empty", "unicode", "list", "nested", "long"],
)
def test_plain_data_comes_back_as_it_was(value: object) -> None:
    serialiser = strict_serialiser()
    assert serialiser.loads_typed(serialiser.dumps_typed(value)) == value


def test_database_is_its_owners_alone(service: ReviewService, settings: Settings) -> None:
    assert service.list() == ()
    assert stat.S_IMODE(settings.db_path.stat().st_mode) == 0o600


def test_two_checkpointers_on_one_file_see_each_other(
    tmp_path: Path, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    from review_graph import build_graph

    path = tmp_path / "deep" / "folder" / "reviews.sqlite"
    thread: Any = {"configurable": {"thread_id": "t"}}
    one = build_graph(checkpointer=SqliteCheckpoints(path))
    other = build_graph(checkpointer=SqliteCheckpoints(path))
    one.invoke({"review_request": {"path": str(table("major")), "spec": spec}}, thread)
    assert other.get_state(thread).next == one.get_state(thread).next == ("escalate",)


def test_many_may_open_a_new_database_at_the_same_moment(tmp_path: Path) -> None:
    def opened(number: int) -> str:
        with closing(connect(tmp_path / f"{number // 16}.sqlite")) as connection:
            return str(connection.execute("PRAGMA journal_mode").fetchone()[0])

    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(opened, range(320))) == {"wal"}
