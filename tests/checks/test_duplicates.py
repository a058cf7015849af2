"""Repeated rows are those that grouping by the values themselves finds, whatever the hashes say."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations, count

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import adopt, duplicates
from checks.duplicates import repeated

COLUMNS = pl.DataFrame(
    {
        "zero": [0.0, -0.0, float("nan"), float("nan"), None, None, 1.0],
        "small": pl.Series([1, 1, None, None, 3, 4, 5], dtype=pl.Int8),
        "large": pl.Series([2**100, 2**100, None, None, 2, 2, 3], dtype=pl.Int128),
        "text": ["a", "a", None, None, "", "", ""],
        "truth": [True, True, None, None, False, False, True],
        "date": [*[dt.date(2020, 1, 1)] * 2, None, None, *[dt.date(2021, 1, 1)] * 3],
        "moment": [*[dt.datetime(2020, 1, 1)] * 2, None, None, *[dt.datetime(2021, 1, 1)] * 3],  # noqa: DTZ001
        "exact": [*[Decimal("1.0")] * 2, None, None, *[Decimal("2.0")] * 3],
        "bytes": [b"a", b"a", None, None, b"", b"", b"c"],
        "category": pl.Series(["a", "a", None, None, "b", "b", "c"], dtype=pl.Categorical),
        "nothing": [None] * 7,
    }
)
KEYS = [*((name,) for name in COLUMNS.columns), *combinations(COLUMNS.columns, 2)]


def as_grouped(frame: pl.DataFrame, by: Sequence[str]) -> tuple[int, int]:
    sizes = frame.group_by(by).len().filter(pl.col("len") > 1)["len"]
    return len(sizes), int(sizes.sum())


def as_found(frame: pl.DataFrame, by: Sequence[str]) -> tuple[int, int]:
    found = repeated(adopt(frame).frame, "row_number", len(frame), by)
    if found is None:
        return 0, 0
    assert found.offending.select("row_number").collect().shape[0] == found.rows
    return found.groups, found.rows


@pytest.mark.parametrize("by", KEYS, ids="+".join)
def test_each_type_of_column_alone_and_beside_another(by: tuple[str, ...]) -> None:
    assert as_found(COLUMNS, by) == as_grouped(COLUMNS, by)


ROWS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "A", "", None]), st.sampled_from([0, 1, None]), st.sampled_from([0.5, None])),
    max_size=30,
)


@given(rows=ROWS, parts=st.booleans(), hashes=st.sampled_from([1, 2, 3, None]))
def test_rows_that_share_a_hash_are_not_taken_for_equal(
    rows: list[tuple[str | None, int | None, float | None]], *, parts: bool, hashes: int | None
) -> None:
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.Int64, "c": pl.Float64}, orient="row")
    by = ["a", "b", "c"]
    with pytest.MonkeyPatch.context() as patch:
        if parts:
            patch.setattr(duplicates, "PART_ROWS", 4)
        if hashes is not None:
            patch.setattr(duplicates, "_hash", lambda by: pl.struct(by).hash() % hashes)
        assert as_found(frame, by) == as_grouped(frame, by)


def test_a_query_that_orders_its_rows_anew_each_time_hides_no_repeated_row() -> None:
    turns = count()
    rows = pl.DataFrame({"a": ["x", "y", "x", "z", "u", "v", "w", "s", "t", "r", *(str(n) for n in range(30))]})
    turned = rows.lazy().map_batches(lambda frame: pl.concat([frame[(n := next(turns)) :], frame[:n]]))
    found = repeated(adopt(turned).frame, "row_number", len(rows), ["a"])
    assert found is not None
    assert (found.groups, found.rows) == (1, 2)


def test_a_value_moved_to_the_next_column_is_another_row() -> None:
    frame = pl.DataFrame({"a": ["x", None, "x", "y"], "b": [None, "x", "y", "x"]})
    assert repeated(adopt(frame).frame, "row_number", len(frame), ["a", "b"]) is None
