"""Thousands of columns: what is asked of each is asked in parts, and a key of all of them is no deep expression."""

from __future__ import annotations

import polars as pl

from checks import Outcome, review_table
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
