"""The findings that a decision names, and the waiver it makes of them."""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Sequence
from dataclasses import replace

from checks.plain import quote
from checks.vocabulary import Finding
from review_graph.core.approving import effective
from review_graph.core.granting import grant
from review_graph.core.triage import waiver_of
from review_graph.core.waiving import can_be_waived
from review_graph.errors import InvalidDecision
from review_graph.vocabulary import Action, Decision, DecisionRequest, FindingStatus, ReviewedFinding, Waiver

_NOUNS = {Action.DISMISS: "a dismissal", Action.WAIVE: "a waiver", Action.REOPEN: "a reopening"}
_VERBS = {Action.DISMISS: "dismisses", Action.WAIVE: "waives", Action.REOPEN: "reopens"}


def describe(decisions: Sequence[Decision]) -> str:
    """Say in one line what was decided last, by whom and when."""
    if not decisions:
        return "nothing was decided yet"
    last = decisions[-1]
    return f"{last.by} recorded {last.action.value} at {last.at}: {last.reason}"


def named_findings(
    action: Action, ids: Sequence[str], items: Sequence[ReviewedFinding], decisions: Sequence[Decision]
) -> tuple[Finding, ...]:
    """Return the findings that a decision names, each once.

    Raises:
        InvalidDecision: There are none, one is unknown, or one is already what it is to become.
    """
    if not ids and action in _NOUNS:
        raise InvalidDecision(f"{_NOUNS[action]} names the findings it {_VERBS[action]}")
    known = {item.finding.id: item for item in items}
    for identity in ids:
        if identity not in known:
            near = difflib.get_close_matches(identity, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"the review has {', '.join(known) or 'none'}"
            raise InvalidDecision(f"the review has no finding {quote(identity)}; {hint}")
        _demand_changeable(action, known[identity], decisions)
    return tuple(known[identity].finding for identity in dict.fromkeys(ids))


def waiver_asked(
    decision: Decision, request: DecisionRequest, named: Sequence[Finding], dataset: str, today: dt.date
) -> Waiver:
    """Return the waiver that a decision makes: for these findings of one check, in this and in later reviews.

    Raises:
        InvalidDecision: It cannot be made.
    """
    if len({(finding.code, finding.columns) for finding in named}) > 1:
        raise InvalidDecision("a waiver is for one check on the same columns: waive the findings one after the other")
    counts = {finding.failed for finding in named}
    if request.max_count is None and len(counts) > 1:
        raise InvalidDecision(
            f"the findings have {' and '.join(map(str, sorted(counts)))} offending rows: "
            "say how many the waiver covers (max_count), or waive them one after the other"
        )
    bound = request.max_count if request.max_count is not None else max(counts) or None
    asked = replace(decision, expires=request.expires, max_count=bound)
    waiver = grant(waiver_of(asked, named[0], dataset), today=today)
    if waiver.max_count is not None and waiver.max_count < max(counts):
        raise InvalidDecision(f"a waiver of {waiver.max_count} rows does not cover the {max(counts)} that there are")
    return waiver


def waivers_made(
    decision: Decision, decisions: Sequence[Decision], findings: Sequence[Finding], dataset: str
) -> tuple[Waiver, ...]:
    """Return the waivers that come to hold with one more decision: one that waives, or that approves such a one."""
    count_before = len(tuple(effective(decisions)))
    by_id = {finding.id: finding for finding in findings}
    return tuple(
        waiver_of(counted, by_id[counted.findings[0]], dataset)
        for counted in tuple(effective([*decisions, decision]))[count_before:]
        if counted.action is Action.WAIVE
    )


def _demand_changeable(action: Action, item: ReviewedFinding, decisions: Sequence[Decision]) -> None:
    identity, is_open = item.finding.id, item.status is FindingStatus.OPEN
    if action is Action.REOPEN and is_open:
        raise InvalidDecision(f"finding {identity} is open")
    if action in (Action.DISMISS, Action.WAIVE) and not is_open:
        raise InvalidDecision(f"finding {identity} is {item.status.value} already: {_why(item, decisions)}")
    if action is Action.WAIVE and not can_be_waived(item.finding):
        raise InvalidDecision(f"finding {identity} cannot be waived: the checks could not judge the dataset")


def _why(item: ReviewedFinding, decisions: Sequence[Decision]) -> str:
    """What closed a finding: the last decision that names it, else the waivers that cover it."""
    about = [decision for decision in decisions if item.finding.id in decision.findings]
    if about or not item.waivers:
        return describe(about)
    return "; ".join(f"waiver {w.id} of {w.author} until {w.expires_on}: {w.reason}" for w in item.waivers)
