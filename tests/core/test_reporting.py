"""Reports: one line when there is nothing to say, and text of the data that stays text."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from checks.vocabulary import Evidence, Finding, Outcome, Severity, Verdict
from review_graph.core.diffing import diff
from review_graph.core.reporting import QUERY_COLUMNS, cell, query_list, report
from review_graph.core.triage import apply_decisions
from review_graph.vocabulary import Action, Anchor, Dataset, Decision, Problem, Review, Status, Triage

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


ANCHOR = Anchor(number=7, hash="ab" * 32)


def test_the_end_of_the_audit_trail_is_the_last_line() -> None:
    for told in (review(), review(finding())):
        lines = report(replace(told, anchor=ANCHOR)).splitlines()
        assert lines[:-2] == report(told).splitlines()
        command = f"`review-graph audit verify --anchor {ANCHOR}`"
        last = f"Audit trail: entry 7, sha256 {ANCHOR.hash}; {command} shows that it still stands"
        assert lines[-2:] == ["", last]


def test_what_is_fixed_noticed_or_decided_is_never_a_clean_line() -> None:
    passed = Verdict(code="structure.padded_text", outcome=Outcome.PASSED, columns=("SEX",))
    clean = review(verdicts=(passed,))
    fixed = replace(clean, diff=diff(review(finding(), id="dm-0"), clean))
    assert f"- **fixed** structure.padded\\_text: 2 rows before. Finding `{finding().id}` on SEX" in report(fixed)
    assert "- waiver w-1 expired" in report(replace(clean, notices=("waiver w-1 expired",)))
    comment = replace(confirmation(), action=Action.COMMENT)
    assert "**comment**" in report(replace(clean, decisions=(comment,)))


def test_nothing_changed_and_nothing_found_is_one_line() -> None:
    clean = review()
    assert report(replace(clean, diff=diff(review(id="dm-0"), clean))) == report(clean)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("- x", "\\- x"),
        ("+ x", "\\+ x"),
        ("===", "\\==="),
        ("1. x", "1\\. x"),
        ("12) x", "12\\) x"),
        ("    x", "&#32;&#32;&#32;&#32;x"),
        ("# x", "\\# x"),
        ("> x", "\\> x"),
        ("&lt;", "\\&lt;"),
        ("$x$", "\\$x\\$"),
        ("http://x", "http\\://x"),
        ("www.x", "www\\.x"),
        ("2026.csv", "2026\\.csv"),
        ("dm.1", "dm.1"),
    ],
)
def test_a_clean_line_is_text_whatever_the_name(name: str, start: str) -> None:
    dataset = Dataset(name=name, uri="x", fingerprint="ab", rows=1, columns=1)
    assert report(review(dataset=dataset)) == f"{start}: no findings in 1 row\n"


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


def confirmation() -> Decision:
    return Decision(
        number=1,
        action=Action.CONFIRM,
        by="Ada",
        at="2026-01-01T00:00:00+00:00",
        reason="real",
        severity_from=Severity.MAJOR,
        severity_to=Severity.MAJOR,
    )


def test_an_escalated_review_says_who_decided() -> None:
    text = report(review(finding(), status=Status.ESCALATED, decisions=(confirmation(),)))
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


@pytest.mark.parametrize("start", ["=", "+", "-", "@", " =", "＝", "＋", "－", "＠"])  # noqa: RUF001 - wide ones as well
def test_no_cell_of_the_query_list_is_a_formula(start: str) -> None:
    dataset = Dataset(name=f"{start}cmd", uri="x", fingerprint="ab", rows=1, columns=1)
    rows = list(csv.reader(io.StringIO(query_list(review(finding(), dataset=dataset)))))
    assert rows[1][1] == f"'{start}cmd"


@pytest.mark.parametrize(
    ("text", "neutral"),
    [
        ("\t=x", "\\t=x"),
        ("\r=x", "\\r=x"),
        ("a;=x", "a;'=x"),
        ('a; "@x', "a; \"'@x"),
        ("a;-1;+2.5e3", "a;-1;+2.5e3"),
        ("a;-1+x", "a;'-1+x"),
        ("-1.5", "-1.5"),
        ("-1-1", "'-1-1"),
        ("a=b", "a=b"),
        (12, 12),
        (None, None),
    ],
)
def test_a_cell_is_no_formula_for_any_spreadsheet(text: object, neutral: object) -> None:
    assert cell(text) == neutral


def test_the_query_list_has_one_query_for_each_open_finding() -> None:
    rows = list(csv.DictReader(io.StringIO(query_list(review(finding(), finding(columns=("RACE",)))))))
    assert [row["query"] for row in rows] == ["1", "2"]
    assert tuple(rows[0]) == QUERY_COLUMNS
    assert rows[0]["first_records"] == "row 3 (USUBJID=01) (first 1 of 2)"


def test_the_same_review_gives_the_same_bytes() -> None:
    one, other = finding(), finding(columns=("RACE",))
    assert report(review(one, other)) == report(review(other, one))
