"""The default policy, and what decisions do to it."""

from __future__ import annotations

import pytest

from checks.spec import PolicySpec
from checks.vocabulary import Finding, Outcome, Severity
from review_graph.core.routing import route
from review_graph.core.triage import apply_decisions, triage
from review_graph.vocabulary import Action, Decision, FindingStatus, Route

POLICY = PolicySpec()


def found(severity: str, number: int = 1, outcome: Outcome = Outcome.FAILED) -> Finding:
    return Finding(
        code="structure.padded_text",
        severity=Severity(severity),
        columns=(f"C{number}",),
        message="1 of 9 rows",
        failed=1,
        rows=9,
        outcome=outcome,
    )


def decided(action: Action, to: str = "minor", findings: tuple[str, ...] = (), number: int = 1) -> Decision:
    return Decision(
        number=number,
        action=action,
        by="Ada",
        at="2026-01-01T00:00:00+00:00",
        reason="seen",
        severity_from=Severity.MAJOR,
        severity_to=Severity(to),
        findings=findings,
    )


@pytest.mark.parametrize(
    ("severities", "expected"),
    [
        ([], "none"),
        (["minor"], "minor"),
        (["minor", "minor"], "minor"),
        (["minor", "minor", "minor"], "major"),
        (["major"], "major"),
        (["minor", "major"], "major"),
        (["none", "none", "none", "none"], "none"),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, list) else value,
)
def test_open_findings_decide_the_severity(severities: list[str], expected: str) -> None:
    judged = triage([found(severity, number) for number, severity in enumerate(severities)], [], POLICY)
    assert judged.severity == expected
    assert judged.needs_human is (expected == "major")
    assert route(judged) is (Route.ESCALATE if expected == "major" else Route.SUMMARISE)


def test_an_errored_check_counts_as_an_open_minor_finding() -> None:
    assert triage([found("minor", outcome=Outcome.ERRORED)], [], POLICY).severity is Severity.MINOR


def test_the_threshold_is_data() -> None:
    assert triage([found("minor")], [], PolicySpec(major_at=1)).severity is Severity.MAJOR


def test_a_dismissed_finding_no_longer_counts() -> None:
    major, minor = found("major", 1), found("minor", 2)
    decisions = [decided(Action.DISMISS, findings=(major.id,))]
    assert triage([major, minor], decisions, POLICY).severity is Severity.MINOR
    statuses = {item.finding.id: item.status for item in apply_decisions([minor, major], decisions)}
    assert statuses == {major.id: FindingStatus.DISMISSED, minor.id: FindingStatus.OPEN}


def test_a_confirmed_review_stays_major() -> None:
    assert triage([found("major")], [decided(Action.CONFIRM, to="major")], POLICY).needs_human


def test_the_last_override_stands() -> None:
    decisions = [decided(Action.OVERRIDE, to="minor"), decided(Action.OVERRIDE, to="none", number=2)]
    judged = triage([found("major")], decisions, POLICY)
    assert judged.severity is Severity.NONE
    assert "Ada" in judged.reason


def test_findings_are_listed_most_severe_first_whatever_their_order() -> None:
    findings = [found("minor", 1), found("major", 2), found("minor", 3)]
    listed = [item.finding.id for item in apply_decisions(findings, [])]
    assert listed == [item.finding.id for item in apply_decisions(reversed(findings), [])]
    assert listed[0] == findings[1].id
