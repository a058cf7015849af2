"""pandera on pandas, lazily: its failure cases are all failing values, with their indexes."""

# mypy: disable-error-code="import-not-found,import-untyped,misc"
from __future__ import annotations

import datetime as dt
from pathlib import Path

import pandas as pd
import pandera.pandas as pa
from pandera.errors import SchemaErrors

from tests.benchmarks.big_table.work import AGE, AVAL, CHECKS, ISO_8601, KEY, SEX, SHOWN, Answers

SCHEMA = pa.DataFrameSchema(
    {
        "USUBJID": pa.Column("str"),
        "PARAMCD": pa.Column("str"),
        "AVISITN": pa.Column("int64"),
        "LBSEQ": pa.Column("int64"),
        "AVAL": pa.Column("float64", pa.Check.in_range(*AVAL)),
        "AGE": pa.Column("int64", pa.Check.in_range(*AGE)),
        "SEX": pa.Column("str", pa.Check.isin(SEX)),
        "ADT": pa.Column("object", pa.Check.le(dt.datetime.now(dt.UTC).date())),
        "LBDTC": pa.Column("str", pa.Check.str_matches(ISO_8601)),
        "TRT01A": pa.Column("str"),
    },
    unique=list(KEY),
    strict=True,
)


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    answers: Answers = {check: (0, []) for check in CHECKS}
    try:
        SCHEMA.validate(pd.read_parquet(path), lazy=True)
    except SchemaErrors as error:
        for (column, check), cases in error.failure_cases.groupby(["column", "check"], dropna=False):
            index = cases["index"].astype("int64").sort_values()  # of the key there is a case for each of its columns
            answers[_name(column, check)] = (len(index), (index.head(SHOWN) + 1).tolist())
    return answers


def _name(column: str | None, check: str) -> str:
    if check == "multiple_fields_uniqueness":
        return "key"
    if check == "not_nullable":
        return f"{column} given"
    return column if column in CHECKS else "types"
