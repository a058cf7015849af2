"""Reports: one line when there is nothing to say, and text of the data that stays text."""

from __future__ import annotations

import csv
import io

import pytest

from checks.vocabulary import Evidence, Finding, Outcome, Severity, Verdict
from review_graph.core.reporting import QUERY_COLUMNS, query_list, report
from review_graph.core.triage import apply_decisions
from review_graph.vocabulary import Action, Dataset, Decision, Problem, Review, Status, Triage

HOSTILE = "=HYPERLINK(1)\n# <b>x</b> `y` | \x1b[31m"


def finding(**more: object) -> Finding:
    fields: dict[str, object] = {
        "code": "structure.padded_text",
        "severity": Severity.MINOR,
        "columns": ("SEX",),
        "message": "2 of 9 rows: SEX is padded",
        "failed": 2,
        "rows": 9,
        "evidence": (Evidence(row=3, key={"USUBJID": "01"}, values={"SEX": " F"}),),
    }
    return Finding(**(fields | more))  # type: ignore[arg-type]


def review(*findings: Finding, status: Status = Status.SUMMARISED, **more: object) -> Review:
    severity = max((item.severity for item in findings), key=lambda s: s.rank, default=Severity.NONE)
    fields: dict[str, object] = {
        "id": "dm-1",
        "dataset": Dataset(name="dm", uri="data/dm.csv", fingerprint="ab" * 32, rows=9, columns=3),
        "status": status,
        "triage": Triage(severity=severity, needs_human=False, reason="as it is"),
        "findings": apply_decisions(findings, ()),
    }
    return Review(**(fields | more))  # type: ignore[arg-type]


def test_no_finding_gives_one_line() -> None:
    assert report(review()) == "dm: no findings in 9 rows\n"


def test_what_could_not_be_judged_is_never_a_clean_line() -> None:
    unsure = Verdict(code="ranges.outside_limits", outcome=Outcome.INCONCLUSIVE, columns=("AGE",), reason="absent")
    text = report(review(verdicts=(unsure,)))
    assert "## Not judged" in text
    assert "inconclusive ranges.outside\\_limits (AGE): absent" in text


def test_each_finding_is_one_bullet() -> None:
    text = report(review(finding(), finding(columns=("RACE",))))
    bullets = [line for line in text.split("## Findings")[1].splitlines() if line.startswith("- ")]
    assert len(bullets) == 2
    assert "**Severity: minor**" in text


def test_an_escalated_review_says_who_decided() -> None:
    decision = Decision(
        number=1,
        action=Action.CONFIRM,
        by="Ada",
        at="2026-01-01T00:00:00+00:00",
        reason="real",
        severity_from=Severity.MAJOR,
        severity_to=Severity.MAJOR,
    )
    text = report(review(finding(), status=Status.ESCALATED, decisions=(decision,)))
    assert "2026-01-01T00:00:00+00:00 Ada: **confirm** major → major: real" in text


def test_a_failed_review_says_why() -> None:
    text = report(review(status=Status.FAILED, problem=Problem(kind="input", message="cut in the middle")))
    assert "Could not be reviewed: cut in the middle" in text


def test_text_of_the_data_stays_text_in_markdown() -> None:
    dataset = Dataset(name=HOSTILE, uri=HOSTILE, fingerprint="ab", rows=1, columns=1)
    text = report(review(finding(message=HOSTILE, columns=(HOSTILE,)), dataset=dataset))
    assert "\x1b" not in text
    assert "<b>" not in text.replace("\\<b\\>", "").split("- Dataset")[0]
    assert not any(line.startswith("# \\<") for line in text.splitlines())


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_no_cell_of_the_query_list_is_a_formula(start: str) -> None:
    dataset = Dataset(name=f"{start}cmd", uri="x", fingerprint="ab", rows=1, columns=1)
    rows = list(csv.reader(io.StringIO(query_list(review(finding(), dataset=dataset)))))
    assert rows[1][1] == f"'{start}cmd"


def test_the_query_list_has_one_query_for_each_open_finding() -> None:
    rows = list(csv.DictReader(io.StringIO(query_list(review(finding(), finding(columns=("RACE",)))))))
    assert [row["query"] for row in rows] == ["1", "2"]
    assert tuple(rows[0]) == QUERY_COLUMNS
    assert rows[0]["first_records"] == "row 3 (USUBJID=01) (first 1 of 2)"


def test_the_same_review_gives_the_same_bytes() -> None:
    one, other = finding(), finding(columns=("RACE",))
    assert report(review(one, other)) == report(review(other, one))
