"""Figures straight from the rows."""

from __future__ import annotations

import statistics
from typing import Any

import polars as pl
import pytest

from checks.adopt import adopt
from review_graph.errors import InputError
from review_graph.evaluation.questions import Known
from review_graph.evaluation.truth import rows_of, true_figure

ROWS: dict[str, list[Any]] = {
    "ID": ["a", "a", "b", "c", "d"],
    "SEX": ["F", "F", "M", " ", None],
    "AGE": [50, 60, 70.5, None, 80],
    "TEXT": ["1", "2.5", None, "", "10"],
}


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return rows_of(adopt(pl.DataFrame(ROWS, strict=False)))


def _where(column: str, op: str, value: Any = None) -> dict[str, Any]:
    return {"column": column, "op": op, "value": value}


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"compute": "count"}, 5),
        ({"compute": "count", "distinct": "ID"}, 4),
        ({"compute": "count", "where": [_where("SEX", "=", "F")]}, 2),
        ({"compute": "count", "where": [_where("SEX", "!=", "F")]}, 1),
        ({"compute": "count", "where": [_where("SEX", "is null")]}, 2),
        ({"compute": "count", "where": [_where("SEX", "is not null"), _where("AGE", ">", 50)]}, 2),
        ({"compute": "count", "where": [_where("AGE", ">=", 60), _where("AGE", "<=", 70.5)]}, 2),
        ({"compute": "count", "where": [_where("AGE", "<", 60)]}, 1),
        ({"compute": "count", "where": [_where("TEXT", ">", 2)]}, 2),
        ({"compute": "values", "column": "SEX"}, 2),
        ({"compute": "mean", "column": "AGE"}, statistics.mean([50, 60, 70.5, 80])),
        ({"compute": "sd", "column": "AGE"}, statistics.stdev([50, 60, 70.5, 80])),
        ({"compute": "mean", "column": "TEXT"}, 4.5),
        ({"compute": "mean", "column": "AGE", "where": [_where("SEX", "=", "F")]}, 55),
        ({"compute": "percent", "of": [_where("AGE", ">", 0)], "where": [_where("SEX", "=", "F")]}, 50),
        ({"compute": "percent", "distinct": "ID", "where": [_where("SEX", "=", "F")]}, 25),
        ({"compute": "columns"}, 4),
    ],
    ids=str,
)
def test_a_figure(frame: pl.DataFrame, known: dict[str, Any], expected: float) -> None:
    assert true_figure(frame, Known.model_validate(known)) == pytest.approx(expected)


@pytest.mark.parametrize(
    "known",
    [
        {"compute": "mean", "column": "NONE"},
        {"compute": "mean", "column": "SEX"},
        {"compute": "sd", "column": "AGE", "where": [_where("AGE", ">", 1000)]},
        {"compute": "count", "where": [_where("NONE", "=", 1)]},
    ],
    ids=str,
)
def test_what_cannot_be_computed(frame: pl.DataFrame, known: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="of a question cannot be computed"):
        true_figure(frame, Known.model_validate(known))
