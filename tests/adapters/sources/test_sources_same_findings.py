"""One table, every format, the same findings."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from checks import adopt, review_table
from review_graph.adapters.sources import decode
from review_graph.adapters.sources.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from checks import Finding

FRAME = pl.DataFrame(
    {
        "USUBJID": ["S-1", "S-2", "S-2", "", "S-5 ", "S-6", "S-7", "é"],
        "AGE": [34, None, 150, -1, 61, 40, 25, 33],
        "WEIGHT": [70.5, 0.1, None, 812.25, 61.0, 54.5, 1e-3, 80.0],
        "SEX": ["M", "f", "F", "", "M", "X", "F", "M"],
        "RFSTDTC": ["2014-01-02", "2014-01", "", "20140105", "2014-02-30", "2014-01-06T08:30", "2014", "2014-03-03"],
        "TRTSDT": [dt.date(2014, 1, 2), None, dt.date(2013, 12, 31), *[dt.date(2014, 1, 5)] * 5],
        "TRTEDT": [dt.date(2014, 2, 2), None, dt.date(2013, 12, 30), *[dt.date(2014, 1, 4)] * 2, *[None] * 3],
        "DTHDY": [None] * 8,
    },
    schema_overrides={"AGE": pl.Int64, "DTHDY": pl.Int64},
)
SPEC: dict[str, Any] = {
    "name": "dm",
    "primaryKey": ["USUBJID"],
    "fields": [
        {"name": "USUBJID", "type": "string", "constraints": {"required": True, "pattern": "S-[0-9]+"}},
        {"name": "AGE", "type": "integer", "constraints": {"required": True, "minimum": 0, "maximum": 120}},
        {"name": "WEIGHT", "type": "number", "constraints": {"minimum": 0.1, "maximum": 300}},
        {"name": "SEX", "type": "string", "constraints": {"enum": ["F", "M"]}},
        {"name": "RFSTDTC", "type": "date"},
        {"name": "TRTSDT", "type": "date", "constraints": {"minimum": "2014-01-01"}},
        {"name": "TRTEDT", "type": "date"},
        {"name": "DTHDY", "type": "integer"},
        {"name": "ARM", "type": "string"},
    ],
    "rules": [{"id": "start-before-end", "compare": "TRTSDT <= TRTEDT"}],
}

TEXT = (".csv", ".tsv", ".csv.gz", ".csv.zst", ".tsv.gz", ".tsv.zst")
LESS: dict[str, set[tuple[str, int]]] = {
    ".xpt": {("structure.padded_text", 5), ("structure.pattern_mismatch", 5)},
}
"""Code and row of what a format cannot show: a transport file fills text up with blanks, so that blanks after a
text are lost. `data/README.md` says this and the next to users."""

SPELLING: dict[str, tuple[str, str]] = {
    "": ("e.g. 150 in row 3", "(1 null)"),
    ".xpt": ("e.g. 150.0 in row 3", "(1 null)"),  # all its numbers are 64-bit floats
    ".xlsx": ("e.g. 150.0 in row 3", "(1 null)"),
    **dict.fromkeys(TEXT, ("e.g. '150' in row 3", "(1 blank)")),  # all its values are text
}
"""How a format spells the age of row 3 and that there is none in row 2; the first entry is for the others."""

WRITTEN = [suffix for suffix in FORMATS if suffix != ".sas7bdat"]
"""Nothing but SAS writes a SAS dataset."""


def facts(found: list[Finding]) -> set[tuple[str, str, str, tuple[str, ...], int]]:
    """Every offending row of every finding, without how a format spells the value."""
    return {
        (finding.id, finding.code, finding.severity.value, finding.columns, row)
        for finding in found
        for row in ([item.row for item in finding.evidence] or [0])
    }


def findings(path: Path) -> list[Finding]:
    decoded = decode(path)
    table = adopt(decoded.frame, duplicate_columns=decoded.duplicate_columns, labels=decoded.labels)
    assert decoded.notes == ()
    return list(review_table(table, SPEC, today=dt.date(2025, 1, 1)).findings)


@pytest.mark.parametrize("suffix", WRITTEN)
def test_every_format_gives_the_same_findings(
    tmp_path: Path, write_all: Callable[..., dict[str, Path]], suffix: str
) -> None:
    paths = write_all(tmp_path, FRAME, ".parquet", suffix)
    expected, found = findings(paths[".parquet"]), findings(paths[suffix])
    lost = facts(expected) - facts(found)
    assert {(code, row) for _, code, _, _, row in lost} == LESS.get(suffix, set())
    assert facts(found) <= facts(expected)


@pytest.mark.parametrize("suffix", WRITTEN)
def test_a_format_spells_values_as_it_must(
    tmp_path: Path, write_all: Callable[..., dict[str, Path]], suffix: str
) -> None:
    messages = "\n".join(finding.message for finding in findings(write_all(tmp_path, FRAME, suffix)[suffix]))
    for spelling in SPELLING.get(suffix, SPELLING[""]):
        assert spelling in messages


def test_the_table_has_something_to_find(tmp_path: Path, write_all: Callable[..., dict[str, Path]]) -> None:
    codes = {finding.code for finding in findings(write_all(tmp_path, FRAME, ".parquet")[".parquet"])}
    assert len(codes) >= 10
