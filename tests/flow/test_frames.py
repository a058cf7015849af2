"""Tables handed in by a caller: the same content is the same review, whatever library holds it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from review_graph import DecisionRequest, Settings, Status, build, review
from review_graph.errors import InputError
from review_graph.vocabulary import Review

DATA: Mapping[str, list[Any]] = {"ID": ["S-1", "S-2", "S-2"], "A": [1, 2, 33], "W": [0.5, None, 2.5]}


def duckdb_relation() -> duckdb.DuckDBPyRelation:
    connection = duckdb.connect()
    connection.register("handed_in", pa.table(dict(DATA)))
    return connection.sql("SELECT * FROM handed_in")


FRAMES: Mapping[str, Callable[[], object]] = {
    "polars": lambda: pl.DataFrame(DATA),
    "polars-lazy": lambda: pl.LazyFrame(DATA),
    "polars-chunks": lambda: pl.concat([pl.DataFrame(DATA).head(1), pl.DataFrame(DATA).tail(2)], rechunk=False),
    "pandas": lambda: pd.DataFrame(dict(DATA)),
    "pandas-index": lambda: pd.DataFrame(dict(DATA), index=[7, 8, 9]),
    "pandas-arrow": lambda: pa.table(dict(DATA)).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas-objects": lambda: pd.DataFrame(dict(DATA)).astype({"ID": object}),
    "pyarrow": lambda: pa.table(dict(DATA)),
    "duckdb": duckdb_relation,
}


@pytest.fixture
def reviewed(settings: Settings, spec: dict[str, Any]) -> Callable[[object], Review]:
    return lambda frame: review(frame, spec, settings=settings)


@pytest.mark.parametrize("library", list(FRAMES))
def test_frame_is_reviewed_and_the_same_content_is_the_same_review(
    reviewed: Callable[[object], Review], library: str
) -> None:
    found = reviewed(FRAMES[library]())
    assert (found.status, found.dataset.name, found.dataset.rows, found.dataset.columns) == (
        Status.PAUSED,
        "frame",
        3,
        3,
    )
    assert [item.finding.code for item in found.findings] == ["structure.duplicate_key", "ranges.outside_limits"]
    assert found.id == reviewed(pl.DataFrame(DATA)).id


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(pl.DataFrame({**DATA, "A": [1, 2, 34]}), id="value"),
        pytest.param(pl.DataFrame({**DATA, "A": [1.0, 2.0, 33.0]}), id="type"),
        pytest.param(pl.DataFrame(DATA).rename({"A": "AA"}), id="name"),
        pytest.param(pl.DataFrame(DATA).reverse(), id="order"),
        pytest.param(pl.DataFrame({**DATA, "W": [0.5, float("nan"), 2.5]}), id="NaN for null"),
    ],
)
def test_other_content_is_another_review(reviewed: Callable[[object], Review], other: pl.DataFrame) -> None:
    assert reviewed(other).id != reviewed(pl.DataFrame(DATA)).id


def test_name_is_part_of_the_identity(settings: Settings, spec: dict[str, Any]) -> None:
    first = review(pl.DataFrame(DATA), spec, name="dm", settings=settings)
    second = review(pl.DataFrame(DATA), spec, name="ae", settings=settings)
    assert first.id is not None
    assert first.id.startswith("dm-")
    assert second.id != first.id
    assert (first.dataset.name, second.dataset.name) == ("dm", "ae")


def test_two_names_of_the_same_frame_in_one_process_stay_apart(settings: Settings, spec: dict[str, Any]) -> None:
    frame = pl.DataFrame(DATA)
    ids = [review(frame, spec, name=name, settings=settings).id for name in ("dm", "ae", "dm")]
    assert ids[0] == ids[2] != ids[1]
    assert sorted(kept.dataset.name for kept in build(settings).list()) == ["ae", "dm"]


DECIDE = """
import json, sys
from review_graph import DecisionRequest, Settings, build
review = build(Settings(db=sys.argv[1])).decide(
    sys.argv[2], DecisionRequest(action="confirm", by="Ada", reason="looked at it"))
print(json.dumps(review.to_plain()))
"""


def test_paused_frame_is_decided_later_by_another_process(
    reviewed: Callable[[object], Review], settings: Settings, elsewhere: Callable[..., Any]
) -> None:
    paused = reviewed(pl.DataFrame(DATA))
    answer = elsewhere("-c", DECIDE, settings.db, paused.id)
    assert answer.returncode == 0, answer.stderr
    ended = json.loads(answer.stdout)
    assert (ended["status"], ended["dataset"]["uri"]) == ("escalated", f"memory:{paused.dataset.fingerprint}")
    assert reviewed(pl.DataFrame(DATA)).status is Status.ESCALATED


def test_interrupted_frame_goes_on_when_it_is_handed_in_again(
    reviewed: Callable[[object], Review], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from review_graph import nodes

    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(nodes, "run_family", interrupted)
        with pytest.raises(KeyboardInterrupt):
            reviewed(pl.DataFrame(DATA))
    (begun,) = build(settings).list()
    alone = build(settings).resume(begun.id or "")
    assert alone.status is Status.FAILED
    assert alone.problem is not None
    assert "another process" in alone.problem.message
    again = reviewed(pl.DataFrame(DATA))
    assert (again.id, again.status, again.problem) == (begun.id, Status.PAUSED, None)


@pytest.mark.parametrize("thing", [None, 3, {"A": [1]}, [[1]], object()], ids=["none", "int", "dict", "list", "object"])
def test_what_is_no_table_is_refused_in_one_line(settings: Settings, thing: object) -> None:
    from checks import TableError

    with pytest.raises((InputError, TableError), match="hand in") as refusal:
        review(thing, settings=settings)
    assert "\n" not in str(refusal.value)


def test_confirmed_frame_keeps_its_decision(
    reviewed: Callable[[object], Review], settings: Settings, ask: Callable[..., DecisionRequest]
) -> None:
    paused = reviewed(FRAMES["duckdb"]())
    ended = build(settings).decide(paused.id or "", ask("override", severity="none"))
    assert (ended.status, ended.triage.severity.value) == (Status.SUMMARISED, "none")
