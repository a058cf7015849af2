"""What a review needs from outside: datasets, files, and a store of what was decided."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
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
    from pathlib import Path

    import polars as pl

    from checks.engine import EvidenceSink

Clock = Callable[[], dt.datetime]
"""Gives the present time in UTC."""


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """A table as a reader found it.

    Attributes:
        frame: The rows, in file order. Columns whose name occurs twice are left out.
        duplicate_columns: Names that occur more than once, in file order.
        labels: Column labels, where the format has them.
        notes: What a reviewer should know about how the file was read, for instance its encoding.
        name: What the file itself calls the table, for instance `DM`; empty when the format has no such thing.
        key: Names of the columns that the file itself declares as its key, in order.
        place: The file that was read; the same content may be found in another one later.
        files: The Parquet files that `frame` scans whole, where it does.
    """

    frame: pl.LazyFrame
    duplicate_columns: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    name: str = ""
    key: tuple[str, ...] = ()
    place: str = ""
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Located:
    """A dataset that was found and can be read.

    Attributes:
        name: Name for people: file name without suffix, or as handed in.
        uri: Where it is; absolute, so that another process finds it.
        fingerprint: Sha256 of its content.
    """

    name: str
    uri: str
    fingerprint: str


class Sources(Protocol):
    """Finds and reads datasets. Raises `InputError` for what cannot be read."""

    def locate(self, uri: str) -> Located:
        """Find a dataset and take the fingerprint of its content."""

    def open(self, located: Located) -> Decoded:
        """Read a dataset; refuse it when its content is no longer what was located."""


class Artifacts(Protocol):
    """Keeps the files of a review. Writing the same again changes nothing."""

    def folder(self, review_id: str) -> str | None:
        """Say where the files of a review go, for good; None when none are kept."""

    def evidence_sink(self, folder: str) -> EvidenceSink:
        """Return what keeps all offending rows of a finding in a review's folder."""

    def write(self, folder: str, name: str, text: str) -> str:
        """Write a text file in a review's folder, as a whole or not at all, and say where it is."""


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

    def latest(self, first_id: str) -> Entry | None:
        """The latest attempt at the review that has this id at its first attempt."""

    def previous(self, entry: Entry) -> Entry | None:
        """The latest other review of the same dataset that came to a triage."""

    def page(self, wanted: ReviewFilter, *, after: Entry | None = None, limit: int = 100) -> tuple[Entry, ...]:
        """Reviews, most severe first, then oldest first; those that come after one that was seen."""

    def entries(self, wanted: ReviewFilter | None = None) -> Iterator[Entry]:
        """All reviews in the order of `page`."""

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

    def told(self, review_id: str, *actions: AuditAction) -> tuple[AuditEntry, ...]:
        """What the audit trail tells of some acts on a review, in order; entries outside of its chain are left out."""

    def edited(self) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...]]:
        """Decisions (review and number) and waivers (id) whose rows are not as the store writes them."""

    def last_audit(self) -> AuditEntry | None:
        """The last entry of the audit trail: its number and hash are the anchor."""

    def audit(self, review_id: str | None = None) -> Iterator[AuditEntry]:
        """The audit trail from its beginning, or the entries of one review."""
