"""R2 and R3: from a dataset to a severity, a road and a status."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from checks import Outcome
from review_graph import ReviewService

ROWS = 3


def columns(*outside: str, key: Sequence[str] = ("S-1", "S-2", "S-3")) -> dict[str, Sequence[Any]]:
    """A table in which each named column has one number that is outside."""
    return {"ID": key, **{name: [1, 2, 33 if name in outside else 3] for name in "ABCD"}}


REPEATED = ("S-1", "S-2", "S-2")
FINISHED, STOPPED = "summarised", "paused"


@pytest.mark.parametrize(
    ("data", "policy", "severity", "status"),
    [
        pytest.param(columns(), None, "none", FINISHED, id="no finding"),
        pytest.param(columns("A"), None, "minor", FINISHED, id="one minor"),
        pytest.param(columns("A", "B"), None, "minor", FINISHED, id="two minor"),
        pytest.param(columns("A", "B", "C"), None, "major", STOPPED, id="three minor"),
        pytest.param(columns("A", "B", "C", "D"), None, "major", STOPPED, id="four minor"),
        pytest.param(columns(key=REPEATED), None, "major", STOPPED, id="one major"),
        pytest.param(columns("A", key=REPEATED), None, "major", STOPPED, id="one major, one minor"),
        pytest.param(columns("A"), {"majorAt": 1}, "major", STOPPED, id="one minor, one is enough"),
        pytest.param(columns(), {"majorAt": 1}, "none", FINISHED, id="no finding, one would be enough"),
        pytest.param(columns("A", "B", "C"), {"majorAt": 4}, "minor", FINISHED, id="three minor, four are needed"),
        pytest.param(columns("A", "B", "C", "D"), {"majorAt": 4}, "major", STOPPED, id="four minor, four are needed"),
        pytest.param(columns(key=REPEATED), {"majorAt": 9}, "major", STOPPED, id="a major one is one too many"),
        pytest.param({"ID": [], "A": []}, None, "major", STOPPED, id="empty table"),
        pytest.param({"A": [1, 2, 3]}, None, "major", STOPPED, id="key column is missing"),
    ],
)
def test_policy(
    service: ReviewService,
    table: Callable[..., Path],
    spec: dict[str, Any],
    data: dict[str, Sequence[Any]],
    policy: dict[str, int] | None,
    severity: str,
    status: str,
) -> None:
    given = spec if policy is None else spec | {"policy": policy}
    review = service.start(table("", "dataset", **data), given)
    assert (review.triage.severity.value, review.status.value) == (severity, status)
    assert review.triage.needs_human is (severity == "major")


def test_absent_column_is_inconclusive_and_neither_a_crash_nor_a_pass(
    service: ReviewService, table: Callable[..., Path]
) -> None:
    demanded = {"name": "AGE", "type": "integer", "constraints": {"minimum": 0, "maximum": 120}}
    spec = {"fieldsMatch": "subset", "fields": [{"name": "ID", "type": "string"}, demanded]}
    review = service.start(table("", "dataset", ID=["S-1"]), spec)
    assert [item.finding.code for item in review.findings] == ["structure.missing_column"]
    outcomes = {verdict.outcome for verdict in review.verdicts if verdict.code == "ranges.outside_limits"}
    assert outcomes == {Outcome.INCONCLUSIVE}
    assert review.status.value == STOPPED


def test_built_in_spec_is_used_when_none_is_given(service: ReviewService, table: Callable[..., Path]) -> None:
    path = table("", "adsl", STUDYID=["X", "X"], USUBJID=["X-1", "X-1"], AGE=[-1, 121])
    review = service.start(path)
    found = {item.finding.code: item.finding.failed for item in review.findings}
    assert review.spec_name == "adsl"
    assert (found["structure.duplicate_key"], found["ranges.outside_limits"]) == (2, 2)
    assert review.status.value == STOPPED


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        pytest.param("clean", ["clean: no findings in 3 rows\n\nAudit trail: entry "], id="no finding: one line"),
        pytest.param("minor", ["# Review of minor", "**Severity: minor**", "ranges.outside\\_limits"], id="bullets"),
    ],
)
def test_report(
    service: ReviewService, table: Callable[..., Path], spec: dict[str, Any], kind: str, expected: list[str]
) -> None:
    report = Path(service.start(table(kind), spec).report or "").read_text(encoding="utf-8")
    assert all(part in report for part in expected)
    assert report.count("\n") == 3 or kind != "clean"
