"""Limits by parameter: what a finding tells of each value, and how many of them there may be."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import narwhals as nw
import polars as pl

from checks import Finding, review_table
from checks.ranges.bounds import any_of
from checks.spec import Spec

BLOOD = "SAMPLE = 'BLOOD'"
SPEC = Spec.from_plain(
    {
        "limits": {
            "by": "TEST",
            "of": "VALUE",
            "unitColumn": "UNIT",
            "values": {
                "K": [
                    {"maximum": 60, "unit": "mmol/L", "where": BLOOD},
                    {"maximum": 300, "unit": "mmol/L"},
                ],
                "PH": {"minimum": 1, "maximum": 14},
            },
        }
    }
)


Rows = Sequence[tuple[str, float, str, str]]
"""Test, value, unit and sample of each."""


def found(rows: Rows) -> Finding:
    table = pl.DataFrame(list(rows), schema=["TEST", "VALUE", "UNIT", "SAMPLE"], orient="row")
    findings = review_table(table, SPEC).findings
    return next(finding for finding in findings if finding.code == "ranges.outside_limits")


def notes(rows: Rows) -> list[str | None]:
    return [item.note for item in found(rows).evidence]


def test_each_value_is_told_its_own_limits() -> None:
    acid, blood = ("PH", 15.0, "", "URINE"), ("K", 99.0, "mmol/L", "BLOOD")
    urine = ("K", 99.0, "mmol/L", "URINE")
    assert notes([blood, urine, acid]) == ["allowed: at most 60 mmol/L", "allowed: 1 to 14"]
    assert notes([urine, urine, acid]) == ["allowed: 1 to 14"]


def test_where_values_break_several_limits_of_a_unit_each_is_told_with_its_condition() -> None:
    allowed = f"allowed: at most 60 mmol/L where {BLOOD}, else at most 300 mmol/L"
    assert notes([("K", 99.0, "mmol/L", "BLOOD"), ("K", 301.0, "mmol/L", "URINE")]) == [allowed, allowed]


def test_limits_for_all_samples_are_drawn_once_whatever_the_samples() -> None:
    rows = [("PH", 15.0, "", "BLOOD"), ("PH", 16.0, "", "URINE"), ("K", 99.0, "mmol/L", "BLOOD")]
    assert [(drawn.label, drawn.maximum) for drawn in found(rows).distributions] == [("K", 60.0), ("PH", 14.0)]


def test_limits_may_be_broken_by_any_number_of_parameters_at_once() -> None:
    records = nw.from_native(duckdb.from_arrow(pl.DataFrame({"n": range(5000)}).to_arrow()))
    assert records.filter(any_of(nw.col("n") == number for number in range(2000))).collect().shape == (2000, 1)
