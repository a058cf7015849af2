"""What fails, as Polars expressions, for those who write the checks by hand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

import polars as pl

from tests.benchmarks.big_table.work import AGE, AVAL, ISO_8601, KEY, SEX, SHOWN, TYPES, Answer

DTYPES: Mapping[str, type[pl.DataType]] = {
    "string": pl.String,
    "integer": pl.Int64,
    "number": pl.Float64,
    "date": pl.Date,
}
COLUMNS = [name for name in TYPES if name != "TRT01A"]
"""The columns that have to be read: of one nothing but its type is asked."""

LOOSE_HASH = pl.col(KEY[0]).hash(1) ^ pl.col(KEY[1]).hash(2) ^ pl.col(KEY[2]).hash(3) ^ pl.col(KEY[3]).hash(4)
"""A hash of the key that takes half the time of `pl.struct(KEY).hash()`; what agrees in it is compared exactly."""


def failing() -> dict[str, pl.Expr]:
    """Return a condition for each check of single rows. Equality is quicker than `is_in` on three values."""
    sex = pl.col("SEX")
    return {
        "USUBJID given": pl.col("USUBJID").is_null(),
        "AVAL given": pl.col("AVAL").is_null(),
        "AGE": ~pl.col("AGE").is_between(*AGE),
        "AVAL": ~pl.col("AVAL").is_between(*AVAL),
        "SEX": pl.all_horizontal(sex != value for value in SEX),
        "LBDTC": ~pl.col("LBDTC").str.contains(ISO_8601),
        "ADT": pl.col("ADT") > dt.datetime.now(dt.UTC).date(),
    }


def wrong_types(frame: pl.LazyFrame) -> Answer:
    """Count columns that are missing, too many or of another type."""
    expected = {name: DTYPES[kind] for name, kind in TYPES.items()}
    return len(set(frame.collect_schema().items()) ^ set(expected.items())), []


def first_rows(mask: pl.Series) -> Answer:
    """Count what is true and number the first of it."""
    return int(mask.sum()), (mask.arg_true().head(SHOWN) + 1).to_list()


def alike(hashes: pl.Series) -> pl.Series:
    """Return the positions of rows whose hash occurs more than once.

    Sorted by one thread: it takes less processor time than with two, and something else is to be done beside it.
    """
    ordered = hashes.sort(multithreaded=False)
    repeated = ordered.filter(ordered == ordered.shift()).unique()
    return hashes.is_in(repeated.implode()).arg_true()


def truly_alike(rows: pl.DataFrame) -> Answer:
    """Of rows whose hashes agree, keep those whose keys do; `at` is their position."""
    same = rows.filter(pl.struct(KEY).is_duplicated())
    return same.height, (same["at"].sort().head(SHOWN) + 1).to_list()


def fetch(frame: pl.LazyFrame, positions: pl.Series) -> pl.DataFrame:
    """Read the keys of a few rows."""
    keys = frame.select(KEY).with_row_index("at")
    return keys.filter(pl.col("at").is_in(positions.implode())).collect(engine="streaming")
