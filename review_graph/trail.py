"""The audit trail for those who read it: entries, whether it is whole, and its anchor."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator

from review_graph.core.chaining import (
    Fault,
    FaultKind,
    verify,
    verify_decisions,
    verify_reviews,
    verify_rows,
    verify_waivers,
)
from review_graph.core.recounting import verify_standing
from review_graph.core.telling import subject_of
from review_graph.errors import EntryError
from review_graph.ports import Clock, Store
from review_graph.vocabulary import Anchor, AuditAction, AuditDraft, AuditEntry


class Trail:
    """The audit trail of a database.

    Args:
        store: Keeps it.
        clock: Gives the present time.
        user: Who runs the program.
    """

    def __init__(self, store: Store, clock: Clock, user: str) -> None:
        self._store = store
        self._clock = clock
        self._user = user

    def entries(self, review_id: str | None = None) -> Iterator[AuditEntry]:
        """Yield the entries, of one review or all, from the first on."""
        return self._store.audit(review_id)

    def last(self) -> AuditEntry | None:
        """Return the last entry, whose number and hash a report prints; None when there is none."""
        return self._store.last_audit()

    def verify(self, anchor: Anchor | None = None) -> Fault | None:
        """Return the first fault of the trail, or None.

        Args:
            anchor: Number and hash of an entry as a report prints them; without one nobody can tell whether the
                end of the trail was cut off.
        """
        last, waivers = self._store.last_audit(), self._store.waivers()
        subjects = {entry.id: subject_of(entry) for entry in self._store.entries()}
        reviews = {identity: self._store.decisions(identity) for identity in subjects}
        try:
            entries = tuple(self._store.audit())
        except EntryError as error:
            return Fault(kind=FaultKind.CHANGED, number=error.number, message=str(error))
        fault = verify(entries, anchor=anchor)
        if fault is not None:
            return fault
        # What was done while all this was read may be told and not be among it: that is no fault.
        read: set[object] = {(review, decision.number) for review, of in reviews.items() for decision in of}
        read |= {waiver.id for waiver in waivers} | {(identity, None) for identity in subjects}
        read |= {(waiver.id, AuditAction.WAIVER_REVOKED) for waiver in waivers if waiver.revoked_at is not None}
        seen = 0 if last is None else last.number
        told = [entry for entry in entries if entry.number <= seen or _about(entry) in read]
        return (
            verify_reviews(told, subjects)
            or verify_decisions(told, reviews)
            or verify_waivers(told, waivers)
            or verify_rows(*self._store.edited())
            or self._misstated(entries)
        )

    def _misstated(self, entries: Iterable[AuditEntry]) -> Fault | None:
        """The first review whose row is not as the trail tells it."""
        told = defaultdict[str | None, list[AuditEntry]](list)
        for entry in entries:
            told[entry.review_id].append(entry)
        for review in self._store.entries():
            if verify_standing(review, told[review.id]):
                now = self._store.dossier(review.id)  # it may have moved on while all this was read
                if fault := verify_standing(now.entry, now.told):
                    return fault
        return None

    def note_export(self, where: str, entries: int) -> None:
        """Put down that the trail was written into a file."""
        at = self._clock().astimezone(dt.UTC).isoformat(timespec="seconds")
        told = AuditDraft(
            at=at, actor=self._user, action=AuditAction.EXPORTED, detail={"audit": where, "entries": entries}
        )
        self._store.append([told])


def _about(entry: AuditEntry) -> object:
    """The waiver, its revocation or the decision that an entry tells of."""
    waiver = entry.detail.get("waiver")
    if not isinstance(waiver, dict):
        return (entry.review_id or "", entry.detail.get("decision"))
    is_revoked = entry.action is AuditAction.WAIVER_REVOKED
    return (waiver.get("id"), entry.action) if is_revoked else waiver.get("id")
