"""The store as a whole: each method that changes something is one transaction, its audit entries included."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import Connection, select

from checks.vocabulary import Severity
from review_graph.adapters.store import audit as trail
from review_graph.adapters.store import decisions as deciding
from review_graph.adapters.store import drafts, reviews
from review_graph.adapters.store import waivers as waiving
from review_graph.adapters.store.conversations import SqlMemory
from review_graph.adapters.store.engines import Database
from review_graph.adapters.store.leases import LEASE_S, WAIT_S, Leases, SqlLease, demand_in
from review_graph.adapters.store.ledgers import SqlLedgers
from review_graph.adapters.store.migrations import migrate
from review_graph.adapters.store.places import Place
from review_graph.adapters.store.schema import EFFECTS
from review_graph.core.chaining import standing_waivers
from review_graph.ports import Clock, Dossier, Entry, Lease, ReviewFilter
from review_graph.vocabulary import (
    Assignment,
    AuditDraft,
    AuditEntry,
    Decision,
    Draft,
    Problem,
    Status,
    Waiver,
)

PAGE = 2000
"""Rows that are read at once; between pages no transaction is open."""


class SqlStore:
    """Implements `ports.Store` on SQLite and PostgreSQL.

    Args:
        place: The database.
        clock: Gives the present time.
        lease_s: How long a lease holds without a heartbeat.
        wait_s: How long a claim waits for another holder.

    Raises:
        SetupError: The database cannot be used; the same holds for each of its methods.
    """

    def __init__(self, place: Place, clock: Clock, *, lease_s: float = LEASE_S, wait_s: float = WAIT_S) -> None:
        self._database = Database(place)
        self._clock = clock
        self._leases = Leases(self._database, clock, lease_s=lease_s, wait_s=wait_s)
        try:
            migrate(self._database, clock)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def ledgers(self) -> SqlLedgers:
        """What was disclosed of each dataset, in the same database."""
        return SqlLedgers(self._database)

    def memory(self, ttl: dt.timedelta) -> SqlMemory:
        """Conversations in the same database.

        Args:
            ttl: How long one is remembered after its last turn.
        """
        return SqlMemory(self._database, self._clock, ttl)

    def add(self, entry: Entry, *, audit: Sequence[AuditDraft] = ()) -> bool:
        """Enter a review once."""
        with self._database.writing(durable=False) as connection:
            is_new = reviews.add(connection, entry, self._now())
            trail.append(connection, audit if is_new else ())
            return is_new

    def get(self, review_id: str) -> Entry | None:
        """One review."""
        with self._database.reading() as connection:
            return reviews.get(connection, review_id)

    def dossier(self, review_id: str) -> Dossier:
        """What is recorded of one review."""
        with self._database.reading() as connection:
            entry = reviews.known(connection, review_id)
            told, mentioned = trail.about(connection, review_id)
            return Dossier(
                entry=entry,
                decisions=deciding.of(connection, review_id),
                told=told,
                mentioned=mentioned,
                waivers=self._standing(connection, entry.located.name),
                last=trail.last(connection),
            )

    def latest(self, first_id: str) -> Entry | None:
        """The latest attempt."""
        with self._database.reading() as connection:
            return reviews.latest(connection, first_id)

    def previous(self, entry: Entry) -> Entry | None:
        """The review before of the same dataset."""
        with self._database.reading() as connection:
            return reviews.previous(connection, entry)

    def page(self, wanted: ReviewFilter, *, after: Entry | None = None, limit: int = 100) -> tuple[Entry, ...]:
        """Reviews after one that was seen."""
        with self._database.reading() as connection:
            return reviews.page(connection, wanted, after, limit)

    def entries(self, wanted: ReviewFilter | None = None) -> Iterator[Entry]:
        """All reviews, oldest first."""
        after = None
        while True:
            found = self.page(wanted or ReviewFilter(), after=after, limit=PAGE)
            yield from found
            if len(found) < PAGE:
                return
            after = found[-1]

    def transition(
        self,
        seen: Entry,
        to: Status,
        *,
        severity: Severity | None = None,
        graph_version: int | None = None,
        problem: Problem | None = None,
        lease: Lease | None = None,
        audit: Sequence[AuditDraft] = (),
    ) -> Entry:
        """Bring a review that is still as it was seen to a status."""
        changes: dict[str, Any] = dict(reviews.problem_values(problem))
        if severity is not None:
            changes["severity"] = severity.value
        if graph_version is not None:
            changes["graph_version"] = graph_version
        with self._database.writing(durable=False) as connection:
            present = self._unmoved(connection, seen, lease)
            reviews.move(connection, present, to, self._now(), **changes)
            trail.append(connection, audit)
            return reviews.known(connection, seen.id)

    def record(
        self,
        seen: Entry,
        decisions: Sequence[Decision],
        *,
        severity: Severity | None = None,
        waivers: Sequence[Waiver] = (),
        draft_of: str | None = None,
        lease: Lease | None = None,
        audit: Sequence[AuditDraft] = (),
    ) -> Entry:
        """Record decisions on a review that is still as it was seen, with the waivers that they make."""
        changes = {} if severity is None else {"severity": severity.value}
        with self._database.writing() as connection:
            deciding.demand_next(connection, reviews.known(connection, seen.id), decisions)
            present = self._unmoved(connection, seen, lease)
            deciding.add(connection, seen.id, decisions)
            reviews.advance(connection, present, self._now(), **changes)
            for waiver in waivers:
                waiving.add(connection, waiver)
            if draft_of is not None:
                drafts.drop(connection, seen.id, draft_of)
            trail.append(connection, audit)
            return reviews.known(connection, seen.id)

    def decisions(self, review_id: str) -> tuple[Decision, ...]:
        """The decisions of a review."""
        with self._database.reading() as connection:
            return deciding.of(connection, review_id)

    def claim(self, review_id: str, holder: str | None = None) -> AbstractContextManager[SqlLease | None]:
        """Hold a review while working on it."""
        return self._leases.claim(review_id, holder)

    def once(self, review_id: str, node: str, version: int) -> bool:
        """True the first time only."""
        key = {"review_id": review_id, "node": node, "version": version}
        with self._database.writing() as connection:
            if connection.execute(select(EFFECTS.c.at).filter_by(**key)).first() is not None:
                return False
            connection.execute(EFFECTS.insert().values(**key, at=self._now()))
            return True

    def assign(self, assignment: Assignment, *, audit: Sequence[AuditDraft] = ()) -> None:
        """Keep whose review it is."""
        with self._database.writing() as connection:
            reviews.assign(connection, assignment)
            trail.append(connection, audit)

    def add_waiver(self, waiver: Waiver, *, audit: Sequence[AuditDraft] = ()) -> bool:
        """Keep a waiver once."""
        with self._database.writing() as connection:
            is_new = waiving.add(connection, waiver)
            trail.append(connection, audit if is_new else ())
            return is_new

    def revoke_waiver(
        self, waiver_id: str, *, by: str, reason: str, at: str, audit: Sequence[AuditDraft] = ()
    ) -> Waiver:
        """Take a waiver back."""
        with self._database.writing() as connection:
            waiver = waiving.revoke(connection, waiver_id, by=by, reason=reason, at=at)
            trail.append(connection, audit)
            return waiver

    def waivers(self, *, dataset: str | None = None, active_on: dt.date | None = None) -> tuple[Waiver, ...]:
        """Waivers, oldest first."""
        with self._database.reading() as connection:
            return waiving.listed(connection, dataset, active_on)

    def standing_waivers(self, dataset: str) -> tuple[Waiver, ...]:
        """Waivers that passed the gate."""
        with self._database.reading() as connection:
            return self._standing(connection, dataset)

    def save_draft(self, draft: Draft, *, audit: Sequence[AuditDraft] = ()) -> None:
        """Keep a draft."""
        with self._database.writing() as connection:
            reviews.known(connection, draft.review_id)
            drafts.save(connection, draft)
            trail.append(connection, audit)

    def draft(self, review_id: str, author: str) -> Draft | None:
        """Somebody's draft."""
        with self._database.reading() as connection:
            return drafts.get(connection, review_id, author)

    def drop_draft(self, review_id: str, author: str, *, audit: Sequence[AuditDraft] = ()) -> bool:
        """Forget a draft."""
        with self._database.writing() as connection:
            was_there = drafts.drop(connection, review_id, author)
            trail.append(connection, audit if was_there else ())
            return was_there

    def append(self, audit: Sequence[AuditDraft]) -> tuple[AuditEntry, ...]:
        """Add to the audit trail."""
        with self._database.writing() as connection:
            return trail.append(connection, audit)

    def last_audit(self) -> AuditEntry | None:
        """The last entry of the audit trail."""
        with self._database.reading() as connection:
            return trail.last(connection)

    def audit(self, review_id: str | None = None) -> Iterator[AuditEntry]:
        """The audit trail, or the part of one review; entries that come meanwhile are given too."""
        number = None
        while True:
            with self._database.reading() as connection:
                found = trail.page(connection, review_id, number, PAGE)
            if not found:
                return
            yield from found
            number = found[-1].number

    def edited(self) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
        """Rows that were edited."""
        with self._database.reading() as connection:
            return deciding.edited(connection), waiving.edited(connection)

    def _standing(self, connection: Connection, dataset: str) -> tuple[Waiver, ...]:
        kept = waiving.of_dataset(connection, dataset)
        if not kept:
            return ()
        return standing_waivers(trail.of_waivers(connection), kept)

    def _unmoved(self, connection: Connection, seen: Entry, lease: Lease | None) -> Entry:
        """The review as it stands, which is as it was seen; nobody else can change it before the end."""
        if lease is not None:
            demand_in(connection, lease.review_id, lease.holder)
        present = reviews.known(connection, seen.id)
        if present.version != seen.version:
            raise reviews.moved(present)
        return present

    def _now(self) -> str:
        return self._clock().astimezone(dt.UTC).isoformat(timespec="seconds")
