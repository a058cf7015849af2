"""What the doors call: start, resume, list, get and decide reviews."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from checks.adopt import adopt
from checks.errors import SpecError, TableError
from checks.plain import quote, visible
from checks.spec import Spec
from checks.specfile import LoadedSpec
from review_graph import gate
from review_graph.core.addresses import shown_address
from review_graph.core.identity import review_id
from review_graph.errors import DecisionConflict, GraphVersionError, InputError, ReviewNotFound, SetupError
from review_graph.nodes import demand_version, identity_of, references_for, spec_for
from review_graph.ports import Clock, Entry, Ledger, Located, Sources
from review_graph.state import review_of
from review_graph.vocabulary import Action, Dataset, DecisionRequest, Problem, Review, Status

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.pregel import Pregel

_log = logging.getLogger("review_graph")

_CUT = Problem(
    kind="setup",
    message="the review's thread was changed by another program and ended without a report: review it with --fresh",
)

_KINDS: Mapping[str, tuple[type[Exception], ...]] = {
    "input": (InputError, TableError),
    "spec": (SpecError,),
    "setup": (GraphVersionError,),
}
"""Whose an error is to mend; any other is ours."""

GivenSpec = LoadedSpec | Spec | Mapping[str, Any] | str | Path | None


class ReviewService:
    """Reviews of datasets, kept in a database. `bootstrap.build` makes one.

    Args:
        graph: The compiled review graph with its checkpointer.
        sources: Where datasets come from.
        ledger: The list of reviews.
        clock: Gives the present time.
        open_things: What to close when the service is closed.

    The service is a context manager; closing it lets go of the database.
    """

    def __init__(
        self,
        *,
        graph: Pregel[Any, Any, Any, Any],
        sources: Sources,
        ledger: Ledger,
        clock: Clock,
        open_things: ExitStack | None = None,
    ) -> None:
        self._graph = graph
        self._sources = sources
        self._ledger = ledger
        self._clock = clock
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
        from its last checkpoint. A dataset that cannot be reviewed gives a failed review and no exception.

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
            return self._start(uri, spec, name, others, fresh=fresh)
        except (InputError, TableError, SpecError) as error:
            return not_started(str(uri), name, error)
        except SetupError:
            raise
        except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001 - one dataset never stops the others
            _log.debug("reviewing %s", shown_address(str(uri)), exc_info=True)
            return not_started(str(uri), name, error)

    def _start(
        self, uri: str | Path, spec: GivenSpec, name: str | None, others: Mapping[str, str], *, fresh: bool
    ) -> Review:
        located = self._sources.locate(str(uri))
        decoded = self._sources.open(located)
        table = adopt(decoded.frame, duplicate_columns=decoded.duplicate_columns)
        named = Located(name=name or located.name, uri=located.uri, fingerprint=located.fingerprint)
        loaded = spec_for(spec, named.name, table, decoded)
        references, notes = references_for(loaded.spec, others, self._sources)
        entry = self._entry(named, loaded.spec, identity_of(references, notes), fresh=fresh)
        request = {
            "path": named.uri,
            "name": named.name,
            "spec": loaded.spec.to_plain(),
            "notes": list(loaded.ignored),
            "review_id": entry.id,
            "references": {resource: shown_address(other) for resource, other in others.items()},
        }
        return self._advance(entry, {"review_request": request})

    def demand_readable(self, uri: str) -> None:
        """Read as much of a dataset as shows that it is one.

        Raises:
            InputError: It cannot be read.
        """
        self._sources.open(self._sources.locate(uri))

    def resume(self, identity: str) -> Review:
        """Go on with a review whose process died; a paused or finished one is returned as it is.

        Raises:
            ReviewNotFound: No review has that id.
        """
        return self._advance(self._known(identity), None)

    def get(self, identity: str) -> Review:
        """Return a review.

        Raises:
            ReviewNotFound: No review has that id.
        """
        return self._review(self._known(identity))

    def list(self) -> tuple[Review, ...]:
        """Return all reviews: those that wait first, most severe first, then oldest first."""
        reviews = [self._review(entry) for entry in self._ledger.entries()]
        order = [Status.PAUSED, Status.FAILED, Status.RUNNING, Status.ESCALATED, Status.SUMMARISED]
        return tuple(sorted(reviews, key=lambda review: (order.index(review.status), -review.triage.severity.rank)))

    def decide(self, identity: str, request: DecisionRequest) -> Review:
        """Record a decision on a paused review and go on with it as far as the decision carries.

        Raises:
            ReviewNotFound: No review has that id.
            GateError: The decision is refused; nothing was written.
            GraphVersionError: The review was paused under another version of the graph.
        """
        entry = self._known(identity)
        with self._ledger.claim(entry.id) as mine:
            if not mine:
                raise DecisionConflict(f"another process is still working on review {entry.id}: look again later")
            decision = gate.record(self._graph, _thread(entry.id), request, self._clock)
            if decision.action is Action.CONFIRM or self._status(entry) is not Status.PAUSED:
                self._invoke(entry, None)
            return self._review(entry)

    def _entry(self, located: Located, spec: Spec, references: Sequence[str], *, fresh: bool) -> Entry:
        first_id = review_id(located.name, located.fingerprint, spec.digest, references=references)
        latest = self._ledger.latest(first_id)
        if latest is not None and not fresh:
            return latest
        attempt = 1 if latest is None else latest.attempt + 1
        return Entry(
            id=review_id(located.name, located.fingerprint, spec.digest, attempt, references),
            located=located,
            spec_digest=spec.digest,
            attempt=attempt,
            created_at=self._clock().isoformat(timespec="seconds"),
        )

    def _advance(self, entry: Entry, request: dict[str, Any] | None) -> Review:
        with self._ledger.claim(entry.id) as mine:
            if not mine:
                return self._review(entry)
            self._ledger.add(entry)
            snapshot = self._graph.get_state(_thread(entry.id))
            if not snapshot.values and request is not None:
                self._invoke(entry, request)
            elif gate.status_of(snapshot) is Status.RUNNING:
                self._invoke(entry, None)
            return self._review(entry)

    def _invoke(self, entry: Entry, request: dict[str, Any] | None) -> None:
        """Let the graph run until it ends or pauses; keep why, when it cannot."""
        problem = None
        try:
            values = self._graph.get_state(_thread(entry.id)).values
            if "graph_version" in values:  # before intake is through there is nothing that could be outdated
                demand_version(values)
            self._graph.invoke(request, _thread(entry.id), durability="sync")
        except (InputError, TableError, SpecError, GraphVersionError) as error:
            problem = _problem(error)
        if problem is not None or self._known(entry.id).problem is not None:
            self._ledger.note_problem(entry.id, problem)

    def _known(self, identity: str) -> Entry:
        entry = self._ledger.get(identity)
        if entry is None:
            raise ReviewNotFound(f"no review has the id {quote(identity)}: `review-graph list` shows the ids")
        return entry

    def _status(self, entry: Entry) -> Status:
        return gate.status_of(self._graph.get_state(_thread(entry.id)))

    def _review(self, entry: Entry) -> Review:
        snapshot = self._graph.get_state(_thread(entry.id))
        known = self._ledger.get(entry.id) or entry
        status = gate.status_of(snapshot)
        if status is Status.RUNNING and known.problem is not None:
            status = Status.FAILED
        actions = tuple(Action) if status is Status.PAUSED else ()
        problem = _CUT if status is Status.FAILED and known.problem is None else known.problem
        more: dict[str, Any] = {"problem": problem, "created_at": known.created_at, "actions": actions}
        if "dataset" not in snapshot.values:
            dataset = Dataset(**{f: getattr(known.located, f) for f in ("name", "uri", "fingerprint")})
            return Review(id=entry.id, dataset=dataset, status=status, **more)
        return review_of(snapshot.values, status, **more)


def _thread(identity: str) -> RunnableConfig:
    return {"configurable": {"thread_id": identity}}


def _problem(error: BaseException) -> Problem:
    """Whose it is to mend, and the line that says so."""
    for kind, errors in _KINDS.items():
        if isinstance(error, errors):
            return Problem(kind=kind, message=str(error))
    what = f"{type(error).__name__}: {visible(str(error))}"
    return Problem(kind="bug", message=f"this is a bug of review-graph, please report it: {what}")


def not_started(uri: str, name: str | None, error: BaseException) -> Review:
    """A dataset that never came to have a review: without content or spec there is no id."""
    shown = shown_address(uri)
    dataset = Dataset(name=visible(name or Path(shown).stem), uri=visible(shown), fingerprint="")
    problem = _problem(error)
    return Review(id=None, dataset=dataset, status=Status.FAILED, problem=problem)
