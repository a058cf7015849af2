"""pandera on Polars, lazily: its failure cases are all failing rows, with their indexes."""

# mypy: disable-error-code="import-not-found,import-untyped,misc"
from __future__ import annotations

import datetime as dt
from pathlib import Path

import pandera.polars as pa
import polars as pl
from pandera.errors import SchemaErrors

from tests.benchmarks.big_table.work import AGE, AVAL, CHECKS, ISO_8601, KEY, SEX, SHOWN, Answers

SCHEMA = pa.DataFrameSchema(
    {
        "USUBJID": pa.Column(pl.String),
        "PARAMCD": pa.Column(pl.String),
        "AVISITN": pa.Column(pl.Int64),
        "LBSEQ": pa.Column(pl.Int64),
        "AVAL": pa.Column(pl.Float64, pa.Check.in_range(*AVAL)),
        "AGE": pa.Column(pl.Int64, pa.Check.in_range(*AGE)),
        "SEX": pa.Column(pl.String, pa.Check.isin(SEX)),
        "ADT": pa.Column(pl.Date, pa.Check.le(dt.datetime.now(dt.UTC).date())),
        "LBDTC": pa.Column(pl.String, pa.Check.str_matches(ISO_8601)),
        "TRT01A": pa.Column(pl.String),
    },
    unique=list(KEY),
    strict=True,
)


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    answers: Answers = {check: (0, []) for check in CHECKS}
    try:
        SCHEMA.validate(pl.read_parquet(path), lazy=True)
    except SchemaErrors as error:
        for (column, check), cases in error.failure_cases.group_by("column", "check"):
            rows = (cases["index"].sort().head(SHOWN) + 1).to_list()
            answers[_name(column, check)] = (cases.height, rows)
    return answers


def _name(column: str | None, check: str) -> str:
    if check == "multiple_fields_uniqueness":
        return "key"
    if check == "not_nullable":
        return f"{column} given"
    return column if column in CHECKS else "types"
