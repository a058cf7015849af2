"""Whether a review's thread bears out what was recorded of it: nothing that went past the gate counts.

LangGraph's threads can be written to by whoever has the database. Decisions have to be those of the store, findings
those that the audit trail was told of, and an end has to follow from both.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from checks.vocabulary import JSON, digest
from review_graph import gate
from review_graph.ports import Entry, Store
from review_graph.state import decisions_of, triage_of, waiver_values
from review_graph.vocabulary import AuditAction, Decision, Problem, Status

if TYPE_CHECKING:
    from langgraph.types import StateSnapshot

_CUT = Problem(
    kind="setup",
    message="the review's thread was changed by another program and ended without a report: review it with --fresh",
)
_FORGED = Problem(
    kind="setup",
    message="the review's thread holds a decision that nobody recorded: it was written past the gate; "
    "review the dataset with --fresh",
)

_CHANGED = Problem(
    kind="setup",
    message="the findings of the review are not those that the audit trail was told of: its thread was changed by "
    "another program; review the dataset with --fresh",
)
_REOPENED = Problem(
    kind="setup",
    message="the review had ended, and its thread was changed by another program since: what it came to stands in the "
    "audit trail; review the dataset with --fresh",
)

_STOPS = (AuditAction.REVIEW_PAUSED, AuditAction.REVIEW_FINISHED)
"""After these the findings of a review never change."""


class Soundness:
    """Holds threads against the store.

    Args:
        store: What is known of reviews.
        now: Gives the present time in UTC.
    """

    def __init__(self, store: Store, now: Callable[[], dt.datetime]) -> None:
        self._store = store
        self._now = now

    def status(self, snapshot: StateSnapshot, known: Entry) -> tuple[Status, Problem | None]:
        """Return where a review stands by its thread, and what is wrong with the thread.

        Args:
            snapshot: State of the thread.
            known: What the store knows of the review.
        """
        status = gate.status_of(snapshot)
        if known.status.is_final and status is not known.status:
            return Status.FAILED, _REOPENED
        if known.status is Status.FAILED and known.problem is not None and status.is_final:
            return Status.FAILED, known.problem
        if not self._is_as_found(snapshot.values, known):
            return Status.FAILED, _CHANGED
        if not self.is_from_before(known) and not self._are_recorded(decisions_of(snapshot.values), known):
            return Status.FAILED, _FORGED
        if status is Status.SUMMARISED and known.status is Status.PAUSED and not self._passes(snapshot.values, known):
            return Status.FAILED, _CUT
        return status, _CUT if status is Status.FAILED else None

    def waivers_now(self, entry: Entry) -> dict[str, JSON]:
        """Return the waivers that hold today, as channel values."""
        return waiver_values(self._store.standing_waivers(entry.located.name), self._now().date())

    def is_from_before(self, entry: Entry) -> bool:
        """Tell whether a review is older than the store: nobody told the trail that it was started."""
        return entry.graph_version is None and not self._store.told(entry.id, AuditAction.REVIEW_STARTED)

    def _is_as_found(self, values: Mapping[str, Any], known: Entry) -> bool:
        """Whether findings and verdicts are those that the trail was told of when the review stopped last."""
        told = [entry.detail.get("found") for entry in self._store.told(known.id, *_STOPS)]
        return not told or told[-1] is None or told[-1] == found(values)

    def _passes(self, values: Mapping[str, Any], known: Entry) -> bool:
        """Whether what is recorded lets a review pass, whatever its thread holds."""
        decisions = {f"{each.number:04d}": each.to_plain() for each in self._store.decisions(known.id)}
        return not triage_of({**values, "decisions": decisions, **self.waivers_now(known)}).needs_human

    def _are_recorded(self, held: tuple[Decision, ...], known: Entry) -> bool:
        """Whether the thread's decisions are those of the store, and those it lacks are told by the audit trail."""
        recorded = {decision.number: decision.digest for decision in self._store.decisions(known.id)}
        if any(recorded.pop(decision.number, None) != decision.digest for decision in held):
            return False
        if not recorded:
            return True
        told = {e.detail.get("digest") for e in self._store.audit(known.id) if e.action is AuditAction.DECIDED}
        return told >= set(recorded.values())


def found(values: Mapping[str, Any]) -> str:
    """Return what tells the findings and verdicts of a review from any others."""
    return digest([values.get("findings") or {}, values.get("verdicts") or {}])
