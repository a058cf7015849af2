"""Whether a review's thread bears out what was recorded of it: nothing that went past the gate counts.

LangGraph's threads can be written to by whoever has the database. What is under review has to be what the review was
started for, decisions those of the store, findings those that the audit trail was told of, and an end has to follow
from all of these. Of a review from before there was a store nothing is known to hold its thread against.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from checks.vocabulary import JSON, digest
from review_graph.core.approving import is_confirmed
from review_graph.core.storing import storable
from review_graph.core.telling import subject_of
from review_graph.ports import Dossier, Entry
from review_graph.state import decision_values, decisions_of, triage_of, waiver_values
from review_graph.vocabulary import AuditAction, AuditEntry, Decision, Problem, Status

_CUT = Problem(
    kind="setup",
    message="the review's thread was changed by another program and ended without a report: review it with --fresh",
)
_FORGED = Problem(
    kind="setup",
    message="the review's thread holds a decision that nobody recorded: it was written past the gate; "
    "review the dataset with --fresh",
)
OF_ANOTHER = Problem(
    kind="setup",
    message="the dataset or the spec in the review's thread is not what the review was started for: the thread was "
    "changed by another program; review the dataset with --fresh",
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

UNREADABLE = Problem(
    kind="setup",
    message="the review's thread cannot be read: it was damaged, or changed by another program; review the dataset "
    "with --fresh",
)

_STOPS = (AuditAction.REVIEW_PAUSED, AuditAction.REVIEW_FINISHED)
"""After these the findings of a review never change."""

_BEGINNINGS = (AuditAction.REVIEW_STARTED, AuditAction.REVIEW_RESUMED)
"""After these a review goes on to where it stops next."""

_BASIS = ("review_id", "dataset", "spec", "today", "previous")
"""The channels that intake writes, once. Not the folder: reports print the end of the trail, the same in any folder."""


def standing(
    by_thread: Status, values: Mapping[str, Any], dossier: Dossier, today: dt.date
) -> tuple[Status, Problem | None]:
    """Return where a review stands, and what is wrong with its thread.

    Args:
        by_thread: Where it stands by its thread alone.
        values: The channels of its thread.
        dossier: What is recorded of the review.
        today: The present day in UTC.
    """
    known = dossier.entry
    if known.status.is_final and by_thread is not known.status:
        return Status.FAILED, _REOPENED
    if known.status is Status.FAILED and known.problem is not None and by_thread.is_final:
        return Status.FAILED, known.problem
    trouble = None if is_from_before(dossier) else _trouble(values, by_thread, dossier, today)
    if trouble is not None:
        return Status.FAILED, trouble
    return by_thread, _CUT if by_thread is Status.FAILED else None


def waivers_on(dossier: Dossier, day: dt.date) -> dict[str, JSON]:
    """Return the waivers of a review's dataset, to be held against its findings as on a day, as channel values."""
    return waiver_values(dossier.waivers, day)


def is_from_before(dossier: Dossier) -> bool:
    """Tell whether a review is older than the store: the trail knows neither start nor stop of it."""
    # Entries outside of the chain count here: whoever altered one would gain by its not being believed.
    known = {AuditAction.REVIEW_STARTED, *_STOPS}
    return dossier.entry.graph_version is None and not known & dossier.mentioned


def found(values: Mapping[str, Any]) -> str:
    """Return what tells the findings and verdicts of a review from any others."""
    return digest([values.get("findings") or {}, values.get("verdicts") or {}])


def basis(values: Mapping[str, Any], *, ended: bool) -> str:
    """Return what tells what a review is of, and once it ended what it came to, from anything else."""
    return digest([*(values.get(name) for name in _BASIS), values.get("review") if ended else None])


def _is_as_told(values: Mapping[str, Any], stop: AuditEntry) -> bool:
    """Whether all is as the trail was told when the review stopped last; what it was not told of then is not known."""
    of = basis(values, ended=stop.action is AuditAction.REVIEW_FINISHED)
    return stop.detail.get("found") in (None, found(values)) and stop.detail.get("basis") in (None, of)


def _is_as_begun(values: Mapping[str, Any], dossier: Dossier) -> bool:
    """Whether a thread is about what the review was started for, by the store and by the trail."""
    if "dataset" not in values:
        return True  # it has not begun, and there is nothing in it to believe
    of = {
        "review_id": values.get("review_id"),
        "dataset": values["dataset"].get("name"),
        "fingerprint": values["dataset"].get("fingerprint"),
        "spec_digest": digest(values.get("spec")),
    }
    held = {name: storable(value) if isinstance(value, str) else value for name, value in of.items()}
    known, folder = dossier.entry, values.get("folder")
    begun = [entry.subject for entry in dossier.told if entry.action is AuditAction.REVIEW_STARTED]
    is_at_home = folder is None or str(folder).endswith(known.id)  # else its files would go where others' are
    return is_at_home and all(
        held[name] == due[name]
        for due in ({"review_id": known.id, **subject_of(known)}, *begun)
        for name in held.keys() & due.keys()
    )


def _has_stopped(known: Entry) -> bool:
    return known.status.is_final or known.status is Status.PAUSED


def _are_recorded(held: Sequence[Decision], dossier: Dossier) -> bool:
    """Whether a thread's decisions are those of the store, and all of these are told by the audit trail."""
    known = {(decision.number, decision.digest) for decision in dossier.decisions}
    decided = {
        (entry.detail.get("decision"), entry.detail.get("digest"))
        for entry in dossier.told
        if entry.action is AuditAction.DECIDED
    }
    return {(decision.number, decision.digest) for decision in held} <= known <= decided


def _trouble(values: Mapping[str, Any], status: Status, dossier: Dossier, today: dt.date) -> Problem | None:
    """What in a thread is not as it was recorded, the first thing only."""
    known = dossier.entry
    stops = [entry for entry in dossier.told if entry.action in _STOPS]
    if not _is_as_begun(values, dossier):
        return OF_ANOTHER
    if not (_is_as_told(values, stops[-1]) if stops else not _has_stopped(known)):
        return _CHANGED
    if not _are_recorded(decisions_of(values), dossier):
        return _FORGED
    ends = status in (Status.SUMMARISED, Status.ESCALATED) and not known.status.is_final
    return None if not ends or _passes(values, status, dossier, today) else _CUT


def _passes(values: Mapping[str, Any], status: Status, dossier: Dossier, today: dt.date) -> bool:
    """Whether what is recorded lets a review end, whatever its thread holds."""
    if status is Status.ESCALATED:
        return is_confirmed(dossier.decisions)
    recorded = decision_values(*dossier.decisions)
    return any(
        not triage_of({**values, **recorded, **waivers}).needs_human
        for waivers in _waivers_at_its_end(values, dossier, today)
    )


def _waivers_at_its_end(values: Mapping[str, Any], dossier: Dossier, today: dt.date) -> Iterator[dict[str, JSON]]:
    """Give the waivers of today, and those of the day on which a process that died since may have ended it."""
    yield waivers_on(dossier, today)
    lives = [entry for entry in dossier.told if entry.action in (*_BEGINNINGS, *_STOPS)]
    day = str((values.get("waivers") or {}).get("on"))
    if not lives or lives[-1].action in _STOPS or not lives[-1].at[:10] <= day <= today.isoformat():
        return
    yield waiver_values(
        [
            replace(waiver, revoked_at=None, revoked_by=None, revoked_reason=None)
            if waiver.revoked_at is not None and waiver.revoked_at >= lives[-1].at
            else waiver
            for waiver in dossier.waivers
        ],
        dt.date.fromisoformat(day),
    )
