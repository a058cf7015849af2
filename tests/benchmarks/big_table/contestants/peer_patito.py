"""patito: a model; counts are read from its error, which gives no rows."""

# mypy: disable-error-code="import-not-found,import-untyped,misc"
from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import patito as pt
import polars as pl

from tests.benchmarks.big_table.work import AGE, AVAL, CHECKS, ISO_8601, KEY, SEX, Answers

TODAY = dt.datetime.now(dt.UTC).date()


class Lab(pt.Model):
    """The eight checks."""

    USUBJID: str = pt.Field(constraints=pl.struct(KEY).is_unique())
    PARAMCD: str
    AVISITN: int
    LBSEQ: int
    AVAL: float = pt.Field(ge=AVAL[0], le=AVAL[1])
    AGE: int = pt.Field(ge=AGE[0], le=AGE[1])
    SEX: str = pt.Field(constraints=pt.field.is_in(SEX))  # a Literal would not say how many
    ADT: dt.date = pt.Field(constraints=pt.field <= TODAY)
    LBDTC: str = pt.Field(pattern=ISO_8601)
    TRT01A: str


NAMES = {
    ("USUBJID", "custom constraints"): "key",
    ("USUBJID", "missing"): "USUBJID given",
    ("AVAL", "missing"): "AVAL given",
    ("AVAL", "out of bound"): "AVAL",
    ("AGE", "out of bound"): "AGE",
    ("SEX", "custom constraints"): "SEX",
    ("LBDTC", "out of bound"): "LBDTC",
    ("ADT", "custom constraints"): "ADT",
}


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    answers: Answers = dict.fromkeys(CHECKS, (0, None))
    try:
        Lab.validate(pl.read_parquet(path))
    except pt.exceptions.DataFrameValidationError as error:
        for found in error.errors():
            (column,), says = found["loc"], found["msg"]
            names = [name for (of, part), name in NAMES.items() if of == column and part in says]
            count = re.match(r"[0-9]+", says)
            answers[names[0] if names else "types"] = (int(count[0]) if count else 1, None)
    return answers
