"""Plans for big tables, and what Parquet footers prove, change nothing but the time: any table, any spec."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import Examination, adopt, families, load_spec, review_table, run_families, run_family
from checks.frame import Frame
from checks.passing import Seen, Sought, passed_over
from checks.vocabulary import merge_verdicts

TODAY = dt.date(2024, 6, 1)
NAN, INF = float("nan"), float("inf")

TEXTS = [
    "",
    " ",
    "a",
    "A",
    " a",
    "a\u00a0",
    "NK",
    "2024-01-01",
    "20240101",
    "2024-02-30",
    "\u200b",
    "~",
    "\x7f",
    "a\n",
    None,
]
COLUMNS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "T": (pl.String, st.sampled_from(TEXTS)),
    "U": (pl.String, st.sampled_from(["F", "M", "m", None])),
    "I": (pl.Int64, st.sampled_from([-1, 0, 1, 120, 121, 2**53 + 1, None])),
    "F": (pl.Float64, st.sampled_from([-0.0, 0.0, 1.5, 120.0, 120.1, NAN, INF, -INF, None])),
    "S": (pl.Float32, st.sampled_from([0.1, 0.5, 120.0, NAN, None])),
    "D": (pl.Date, st.sampled_from([dt.date(2024, 5, 31), TODAY, dt.date(2024, 6, 2), None])),
    "B": (pl.Boolean, st.sampled_from([True, False, None])),
}


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    rows = draw(st.integers(0, 12))
    return pl.DataFrame(
        {name: draw(st.lists(values, min_size=rows, max_size=rows)) for name, (_, values) in COLUMNS.items()},
        schema={name: dtype for name, (dtype, _) in COLUMNS.items()},
    )


@st.composite
def specs(draw: st.DrawFn) -> dict[str, Any]:
    required = {name: {"required": draw(st.booleans())} for name in COLUMNS}
    limits = {"minimum": draw(st.sampled_from([0, 0.1, 0.5])), "maximum": draw(st.sampled_from([0.5, 120, 2**60]))}
    constraints: dict[str, dict[str, Any]] = {
        **required,
        "T": required["T"] | draw(st.sampled_from([{}, {"pattern": "[aA~]"}, {"enum": ["a", "NK"]}, {"maxLength": 1}])),
        "U": required["U"] | {"enum": ["F", "M"]},
        "I": required["I"] | limits,
        "F": required["F"] | limits,
        "S": required["S"] | limits,
        "D": required["D"] | {"maximum": draw(st.sampled_from(["today", "2024-05-31", "2025-01-01"]))},
    }
    fields: list[dict[str, Any]] = [{"name": name, "constraints": of} for name, of in constraints.items()]
    if draw(st.booleans()):
        fields[0] |= {"format": "iso8601-partial", "identifier": draw(st.booleans())}
    spec: dict[str, Any] = {"fields": fields, "missingValues": draw(st.sampled_from([[""], ["", "NK"], ["", "1"]]))}
    key = draw(st.sampled_from([[], ["T"], ["T", "I"], ["U", "F", "D"]]))
    return spec | ({"primaryKey": key} if key else {})


@given(table=tables(), spec=specs(), row_group=st.integers(1, 5), by_value=st.booleans())
def test_big_plans_find_what_small_ones_find(
    table: pl.DataFrame, spec: dict[str, Any], row_group: int, *, by_value: bool
) -> None:
    expected = review_table(table, spec, today=TODAY)
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr("checks.frame.BIG_ROWS", 0)
        patch.setattr("checks.extents.MIN_BYTES", 0)
        patch.setattr("checks.domains.MAX_SHARE", 1.0 if by_value else -1.0)
        patch.setattr("checks.domains.MAX_SHARE_LATER", -1.0)
        patch.setattr("checks.passing.NEAR_ROWS", 2)
        patch.setattr("checks.duplicates.PART_ROWS", 5)
        assert review_table(table, spec, today=TODAY) == expected
        path = Path(folder) / "table.parquet"
        table.write_parquet(path, row_group_size=row_group)
        assert review_table(path, spec, today=TODAY) == expected


FAULTY = pl.DataFrame({"ID": ["a", "b", "b", None], "AGE": [NAN, 130.0, 20.0, 40.0], "SEX": ["F", "M", "x", "y"]})
FAULTS: dict[str, Any] = {
    "fields": [
        {"name": "ID", "constraints": {"required": True, "unique": True}},
        {"name": "AGE", "constraints": {"required": True, "maximum": 120}},
        {"name": "SEX", "constraints": {"enum": ["F", "M"]}},
    ]
}


@pytest.mark.parametrize("big_rows", [0, 100], ids=["big", "small"])
def test_all_families_at_once_find_what_each_finds(monkeypatch: pytest.MonkeyPatch, big_rows: int) -> None:
    monkeypatch.setattr("checks.frame.BIG_ROWS", big_rows)
    examination = Examination(table=adopt(FAULTY), spec=load_spec(FAULTS), today=TODAY)
    each, at_once = [run_family(family, examination) for family in families()], run_families(examination)
    assert {finding.code.partition(".")[0] for finding in at_once.findings} == set(families())
    assert sorted(at_once.findings, key=str) == sorted((f for review in each for f in review.findings), key=str)
    assert at_once.verdicts == merge_verdicts([verdict for review in each for verdict in review.verdicts])


def test_all_families_share_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.frame.BIG_ROWS", 0)
    passes: list[int] = []

    def noted(frame: Frame, row: str, rows: int, sought: Sequence[Sought]) -> tuple[Seen, ...]:
        passes.append(len(sought))
        return passed_over(frame, row, rows, sought)

    monkeypatch.setattr("checks.counting.passed_over", noted)
    review_table(FAULTY, FAULTS, today=TODAY)
    assert len(passes) == 1
