"""State is plain JSON at every checkpoint, whatever the data hold."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from checks.vocabulary import Outcome
from review_graph import DecisionRequest, Settings, Status, build, build_graph
from review_graph.adapters.checkpoints import SqliteCheckpoints

AWKWARD: Mapping[str, list[Any]] = {
    "nan": [1.0, float("nan"), 2.0],
    "infinity": [float("inf"), float("-inf"), 1e308],
    "date": [dt.date(1, 1, 1), dt.date(9999, 12, 31), None],
    "datetime": [dt.datetime(2020, 1, 1, 12), dt.datetime(1700, 1, 1), None],  # noqa: DTZ001 - data without a zone
    "zoned": [dt.datetime(2020, 1, 1, 12, tzinfo=dt.UTC), None, None],
    "time": [dt.time(23, 59, 59, 999999), dt.time(0), None],
    "duration": [dt.timedelta(days=3), dt.timedelta(microseconds=-1), None],
    "decimal": [Decimal("1.10"), Decimal("-99999999999999999.99"), None],
    "unsigned": [2**64 - 1, 0, 2**63],
    "NUL": ["a\x00b", "\x00", "x"],
    "control": ["\x1b[31mred", "a\nb\r", "\x9b"],
    "odd unicode": ["\u202eturned", "\ufffe\uffff", "\U0010ffff\u0301\u200d"],
    "bytes": [b"\xff\x00", b"", None],
    "list": [[1, None], [], None],
    "struct": [{"a": 1}, {"a": None}, None],
    "boolean": [True, False, None],
    "null": [None, None, None],
    "long": ["x" * 100_000, "y", "z"],
    "=1+1": ["=1+1", "@x", "+2"],
    "": ["no", "name", "here"],
}


def frame_of(values: Mapping[str, list[Any]]) -> pl.DataFrame:
    dtypes: dict[str, Any] = {"unsigned": pl.UInt64, "decimal": pl.Decimal(38, 2), "zoned": pl.Datetime("us", "UTC")}
    return pl.DataFrame({name: pl.Series(name, of, dtype=dtypes.get(name)) for name, of in values.items()})


@pytest.fixture
def strict_spec() -> dict[str, Any]:
    """A spec in which each value of each column is wrong somehow, so that all get into the evidence."""
    return {
        "fieldsMatch": "subset",
        "primaryKey": ["nan", "NUL"],
        "fields": [
            {"name": name, "type": "number", "constraints": {"enum": [0.5]}}
            if name in ("nan", "infinity", "decimal", "unsigned")
            else {"name": name, "type": "string", "constraints": {"enum": ["never"]}}
            for name in AWKWARD
            if name
        ],
    }


def history(settings: Settings, identity: str) -> list[dict[str, Any]]:
    graph = build_graph(checkpointer=SqliteCheckpoints(settings.db_path))
    return [dict(snapshot.values) for snapshot in graph.get_state_history({"configurable": {"thread_id": identity}})]


def assert_plain(value: object) -> None:
    """As JSON would give it back: no tuple, no date, no subclass."""
    assert type(value) in (dict, list, str, int, float, bool, type(None)), value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        assert_plain(item)


def test_state_is_plain_json_at_every_checkpoint(
    settings: Settings, tmp_path: Path, strict_spec: dict[str, Any], ask: Callable[..., DecisionRequest]
) -> None:
    frame_of(AWKWARD).write_parquet(tmp_path / "awkward.parquet")
    service = build(settings)
    review = service.start(tmp_path / "awkward.parquet", strict_spec)
    assert review.status is Status.PAUSED, review.problem
    assert [verdict for verdict in review.verdicts if verdict.outcome is Outcome.ERRORED] == []
    assert len(review.findings) > len(AWKWARD) / 2
    ended = service.decide(review.id or "", ask("confirm"))
    states = history(settings, review.id or "")
    assert len(states) >= 6
    for values in states:
        assert json.loads(json.dumps(values, allow_nan=False)) == values
        assert_plain(values)
        assert "\x00" not in json.dumps(values, ensure_ascii=False)
    json.dumps(ended.to_plain(), allow_nan=False)


PANDAS: Mapping[str, list[Any]] = {
    "objects": [1, "a", None],
    "big": [10**30, -(10**30), 1],
    "surrogate": ["\ud800", "x\udfffy", "z"],
    "nat": [pd.NaT, pd.Timestamp("2020-01-01"), None],
    "na": [pd.NA, 1, 2],
    "nested": [{"a": (1, 2)}, [1], object],
}


@pytest.mark.parametrize("column", list(PANDAS))
def test_odd_pandas_column_is_reviewed_and_kept(settings: Settings, column: str) -> None:
    from review_graph import review

    frame = pd.DataFrame({"ID": ["S-1", "S-1", "S-2"], column: pd.Series(PANDAS[column], dtype=object)})
    wrong = {"name": column, "constraints": {"enum": ["never"]}}
    spec = {"fieldsMatch": "subset", "primaryKey": ["ID"], "fields": [{"name": "ID"}, wrong]}
    reviewed = review(frame, spec, settings=settings)
    assert reviewed.status is Status.PAUSED, reviewed.problem
    for values in history(settings, reviewed.id or ""):
        assert json.loads(json.dumps(values, allow_nan=False)) == values


def test_frame_of_nothing_is_reviewed(settings: Settings) -> None:
    from review_graph import review

    assert review(pa.table({}), settings=settings).status is Status.PAUSED
