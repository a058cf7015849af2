"""The words that every report uses: who approved, what changed, which waiver."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.vocabulary import Finding, Severity
from review_graph.core.approving import effective, waiting_for_approval
from review_graph.core.wording import (
    approval_of,
    approval_text,
    change_text,
    decision_text,
    scope_text,
    signature_texts,
    waiver_text,
)
from review_graph.vocabulary import Action, Decision, FindingChange, FindingStatus, ReviewedFinding, Waiver


def made(number: int, action: Action, by: str = "Ada", **more: object) -> Decision:
    fields: dict[str, object] = {
        "at": "2026-03-04T05:06:07+00:00",
        "reason": "seen",
        "severity_from": Severity.MAJOR,
        "severity_to": Severity.MINOR,
    }
    return Decision(number=number, action=action, by=by, **(fields | more))  # type: ignore[arg-type]


WAITING = made(1, Action.OVERRIDE, needs_approval=True)


def test_a_decision_says_whose_approval_it_has() -> None:
    approval = made(2, Action.APPROVE, "Bob", approves=1, role="lead")
    told = "needed approval; approved by Bob (lead) at 2026-03-04T05:06:07+00:00, decision 2"
    assert approval_text(WAITING, (WAITING, approval)) == told
    assert approval_text(approval, (WAITING, approval)) == "approves decision 1"


@pytest.mark.parametrize(
    "other",
    [
        made(2, Action.APPROVE, "Ada", approves=1),
        made(2, Action.APPROVE, "Bob", approves=3),
        made(2, Action.APPROVE, "Bob", approves=1, reason=" "),
        made(2, Action.APPROVE, "Bob", approves=1, needs_approval=True),
        made(2, Action.CONFIRM, "Bob"),
    ],
    ids=["by the same", "of another", "without a reason", "waits itself", "is none"],
)
def test_a_decision_without_an_approval_says_that_it_has_no_effect(other: Decision) -> None:
    assert approval_text(WAITING, (WAITING, other)).startswith("needs the approval of another person")


decisions = st.lists(
    st.builds(
        made,
        st.just(0),
        st.sampled_from([Action.DISMISS, Action.APPROVE, Action.WAIVE]),
        st.sampled_from(["Ada", "ada ", "Bob"]),
        needs_approval=st.booleans(),
        approves=st.sampled_from([None, 1, 2, 3]),
        reason=st.sampled_from(["seen", ""]),
        expires=st.sampled_from([None, "2026-01-01", "2026-12-31"]),
    ),
    max_size=5,
).map(lambda listed: tuple(replace(one, number=number) for number, one in enumerate(listed, start=1)))


@given(decisions)
def test_what_reports_call_approved_is_what_counts(listed: tuple[Decision, ...]) -> None:
    waits = waiting_for_approval(listed)
    counted = {decision.number for decision in effective(listed)}
    for decision in listed:
        if decision.needs_approval and decision.reason:
            assert (approval_of(decision, listed) is None) == (decision in waits) == (decision.number not in counted)


def test_a_signature_says_role_code_meaning_and_the_waiver_it_makes() -> None:
    signed = made(
        1,
        Action.WAIVE,
        role="data manager",
        reason_code="expected",
        meaning="I accept",
        waiver="w-1",
        expires="2026-12-31",
        max_count=1,
    )
    assert decision_text(signed, (signed,)) == (
        "waive by Ada (data manager) at 2026-03-04T05:06:07+00:00, major → minor, expected: seen; "
        "waiver w-1 until 2026-12-31 for at most 1 row; signed as: I accept"
    )
    assert scope_text(replace(signed, max_count=None)) == "waiver w-1 until 2026-12-31"
    assert signature_texts(made(1, Action.CONFIRM), ()) == ()


def test_a_waiver_says_who_until_when_for_what_and_why() -> None:
    waiver = Waiver(
        id="w-1",
        dataset="dm",
        code="x.y",
        author="Ada",
        role="lead",
        reason="known",
        reason_code="expected",
        created_at="2026-03-04T05:06:07+00:00",
        expires_on="2026-12-31",
        key={"SEX": "F", "VISIT": 3},
        max_count=2,
    )
    assert waiver_text(waiver) == (
        "waiver w-1 by Ada (lead) until 2026-12-31, at most 2 rows, expected, records with SEX='F', VISIT=3: known"
    )


def item(failed: int, status: FindingStatus = FindingStatus.OPEN) -> ReviewedFinding:
    found = Finding(code="x.y", severity=Severity.MINOR, columns=(), message="m", failed=failed, rows=9)
    return ReviewedFinding(finding=found, status=status)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (FindingChange(after=item(3)), "3 rows"),
        (FindingChange(after=item(1, FindingStatus.WAIVED)), "1 row; waived"),
        (FindingChange(before=item(3), after=item(3)), "3 rows before and now"),
        (FindingChange(before=item(3), after=item(1200)), "3 rows before, 1,200 now"),
        (FindingChange(before=item(1), after=item(0)), "1 row before, 0 now"),
        (FindingChange(before=item(0), after=item(0)), ""),
        (FindingChange(before=item(3, FindingStatus.DISMISSED)), "3 rows before; dismissed before"),
        (FindingChange(before=item(3), reason="errored now: x"), "3 rows before; errored now: x"),
        (
            FindingChange(before=item(3, FindingStatus.WAIVED), after=item(3)),
            "3 rows before and now; waived before, open now",
        ),
        (
            FindingChange(before=item(3, FindingStatus.WAIVED), after=item(3, FindingStatus.WAIVED)),
            "3 rows before and now; waived before and now",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_change_says_how_many_rows_and_which_status(change: FindingChange, told: str) -> None:
    assert change_text(change) == told
