"""Thousands of columns: what is asked of each is asked in parts, and a key of all of them is no deep expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import polars as pl
import pytest

from checks import Finding, Outcome, review_table
from checks.builtin import choose_builtin
from checks.counting import AT_ONCE

COLUMNS = AT_ONCE + AT_ONCE // 2


def test_table_of_thousands_of_columns_is_judged_whole() -> None:
    values = {f"C{number}": [number, number, number + 1] for number in range(COLUMNS)}
    empty = {f"E{number}": [None] * 3 for number in range(2)}
    frame = pl.DataFrame(values | empty)
    review = review_table(frame, choose_builtin("wide", frame.columns))
    assert {finding.code: finding.failed for finding in review.findings} == {
        "structure.duplicate_rows": 2,
        "structure.all_null_column": 0,
    }
    (named,) = (finding for finding in review.findings if finding.code == "structure.all_null_column")
    assert named.columns == ("E0", "E1")
    assert review.outcome("structure.duplicate_rows") is Outcome.FAILED
    assert not [verdict for verdict in review.verdicts if verdict.outcome is Outcome.ERRORED]


def test_the_schema_of_a_wide_table_is_not_asked_for_with_each_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    width, asked = 60, []
    schema_of = nw.LazyFrame.collect_schema

    def noted(self: nw.LazyFrame[Any]) -> Mapping[str, Any]:
        schema = schema_of(self)
        asked.append(len(schema))
        return schema

    monkeypatch.setattr(nw.LazyFrame, "collect_schema", noted)

    def findings(limited: int) -> tuple[list[Finding], int]:
        fields = [{"name": f"C{number}", "constraints": {"maximum": 1}} for number in range(limited)]
        frame = pl.DataFrame({f"C{number}": [1, 2] for number in range(width)})
        asked.clear()
        found = [
            finding
            for finding in review_table(frame, {"fields": fields, "fieldsMatch": "subset"}).findings
            if finding.code == "ranges.outside_limits"
        ]
        return found, sum(names >= width for names in asked)

    (few, for_few), (many, for_many) = findings(1), findings(20)
    assert (len(few), len(many)) == (1, 20)
    assert for_many == for_few
