"""Floats of 32 bits: a number of the spec means the nearest of theirs, on every engine and in every check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from checks import adopt, review_table
from checks.plain import nearest

VALUES = [0.1, 0.2, 0.3, float("inf"), None, float("nan")]
TABLE = pa.table({"A": pa.array(VALUES, pa.float32()), "P": ["x"] * len(VALUES)})


def written(folder: Path) -> Path:
    path = folder / "table.parquet"
    pq.write_table(TABLE, path, row_group_size=1)
    return path


MADE: Mapping[str, Callable[[Path], object]] = {
    "pyarrow": lambda _: TABLE,
    "polars": lambda _: pl.from_arrow(TABLE),
    "pandas": lambda _: TABLE.to_pandas(),
    "duckdb": lambda _: duckdb.from_arrow(TABLE),
    "duckdb-parquet": lambda folder: duckdb.read_parquet(str(written(folder))),
    "parquet": written,
}


@pytest.fixture(params=list(MADE.values()), ids=list(MADE))
def table(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> object:
    monkeypatch.setattr("checks.extents.MIN_BYTES", 0)
    return request.param(tmp_path)


def rows_of(table: object, code: str, spec: Mapping[str, Any], **constraints: Any) -> list[int]:
    fields = [{"name": "P"}, {"name": "A", "type": "number", "constraints": constraints}]
    found = review_table(table, {"fields": fields, **spec}).findings
    return [item.row for finding in found if finding.code == code for item in finding.evidence]


@pytest.mark.parametrize(
    ("side", "limit", "rows"),
    [
        ("maximum", 0.2, [3, 4]),
        ("exclusiveMaximum", 0.2, [2, 3, 4]),
        ("minimum", 0.3, [1, 2]),
        ("exclusiveMinimum", 0.3, [1, 2, 3]),
        ("maximum", 1e39, [4]),
    ],
)
def test_a_value_that_prints_as_the_limit_is_the_limit(table: object, side: str, limit: float, rows: list[int]) -> None:
    assert rows_of(table, "ranges.outside_limits", {}, **{side: limit}) == rows


def test_limits_of_a_parameter_mean_the_same(table: object) -> None:
    limits = {"by": "P", "of": "A", "values": {"x": {"maximum": 0.2}}}
    assert rows_of(table, "ranges.outside_limits", {"limits": limits}) == [3, 4]


def test_codelists_and_words_for_missing_mean_the_same(table: object) -> None:
    assert rows_of(table, "ranges.not_in_codelist", {}, enum=[0.1, 0.2]) == [3, 4]
    assert rows_of(table, "structure.missing_values", {"missingValues": ["0.2"]}, required=True) == [2, 5, 6]


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("A <= 0.2", [3, 4]),
        ("0.2 >= A", [3, 4]),
        ("A <= '0.2'", [3, 4]),
        ("A IN (0.1, 0.2)", [3, 4]),
        ("A BETWEEN 0.2 AND 0.3", [1, 4]),
        ("A + 0 <= 0.2", [2, 3, 4]),  # calculated in 64 bits, and so a little above 0.2
    ],
)
def test_rules_mean_the_same(table: object, condition: str, rows: list[int]) -> None:
    assert rows_of(table, "ranges.rule.r", {"rules": [{"id": "r", "compare": condition}]}) == rows


def test_rules_side_by_side_and_with_another_table_mean_the_same() -> None:
    data = {"K": ["a", "b"], "P": ["x", "x"], "A": np.array([0.2, 0.3], dtype="float32")}
    rule = {"id": "r", "by": "P", "of": "A", "per": ["K"], "compare": "x <= 0.2"}
    fields = [{"name": "K"}, {"name": "P"}, {"name": "A", "type": "number"}]
    beside = review_table(pa.table(data), {"fields": fields, "rules": [rule]})
    assert [item.row for finding in beside.findings for item in finding.evidence] == [2]
    spec = {
        "fields": [{"name": "K"}],
        "foreignKeys": [{"fields": ["K"], "reference": {"resource": "o", "fields": ["K"]}}],
        "rules": [{"id": "r", "compare": "o.A <= 0.2"}],
    }
    linked = review_table(pl.DataFrame({"K": ["a", "b"]}), spec, references={"o": pa.table(data)})
    assert [item.row for finding in linked.findings for item in finding.evidence] == [2]


def test_floats_of_16_bits_are_numbers_too() -> None:
    frame = pl.DataFrame({"A": [0.2, 0.3]}, schema={"A": pl.Float16})
    assert adopt(frame).bits == {"A": 16}
    assert rows_of(frame, "ranges.outside_limits", {}, maximum=0.2) == [2]


@pytest.mark.parametrize(
    ("number", "bits", "expected"),
    [(0.5, 32, 0.5), (0.2, 32, float(np.float32(0.2))), (0.2, 16, float(np.float16(0.2))), (1e39, 32, 1e39)],
)
def test_nearest(number: float, bits: int, expected: float) -> None:
    assert nearest(number, bits) == expected


@pytest.mark.parametrize("limits", [None, {"by": "P", "of": "A", "values": {"x": {"exclusiveMinimum": 0.3}}}])
def test_what_a_footer_proves_is_held_against_the_same_number(
    limits: dict[str, Any] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("checks.extents.MIN_BYTES", 0)
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"A": pa.array([0.3, 0.5], pa.float32()), "P": ["x", "x"]}), path)
    spec, constraints = ({"limits": limits}, {}) if limits else ({}, {"exclusiveMinimum": 0.3})
    assert rows_of(path, "ranges.outside_limits", spec, **constraints) == [1]
