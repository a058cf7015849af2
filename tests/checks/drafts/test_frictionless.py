"""Schemas that the frictionless package wrote are read as they are, and judge as they do there."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from checks import codes, read_spec, review_table
from checks.drafts.validate import validate_file

WRITTEN = Path(__file__).parent / "frictionless"

VISITS = pl.DataFrame(
    {
        "id": ["1", "2", "2", "4", "5", "", "7"],
        "age": ["34", "51", "130", "NA", "34.5", "20", "-1"],
        "weight": ["70.5", "81", "81", "81 kg", "x", "1,081", ""],
        "smoker": ["true", "false", "false", "false", "yes", "false", "false"],
        "visited": ["2024-01-02", "2024-02-03", "2024-02-03", "2024-02-30", "03.02.2024", "NA", "2024-02-03"],
        "seen_at": ["2024-01-02T10:00:00", *["2024-02-03T11:30:00"] * 3, "2024-02-03", "2024-02-03T11:30:00", ""],
        "country": ["DE", "FR", "FR", "ES", "fr", "FRA", ""],
    }
)

# What `frictionless validate` 5.21 says of the same table: (row, field, error).
THERE = {
    "structure.duplicate_key": {(3, "id")},
    "structure.missing_values": {(6, "id")},
    "structure.wrong_type": {
        *((5, name) for name in ("age", "weight", "smoker", "visited", "seen_at")),
        (4, "visited"),
    },
    "ranges.outside_limits": {(3, "age"), (7, "age")},
    "ranges.not_in_codelist": {(4, "country"), (5, "country"), (6, "country")},
    "structure.pattern_mismatch": {(5, "country"), (6, "country")},
    "structure.length_outside_limits": {(6, "country")},
}


def test_the_same_rows_and_fields_are_wrong() -> None:
    here: dict[str, set[tuple[int, str]]] = {}
    for finding in review_table(VISITS, WRITTEN / "visits.yaml").findings:
        rows = {(row.row, finding.columns[0]) for row in finding.evidence}
        here.setdefault(finding.code, set()).update(rows)
    # There the first of two equal keys is right and the second wrong; here both are shown.
    here["structure.duplicate_key"].remove((2, "id"))
    assert here == THERE


def test_foreign_keys_are_read() -> None:
    (foreign,) = read_spec(WRITTEN / "visits.yaml").spec.foreign_keys
    assert (foreign.fields, foreign.reference.resource, foreign.reference.fields) == (
        ("country",),
        "countries",
        ("code",),
    )


@pytest.mark.parametrize("path", sorted(WRITTEN.iterdir()), ids=lambda path: path.name)
def test_all_of_it_is_valid_and_nothing_ignored(path: Path) -> None:
    for item in validate_file(path, codes()):
        assert item.problems == ()
        assert item.ignored == ()
        assert item.spec is not None
        assert item.spec.fields


def test_every_resource_of_a_package_is_looked_at() -> None:
    assert [item.resource for item in validate_file(WRITTEN / "package.yaml", codes())] == ["patients", "semi"]
