"""What lets a review pass needs a named person, and two of them where that is wanted; nothing goes round it."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.spec import PolicySpec
from checks.vocabulary import Finding, Outcome, Severity, Verdict
from review_graph.core.approving import effective, is_confirmed, waiting_for_approval
from review_graph.core.deciding import Terms, decide
from review_graph.core.naming import waivers_made
from review_graph.core.persons import same_person
from review_graph.core.triage import judge, triage
from review_graph.core.waiving import Waived
from review_graph.errors import GateError, InvalidDecision
from review_graph.vocabulary import Action, Decision, DecisionRequest, ReasonCode
from tests.core.conftest import MakeDecision, MakeFinding

POLICY = PolicySpec()
AT = "2026-03-04T05:06:07+00:00"
TWO = Terms(second_approver=True, waived=Waived(dataset="dm"))


def make(
    request: DecisionRequest, findings: list[Finding], decisions: list[Decision], terms: Terms = TWO, at: str = AT
) -> Decision:
    return decide(
        request,
        findings=findings,
        decisions=decisions,
        triage=judge(findings, terms.verdicts, decisions, POLICY, terms.waived),
        policy=POLICY,
        at=at,
        terms=terms,
    )


def asked(action: str, by: str = "Ada", **fields: Any) -> DecisionRequest:
    return DecisionRequest(**{"action": action, "by": by, "reason": "seen"} | fields)


@pytest.mark.parametrize("action", ["override", "dismiss", "waive"])
def test_what_lowers_a_major_review_waits_for_another_person(found: MakeFinding, action: str) -> None:
    finding = found()
    fields: dict[str, Any] = {"findings": (finding.id,), "reason_code": "expected"}
    more = {"override": {"severity": "minor"}, "dismiss": fields, "waive": fields | {"expires": "2026-12-31"}}
    first = make(asked(action, **more[action]), [finding], [])
    assert (first.needs_approval, first.severity_to.rank < first.severity_from.rank) == (True, True)
    assert triage([finding], [first], POLICY).needs_human
    assert waiting_for_approval([first]) == (first,)
    assert waivers_made(first, [], [finding], "dm") == ()
    approval = make(asked("approve", by="Bob", approves=1), [finding], [first])
    assert (approval.approves, approval.needs_approval) == (1, False)
    assert approval.severity_to is first.severity_to
    assert not triage([finding], [first, approval], POLICY).needs_human
    assert waiting_for_approval([first, approval]) == ()
    made = waivers_made(approval, [first], [finding], "dm")
    assert [waiver.author for waiver in made] == (["Ada"] if action == "waive" else [])


def test_without_the_setting_one_person_is_enough(found: MakeFinding) -> None:
    decision = make(asked("override", severity="minor"), [found()], [], Terms())
    assert not decision.needs_approval
    assert not triage([found()], [decision], POLICY).needs_human


def test_what_does_not_let_the_review_pass_needs_no_approval(found: MakeFinding) -> None:
    findings = [found(), found(columns=("SEX",), severity=Severity.MINOR)]
    request = asked("dismiss", findings=(findings[1].id,), reason_code="expected")
    assert not make(request, findings, []).needs_approval
    assert not make(asked("confirm"), findings, []).needs_approval
    assert not make(asked("comment"), findings, []).needs_approval


@pytest.mark.parametrize(("action", "severity"), [("dismiss", "major"), ("waive", "major"), ("waive", "minor")])
def test_what_may_let_something_pass_later_needs_approval_too(found: MakeFinding, action: str, severity: str) -> None:
    """With another major finding open the review stays; the next one, of corrected data, would not."""
    findings = [found(severity=Severity(severity)), found(columns=("SEX",))]
    more = {"expires": "2026-12-31"} if action == "waive" else {}
    request = asked(action, findings=(findings[0].id,), reason_code="expected", **more)
    decision = make(request, findings, [])
    assert decision.needs_approval
    assert waivers_made(decision, [], findings, "dm") == ()


@pytest.mark.parametrize("by", ["Ada", " ada ", "ADA", "\uff21da"])
def test_nobody_approves_their_own_decision(found: MakeFinding, by: str) -> None:
    first = make(asked("override", severity="minor"), [found()], [])
    with pytest.raises(InvalidDecision, match="decision 1 is Ada's own: another person approves it"):
        make(asked("approve", by=by, approves=1), [found()], [first])
    forged = replace(first, number=2, action=Action.APPROVE, by=by, approves=1, needs_approval=False)
    assert triage([found()], [first, forged], POLICY).needs_human


@pytest.mark.parametrize("number", [None, 0, 2, 9])
def test_an_approval_names_what_waits(found: MakeFinding, number: int | None) -> None:
    first = make(asked("override", severity="minor"), [found()], [])
    comment = make(asked("comment"), [found()], [first])
    with pytest.raises(InvalidDecision, match=f"found {number}, waiting: decision 1 of Ada"):
        make(asked("approve", by="Bob", approves=number), [found()], [first, comment])


def test_a_decision_is_approved_once(found: MakeFinding) -> None:
    findings = [found()]
    first = make(asked("override", severity="minor"), findings, [])
    approval = make(asked("approve", by="Bob", approves=1), findings, [first])
    with pytest.raises(InvalidDecision, match="found 1, waiting: none"):
        make(asked("approve", by="Eve", approves=1), findings, [first, approval])
    again = replace(approval, number=3, by="Eve")
    assert list(effective([first, approval, again])) == [first]


def test_a_waiver_is_not_approved_after_its_last_day(found: MakeFinding) -> None:
    fields: dict[str, Any] = {"findings": (found().id,), "reason_code": "expected", "expires": "2026-03-04"}
    first = make(asked("waive", **fields), [found()], [])
    with pytest.raises(InvalidDecision, match="the waiver of decision 1 ended on 2026-03-04"):
        make(asked("approve", by="Bob", approves=1), [found()], [first], at="2026-03-05T00:00:00+00:00")
    late = replace(first, number=2, action=Action.APPROVE, by="Bob", approves=1, at="2026-03-05", needs_approval=False)
    assert triage([found()], [first, late], POLICY).needs_human


def test_what_is_approved_counts_from_its_approval_on(found: MakeFinding, decided: MakeDecision) -> None:
    lowered = decided("override", severity_to=Severity.NONE, needs_approval=True)
    other = decided("override", severity_to=Severity.MINOR, number=2)
    approval = decided("approve", approves=1, number=3, by="Bob")
    assert [decision.number for decision in effective([lowered, other, approval])] == [2, 1]
    assert triage([found()], [lowered, other, approval], POLICY).severity is Severity.NONE


def test_a_revoked_waiver_of_a_decision_does_not_count(found: MakeFinding, decided: MakeDecision) -> None:
    waived = decided("waive", found(), waiver="w-1", expires="2026-12-31")
    assert not triage([found()], [waived], POLICY, Waived(dataset="dm")).needs_human
    assert triage([found()], [waived], POLICY, Waived(dataset="dm", revoked=frozenset({"w-1"}))).needs_human


def test_a_waive_forged_for_what_could_not_be_judged_does_not_count(found: MakeFinding, decided: MakeDecision) -> None:
    finding = found(code="ranges.not_run", columns=(), failed=0, outcome=Outcome.ERRORED)
    assert triage([finding], [decided("waive", finding, waiver="w-1")], POLICY).needs_human


def test_findings_that_are_missing_are_major_whatever_was_decided(decided: MakeDecision) -> None:
    verdict = Verdict(code="ranges.rule.x", outcome=Outcome.FAILED, columns=())
    judged = judge([], [verdict], [decided("override", severity_to=Severity.NONE)], POLICY)
    assert (judged.needs_human, judged.reason) == (True, "findings of ranges.rule.x are missing from the review")


@given(st.text(max_size=8), st.text(max_size=8))
def test_being_one_person_is_the_same_from_both_sides(one: str, other: str) -> None:
    assert same_person(one, one)
    assert same_person(one, other) == same_person(other, one)
    assert same_person(f" {one}", one)


FINDINGS = [
    Finding(
        code=f"ranges.rule.{number}",
        severity=severity,
        columns=(),
        message="",
        failed=2,
        rows=9,
        outcome=Outcome.FAILED,
    )
    for number, severity in enumerate([Severity.MAJOR, Severity.MAJOR, *[Severity.MINOR] * 3])
]
IDS = [finding.id for finding in FINDINGS]
REQUESTS = st.builds(
    DecisionRequest,
    action=st.sampled_from(sorted(Action)),
    by=st.sampled_from(["Ada", " ADA ", "Bob", "", "?"]),
    reason=st.sampled_from(["seen", "seen", " "]),
    severity=st.sampled_from([None, "none", "minor", "major"]),
    findings=st.lists(st.sampled_from(IDS), max_size=5).map(tuple),
    reason_code=st.sampled_from([None, *ReasonCode]),
    approves=st.none() | st.integers(1, 6),
    expires=st.sampled_from([None, "2026-12-31", "2026-01-01"]),
)
SHAPES = {
    Action.OVERRIDE: ("severity",),
    Action.DISMISS: ("findings",),
    Action.WAIVE: ("findings", "expires"),
    Action.REOPEN: ("findings",),
    Action.APPROVE: ("approves",),
}
EMPTY: dict[str, Any] = {"severity": None, "findings": (), "approves": None, "expires": None}


def shaped(request: DecisionRequest) -> DecisionRequest:
    """A request without what does not go with its action, so that more of them are accepted."""
    keep = SHAPES.get(Action(request.action), ())
    return replace(request, **{name: value for name, value in EMPTY.items() if name not in keep})


def lowerings(decisions: list[Decision]) -> list[Decision]:
    return [d for d in effective(decisions) if d.action in (Action.OVERRIDE, Action.DISMISS, Action.WAIVE)]


@settings(max_examples=300)
@given(requests=st.lists(REQUESTS.map(shaped), max_size=9), second=st.booleans())
def test_no_sequence_of_decisions_goes_round_a_named_person(requests: list[DecisionRequest], *, second: bool) -> None:
    terms = replace(TWO, second_approver=second, today=dt.date(2026, 3, 4))
    decisions: list[Decision] = []
    for request in requests:
        was = judge(FINDINGS, (), decisions, POLICY, terms.waived)
        try:
            decision = make(request, FINDINGS, decisions, terms)
        except GateError:
            continue
        decisions.append(decision)
        now = judge(FINDINGS, (), decisions, POLICY, terms.waived)
        assert now.needs_human is (now.severity is Severity.MAJOR)
        if second and was.needs_human and not now.needs_human:
            assert decision.action is Action.APPROVE
            (approved,) = (d for d in decisions if d.number == decision.approves)
            assert approved.by.casefold().strip() != decision.by.casefold().strip()
        if not now.needs_human:
            assert lowerings(decisions)
    assert all(d.by.strip().isalpha() and d.reason == "seen" for d in decisions)
    assert is_confirmed(decisions) is any(d.action is Action.CONFIRM for d in decisions)


@given(st.lists(st.sampled_from([Action.CONFIRM, Action.REOPEN, Action.COMMENT, Action.APPROVE]), max_size=6))
def test_what_lowers_nothing_lets_nothing_pass(actions: list[Action]) -> None:
    decisions = [
        Decision(
            number=number,
            action=action,
            by="Ada",
            at=AT,
            reason="seen",
            severity_from=Severity.MAJOR,
            severity_to=Severity.NONE,
            findings=tuple(IDS),
            approves=number - 1,
        )
        for number, action in enumerate(actions, start=1)
    ]
    assert triage(FINDINGS, decisions, POLICY).needs_human


@pytest.mark.parametrize("change", [{"by": " "}, {"by": "?"}, {"reason": ""}, {"needs_approval": True}], ids=str)
@pytest.mark.parametrize("action", ["override", "dismiss", "waive", "confirm"])
def test_a_forged_decision_without_a_name_or_reason_or_approval_is_none(
    found: MakeFinding, decided: MakeDecision, action: str, change: dict[str, Any]
) -> None:
    forged = decided(action, found(), severity_to=Severity.NONE, waiver="w-1", **change)
    assert triage([found()], [forged], POLICY).needs_human
    assert not is_confirmed([forged])
