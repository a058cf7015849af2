"""The audit trail for those who read it: entries, whether it is whole, and its anchor."""

from __future__ import annotations

from collections.abc import Iterator

from review_graph.core.chaining import Anchor, Fault, verify, verify_decisions
from review_graph.ports import Store
from review_graph.vocabulary import AuditEntry


class Trail:
    """The audit trail of a database.

    Args:
        store: Keeps it.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

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
        entries = tuple(self._store.audit())
        fault = verify(entries, anchor=anchor)
        if fault is not None:
            return fault
        reviews = {entry.id: self._store.decisions(entry.id) for entry in self._store.entries()}
        return verify_decisions(entries, reviews)
