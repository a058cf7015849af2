"""Plans for big tables, and what Parquet footers prove, change nothing but the time: any table, any spec."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import (
    Examination,
    Finding,
    TableReview,
    adopt,
    families,
    load_spec,
    review_table,
    run_families,
    run_family,
)
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


def reviewed(table: object, spec: dict[str, Any], kept: dict[str, pl.DataFrame] | None = None) -> TableReview:
    """Review, and keep by finding all its offending rows; None keeps none."""

    def keep(finding: Finding, rows: Frame) -> str:
        assert kept is not None
        kept[finding.id] = rows.collect(backend="polars").to_polars()
        return finding.id

    return review_table(table, spec, today=TODAY, sink=None if kept is None else keep)


@given(
    table=tables(),
    spec=specs(),
    row_group=st.integers(1, 5),
    by_value=st.booleans(),
    room=st.sampled_from([0, 3, 100]),
)
def test_big_plans_find_what_small_ones_find(
    table: pl.DataFrame, spec: dict[str, Any], row_group: int, *, by_value: bool, room: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr("checks.passing.EVIDENCE_ROWS", 2)
        patch.setattr("checks.evidence.EVIDENCE_ROWS", 2)
        kept: dict[str, pl.DataFrame] = {}
        expected, expected_kept = reviewed(table, spec), reviewed(table, spec, kept)
        patch.setattr("checks.frame.BIG_ROWS", 0)
        patch.setattr("checks.extents.MIN_BYTES", 0)
        patch.setattr("checks.domains.MAX_SHARE", 1.0 if by_value else -1.0)
        patch.setattr("checks.domains.MAX_SHARE_LATER", -1.0)
        patch.setattr("checks.passing.NEAR_ROWS", 2)
        patch.setattr("checks.counting.KEPT_ROWS", room)
        patch.setattr("checks.duplicates.PART_ROWS", 5)
        path = Path(folder) / "table.parquet"
        table.write_parquet(path, row_group_size=row_group)
        assert reviewed(table, spec) == expected
        kept_here: dict[str, pl.DataFrame] = {}
        assert reviewed(path, spec, kept_here) == expected_kept
        assert kept_here.keys() == kept.keys()
        assert all(rows.equals(kept[finding]) for finding, rows in kept_here.items())


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


@pytest.mark.parametrize("is_kept", [False, True], ids=["first rows", "all rows"])
def test_all_families_share_one_pass(monkeypatch: pytest.MonkeyPatch, *, is_kept: bool) -> None:
    monkeypatch.setattr("checks.frame.BIG_ROWS", 0)
    passes: list[int] = []

    def noted(frame: Frame, row: str, rows: int, sought: Sequence[Sought], *, room: int) -> tuple[Seen, ...]:
        found = passed_over(frame, row, rows, sought, room=room)
        passes.append(len(sought))  # a pass that crashed would be made up for by one pass for each check
        return found

    monkeypatch.setattr("checks.counting.passed_over", noted)
    reviewed(FAULTY, FAULTS, {} if is_kept else None)
    assert len(passes) == 1


ODD = pl.LazyFrame({"A": [number % 2 for number in range(60)], "B": range(60), "C": ["x"] * 60})


@pytest.mark.parametrize(
    ("room", "sizes"),
    [
        pytest.param(0, [20, 20, 3], id="none"),
        pytest.param(20, [20, 20, 3], id="too-little"),
        pytest.param(31, [20, 20, 3], id="for-the-small-one"),
        pytest.param(100, [30, 30, 3], id="for-all"),
    ],
)
def test_a_pass_gives_all_offending_rows_where_there_is_room(room: int, sizes: list[int]) -> None:
    table = adopt(ODD)
    is_odd = nw.col("A") == 1
    sought = [
        Sought(failing=is_odd, counted={}, shown=[table.row, "C", "A"], values=["A"]),
        Sought(failing=is_odd, counted={"late": nw.col("B") > 50}, shown=[table.row, "B"], values=["B"]),
        Sought(failing=nw.col("B") < 3, counted={}, shown=[table.row, "C"], values=[]),
    ]
    seen = passed_over(table.frame, table.row, 60, sought, room=room)
    assert [one.failed for one in seen] == [30, 30, 3]
    assert [len(one.first) for one in seen] == sizes
    assert [one.first.columns for one in seen] == [list(one.shown) for one in sought]
    assert seen[0].first[table.row].to_list() == [2 * n + 2 for n in range(sizes[0])]
    assert seen[1].first["B"].to_list() == [2 * n + 1 for n in range(sizes[1])]
    assert seen[1].counts == {"late": 9}
