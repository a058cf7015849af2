"""Where a review stands by what the audit trail tells of it, held against its row in the store."""

from __future__ import annotations

from collections.abc import Iterable

from checks.vocabulary import JSON
from review_graph.core.chaining import Fault, FaultKind
from review_graph.core.storing import storable
from review_graph.ports import Entry
from review_graph.vocabulary import Action, AuditAction, AuditEntry, Status

_GOES_ON = (AuditAction.REVIEW_STARTED, AuditAction.REVIEW_RESUMED)
_ARRIVES = (AuditAction.REVIEW_PAUSED, AuditAction.REVIEW_FINISHED, AuditAction.REVIEW_FAILED)


def recounted(entries: Iterable[AuditEntry]) -> dict[str, JSON]:
    """Return what the row of a review must hold: status, severity, assignee; what is not told for certain is left out.

    Args:
        entries: What the trail tells of the review, in order.
    """
    held: dict[str, JSON] = {}
    for entry in entries:
        if entry.action is AuditAction.REVIEW_STARTED:
            held["assignee"] = ""
        if entry.action in _GOES_ON:
            held["status"] = Status.RUNNING.value
        elif entry.action in _ARRIVES:
            held |= {"status": entry.detail.get("to"), "severity": entry.detail.get("severity")}
        elif entry.action is AuditAction.DECIDED and entry.detail.get("action") != Action.COMMENT:
            held.pop("severity", None)  # what a decision comes to may wait for an approval
        elif entry.action is AuditAction.ASSIGNED:
            held["assignee"] = entry.detail.get("to")
    return held if "assignee" in held else {}  # a review from before there was a trail


def verify_standing(entry: Entry, entries: Iterable[AuditEntry]) -> Fault | None:
    """Return what of a review's row is not as the trail tells it, or None.

    Args:
        entry: The review as it is stored.
        entries: What the trail tells of it, in order.
    """
    stored = {"status": entry.status.value, "severity": entry.severity.value, "assignee": storable(entry.assignee)}
    for name, value in recounted(entries).items():
        if value != stored[name]:
            message = (
                f"review {entry.id} has the {name} {stored[name]!r}, and the trail tells of {value!r}: "
                "its row was edited, or the end of the trail cut off"
            )
            return Fault(kind=FaultKind.REVIEW, number=None, message=message)
    return None
