"""dataframely: what fails comes as a frame of all such rows; their numbers are taken along as a column."""

# mypy: disable-error-code="import-not-found,import-untyped,misc"
from __future__ import annotations

import datetime as dt
from pathlib import Path

import dataframely as dy
import polars as pl

from tests.benchmarks.big_table.work import AGE, AVAL, CHECKS, ISO_8601, SEX, SHOWN, Answers

TODAY = dt.datetime.now(dt.UTC).date()


class Lab(dy.Schema):
    """The eight checks."""

    row = dy.UInt32(nullable=False)
    USUBJID = dy.String(primary_key=True)
    PARAMCD = dy.String(primary_key=True)
    AVISITN = dy.Int64(primary_key=True)
    LBSEQ = dy.Int64(primary_key=True)
    AVAL = dy.Float64(nullable=False, min=AVAL[0], max=AVAL[1])
    AGE = dy.Int64(nullable=True, min=AGE[0], max=AGE[1])
    SEX = dy.String(nullable=True, check=lambda column: column.is_in(SEX))
    ADT = dy.Date(nullable=True, max=TODAY)
    LBDTC = dy.String(nullable=True, regex=ISO_8601)
    TRT01A = dy.String(nullable=True)


RULES = {
    "key": ("primary_key",),
    "USUBJID given": ("USUBJID|nullability",),
    "AVAL given": ("AVAL|nullability",),
    "AGE": ("AGE|min", "AGE|max"),
    "AVAL": ("AVAL|min", "AVAL|max"),
    "SEX": ("SEX|check",),
    "LBDTC": ("LBDTC|regex",),
    "ADT": ("ADT|max",),
}


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    _, failure = Lab.filter(pl.read_parquet(path, row_index_name="row", row_index_offset=1))
    counts, details = failure.counts(), failure.details()
    known = [rule for rules in RULES.values() for rule in rules]
    answers: Answers = {check: (0, []) for check in CHECKS}
    answers["types"] = (sum(count for rule, count in counts.items() if rule not in known), [])
    for check, rules in RULES.items():
        if any(rule in counts for rule in rules):
            invalid = pl.any_horizontal(pl.col(rule) == "invalid" for rule in rules)
            rows = details.lazy().filter(invalid).select("row").head(SHOWN).collect()["row"].to_list()
            answers[check] = (sum(counts.get(rule, 0) for rule in rules), rows)
    return answers
