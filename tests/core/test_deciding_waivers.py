"""Waiving, reopening and commenting, and what can be decided when."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from checks.spec import PolicySpec
from checks.vocabulary import Finding, Outcome, Severity
from review_graph.core.deciding import Preview, Terms, available_actions, decide, preview
from review_graph.core.naming import waivers_made
from review_graph.core.triage import apply_decisions, judge
from review_graph.core.waiving import Waived, apply_waivers
from review_graph.errors import DecisionConflict, DecisionNotAllowed, InvalidDecision
from review_graph.vocabulary import Action, Decision, DecisionRequest, FindingStatus, Review, Route, Status
from tests.core.conftest import MakeFinding, MakeWaiver

AT = "2026-03-04T05:06:07+00:00"
TERMS = Terms(waived=Waived(dataset="dm"))


def arguments(findings: list[Finding], decisions: tuple[Decision, ...], terms: Terms) -> dict[str, Any]:
    policy = PolicySpec()
    return {
        "findings": findings,
        "decisions": decisions,
        "triage": judge(findings, terms.verdicts, decisions, policy, terms.waived),
        "policy": policy,
        "at": AT,
        "terms": terms,
    }


def make(
    action: str, *findings: Finding, of: list[Finding], after: tuple[Decision, ...] = (), **fields: Any
) -> Decision:
    terms = fields.pop("terms", TERMS)
    return decide(asked(action, *findings, **fields), **arguments(of, after, terms))


def asked(action: str, *findings: Finding, **fields: Any) -> DecisionRequest:
    if action in ("waive", "dismiss"):
        fields.setdefault("reason_code", "expected")
    if action == "waive":
        fields.setdefault("expires", "2026-12-31")
    plain = {"action": action, "by": "Ada", "reason": "seen", "findings": tuple(finding.id for finding in findings)}
    return DecisionRequest(**plain | fields)


def test_a_waiver_closes_the_finding_and_holds_in_the_next_review(found: MakeFinding) -> None:
    finding = found()
    decision = make("waive", finding, of=[finding], role="data manager")
    assert (decision.severity_to, decision.expires, decision.max_count) == (Severity.NONE, "2026-12-31", 3)
    (item,) = apply_decisions([finding], [decision], TERMS.waived)
    assert item.status is FindingStatus.WAIVED
    (shown,) = item.waivers
    assert (shown.author, shown.role, shown.reason, shown.expires_on) == ("Ada", "data manager", "seen", "2026-12-31")
    assert waivers_made(decision, [], [finding], "dm") == (shown,)
    assert shown.id == decision.waiver
    today = dt.date(2026, 12, 31)
    later = [found(failed=2), found(failed=4)]
    covered = [bool(apply_waivers([of], [shown], dataset="dm", today=today).by_finding) for of in later]
    assert covered == [True, False]


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"expires": None}, "a waiver needs the last day on which it holds, for instance 2026-06-02; found ''"),
        ({"expires": "31.12.2026"}, "for instance 2026-06-02; found '31.12.2026'"),
        ({"expires": "2026-02-30"}, "found '2026-02-30'"),
        ({"expires": "2026-03-03"}, "cannot end before today, 2026-03-04: for instance 2026-06-02; found 2026-03-03"),
        ({"max_count": 0}, "a waiver covers at least 1 offending row; found 0"),
        ({"max_count": True}, "a waiver covers at least 1 offending row; found True"),
        ({"max_count": 2}, "a waiver of 2 rows does not cover the 3 that there are"),
        ({"reason_code": None}, "a reason code is one of"),
        ({"terms": Terms()}, "a waiver needs the name of the dataset"),
    ],
    ids=str,
)
def test_a_waiver_that_lacks_something_is_refused(found: MakeFinding, fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidDecision) as refused:
        make("waive", found(), of=[found()], **fields)
    assert complaint in str(refused.value)


def test_a_waiver_may_end_today(found: MakeFinding) -> None:
    assert make("waive", found(), of=[found()], expires="2026-03-04").expires == "2026-03-04"
    tomorrow = replace(TERMS, today=dt.date(2026, 3, 5))
    with pytest.raises(InvalidDecision, match="cannot end before today, 2026-03-05"):
        make("waive", found(), of=[found()], expires="2026-03-04", terms=tomorrow)


def test_one_waiver_is_for_one_check_on_the_same_columns(found: MakeFinding) -> None:
    age, sex, limits = found(), found(columns=("SEX",)), found(parameters={"maximum": 90}, failed=5)
    with pytest.raises(InvalidDecision, match="waive the findings one after the other"):
        make("waive", age, sex, of=[age, sex])
    with pytest.raises(InvalidDecision, match="the findings have 3 and 5 offending rows: say how many"):
        make("waive", age, limits, of=[age, limits])
    assert make("waive", age, limits, of=[age, limits], max_count=5).max_count == 5


def test_what_could_not_be_judged_is_not_waived(found: MakeFinding) -> None:
    finding = found(code="ranges.not_run", columns=(), failed=0, outcome=Outcome.ERRORED)
    with pytest.raises(InvalidDecision, match="cannot be waived: the checks could not judge the dataset"):
        make("waive", finding, of=[finding])


def test_a_finding_of_the_whole_table_is_waived_without_a_bound(found: MakeFinding) -> None:
    finding = found(code="structure.missing_column", failed=0)
    assert make("waive", finding, of=[finding]).max_count is None


@pytest.mark.parametrize("closing", ["dismiss", "waive"])
def test_what_was_closed_can_be_reopened_and_closed_again(found: MakeFinding, closing: str) -> None:
    finding = found()
    closed = make(closing, finding, of=[finding])
    reopened = make("reopen", finding, of=[finding], after=(closed,))
    assert (reopened.severity_from, reopened.severity_to) == (Severity.NONE, Severity.MAJOR)
    (item,) = apply_decisions([finding], [closed, reopened])
    assert (item.status, item.waivers) == (FindingStatus.OPEN, ())
    again = make("dismiss", finding, of=[finding], after=(closed, reopened))
    assert again.severity_to is Severity.NONE


def test_reopening_beats_a_waiver_from_before(found: MakeFinding, waiver: MakeWaiver) -> None:
    finding = found()
    terms = Terms(waived=apply_waivers([finding], [waiver()], dataset="dm", today=dt.date(2026, 3, 4)))
    assert not arguments([finding], (), terms)["triage"].needs_human
    reopened = make("reopen", finding, of=[finding], terms=terms)
    assert arguments([finding], (reopened,), terms)["triage"].needs_human


def test_reopening_takes_back_an_override(found: MakeFinding) -> None:
    age, sex = found(), found(columns=("SEX",))
    dismissed = make("dismiss", sex, of=[age, sex])
    overridden = make("override", of=[age, sex], after=(dismissed,), severity="none")
    assert not arguments([age, sex], (dismissed, overridden), TERMS)["triage"].needs_human
    reopened = make("reopen", sex, of=[age, sex], after=(dismissed, overridden))
    assert reopened.severity_to is Severity.MAJOR


@pytest.mark.parametrize(
    ("action", "complaint"),
    [("reopen", "is open$"), ("dismiss", "is waived already: waiver w-.* of Ada until 2026-09-30: a known issue")],
)
def test_a_finding_becomes_what_it_is_not(found: MakeFinding, waiver: MakeWaiver, action: str, complaint: str) -> None:
    known = [] if action == "reopen" else [waiver()]
    waived = apply_waivers([found()], known, dataset="dm", today=dt.date(2026, 3, 4))
    with pytest.raises(InvalidDecision, match=complaint):
        make(action, found(), of=[found()], terms=Terms(waived=waived))


def test_a_reopening_names_findings(found: MakeFinding) -> None:
    with pytest.raises(InvalidDecision, match="a reopening names the findings it reopens"):
        make("reopen", of=[found()])


@pytest.mark.parametrize("status", Status)
def test_a_comment_is_always_possible_and_changes_nothing(found: MakeFinding, status: Status) -> None:
    finding = found()
    terms = replace(TERMS, status=status)
    decision = make("comment", finding, of=[finding], terms=terms)
    assert decision.severity_to is decision.severity_from
    assert arguments([finding], (), terms)["triage"] == arguments([finding], (decision,), terms)["triage"]
    assert apply_decisions([finding], [decision]) == apply_decisions([finding], [])
    assert Action.COMMENT in available_actions(status)


@pytest.mark.parametrize("status", sorted(set(Status) - {Status.PAUSED}))
@pytest.mark.parametrize("action", sorted(set(Action) - {Action.COMMENT}))
def test_nothing_else_is_decided_on_a_review_that_does_not_wait(
    found: MakeFinding, action: Action, status: Status
) -> None:
    terms = replace(TERMS, status=status)
    with pytest.raises(DecisionNotAllowed, match=f"the review is {status} and not paused"):
        make(action, found(), of=[found()], terms=terms)
    confirmed, comment = make("confirm", of=[found()]), make("comment", of=[found()])
    with pytest.raises(DecisionConflict, match=f"the review is {status} already: Ada recorded confirm") as refused:
        make(action, found(), of=[found()], terms=terms, after=(confirmed, comment))
    assert refused.value.decision == confirmed


def test_what_is_available_is_what_can_be_done(found: MakeFinding, waiver: MakeWaiver) -> None:
    finding = found()
    items = apply_decisions([finding], [])
    plain = (Action.CONFIRM, Action.OVERRIDE, Action.DISMISS, Action.WAIVE, Action.COMMENT)
    assert available_actions(Status.PAUSED, items) == plain
    waived = apply_waivers([finding], [waiver()], dataset="dm", today=dt.date(2026, 3, 4))
    closed = apply_decisions([finding], [], waived)
    assert set(available_actions(Status.PAUSED, closed)) == {*plain, Action.REOPEN} - {Action.DISMISS, Action.WAIVE}
    unjudged = apply_decisions([found(code="ranges.not_run", outcome=Outcome.ERRORED)], [])
    assert Action.WAIVE not in available_actions(Status.PAUSED, unjudged)
    pending = make("dismiss", finding, of=[finding], terms=replace(TERMS, second_approver=True))
    assert Action.APPROVE in available_actions(Status.PAUSED, items, [pending])


@pytest.mark.parametrize(
    ("request_", "road"),
    [
        (asked("confirm"), Route.ESCALATE),
        (asked("override", severity="minor"), Route.SUMMARISE),
        (asked("comment"), Route.ESCALATE),
    ],
    ids=lambda value: value.action if isinstance(value, DecisionRequest) else None,
)
def test_a_preview_says_the_road(found: MakeFinding, request_: DecisionRequest, road: Route) -> None:
    seen = preview(request_, **arguments([found()], (), TERMS))
    assert isinstance(seen, Preview)
    assert (seen.route, seen.triage.needs_human) == (road, road is Route.ESCALATE)
    assert seen.decision == decide(request_, **arguments([found()], (), TERMS))


def test_a_preview_of_what_waits_for_another_person_keeps_the_road(found: MakeFinding) -> None:
    terms = replace(TERMS, second_approver=True)
    seen = preview(asked("override", severity="none"), **arguments([found()], (), terms))
    assert (seen.route, seen.decision.needs_approval, seen.decision.severity_to) == (
        Route.ESCALATE,
        True,
        Severity.NONE,
    )
    assert "decision 1 waits for another person" in seen.triage.reason


def test_waived_findings_and_notices_are_in_the_plain_review(found: MakeFinding, waiver: MakeWaiver) -> None:
    from review_graph.vocabulary import Dataset

    waived = apply_waivers([found()], [waiver()], dataset="dm", today=dt.date(2026, 3, 4))
    review = Review(
        id="dm-1",
        dataset=Dataset(name="dm", uri="dm.csv", fingerprint=""),
        status=Status.SUMMARISED,
        findings=apply_decisions([found()], [], waived),
        notices=("waiver w-1 expired",),
    )
    plain = review.to_plain()
    assert (plain["findings"][0]["status"], plain["notices"]) == ("waived", ["waiver w-1 expired"])
    assert plain["findings"][0]["waivers"] == [waiver().to_plain()]
    assert review.open_findings == ()


def test_a_waiver_of_the_review_itself_ends_on_its_last_day(found: MakeFinding) -> None:
    finding = found(severity=Severity.MAJOR)
    decision = make("waive", finding, of=[finding], expires="2026-03-10")
    for day, status in ((10, FindingStatus.WAIVED), (11, FindingStatus.OPEN)):
        waived = apply_waivers([finding], [], dataset="dm", today=dt.date(2026, 3, day))
        assert [item.status for item in apply_decisions([finding], [decision], waived)] == [status]
