"""cuallee on Polars: counts, no rows.

Its range counts rows without a value too, so those are taken off; types it does not look at, so they are compared
by hand.
"""

# mypy: disable-error-code="import-not-found,import-untyped,misc"
from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars as pl
from cuallee import Check, CheckLevel

from tests.benchmarks.big_table.contestants.polars_conditions import wrong_types
from tests.benchmarks.big_table.work import AGE, AVAL, ISO_8601, KEY, SEX, Answers

NAMES = ("key", "USUBJID given", "AVAL given", "AGE", "AVAL", "SEX", "LBDTC", "ADT")
"""In the order in which the checks are made, which is that of the result."""


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    table = pl.read_parquet(path)
    check = Check(CheckLevel.ERROR, "lab")
    check.is_composite_key(KEY)
    check.is_complete("USUBJID").is_complete("AVAL")
    check.is_between("AGE", AGE).is_between("AVAL", AVAL)
    check.is_contained_in("SEX", SEX)
    check.has_pattern("LBDTC", ISO_8601)
    check.is_less_or_equal_than("ADT", dt.datetime.now(dt.UTC).date())
    violations = dict(zip(NAMES, check.validate(table)["violations"].cast(pl.Int64), strict=True))
    violations["AVAL"] -= violations["AVAL given"]
    return {"types": wrong_types(table.lazy()), **{name: (count, None) for name, count in violations.items()}}
