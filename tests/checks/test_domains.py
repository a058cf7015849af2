"""Which text columns have their different values counted, and that it changes nothing but the time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest

from checks import adopt, domains, review_table

ROWS = 60_000
SUBJECTS = [f"S-{(number * 7919) % 20_000:05d}" for number in range(ROWS)]


@pytest.mark.parametrize(
    ("values", "counted"),
    [
        pytest.param(["F", "M"] * (ROWS // 2), True, id="few"),
        pytest.param([f"S-{number // 30:05d}" for number in range(ROWS)], True, id="many-in-order"),
        pytest.param([f"S-{(number * 7919) % 2_000:05d}" for number in range(ROWS)], True, id="many-shuffled"),
        pytest.param(SUBJECTS, False, id="a-third-of-the-rows"),
        pytest.param([f"R-{number}" for number in range(ROWS)], False, id="all-different"),
        pytest.param(["F", "M"] * 100, False, id="a-small-table"),
        pytest.param([None] * ROWS, True, id="nothing"),
    ],
)
def test_columns_of_few_values_in_big_tables_are_counted(values: list[str | None], *, counted: bool) -> None:
    table = adopt(pl.DataFrame({"X": values}, schema={"X": pl.String}))
    assert (table.domain("X") is not None) is counted


def test_a_column_is_counted_once_however_many_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Counted(domains.Domain):
        def __init__(self, name: str, counts: pl.DataFrame, row: str) -> None:
            made.append(name)
            super().__init__(name, counts, row)

    monkeypatch.setattr(domains, "Domain", Counted)
    table = adopt(pl.DataFrame({"X": ["F", "M"] * ROWS}))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(table.domain, ["X"] * 64))
    assert len(set(map(id, found))) == 1
    assert made == ["X"]


def test_a_big_table_has_the_findings_of_the_small_ones_it_is_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = ["F", "m", " F", "", "   ", None, "NK", "2024-01", "20240101", "x" * 300]
    table = pl.DataFrame({"SEX": odd * (ROWS // 10), "D": odd[::-1] * (ROWS // 10)})
    spec = {
        "missingValues": ["", "NK"],
        "fields": [
            {"name": "SEX", "constraints": {"required": True, "enum": ["F", "M"], "maxLength": 3, "pattern": "[FM]"}},
            {"name": "D", "type": "string", "format": "iso8601-partial"},
        ],
    }
    by_value = review_table(table, spec)
    monkeypatch.setattr("checks.frame.BIG_ROWS", ROWS + 1)
    by_row = review_table(table, spec)
    assert by_value == by_row
    assert len(by_row.findings) > 6
