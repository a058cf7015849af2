"""From what a reviewer asks for to a decision, or a refusal that says what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from checks.plain import quote
from checks.spec import PolicySpec
from checks.vocabulary import Finding, Severity
from review_graph.core.triage import apply_decisions
from review_graph.core.triage import triage as retriage
from review_graph.errors import DecisionConflict, InvalidDecision
from review_graph.vocabulary import Action, Decision, DecisionRequest, FindingStatus, Triage

MAX_NAME = 100
MAX_REASON = 2000
"""Characters of a reviewer's name and reason."""


def decide(
    request: DecisionRequest,
    *,
    findings: Sequence[Finding],
    decisions: Sequence[Decision],
    triage: Triage,
    policy: PolicySpec,
    at: str,
) -> Decision:
    """Validate a request against the review as it stands.

    Args:
        request: What is asked for.
        findings: The findings of the review.
        decisions: Decisions recorded so far.
        triage: The present triage.
        policy: The thresholds, for what the triage will be.
        at: Time of the decision, ISO 8601 in UTC.

    Returns:
        The decision, to be recorded.

    Raises:
        InvalidDecision: Something is missing or unknown.
        DecisionConflict: A decision was recorded that the reviewer had not seen.
    """
    if request.expected_decisions is not None and request.expected_decisions != len(decisions):
        raise DecisionConflict(f"the review changed since you looked at it: {describe(decisions)}")
    action = _action(request.action)
    by = _text(request.by, "a name (who decides)", MAX_NAME)
    reason = _text(request.reason, "a reason", MAX_REASON)
    _only_what_belongs(action, request)
    ids = _findings(request.findings, findings, decisions) if action is Action.DISMISS else ()
    severity = _lower_severity(request.severity, triage.severity) if action is Action.OVERRIDE else triage.severity
    decision = Decision(
        number=len(decisions) + 1,
        action=action,
        by=by,
        at=at,
        reason=reason,
        severity_from=triage.severity,
        severity_to=severity,
        findings=ids,
    )
    return replace(decision, severity_to=retriage(findings, [*decisions, decision], policy).severity)


def describe(decisions: Sequence[Decision]) -> str:
    """Say in one line what was decided last, by whom and when."""
    if not decisions:
        return "nothing was decided yet"
    last = decisions[-1]
    return f"{last.by} recorded {last.action.value} at {last.at}: {last.reason}"


def is_recorded(decision: Decision) -> bool:
    """Whether a decision has what `decide` demands: somebody's name and a reason."""
    return _says_something(decision.by) and _says_something(decision.reason)


def is_confirmed(decisions: Sequence[Decision]) -> bool:
    """Whether a named person looked at the review and sent it on."""
    return any(decision.action is Action.CONFIRM for decision in decisions)


def _action(name: str) -> Action:
    try:
        return Action(name)
    except ValueError:
        raise InvalidDecision(
            f"unknown action {quote(name)}: use {_choices(action.value for action in Action)}"
        ) from None


def _text(text: str, what: str, limit: int) -> str:
    """Text on one line; a decision without it, or with control characters in it, is refused."""
    if not isinstance(text, str) or not _says_something(text):
        raise InvalidDecision(f"a decision needs {what}; found {quote(text)}")
    cleaned = text.strip()
    if not all(character.isprintable() for character in cleaned):
        raise InvalidDecision(f"{what} must be one line without control characters; found {quote(text)}")
    if len(cleaned) > limit:
        raise InvalidDecision(f"{what} may have {limit} characters; found {len(cleaned)}")
    return cleaned


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _only_what_belongs(action: Action, request: DecisionRequest) -> None:
    if request.severity is not None and action is not Action.OVERRIDE:
        raise InvalidDecision(f"a severity goes with override, not with {action.value}")
    if request.findings and action is not Action.DISMISS:
        raise InvalidDecision(f"findings go with dismiss, not with {action.value}")


def _lower_severity(name: str | None, present: Severity) -> Severity:
    lower = [severity.value for severity in Severity if severity.rank < present.rank]
    if name not in lower:
        raise InvalidDecision(
            f"an override needs a severity below {present.value}: {_choices(lower)}; found {quote(name)}"
            + ("; to let it stand, use confirm" if name == present.value else "")
        )
    return Severity(name)


def _findings(ids: Sequence[str], findings: Sequence[Finding], decisions: Sequence[Decision]) -> tuple[str, ...]:
    if not ids:
        raise InvalidDecision("a dismissal names the findings it dismisses")
    status = {item.finding.id: item.status for item in apply_decisions(findings, decisions)}
    for identity in ids:
        if identity not in status:
            near = difflib.get_close_matches(identity, status, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; the review has {_choices(status)}"
            raise InvalidDecision(f"the review has no finding {quote(identity)}{hint}")
        if status[identity] is not FindingStatus.OPEN:
            raise InvalidDecision(f"finding {identity} is {status[identity].value} already: {describe(decisions)}")
    return tuple(dict.fromkeys(ids))


def _choices(names: Iterable[str]) -> str:
    return ", ".join(names)
