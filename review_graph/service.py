"""What the doors call: start, resume, list, get and decide reviews."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import polars as pl

from checks.errors import SpecError, TableError
from review_graph.advancing import Advancing
from review_graph.asking import Asking
from review_graph.core.addresses import shown_address
from review_graph.core.deciding import Preview
from review_graph.core.diffing import diff
from review_graph.desk import Desk
from review_graph.errors import DecisionConflict, InputError, LeaseLost, SetupError
from review_graph.ports import Entry, ReviewFilter, Store
from review_graph.starting import GivenSpec, Starting, not_started
from review_graph.trail import Trail
from review_graph.vocabulary import (
    AuditAction,
    DecisionRequest,
    Draft,
    Review,
    ReviewDiff,
    Status,
)
from review_graph.waiver_book import WaiverBook

_log = logging.getLogger("review_graph")


class ReviewService:
    """Reviews of datasets, kept in a database. `bootstrap.build` makes one.

    Args:
        starting: Finds datasets and makes reviews of them.
        store: What is known of reviews.
        advancing: Works on reviews.
        desk: Where reviewers decide.
        waivers: The waivers.
        trail: The audit trail.
        asking: Questions about reviews.
        open_things: What to close when the service is closed.

    Attributes:
        waivers: The waivers.
        trail: The audit trail.
        asking: Questions about reviews.

    The service is a context manager; closing it lets go of the database.
    """

    def __init__(  # noqa: PLR0913 - what `bootstrap` wires
        self,
        *,
        starting: Starting,
        store: Store,
        advancing: Advancing,
        desk: Desk,
        waivers: WaiverBook,
        trail: Trail,
        asking: Asking,
        open_things: ExitStack | None = None,
    ) -> None:
        self._starting = starting
        self._store = store
        self._advancing = advancing
        self._desk = desk
        self.waivers = waivers
        self.trail = trail
        self.asking = asking
        self._open_things = open_things or ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database; the reviews stay."""
        self._open_things.close()

    def start(
        self,
        uri: str | Path,
        spec: GivenSpec = None,
        *,
        name: str | None = None,
        references: Mapping[str, str | Path] | None = None,
        fresh: bool = False,
    ) -> Review:
        """Review a dataset, or find the review that its content and spec have already.

        A finished review is returned as it is, a paused one stays paused, and one whose process died goes on
        from its last checkpoint. Where waivers came or went that change what it came to, a paused review is judged
        anew and a finished one is done again. A dataset that cannot be reviewed gives a failed review and no
        exception.

        Args:
            uri: Path of a file, address of an object elsewhere, or the uri of a frame in hand.
            spec: What is expected; a built-in spec when not given.
            name: Name of the dataset; the file's name when not given.
            references: Where other datasets are to which the spec may refer, by name, for instance `dm`. Those
                to which it does not refer are passed over.
            fresh: Start another review even if there is one.

        Raises:
            SetupError: The database or a folder cannot be used.
        """
        try:
            others = {resource: str(other) for resource, other in (references or {}).items()}
            entry, request = self._starting.begin(str(uri), spec, name, others, fresh=fresh)
            return self._go_on(entry, request)
        except (InputError, TableError, SpecError) as error:
            return not_started(str(uri), name, error)
        except SetupError:
            raise
        except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 - one dataset never stops the others
            _log.debug("reviewing %s", shown_address(str(uri)), exc_info=True)
            return not_started(str(uri), name, error)

    def demand_readable(self, uri: str) -> None:
        """Read as much of a dataset as shows that it is one.

        Raises:
            InputError: It cannot be read.
        """
        self._starting.demand_readable(uri)

    def resume(self, identity: str) -> Review:
        """Go on with a review whose process died; a paused or finished one is returned as it is.

        Raises:
            ReviewNotFound: No review has that id.
            DecisionNotAllowed: It had not begun; its dataset has to be run again.
        """
        return self._go_on(self._advancing.known(identity), None)

    def get(self, identity: str) -> Review:
        """Return a review.

        Raises:
            ReviewNotFound: No review has that id.
        """
        return self._advancing.view(identity)

    def inspect(self, identity: str, *, by: str | None = None) -> Review:
        """Return a review for a person to look at, and put down in the audit trail that they did.

        Args:
            identity: Its id.
            by: Who looks; the user of the program when not given.

        Raises:
            ReviewNotFound: No review has that id.
        """
        return self._noted(identity, AuditAction.INSPECTED, by=by)

    def export(self, identity: str, *, as_: str, by: str | None = None) -> Review:
        """Return a review to be written into a file, and put down in the audit trail that it was.

        Args:
            identity: Its id.
            as_: Which format.
            by: Who exports; the user of the program when not given.

        Raises:
            ReviewNotFound: No review has that id.
        """
        return self._noted(identity, AuditAction.EXPORTED, by=by, format=as_)

    def list(self, wanted: ReviewFilter | None = None) -> tuple[Review, ...]:
        """Return reviews: those that wait first, most severe first, then oldest first.

        Args:
            wanted: Which; all when not given.
        """
        wanted = wanted or ReviewFilter()
        listed = ReviewFilter(
            dataset=wanted.dataset, assignee=wanted.assignee, created_before=wanted.created_before
        )  # status and severity as the threads have them: that of an old review stands there alone
        reviews = [
            review
            for review in (self._advancing.view(entry.id) for entry in self._store.entries(listed))
            if (not wanted.status or review.status in wanted.status)
            and (not wanted.severity or review.triage.severity in wanted.severity)
        ]
        order = [Status.PAUSED, Status.FAILED, Status.RUNNING, Status.ESCALATED, Status.SUMMARISED]
        return tuple(
            sorted(reviews, key=lambda r: (order.index(r.status), -r.triage.severity.rank, r.created_at or "", r.id))
        )

    def decide(self, identity: str, request: DecisionRequest) -> Review:
        """Record a decision on a paused review and go on with it as far as the decision carries.

        Raises:
            ReviewNotFound: No review has that id.
            GateError: The decision is refused; nothing was written.
            GraphVersionError: The review was paused under another version of the graph.
        """
        entry = self._advancing.known(identity)
        self._desk.decide(entry, [request])
        return self._advancing.view(entry.id)

    def preview(self, identity: str, *requests: DecisionRequest) -> Preview:
        """Say what decisions would do, one after the other: the triage after the last, and the road.

        Nothing is recorded.

        Raises:
            ReviewNotFound: No review has that id.
            GateError: One would be refused.
        """
        return self._desk.preview(self._advancing.known(identity), requests)

    def save_draft(self, identity: str, author: str, requests: Sequence[DecisionRequest]) -> Draft:
        """Keep what a reviewer means to decide, to be submitted as a whole later.

        Raises:
            ReviewNotFound: No review has that id.
            InvalidDecision: There is no name, or a request is somebody else's.
        """
        return self._desk.save_draft(self._advancing.known(identity), author, requests)

    def draft(self, identity: str, author: str) -> Draft | None:
        """Return what a reviewer gathered."""
        return self._store.draft(identity, author.strip())

    def drop_draft(self, identity: str, author: str) -> bool:
        """Forget what a reviewer gathered; False when there was nothing."""
        entry, name = self._advancing.known(identity), author.strip()
        told = self._advancing.told(AuditAction.DRAFT_DROPPED, entry, by=name)
        return self._store.drop_draft(entry.id, name, audit=[told])

    def submit_draft(self, identity: str, author: str) -> Review:
        """Decide what a reviewer gathered, all or none, and go on.

        Raises:
            ReviewNotFound: No review has that id.
            GateError: There is no draft, or a decision in it is refused; the draft stays.
        """
        entry = self._advancing.known(identity)
        self._desk.submit_draft(entry, author)
        return self._advancing.view(entry.id)

    def assign(self, identity: str, assignee: str, *, by: str) -> Review:
        """Say whose review it is; nobody's with an empty name.

        Raises:
            ReviewNotFound: No review has that id.
            InvalidDecision: A name is no name.
        """
        entry = self._advancing.known(identity)
        self._desk.assign(entry, assignee, by=by)
        return self._advancing.view(entry.id)

    def diff(self, identity: str, before: str | None = None) -> ReviewDiff | None:
        """Say what changed since another review of the same dataset.

        Args:
            identity: The later review.
            before: The earlier one; the one before it when not given.

        Returns:
            What changed; None when there was none before.

        Raises:
            ReviewNotFound: No review has such an id.
            InputError: They are reviews of different datasets.
        """
        later = self._advancing.look(identity)
        if before is None:
            return later.review.diff
        earlier = self._advancing.look(before)
        same_spec = earlier.dossier.entry.spec_digest == later.dossier.entry.spec_digest
        return diff(earlier.review, later.review, same_spec=same_spec)

    def migrate(self, identity: str) -> Review:
        """Take a review that was paused under another version of the graph over into this one.

        It is judged and routed anew from its findings and decisions; what was found is not looked for again.

        Raises:
            ReviewNotFound: No review has that id.
            GateError: It does not wait, or needs no taking over.
            GraphVersionError: It does not hold what this version needs.
        """
        entry = self._advancing.known(identity)
        with self._store.claim(entry.id) as lease:
            if lease is None:
                raise DecisionConflict(f"another process is still working on review {entry.id}: look again later")
            self._advancing.take_over(entry.id, lease)
        return self._advancing.view(entry.id)

    def _go_on(self, entry: Entry, request: dict[str, Any] | None) -> Review:
        is_new = self._store.add(entry, audit=[self._advancing.told(AuditAction.REVIEW_STARTED, entry)])
        if is_new or not self._advancing.known(entry.id).status.is_final:
            try:
                with self._store.claim(entry.id) as lease:
                    if lease is not None:
                        self._advancing.advance(entry.id, request, lease)
            except LeaseLost as lost:
                _log.warning("%s", lost)  # whoever took it over goes on with it
        return self._advancing.view(entry.id)

    def _noted(self, identity: str, action: AuditAction, *, by: str | None, **detail: str) -> Review:
        entry = self._advancing.known(identity)
        self._store.append([self._advancing.told(action, entry, detail, by=by)])
        return self._advancing.view(entry.id)
