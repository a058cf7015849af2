"""What a Parquet footer proves, and what it does not: NaN, cut text, footers that say nothing."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from checks import Outcome, adopt, codes, review_table
from checks.extents import Extent, footers

NAN = float("nan")


@pytest.fixture(autouse=True)
def _even_small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.extents.MIN_BYTES", 0)
    monkeypatch.setattr("checks.frame.BIG_ROWS", 0)


def written(folder: Path, data: dict[str, Any], **options: Any) -> Path:
    path = folder / "table.parquet"
    pq.write_table(pa.table(data), path, row_group_size=2, **options)
    return path


def outcomes(path: Path, field: dict[str, Any], code: str) -> tuple[Outcome | None, int]:
    result = review_table(path, {"fields": [{"name": "X", **field}]})
    return result.outcome(code), sum(finding.failed for finding in result.findings if finding.code == code)


def test_extents_are_those_of_all_row_groups(tmp_path: Path) -> None:
    path = written(tmp_path, {"X": [3, 1, None, 9, 5], "D": [dt.date(2020, 1, day) for day in (5, 1, 9, 2, 3)]})
    found = footers([path])
    assert found["X"] == Extent(nulls=1, least=1, greatest=9)
    assert found["D"] == Extent(nulls=0, least=dt.date(2020, 1, 1), greatest=dt.date(2020, 1, 9))


def test_extents_are_those_of_all_files(tmp_path: Path) -> None:
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, values in zip(paths, ([1, None], [7, 8]), strict=True):
        pl.DataFrame({"X": values}).write_parquet(path)
    assert footers(paths)["X"] == Extent(nulls=1, least=1, greatest=8)


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        pytest.param([1, 120, None], "passed", id="at-the-limits"),
        pytest.param([1, 121, None], "failed", id="one-above"),
        pytest.param([-1, 5], "failed", id="one-below"),
        pytest.param([None, None], "passed", id="nothing"),
    ],
)
def test_limits_are_proven_or_looked_at(tmp_path: Path, values: list[int | None], outcome: str) -> None:
    path = written(tmp_path, {"X": pa.array(values, type=pa.int64())})
    limits = {"type": "integer", "constraints": {"minimum": 0, "maximum": 120}}
    assert outcomes(path, limits, "ranges.outside_limits")[0] == outcome


def test_what_the_footer_proves_is_not_read(tmp_path: Path) -> None:
    """The pages are destroyed and the footer is kept: what still has its answer was not read."""
    path = written(tmp_path, {"X": [1, 2, 3], "T": ["a", "b", "c"]}, compression="NONE", use_dictionary=False)
    whole = path.read_bytes()
    length = int.from_bytes(whole[-8:-4], "little") + 8
    path.write_bytes(b"PAR1" + b"\xff" * (len(whole) - length - 4) + whole[-length:])
    limits = {"minimum": 0, "maximum": 120, "required": True}
    fields = [{"name": "X", "constraints": limits}, {"name": "T", "constraints": {"required": True}}]
    only = ("ranges.outside_limits", "structure.missing_values")
    off = {code: {"enabled": False} for code in codes() if code not in only}
    result = review_table(path, {"fields": fields, "checks": off})
    assert {verdict.code: verdict.outcome for verdict in result.verdicts} == dict.fromkeys(only, Outcome.PASSED)


def test_a_nan_is_in_no_footer_and_is_found_all_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, {"X": [1.0, NAN, 3.0, 4.0]})
    assert footers([path])["X"].nulls == 0
    assert outcomes(path, {"constraints": {"required": True}}, "structure.missing_values") == (Outcome.FAILED, 1)
    limits = {"constraints": {"minimum": 0, "maximum": 3}}
    assert outcomes(path, limits, "ranges.outside_limits") == (Outcome.FAILED, 1)  # 4.0, and not the NaN


def test_a_bound_that_is_nan_proves_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, {"X": [NAN, NAN, 5.0]})
    assert footers([path])["X"] == Extent(nulls=0)
    assert outcomes(path, {"constraints": {"maximum": 4}}, "ranges.outside_limits") == (Outcome.FAILED, 1)


def test_a_nan_that_a_careless_writer_put_down_as_a_bound_proves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, {"X": [1.0, 5.0]})
    said = SimpleNamespace(has_null_count=True, null_count=0, has_min_max=True, min=NAN, max=NAN)
    monkeypatch.setattr("checks.extents._written", lambda _: said)
    assert footers([path])["X"] == Extent(nulls=0)


@pytest.mark.parametrize(
    ("text", "missing"),
    [("", 1), (" ", 1), ("\u00a0", 1), ("\t", 1), ("\u200b x", 0), ("\x7f", 0)],
    ids=repr,
)
def test_text_that_may_be_blank_is_looked_at(tmp_path: Path, text: str, missing: int) -> None:
    path = written(tmp_path, {"X": ["a", "b", text, "c"]})
    assert not footers([path])["X"].starts_plainly
    found = outcomes(path, {"constraints": {"required": True}}, "structure.missing_values")
    assert found == (Outcome.FAILED if missing else Outcome.PASSED, missing)


def test_cut_bounds_of_text_prove_no_more_than_their_first_character(tmp_path: Path) -> None:
    """Polars cuts long bounds; a long text past the cut is still held against its list."""
    path = tmp_path / "table.parquet"
    pl.DataFrame({"X": ["a" * 500, "a" * 500 + "b"]}).write_parquet(path)
    extent = footers([path])["X"]
    assert extent.starts_plainly
    assert (extent.least, extent.greatest) == (None, None)
    assert outcomes(path, {"constraints": {"enum": ["a" * 500]}}, "ranges.not_in_codelist") == (Outcome.FAILED, 1)


@pytest.mark.parametrize("options", [{"write_statistics": False}, {"write_statistics": ["Y"]}], ids=["none", "others"])
def test_a_footer_without_statistics_proves_nothing(tmp_path: Path, options: dict[str, Any]) -> None:
    path = written(tmp_path, {"X": [1, 999, None], "Y": [1, 2, 3]}, **options)
    assert footers([path])["X"] == Extent()
    both = {"constraints": {"required": True, "maximum": 120}}
    assert outcomes(path, both, "ranges.outside_limits") == (Outcome.FAILED, 1)
    assert outcomes(path, both, "structure.missing_values") == (Outcome.FAILED, 1)


def test_nested_columns_and_moments_are_left_alone(tmp_path: Path) -> None:
    moments = [dt.datetime(2020, 1, 1, tzinfo=dt.UTC)] * 2
    path = written(tmp_path, {"X": [[1, 2], [3]], "S": [{"a": 1}, {"a": 2}], "M": moments})
    found = footers([path])
    assert set(found) == {"M"}
    assert found["M"] == Extent(nulls=0)


def test_integers_of_128_bits_have_no_footer_and_are_judged(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame({"X": [1, 999, 2**100]}, schema={"X": pl.Int128}).write_parquet(path)
    assert footers([path]) == {}
    assert outcomes(path, {"constraints": {"maximum": 120}}, "ranges.outside_limits") == (Outcome.FAILED, 2)


def test_what_is_no_parquet_file_has_no_footer(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1 no PAR1")
    assert footers([path]) == {}
    assert footers([tmp_path / "gone.parquet"]) == {}
    assert footers([]) == {}


def test_a_table_in_memory_is_looked_at_once() -> None:
    table = adopt(pl.DataFrame({"X": ["a", "b", None], "Y": ["a", " ", None], "Z": [1, 2, 3]}))
    assert table.extent("X") == Extent(nulls=1, starts_plainly=True)
    assert table.extent("Y") == Extent(nulls=1)
    assert table.extent("Z") == Extent()
    assert table.extent("X") is table.extent("X")
