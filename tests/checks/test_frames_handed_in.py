"""Tables handed in by a caller are judged by value, whatever holds the values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from checks import Outcome, TableError, TableReview, adopt, review_table

Spec = Mapping[str, Any]
INFINITY, NAN = float("inf"), float("nan")
RANGE: Spec = {"fields": [{"name": "A", "type": "number", "constraints": {"minimum": 0, "maximum": 1000}}]}


def rows_of(result: TableReview, code: str) -> list[int]:
    return [item.row for finding in result.findings if finding.code == code for item in finding.evidence]


def messages_of(result: TableReview, code: str) -> list[str]:
    return [finding.message for finding in result.findings if finding.code == code]


def field(**more: Any) -> Spec:
    return {"fields": [{"name": "A", **more}]}


def test_infinity_is_outside_while_nan_and_null_are_missing(on_backend: Callable[[Any], object]) -> None:
    frame = on_backend({"A": [1.0, NAN, None, INFINITY, 500.0]})
    result = review_table(frame, RANGE)
    assert rows_of(result, "ranges.outside_limits") == [4]
    required = {"fields": [{**RANGE["fields"][0], "constraints": {"required": True}}]}
    assert rows_of(review_table(frame, required), "structure.missing_values") == [2, 3]


def test_kinds_of_missing_text_stand_in_the_finding(on_backend: Callable[[Any], object]) -> None:
    result = review_table(on_backend({"A": ["x", "", "  ", None]}), field(constraints={"required": True}))
    assert messages_of(result, "structure.missing_values") == [
        "3 of 4 rows: A is required and has no value (1 null, 2 blank), e.g. '' in row 2"
    ]


def test_a_group_of_duplicates_is_counted_in_rows_and_groups(on_backend: Callable[[Any], object]) -> None:
    frame = on_backend({"A": ["x", "y", "x", "x", "z", "z"]})
    (finding,) = review_table(frame, {"fields": [{"name": "A"}], "primaryKey": ["A"]}).findings
    assert (finding.failed, finding.groups, [item.row for item in finding.evidence]) == (5, 2, [1, 3, 4, 5, 6])
    assert finding.message == "5 of 6 rows: the key (A) occurs more than once, 2 groups"


PANDAS_INTEGERS: Mapping[str, Callable[[], Any]] = {
    "Int64": lambda: pd.array([34, None, 130], dtype="Int64"),
    "float because of a missing value": lambda: np.array([34, NAN, 130]),
    "int64[pyarrow]": lambda: pd.array([34, None, 130], dtype="int64[pyarrow]"),
    "object of integers": lambda: np.array([34, None, 130], dtype=object),
    "object of integers and text": lambda: np.array([34, None, "130"], dtype=object),
    "object of integers and floats": lambda: np.array([34, None, 130.0], dtype=object),
    "object of decimals": lambda: np.array([Decimal(34), None, Decimal(130)], dtype=object),
    "text": lambda: pd.array(["34", None, "130"], dtype="string"),
    "category of integers": lambda: pd.Categorical([34, None, 130]),
    "category of text": lambda: pd.Categorical(["34", None, "130"]),
    "sparse": lambda: pd.arrays.SparseArray([34, NAN, 130]),
}


@pytest.mark.parametrize("make", PANDAS_INTEGERS.values(), ids=PANDAS_INTEGERS)
def test_pandas_integers_are_judged_by_value(make: Callable[[], Any]) -> None:
    spec = field(type="integer", constraints={"required": True, "minimum": 0, "maximum": 120})
    result = review_table(pd.DataFrame({"A": make()}), spec)
    assert rows_of(result, "structure.wrong_type") == []
    assert rows_of(result, "structure.missing_values") == [2]
    assert rows_of(result, "ranges.outside_limits") == [3]


def test_a_fraction_is_no_integer(on_backend: Callable[[Any], object]) -> None:
    result = review_table(on_backend({"A": [34.0, 34.5, None]}), field(type="integer"))
    assert rows_of(result, "structure.wrong_type") == [2]


def test_mixed_objects_are_judged_one_by_one() -> None:
    frame = pd.DataFrame({"A": np.array([5, "7", "x", 2000.5, None, pd.NA, NAN], dtype=object)})
    result = review_table(frame, RANGE)
    assert rows_of(result, "structure.wrong_type") == [3]
    assert rows_of(result, "ranges.outside_limits") == [4]


@pytest.mark.parametrize("dtype", ["boolean", "bool[pyarrow]", object])
def test_pandas_booleans_are_booleans(dtype: Any) -> None:
    frame = pd.DataFrame({"A": pd.Series([True, False, None], dtype=dtype)})
    result = review_table(frame, field(type="boolean", constraints={"enum": [True]}))
    assert rows_of(result, "structure.wrong_type") == []
    assert rows_of(result, "ranges.not_in_codelist") == [2]


CATEGORIES: Mapping[str, Callable[[], object]] = {
    "pandas": lambda: pd.DataFrame({"A": pd.Categorical(["M", "x", None])}),
    "polars": lambda: pl.DataFrame({"A": pl.Series(["M", "x", None], dtype=pl.Categorical)}),
    "polars-enum": lambda: pl.DataFrame({"A": pl.Series(["M", "x", None], dtype=pl.Enum(["M", "x"]))}),
    "pyarrow": lambda: pa.table({"A": pa.array(["M", "x", None]).dictionary_encode()}),
    "duckdb": lambda: duckdb.sql("SELECT unnest(['M', 'x', NULL])::ENUM('M', 'x') AS A"),
}


@pytest.mark.parametrize("make", CATEGORIES.values(), ids=CATEGORIES)
def test_categories_count_as_their_text(make: Callable[[], object]) -> None:
    result = review_table(make(), field(type="string", constraints={"enum": ["M", "F"], "pattern": "[A-Z]"}))
    assert rows_of(result, "ranges.not_in_codelist") == [2]
    assert rows_of(result, "structure.pattern_mismatch") == [2]


def test_decimals_are_compared_exactly(on_backend: Callable[[Any], object]) -> None:
    values = [Decimal("0.1000000000000000001"), Decimal("0.1000000000000000000"), None]
    result = review_table(on_backend({"A": values}), field(type="number", constraints={"maximum": 0.1}))
    assert rows_of(result, "ranges.outside_limits") == [1]


@pytest.mark.parametrize("as_text", [False, True], ids=["integers", "text"])
def test_integers_too_large_for_a_float_are_compared_exactly(
    on_backend: Callable[[Any], object], as_text: bool
) -> None:
    values = [2**62, 2**62 + 1, 2**62 - 1]
    frame = on_backend({"A": [str(value) for value in values] if as_text else values})
    result = review_table(frame, field(type="integer", constraints={"maximum": 2**62}))
    assert rows_of(result, "ranges.outside_limits") == [2]


def test_integers_beyond_64_bits_in_pandas_objects() -> None:
    frame = pd.DataFrame({"A": np.array([2**70, 2**70 + 1], dtype=object)})
    result = review_table(frame, field(type="integer", constraints={"maximum": 2**70}))
    assert rows_of(result, "ranges.outside_limits") == [2]


NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
ZONED: Mapping[str, Callable[[], object]] = {
    "polars": lambda: pl.DataFrame({"A": [NOON, NOON + dt.timedelta(days=1)]}),
    "pandas": lambda: pd.DataFrame({"A": [NOON, NOON + dt.timedelta(days=1)]}),
    "pyarrow": lambda: pa.table({"A": pa.array([NOON, NOON + dt.timedelta(days=1)])}),
}


@pytest.mark.parametrize("make", ZONED.values(), ids=ZONED)
def test_times_with_a_zone_need_a_zone_in_the_spec(make: Callable[[], object]) -> None:
    limits = {"maximum": "2026-01-01T23:59:59"}
    unsure = review_table(make(), field(type="datetime", constraints=limits))
    assert unsure.outcome("ranges.outside_limits") is Outcome.INCONCLUSIVE
    (reason,) = [v.reason for v in unsure.verdicts if v.code == "ranges.outside_limits"]
    assert reason is not None
    assert "set the field's timezone" in reason
    sure = review_table(make(), field(type="datetime", constraints=limits, timezone="Europe/Berlin"))
    assert rows_of(sure, "ranges.outside_limits") == [2]


def test_midnight_equals_the_date(on_backend: Callable[[Any], object]) -> None:
    times = [dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 1, 8), dt.datetime(2026, 1, 2)]  # noqa: DTZ001 - without a zone
    frame = on_backend({"A": times, "B": [dt.date(2026, 1, 1)] * 3})
    spec = {
        "fields": [{"name": "A", "type": "date", "constraints": {"maximum": "2026-01-01"}}, {"name": "B"}],
        "rules": [{"id": "r", "compare": "A <= B"}],
    }
    result = review_table(frame, spec)
    assert rows_of(result, "structure.wrong_type") == [2]
    assert rows_of(result, "ranges.outside_limits") == [3]
    assert rows_of(result, "ranges.rule.r") == [3]


DOUBLED: Mapping[str, Callable[[], object]] = {
    "pandas": lambda: pd.DataFrame([["x", 1, 2, 500]], columns=["A", "B", "B", "C"]),
    "pyarrow": lambda: pa.table([["x"], [1], [2], [500]], names=["A", "B", "B", "C"]),
}


@pytest.mark.parametrize("make", DOUBLED.values(), ids=DOUBLED)
def test_the_other_columns_are_checked_beside_a_doubled_name(make: Callable[[], object]) -> None:
    spec = {
        "fields": [
            {"name": "A"},
            {"name": "B", "constraints": {"minimum": 0}},
            {"name": "C", "constraints": {"maximum": 9}},
        ]
    }
    result = review_table(make(), spec)
    (finding,) = [finding for finding in result.findings if finding.code == "structure.duplicate_column_name"]
    assert finding.columns == ("B",)
    assert rows_of(result, "ranges.outside_limits") == [1]
    unsure = [v for v in result.verdicts if v.code == "ranges.outside_limits" and v.outcome is Outcome.INCONCLUSIVE]
    assert [(v.columns, v.reason) for v in unsure] == [(("B",), "the name B occurs more than once in the table")]


def test_a_pandas_index_is_ignored_and_rows_are_positions() -> None:
    frame = pd.DataFrame({"A": [1, 5000, 2]}, index=[30, 10, 10])
    assert rows_of(review_table(frame, RANGE), "ranges.outside_limits") == [2]


def test_rows_are_positions_in_what_was_handed_in() -> None:
    frame = pl.LazyFrame({"A": range(2000)}).filter(pl.col("A") % 2 == 0).sort("A", descending=True)
    assert rows_of(review_table(frame, RANGE), "ranges.outside_limits")[:3] == [1, 2, 3]


def test_text_in_a_range_is_judged_where_it_is_a_number(on_backend: Callable[[Any], object]) -> None:
    result = review_table(on_backend({"A": ["5", "x", "5000", None]}), field(constraints={"maximum": 1000}))
    assert rows_of(result, "ranges.outside_limits") == [3]
    unsure = [v.reason for v in result.verdicts if v.outcome is Outcome.INCONCLUSIVE]
    assert "1 of 4 rows: A holds text that is not a number" in unsure


def test_an_empty_table_is_one_finding_and_divides_by_nothing() -> None:
    spec = {"fields": [{"name": "A", "type": "number", "constraints": {"minimum": 0}}], "primaryKey": "A"}
    for frame in (
        pl.DataFrame(schema={"A": pl.Float64}),
        pd.DataFrame({"A": []}),
        pa.table({"A": pa.array([], "int8")}),
    ):
        result = review_table(frame, spec)
        assert [finding.code for finding in result.findings] == ["structure.empty_table"]
        assert {v.outcome for v in result.verdicts} == {Outcome.FAILED, Outcome.PASSED, Outcome.INCONCLUSIVE}


@pytest.mark.parametrize("name", ["", "  ", "*", "^.*$"])
def test_a_column_that_cannot_be_addressed_is_said_and_left_out(on_backend: Callable[[Any], object], name: str) -> None:
    frame = on_backend({"A": [2000, 1], name: [1, 2]})
    if isinstance(frame, duckdb.DuckDBPyRelation) and name not in frame.columns:
        pytest.skip("DuckDB has given the column another name already")
    result = review_table(frame, RANGE)
    (finding,) = [finding for finding in result.findings if finding.code == "structure.unusable_name"]
    assert finding.columns == (name,)
    assert rows_of(result, "ranges.outside_limits") == [1]
    assert result.outcome("structure.duplicate_rows") is Outcome.PASSED


def test_labels_over_40_characters_are_named_for_transport_files() -> None:
    table = adopt(pl.DataFrame({"A": ["x"], "B": ["y"]}), labels={"A": "l" * 41, "B": "l" * 40})
    result = review_table(table, {"fields": [{"name": "A"}, {"name": "B"}], "profile": "xpt-v5"})
    (finding,) = [finding for finding in result.findings if finding.code == "structure.label_too_long"]
    assert finding.columns == ("A",)


@pytest.mark.parametrize("thing", [None, 5, {"A": [1]}, [1], np.array([1])], ids=repr)
def test_what_is_no_table_is_refused(thing: object) -> None:
    with pytest.raises(TableError, match="hand in a polars, pandas or pyarrow table or a DuckDB relation"):
        adopt(thing)


def test_a_path_is_that_of_a_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "adsl.parquet"
    pl.DataFrame({"A": [1, 2]}).write_parquet(path)
    for given in (path, str(path)):
        assert adopt(given).columns == ("A",)
    path.write_text("A\n1\n")
    for given in (path, str(path), str(tmp_path / "gone.parquet")):
        with pytest.raises(TableError, match="cannot be read as a Parquet file"):
            adopt(given)


def test_evidence_beyond_twenty_rows_goes_to_the_sink_as_a_whole(on_backend: Callable[[Any], object]) -> None:
    kept: dict[str, list[int]] = {}

    def sink(finding: Any, offending: Any) -> str:
        rows = offending.collect(backend="polars").to_native()
        kept[finding.code] = rows["row_number"].to_list()
        return "somewhere"

    result = review_table(on_backend({"A": [5000] * 25 + [1]}), RANGE, sink=sink)
    (finding,) = [finding for finding in result.findings if finding.code == "ranges.outside_limits"]
    assert (finding.failed, len(finding.evidence), finding.evidence_file) == (25, 20, "somewhere")
    assert kept["ranges.outside_limits"] == list(range(1, 26))


@pytest.mark.parametrize(
    ("query", "columns"), [("SELECT 1 a, 2 b, 3 b", ("b",)), ('SELECT 1 x, 1 "a", 2 "A"', ("a", "A"))]
)
def test_names_that_duckdb_takes_for_one_are_said(query: str, columns: tuple[str, ...]) -> None:
    result = review_table(duckdb.sql(query), {"fields": [], "fieldsMatch": "subset"})
    (finding,) = [finding for finding in result.findings if finding.code == "structure.duplicate_column_name"]
    assert finding.columns == columns


def test_a_series_is_no_table() -> None:
    with pytest.raises(TableError):
        adopt(pd.Series([1]))
