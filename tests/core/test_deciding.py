"""What a decision needs; everything else is refused with a line that says what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.spec import PolicySpec
from checks.vocabulary import Finding, Severity
from review_graph.core.deciding import MAX_REASON, decide, is_confirmed
from review_graph.errors import DecisionConflict, InvalidDecision
from review_graph.vocabulary import Action, Decision, DecisionRequest, Triage

FINDING = Finding(
    code="structure.duplicate_key",
    severity=Severity.MAJOR,
    columns=("USUBJID",),
    message="2 of 9 rows",
    failed=2,
    rows=9,
)
MAJOR = Triage(severity=Severity.MAJOR, needs_human=True, reason="1 major finding open")
WHY: dict[str, Any] = {"reason_code": "expected"}
CONFIRM = DecisionRequest(action="confirm", by="Ada", reason="real")


def decision_on(request: DecisionRequest, decisions: tuple[Decision, ...] = ()) -> Decision:
    return decide(
        request,
        findings=[FINDING],
        decisions=decisions,
        triage=MAJOR,
        policy=PolicySpec(),
        at="2026-01-01T00:00:00+00:00",
    )


def test_a_confirmation_keeps_the_severity() -> None:
    decision = decision_on(CONFIRM)
    assert (decision.number, decision.action, decision.by, decision.reason) == (1, Action.CONFIRM, "Ada", "real")
    assert (decision.severity_from, decision.severity_to) == (Severity.MAJOR, Severity.MAJOR)
    assert is_confirmed([decision])


@pytest.mark.parametrize("severity", ["none", "minor"])
def test_an_override_lowers_the_severity(severity: str) -> None:
    decision = decision_on(DecisionRequest(action="override", by="Ada", reason="x", severity=severity))
    assert decision.severity_to == severity
    assert not is_confirmed([decision])


def test_a_dismissal_names_each_finding_once() -> None:
    request = DecisionRequest(action="dismiss", by="Ada", reason="x", **WHY, findings=(FINDING.id, FINDING.id))
    assert decision_on(request).findings == (FINDING.id,)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            {"action": "assent"},
            "unknown action 'assent': use confirm, override, dismiss, waive, reopen, comment, approve",
        ),
        ({"by": ""}, "a decision needs a name (who decides); found ''"),
        ({"by": "  \t"}, "a decision needs a name (who decides); found '  \\t'"),
        ({"by": "?!"}, "a decision needs a name (who decides); found '?!'"),
        ({"by": "Ada\nBob"}, "must be one line without control characters; found 'Ada\\nBob'"),
        ({"by": "A" * 101}, "may have 100 characters; found 101"),
        ({"reason": ""}, "a decision needs a reason; found ''"),
        ({"reason": "\x1b[31mred"}, "must be one line without control characters"),
        ({"reason": "r" * (MAX_REASON + 1)}, f"may have {MAX_REASON} characters"),
        ({"severity": "minor"}, "a severity goes with override, not with confirm"),
        ({"findings": (FINDING.id,)}, "findings go with dismiss, waive, reopen, comment, not with confirm"),
        ({"approves": 1}, "the number of a decision goes with approve, not with confirm"),
        ({"expires": "2026-12-31"}, "a last day goes with waive, not with confirm"),
        ({"max_count": 1}, "a count goes with waive, not with confirm"),
        ({"role": "a\nb"}, "a role must be one line"),
        ({"meaning": " "}, "a decision needs the meaning of the signature; found ' '"),
        ({"reason_code": "False positive"}, "found 'False positive'; did you mean false_positive?"),
        ({"action": "override"}, "an override needs a severity below major: none, minor; found None"),
        ({"action": "override", "severity": "major"}, "to let it stand, use confirm"),
        ({"action": "override", "severity": "Minor"}, "found 'Minor'"),
        ({"action": "dismiss", **WHY}, "a dismissal names the findings it dismisses"),
        ({"action": "dismiss", "findings": (FINDING.id,)}, "a reason code is one of false_positive, expected"),
        ({"action": "dismiss", **WHY, "findings": ("structure.duplicate_kee",)}, f"did you mean {FINDING.id}?"),
        ({"action": "dismiss", **WHY, "findings": ("zzz",)}, f"the review has {FINDING.id}"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else None,
)
def test_what_is_missing_or_unknown_is_refused(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidDecision) as refused:
        decision_on(replace(CONFIRM, **change))
    assert complaint in str(refused.value)


def test_a_finding_is_dismissed_once() -> None:
    request = DecisionRequest(action="dismiss", by="Ada", reason="x", **WHY, findings=(FINDING.id,))
    with pytest.raises(InvalidDecision, match="is dismissed already: Ada recorded dismiss"):
        decision_on(request, (decision_on(request),))


def test_a_reviewer_who_saw_less_gets_the_decision_that_stands() -> None:
    first = decision_on(CONFIRM)
    with pytest.raises(DecisionConflict, match="Ada recorded confirm at 2026-01-01T00:00:00\\+00:00: real") as refused:
        decision_on(replace(CONFIRM, by="Bob", expected_decisions=0), (first, replace(first, number=2, by="Eve")))
    assert refused.value.decision == first


def test_a_reviewer_cannot_have_seen_more_than_there_is() -> None:
    with pytest.raises(DecisionConflict, match="the review has 0 decisions, not 2") as refused:
        decision_on(replace(CONFIRM, expected_decisions=2))
    assert refused.value.decision is None


def test_a_role_a_meaning_and_a_reason_code_are_recorded() -> None:
    decision = decision_on(replace(CONFIRM, role=" data manager ", meaning="I agree", reason_code="other"))
    assert (decision.role, decision.meaning, decision.reason_code) == ("data manager", "I agree", "other")
    assert decision_on(CONFIRM).meaning == Action.CONFIRM.meaning
