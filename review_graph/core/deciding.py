"""From what a reviewer asks for to a decision, or a refusal that says what to do."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from checks.plain import quote
from checks.spec import PolicySpec
from checks.vocabulary import Finding, Severity, Verdict
from review_graph.core.approving import (
    effective,
    has_ended,
    is_confirmed,
    is_recorded,
    waiting_for_approval,
)
from review_graph.core.granting import demand_reason_code, optional_line
from review_graph.core.naming import describe, named_findings, waiver_asked
from review_graph.core.persons import MAX_NAME, MAX_REASON, one_line, same_person
from review_graph.core.routing import route
from review_graph.core.triage import apply_decisions, judge
from review_graph.core.waiving import NOTHING_WAIVED, Waived, can_be_waived
from review_graph.errors import DecisionConflict, DecisionNotAllowed, InvalidDecision
from review_graph.vocabulary import (
    Action,
    Decision,
    DecisionRequest,
    FindingStatus,
    ReviewedFinding,
    Route,
    Status,
    Triage,
)

__all__ = [
    "MAX_NAME",
    "MAX_REASON",
    "PLAIN_TERMS",
    "Preview",
    "Terms",
    "available_actions",
    "decide",
    "describe",
    "is_confirmed",
    "is_recorded",
    "preview",
    "settling",
]


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Under what a decision is taken, beside the findings and decisions of the review.

    Attributes:
        status: Where the review stands.
        today: The present day; that of the decision when not given.
        second_approver: Whether a second person is needed for what makes a review pass that needs a human, for
            dismissing a major finding, and for each waiver, since it holds in later reviews too.
        waived: What the waivers at hand do to the findings; names the dataset.
        verdicts: The verdicts of the review.
    """

    status: Status = Status.PAUSED
    today: dt.date | None = None
    second_approver: bool = False
    waived: Waived = NOTHING_WAIVED
    verdicts: tuple[Verdict, ...] = ()


PLAIN_TERMS = Terms()
"""A paused review, one person is enough, and there are no waivers."""


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What a decision would do.

    Attributes:
        decision: As it would be recorded.
        triage: The triage after it.
        route: The road the review would take then.
    """

    decision: Decision
    triage: Triage
    route: Route


def decide(
    request: DecisionRequest,
    *,
    findings: Sequence[Finding],
    decisions: Sequence[Decision],
    triage: Triage,
    policy: PolicySpec,
    at: str,
    terms: Terms = PLAIN_TERMS,
) -> Decision:
    """Validate a request against the review as it stands.

    Args:
        request: What is asked for.
        findings: The findings of the review.
        decisions: Decisions recorded so far.
        triage: The present triage.
        policy: The thresholds, for what the triage will be.
        at: Time of the decision, ISO 8601 in UTC.
        terms: Under what it is taken.

    Returns:
        The decision, to be recorded.

    Raises:
        InvalidDecision: Something is missing or unknown.
        DecisionNotAllowed: The review does not stand where this can be decided.
        DecisionConflict: A decision was recorded that the reviewer had not seen.
    """
    _demand_seen(request.expected_decisions, decisions)
    action = _action(request.action)
    by = one_line(request.by, "a name (who decides)", MAX_NAME)
    reason = one_line(request.reason, "a reason", MAX_REASON)
    _demand_open_for(action, terms.status, decisions)
    _only_what_belongs(action, request)
    decision = Decision(
        number=len(decisions) + 1,
        action=action,
        by=by,
        at=at,
        reason=reason,
        severity_from=triage.severity,
        severity_to=triage.severity,
        role=optional_line(request.role, "a role"),
        meaning=optional_line(request.meaning, "the meaning of the signature") or action.meaning,
        reason_code=None if request.reason_code is None else demand_reason_code(request.reason_code),
    )
    decision = _with_its_own(decision, request, apply_decisions(findings, decisions, terms.waived), decisions, terms)
    if action is Action.OVERRIDE:
        decision = replace(decision, severity_to=_lower_severity(request.severity, triage.severity))
    after = judge(findings, terms.verdicts, [*decisions, decision], policy, terms.waived)
    lets_pass = triage.needs_human and not after.needs_human
    waits = terms.second_approver and action is not Action.APPROVE and (lets_pass or _outlives(decision, findings))
    return replace(decision, severity_to=after.severity, needs_approval=waits)


def _outlives(decision: Decision, findings: Sequence[Finding]) -> bool:
    """Whether a decision may let something pass that it does not now: in a later review, or after a next decision."""
    named = [finding for finding in findings if finding.id in decision.findings]
    is_major = any(finding.severity is Severity.MAJOR for finding in named)
    return decision.action is Action.WAIVE or (decision.action is Action.DISMISS and is_major)


def preview(
    request: DecisionRequest,
    *,
    findings: Sequence[Finding],
    decisions: Sequence[Decision],
    triage: Triage,
    policy: PolicySpec,
    at: str,
    terms: Terms = PLAIN_TERMS,
) -> Preview:
    """Say what a request would do, without recording it; arguments and refusals are those of `decide`."""
    decision = decide(request, findings=findings, decisions=decisions, triage=triage, policy=policy, at=at, terms=terms)
    after = judge(findings, terms.verdicts, [*decisions, decision], policy, terms.waived)
    return Preview(decision=decision, triage=after, route=route(after))


def available_actions(
    status: Status, items: Iterable[ReviewedFinding] = (), decisions: Iterable[Decision] = ()
) -> tuple[Action, ...]:
    """Return what can be decided on a review; a comment always can.

    Args:
        status: Where the review stands.
        items: Its findings, with their status.
        decisions: Decisions recorded so far.
    """
    if status is not Status.PAUSED:
        return (Action.COMMENT,)
    listed = tuple(items)
    open_ = [item.finding for item in listed if item.status is FindingStatus.OPEN]
    possible = {
        Action.CONFIRM: True,
        Action.OVERRIDE: True,
        Action.DISMISS: bool(open_),
        Action.WAIVE: any(map(can_be_waived, open_)),
        Action.REOPEN: len(open_) < len(listed),
        Action.COMMENT: True,
        Action.APPROVE: bool(waiting_for_approval(decisions)),
    }
    return tuple(action for action in Action if possible[action])


def _demand_seen(seen: int | None, decisions: Sequence[Decision]) -> None:
    if seen is None or seen == len(decisions):
        return
    if not 0 <= seen < len(decisions):
        raise DecisionConflict(f"the review has {len(decisions)} decisions, not {seen}: look at it again")
    first = decisions[seen]
    raise DecisionConflict(f"the review changed since you looked at it: {describe([first])}", first)


def _demand_open_for(action: Action, status: Status, decisions: Sequence[Decision]) -> None:
    if status is Status.PAUSED or action in available_actions(status):
        return
    if decisions:
        settled = settling(decisions)
        raise DecisionConflict(f"the review is {status.value} already: {describe([settled])}", settled)
    raise DecisionNotAllowed(f"the review is {status.value} and not paused: there is nothing to decide")


def settling(decisions: Sequence[Decision]) -> Decision:
    """Return the decision that stands: the last one that counts and is more than a comment, else the last."""
    counted = [decision for decision in effective(decisions) if decision.action is not Action.COMMENT]
    return (counted or decisions)[-1]


def _action(name: str) -> Action:
    try:
        return Action(name)
    except ValueError:
        raise InvalidDecision(
            f"unknown action {quote(name)}: use {_choices(action.value for action in Action)}"
        ) from None


_BELONGS: tuple[tuple[str, str, tuple[Action, ...]], ...] = (
    ("severity", "a severity goes with", (Action.OVERRIDE,)),
    ("findings", "findings go with", (Action.DISMISS, Action.WAIVE, Action.REOPEN, Action.COMMENT)),
    ("approves", "the number of a decision goes with", (Action.APPROVE,)),
    ("expires", "a last day goes with", (Action.WAIVE,)),
    ("max_count", "a count goes with", (Action.WAIVE,)),
)


def _only_what_belongs(action: Action, request: DecisionRequest) -> None:
    for name, what, actions in _BELONGS:
        if getattr(request, name) not in (None, ()) and action not in actions:
            raise InvalidDecision(f"{what} {_choices(action.value for action in actions)}, not with {action.value}")


def _with_its_own(
    decision: Decision,
    request: DecisionRequest,
    items: Sequence[ReviewedFinding],
    decisions: Sequence[Decision],
    terms: Terms,
) -> Decision:
    """A decision with what only its action has: findings, a waiver, or what it approves."""
    if decision.action is Action.APPROVE:
        return replace(decision, approves=_approved(decision, request.approves, decisions))
    if decision.action in (Action.CONFIRM, Action.OVERRIDE):
        return decision
    named = named_findings(decision.action, request.findings, items, decisions)
    decision = replace(decision, findings=tuple(finding.id for finding in named))
    if decision.action in (Action.DISMISS, Action.WAIVE):
        demand_reason_code(decision.reason_code)
    if decision.action is not Action.WAIVE:
        return decision
    today = terms.today or dt.date.fromisoformat(decision.at[:10])
    waiver = waiver_asked(decision, request, named, terms.waived.dataset, today)
    return replace(decision, waiver=waiver.id, expires=waiver.expires_on, max_count=waiver.max_count)


def _approved(approval: Decision, number: int | None, decisions: Sequence[Decision]) -> int:
    waiting = {decision.number: decision for decision in waiting_for_approval(decisions)}
    if number not in waiting:
        choices = _choices(f"decision {n} of {decision.by}" for n, decision in waiting.items())
        raise InvalidDecision(
            f"an approval names a decision that waits for one; found {quote(number)}, waiting: {choices or 'none'}"
        )
    decision = waiting[number]
    if same_person(approval.by, decision.by):
        raise InvalidDecision(f"decision {number} is {decision.by}'s own: another person approves it")
    if has_ended(decision, approval.at):
        raise InvalidDecision(f"the waiver of decision {number} ended on {decision.expires}: waive it anew")
    return decision.number


def _lower_severity(name: str | None, present: Severity) -> Severity:
    lower = [severity.value for severity in Severity if severity.rank < present.rank]
    if name not in lower:
        raise InvalidDecision(
            f"an override needs a severity below {present.value}: {_choices(lower)}; found {quote(name)}"
            + ("; to let it stand, use confirm" if name == present.value else "")
        )
    return Severity(name)


def _choices(names: Iterable[str]) -> str:
    return ", ".join(names)
