"""Which decisions count: what needs another person's approval has no effect until it has it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from review_graph.core.persons import same_person, says_something
from review_graph.vocabulary import Action, Decision


def is_recorded(decision: Decision) -> bool:
    """Whether a decision has what is demanded of every one: somebody's name and a reason."""
    return says_something(decision.by) and says_something(decision.reason)


def effective(decisions: Iterable[Decision]) -> Iterator[Decision]:
    """Yield the decisions that count, in the order in which they came to count.

    One that needs approval comes where another person approved it; approvals themselves change nothing else.
    """
    waiting: dict[int, Decision] = {}
    for decision in filter(is_recorded, decisions):
        if decision.needs_approval:
            waiting[decision.number] = decision
        elif decision.action is not Action.APPROVE:
            yield decision
        elif (approved := waiting.get(decision.approves or 0)) and can_approve(decision.by, approved, decision.at):
            del waiting[approved.number]
            yield approved


def waiting_for_approval(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the decisions that nobody approved yet."""
    listed = [decision for decision in decisions if is_recorded(decision)]
    counted = {decision.number for decision in effective(listed)}
    return tuple(decision for decision in listed if decision.needs_approval and decision.number not in counted)


def can_approve(by: str, decision: Decision, at: str) -> bool:
    """Whether a person is another than the one who decided, and it is not too late for a waiver."""
    return not same_person(by, decision.by) and not has_ended(decision, at)


def has_ended(decision: Decision, at: str) -> bool:
    """Whether the waiver that a decision would make ended before a time."""
    return decision.action is Action.WAIVE and (decision.expires or "") < at[:10]


def is_confirmed(decisions: Iterable[Decision]) -> bool:
    """Whether a named person looked at the review and sent it on."""
    return any(decision.action is Action.CONFIRM for decision in effective(decisions))
