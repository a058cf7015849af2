"""What a review needs from outside to be kept: the time, and a store of what was decided."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from checks.vocabulary import Severity
from review_graph.vocabulary import (
    Assignment,
    AuditAction,
    AuditDraft,
    AuditEntry,
    Decision,
    Draft,
    Problem,
    Status,
    Waiver,
)

if TYPE_CHECKING:
    from review_graph.ports.datasets import Located

Clock = Callable[[], dt.datetime]
"""Gives the present time in UTC."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What the store knows of a review by itself; everything else is in its checkpoints.

    Attributes:
        id: Its id, which is also that of its LangGraph thread.
        located: The dataset under review.
        spec_digest: Sha256 of the spec.
        attempt: 1 for the first review of this content against this spec.
        created_at: When it was started, ISO 8601 in UTC.
        problem: Why it failed; None when it did not.
        status: Where it stands.
        severity: Severity by the last triage; what nobody judged counts as major.
        version: Goes up with each transition and decision; what a compare-and-swap looks at.
        graph_version: Version of the graph that it runs in; None when it is from before that was kept.
        assignee: Who is to look at it; empty for nobody.
        updated_at: When one of these last changed, ISO 8601 in UTC.
    """

    id: str
    located: Located
    spec_digest: str
    attempt: int
    created_at: str
    problem: Problem | None = None
    status: Status = Status.RUNNING
    severity: Severity = Severity.MAJOR
    version: int = 1
    graph_version: int | None = None
    assignee: str = ""
    updated_at: str = ""


@dataclass(frozen=True, kw_only=True)
class Dossier:
    """What is recorded of one review, all of it read at one moment.

    Attributes:
        entry: The review.
        decisions: Its decisions, in order.
        told: What the audit trail tells of it, in order: all acts but looking, exporting and asking. Entries outside
            of its chain are left out.
        mentioned: What any entry says was done to it, those outside of the chain among them.
        waivers: All waivers of its dataset that are what the trail tells of; any other was written past the gate.
        last: The last entry of the trail, whatever it is about: its number and hash are the anchor.
    """

    entry: Entry
    decisions: tuple[Decision, ...]
    told: tuple[AuditEntry, ...]
    mentioned: frozenset[AuditAction]
    waivers: tuple[Waiver, ...]
    last: AuditEntry | None


@dataclass(frozen=True, kw_only=True)
class ReviewFilter:
    """Which reviews are wanted; what is left empty is not looked at.

    Attributes:
        status: One of these.
        severity: One of these.
        dataset: Name of the dataset.
        assignee: Whose they are; empty text for those that are nobody's.
        created_before: Started before this time, ISO 8601 in UTC.
    """

    status: tuple[Status, ...] = ()
    severity: tuple[Severity, ...] = ()
    dataset: str | None = None
    assignee: str | None = None
    created_before: str | None = None


class Lease(Protocol):
    """The right to work on a review; kept alive while it is held."""

    @property
    def review_id(self) -> str:
        """The review."""

    @property
    def holder(self) -> str:
        """Who holds it; different for each claim."""

    def demand(self) -> None:
        """Demand that it still holds; raise `LeaseLost` otherwise."""


class Store(Protocol):
    """The truth about reviews, decisions, waivers, drafts, assignments and the audit trail.

    Each method that changes something is one transaction, and what it is given for `audit` is chained to the
    trail in the same one. With a `lease`, `LeaseLost` is raised and nothing written when another one has it.
    """

    def add(self, entry: Entry, *, audit: Sequence[AuditDraft] = ()) -> bool:
        """Enter a review; one that is there stays as it is, nothing is audited, and False is returned."""

    def get(self, review_id: str) -> Entry | None:
        """One review."""

    def dossier(self, review_id: str) -> Dossier:
        """What is recorded of one review; raises `ReviewNotFound` when no review has that id."""

    def latest(self, first_id: str) -> Entry | None:
        """The latest attempt at the review that has this id at its first attempt."""

    def previous(self, entry: Entry) -> Entry | None:
        """The latest other review of the same dataset that came to a triage."""

    def page(self, wanted: ReviewFilter, *, after: Entry | None = None, limit: int = 100) -> tuple[Entry, ...]:
        """Reviews, oldest first: an order that none leaves meanwhile; those that come after one that was seen."""

    def entries(self, wanted: ReviewFilter | None = None) -> Iterator[Entry]:
        """All reviews in the order of `page`, each once."""

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
        """Bring a review that is still as it was seen to a status.

        The problem is replaced, also by none; severity and graph version stay when not given.

        Raises:
            DecisionConflict: It moved on since it was seen.
        """

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
        """Record decisions on a review that is still as it was seen, with the waivers that they make.

        The number of the first one says how many had been seen.

        Args:
            seen: The review as it was when the decisions were made out.
            decisions: One or more, numbered on from those recorded.
            severity: What the triage says with them; stays when not given.
            waivers: Waivers that they make.
            draft_of: Whose draft they come from; it is dropped.
            lease: What must still hold.
            audit: What happened.

        Raises:
            DecisionConflict: Somebody else was quicker; it carries the first decision that was not seen, if any.
        """

    def decisions(self, review_id: str) -> tuple[Decision, ...]:
        """The decisions of a review, in order."""

    def claim(self, review_id: str, holder: str | None = None) -> AbstractContextManager[Lease | None]:
        """Hold a review while working on it; None when another one held it for too long."""

    def once(self, review_id: str, node: str, version: int) -> bool:
        """True the first time it is asked with these three, and never again."""

    def assign(self, assignment: Assignment, *, audit: Sequence[AuditDraft] = ()) -> None:
        """Keep whose review it is."""

    def add_waiver(self, waiver: Waiver, *, audit: Sequence[AuditDraft] = ()) -> bool:
        """Keep a waiver; one that is there stays as it is, nothing is audited, and False is returned."""

    def revoke_waiver(
        self, waiver_id: str, *, by: str, reason: str, at: str, audit: Sequence[AuditDraft] = ()
    ) -> Waiver:
        """Take a waiver back; `InvalidDecision` when there is none or it was taken back before."""

    def waivers(self, *, dataset: str | None = None, active_on: dt.date | None = None) -> tuple[Waiver, ...]:
        """Waivers, oldest first; with a date, those that hold on that day."""

    def standing_waivers(self, dataset: str) -> tuple[Waiver, ...]:
        """All waivers of a dataset that are what the audit trail tells of; any other was written past the gate."""

    def save_draft(self, draft: Draft, *, audit: Sequence[AuditDraft] = ()) -> None:
        """Keep a draft in place of the author's earlier one."""

    def draft(self, review_id: str, author: str) -> Draft | None:
        """Somebody's draft."""

    def drop_draft(self, review_id: str, author: str, *, audit: Sequence[AuditDraft] = ()) -> bool:
        """Forget a draft; False when there is none, and then nothing is audited."""

    def append(self, audit: Sequence[AuditDraft]) -> tuple[AuditEntry, ...]:
        """Add to the audit trail what changes nothing else: an inspection, an export."""

    def edited(self) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
        """Decisions (review and number) and waivers (id) whose rows are not as the store writes them."""

    def last_audit(self) -> AuditEntry | None:
        """The last entry of the audit trail: its number and hash are the anchor."""

    def audit(self, review_id: str | None = None) -> Iterator[AuditEntry]:
        """The audit trail from its beginning, or the entries of one review."""
