"""Keys that lead to another table, where the tables are of two kinds."""

from __future__ import annotations

from typing import Any

import polars as pl

from checks import review_table
from tests.checks.conftest import duckdb_relation, pandas_numpy

SPEC = {
    "name": "ae",
    "fields": [{"name": "USUBJID"}, {"name": "A"}],
    "foreignKeys": [{"fields": "USUBJID", "reference": {"resource": "dm", "fields": "USUBJID"}}],
    "rules": [{"id": "same", "compare": "A = dm.B"}],
}
AE: dict[str, list[Any]] = {"USUBJID": ["1", "3"], "A": [1, 1]}
DM: dict[str, list[Any]] = {"USUBJID": ["1", "2"], "B": [2, 2]}


def test_polars_takes_in_a_table_of_another_engine() -> None:
    for other in (duckdb_relation(DM), pandas_numpy(DM), pl.DataFrame(DM)):
        result = review_table(pl.DataFrame(AE), SPEC, references={"dm": other})
        assert {f.code: f.failed for f in result.findings if f.failed} == {
            "ranges.rule.same": 1,
            "structure.foreign_key": 1,
        }


def test_a_relation_of_duckdb_does_not_lead_into_polars_and_says_so() -> None:
    result = review_table(duckdb_relation(AE), SPEC, references={"dm": pl.DataFrame(DM)})
    for code in ("ranges.rule.same", "structure.foreign_key"):
        assert result.outcome(code) == "inconclusive"
        reasons = [verdict.reason for verdict in result.verdicts if verdict.code == code]
        assert reasons == ["the other table is on polars and this one on duckdb: no key leads there"]


def test_values_of_another_table_stand_in_the_evidence_and_in_the_message() -> None:
    result = review_table(pl.DataFrame(AE), SPEC, references={"dm": pl.DataFrame(DM)})
    finding = next(finding for finding in result.findings if finding.code == "ranges.rule.same")
    assert finding.columns == ("A", "dm.B")
    assert finding.evidence[0].values == {"A": 1, "dm.B": 2}
    assert finding.message == "1 of 2 rows: rule not met: A = dm.B, e.g. A=1, dm.B=2 in row 1"


def test_a_column_of_the_table_is_never_taken_for_one_of_another() -> None:
    table = pl.DataFrame(AE | {"dm.B": [1, 1]})
    result = review_table(table, SPEC, references={"dm": pl.DataFrame(DM)})
    assert result.outcome("ranges.rule.same") == "inconclusive"


def test_what_cannot_be_told_in_a_part_has_not_passed() -> None:
    table = pl.DataFrame({"S": ["1", "1", "1"], "T": ["SYS", "SYS", "DIA"], "V": [80, 130, 120]})
    rule = {"id": "r", "compare": "SYS >= DIA", "by": "T", "of": "V", "per": "S"}
    result = review_table(table, {"rules": [rule]})
    assert [verdict.outcome for verdict in result.verdicts if verdict.code == "ranges.rule.r"] == ["inconclusive"]
