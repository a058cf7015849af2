"""Great Expectations on pandas: counts, and the indexes of the first failing rows."""

# mypy: disable-error-code="import-not-found,import-untyped,misc"
from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import great_expectations as gx
import great_expectations.expectations as gxe
import pandas as pd

from tests.benchmarks.big_table.work import AGE, AVAL, CHECKS, ISO_8601, KEY, SEX, SHOWN, TYPES, Answers

PANDAS = {"string": "str", "integer": "int64", "number": "float64", "date": "date"}
RESULT = {"result_format": "SUMMARY", "partial_unexpected_count": SHOWN}


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    context = gx.get_context(mode="ephemeral")
    asset = context.data_sources.add_pandas("bench").add_dataframe_asset("lab")
    whole = asset.add_batch_definition_whole_dataframe("all")
    batch = whole.get_batch(batch_parameters={"dataframe": pd.read_parquet(path)})
    result = batch.validate(gx.ExpectationSuite(name="lab", expectations=_expectations()), result_format=RESULT)
    answers: Answers = {check: (0, []) for check in CHECKS}
    for found in result.results:
        check, details = found.expectation_config.meta["check"], found.result
        if check == "types":
            answers[check] = (answers[check][0] + (not found.success), [])
        else:
            rows = sorted(row + 1 for row in details["partial_unexpected_index_list"])
            answers[check] = (details["unexpected_count"], rows)
    return answers


def _expectations() -> list[Any]:
    def of(check: str, expectation: type[Any], **arguments: object) -> Any:
        return expectation(meta={"check": check}, **arguments)

    return [
        of("types", gxe.ExpectTableColumnsToMatchOrderedList, column_list=list(TYPES)),
        *(
            of("types", gxe.ExpectColumnValuesToBeOfType, column=name, type_=PANDAS[kind])
            for name, kind in TYPES.items()
        ),
        of("key", gxe.ExpectCompoundColumnsToBeUnique, column_list=list(KEY)),
        *(of(f"{name} given", gxe.ExpectColumnValuesToNotBeNull, column=name) for name in ("USUBJID", "AVAL")),
        of("AGE", gxe.ExpectColumnValuesToBeBetween, column="AGE", min_value=AGE[0], max_value=AGE[1]),
        of("AVAL", gxe.ExpectColumnValuesToBeBetween, column="AVAL", min_value=AVAL[0], max_value=AVAL[1]),
        of("SEX", gxe.ExpectColumnValuesToBeInSet, column="SEX", value_set=list(SEX)),
        of("LBDTC", gxe.ExpectColumnValuesToMatchRegex, column="LBDTC", regex=ISO_8601),
        of("ADT", gxe.ExpectColumnValuesToBeBetween, column="ADT", max_value=dt.datetime.now(dt.UTC).date()),
    ]
