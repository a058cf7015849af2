"""One check, every backend, the same answer: the cases of `semantics.yaml`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from checks import TableReview, adopt, review_table
from review_graph.adapters.sources.files import decode

CASES = yaml.safe_load(Path(__file__).with_name("semantics.yaml").read_text(encoding="utf-8"))
TABLES = [case for case in CASES if "data" in case]
CSVS = [case for case in CASES if "csv" in case]


def expanded(value: object) -> object:
    """`x*3` is xxx."""
    if isinstance(value, str) and "*" in value:
        text, _, times = value.partition("*")
        return text * int(times)
    return value


def columns_of(case: dict[str, Any]) -> dict[str, list[Any]]:
    if not case.get("expand"):
        return case["data"]  # type: ignore[no-any-return]
    return {name: [expanded(value) for value in values] for name, values in case["data"].items()}


def today_of(case: dict[str, Any]) -> dt.date | None:
    return dt.datetime.fromisoformat(case["clock"]).date() if "clock" in case else None


def assert_expected(result: TableReview, expect: dict[str, dict[str, Any]]) -> None:
    for code, wanted in expect.items():
        findings = [finding for finding in result.findings if finding.code == code]
        outcome = result.outcome(code)
        if "failed" in wanted:
            rows = sorted(item.row for finding in findings for item in finding.evidence)
            assert rows == wanted["failed"], (code, result.verdicts)
            assert sum(finding.failed for finding in findings) == len(rows)
            assert outcome is not None or not rows
        if wanted.get("failed") == []:
            assert outcome != "failed"
            assert outcome != "errored"
        if "failed_columns" in wanted:
            assert [name for finding in findings for name in finding.columns] == wanted["failed_columns"]
        if "failed_rows" in wanted:
            assert [finding.failed for finding in findings] == [wanted["failed_rows"]]
        if "groups" in wanted:
            assert [finding.groups for finding in findings] == wanted["groups"]
        if "says" in wanted:
            said = [finding.message for finding in findings]
            said += [str(verdict.reason) for verdict in result.verdicts if verdict.code == code]
            assert any(wanted["says"] in text for text in said), said
        if "outcome" in wanted:
            assert outcome == wanted["outcome"]


@pytest.mark.parametrize("case", TABLES, ids=[case["id"] for case in TABLES])
def test_case_has_its_answer_on_every_backend(case: dict[str, Any], on_backend: Callable[[Any], object]) -> None:
    frame = on_backend(columns_of(case))
    references = {name: on_backend(data) for name, data in case.get("references", {}).items()}
    result = review_table(frame, case["spec"], today=today_of(case), references=references)
    assert_expected(result, case["expect"])


@pytest.mark.parametrize("case", CSVS, ids=[case["id"] for case in CSVS])
def test_csv_case_has_its_answer(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(case["csv"], encoding="utf-8")
    decoded = decode(path)
    table = adopt(decoded.frame, duplicate_columns=decoded.duplicate_columns)
    assert_expected(review_table(table, case["spec"]), case["expect"])
