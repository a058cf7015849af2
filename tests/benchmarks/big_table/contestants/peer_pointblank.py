"""pointblank on Polars: counts, and extracts of up to 500 failing rows with their numbers.

An extract of repeated keys is not in file order, so its rows count as given only where it holds all of them.
"""

# mypy: disable-error-code="import-not-found,import-untyped,misc"
from __future__ import annotations

import datetime as dt
from pathlib import Path

import pointblank as pb
import polars as pl

from tests.benchmarks.big_table.work import AGE, AVAL, CHECKS, ISO_8601, KEY, SEX, SHOWN, TYPES, Answers

DTYPES = {"string": "String", "integer": "Int64", "number": "Float64", "date": "Date"}
SCHEMA = pb.Schema(columns=[(name, DTYPES[kind]) for name, kind in TYPES.items()])


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    return interrogate(pl.read_parquet(path), SCHEMA)


def interrogate(table: object, schema: pb.Schema) -> Answers:
    """Answer the eight checks; the steps are numbered from 1 in the order of `CHECKS`."""
    validation = (
        pb.Validate(table)
        .col_schema_match(schema)
        .rows_distinct(list(KEY))
        .col_vals_not_null(["USUBJID", "AVAL"])
        .col_vals_between("AGE", *AGE)
        .col_vals_between("AVAL", *AVAL, na_pass=True)
        .col_vals_in_set("SEX", list(SEX))
        .col_vals_regex("LBDTC", ISO_8601)
        .col_vals_le("ADT", dt.datetime.now(dt.UTC).date())
        .interrogate()
    )
    failed = validation.n_failed()
    answers: Answers = {}
    for step, check in enumerate(CHECKS, start=1):
        count = failed[step]
        extract = validation.get_data_extracts(step, frame=True) if count else None
        rows = [] if extract is None else sorted(int(row) for row in extract["_row_num_"])
        answers[check] = (count, None if check == "key" and len(rows) < count else rows[:SHOWN])
    return answers
