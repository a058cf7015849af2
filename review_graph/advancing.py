"""Working on a review: the graph is run under a lease, and the store told where the review stands.

The store is the truth about decisions. What it has recorded and the graph does not know, because a process died in
between, is written into the graph before the review goes on. What the graph holds and the store does not know never
passed the gate, and the review counts as failed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from checks.errors import SpecError, TableError
from checks.plain import quote, visible
from checks.vocabulary import JSON
from review_graph import gate
from review_graph.core.chaining import decided_detail
from review_graph.core.deciding import available_actions
from review_graph.core.telling import told
from review_graph.errors import DecisionNotAllowed, GraphVersionError, InputError, ReviewNotFound
from review_graph.nodes import GRAPH_VERSION, demand_version
from review_graph.ports import Clock, Entry, Lease, Store
from review_graph.soundness import Soundness, basis, found
from review_graph.state import decisions_of, review_of, triage_of, waivers_matter
from review_graph.untraced import untraced
from review_graph.vocabulary import Anchor, AuditAction, AuditDraft, Dataset, Problem, Review, Status

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.pregel import Pregel
    from langgraph.types import StateSnapshot

_KINDS: Mapping[str, tuple[type[Exception], ...]] = {
    "input": (InputError, TableError),
    "spec": (SpecError,),
    "setup": (GraphVersionError,),
}
"""Whose an error is to mend; any other is ours."""

_ARRIVALS: Mapping[Status, AuditAction] = {
    Status.PAUSED: AuditAction.REVIEW_PAUSED,
    Status.SUMMARISED: AuditAction.REVIEW_FINISHED,
    Status.ESCALATED: AuditAction.REVIEW_FINISHED,
    Status.FAILED: AuditAction.REVIEW_FAILED,
}

VERSIONS: Mapping[str, JSON] = {"graph_version": GRAPH_VERSION, "checks_version": version("review-graph")}
"""Under which versions an act was done, for the audit trail."""


class Advancing:
    """Runs reviews and keeps the store in step with them.

    Args:
        graph: The compiled review graph with its checkpointer.
        store: What is known of reviews.
        clock: Gives the present time.
        user: Who runs the program, for the audit trail.
        folder: Says where the files of a review go that does not know it, since an older version started it.
    """

    def __init__(
        self,
        graph: Pregel[Any, Any, Any, Any],
        store: Store,
        clock: Clock,
        user: str,
        folder: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self._graph = graph
        self._store = store
        self._clock = clock
        self._user = user
        self._folder = folder
        self._soundness = Soundness(store, self.now)

    def now(self) -> dt.datetime:
        """The present time in UTC."""
        return self._clock().astimezone(dt.UTC)

    def known(self, identity: str) -> Entry:
        """Return what is known of a review.

        Raises:
            ReviewNotFound: No review has that id.
        """
        entry = self._store.get(identity)
        if entry is None:
            raise ReviewNotFound(f"no review has the id {quote(identity)}: `review-graph list` shows the ids")
        return entry

    def told(
        self,
        action: AuditAction,
        entry: Entry,
        detail: Mapping[str, JSON] | None = None,
        *,
        by: str | None = None,
        role: str = "",
    ) -> AuditDraft:
        """Return an entry for the audit trail, as of now; by the user of the program when nobody is named."""
        at = self.now().isoformat(timespec="seconds")
        return told(action, entry, by=by or self._user, at=at, role=role, versions=VERSIONS, detail=detail)

    def snapshot(self, entry: Entry) -> StateSnapshot:
        """Return the state of a review's thread; one that waits is seen with the waivers as they are today."""
        snapshot = self._as_kept(entry)
        if not _can_be_judged_anew(snapshot):
            return snapshot
        return snapshot._replace(values={**snapshot.values, **self._soundness.waivers_now(entry)})

    def waits(self, entry: Entry) -> bool:
        """Whether a review waits for a human by its thread, whatever was put down of it."""
        return gate.status_of(self._as_kept(entry)) is Status.PAUSED

    def is_unknown(self, entry: Entry) -> bool:
        """Whether a thread holds decisions from before there was a store."""
        return self._soundness.is_from_before(entry) and bool(decisions_of(self._as_kept(entry).values))

    def advance(self, entry: Entry, request: dict[str, Any] | None, lease: Lease) -> None:
        """Go on with a review as far as it goes: to its end, to a human, or to a problem.

        Raises:
            DecisionNotAllowed: It had not begun, and there is no request to begin with.
        """
        snapshot = self._as_kept(entry)
        if request is None and not (snapshot.values or snapshot.next):
            raise DecisionNotAllowed(f"review {entry.id} had not begun when its process ended: run its dataset again")
        if not snapshot.values and request is not None:
            self._run(self._running(entry, lease) if entry.status is Status.FAILED else entry, request, lease)
            return
        entry = self._adopted(entry, snapshot, lease)
        if self._soundness.status(snapshot, entry)[0] in (Status.PAUSED, Status.RUNNING):
            self._take_up(entry, snapshot)
            snapshot = self._as_kept(entry)
        if self._soundness.status(snapshot, entry)[0] is Status.RUNNING:
            self._run(self._running(entry, lease), None, lease)
        else:
            self.settle(entry, lease)

    def settle(self, entry: Entry, lease: Lease, problem: Problem | None = None) -> Entry:
        """Tell the store where a review stands, if that is news; what ended stays as it ended."""
        present = self._store.get(entry.id) or entry
        snapshot = self.snapshot(present)
        status, trouble = self._soundness.status(snapshot, present)
        problem = problem or trouble
        if problem is not None:
            status = Status.FAILED
        if present.status.is_final or status in (present.status, Status.RUNNING):
            return present
        if present.status is not Status.RUNNING:
            present = self._running(present, lease)
        severity = triage_of(snapshot.values).severity if "severity" in snapshot.values else present.severity
        detail: dict[str, JSON] = {"from": present.status.value, "to": status.value, "severity": severity.value}
        detail |= {"found": found(snapshot.values), "basis": basis(snapshot.values, ended=status.is_final)}
        if problem is not None:
            detail["problem"] = problem.to_plain()
        return self._store.transition(
            present,
            status,
            severity=severity,
            graph_version=snapshot.values.get("graph_version"),
            problem=problem,
            lease=lease,
            audit=[self.told(_ARRIVALS[status], present, detail)],
        )

    def take_over(self, entry: Entry, lease: Lease) -> None:
        """Take a review that an older version of the graph left over into this one, and go on.

        Raises:
            GraphVersionError: It does not hold what this version needs.
            DecisionNotAllowed: It needs no taking over, or its thread is not sound.
        """
        snapshot = self._as_kept(entry)
        changes = gate.taken_over(snapshot, self._folder)
        problem = self._soundness.status(snapshot, entry)[1]
        if problem is not None:
            raise DecisionNotAllowed(f"the review is failed: {problem.message}")
        act: dict[str, JSON] = {"from": snapshot.values.get("graph_version"), "to": GRAPH_VERSION}
        # First, so that a process that dies in between leaves nothing undone that nobody was told of.
        if act not in [dict(each.detail) for each in self._store.told(entry.id, AuditAction.MIGRATED)]:
            self._store.append([self.told(AuditAction.MIGRATED, entry, act)])
        with untraced():
            gate.take_up(self._graph, _thread(entry), changes={**changes, **self._soundness.waivers_now(entry)})
        self.advance(self._store.get(entry.id) or entry, None, lease)

    def is_outdated(self, entry: Entry) -> bool:
        """Whether the waivers at hand do something else to a review than when it was judged last."""
        return waivers_matter(self._as_kept(entry).values, self._soundness.waivers_now(entry))

    def view(self, entry: Entry) -> Review:
        """Return a review as it stands."""
        known = self._store.get(entry.id) or entry  # before its thread: one that ended here has ended there
        snapshot = self.snapshot(entry)
        status, trouble = self._soundness.status(snapshot, known)
        if status is Status.RUNNING and known.problem is not None:
            status = Status.FAILED
        decisions = self._store.decisions(entry.id)
        more: dict[str, Any] = {
            "problem": known.problem or (trouble if status is Status.FAILED else None),
            "created_at": known.created_at,
            "assignee": known.assignee,
            "anchor": Anchor.of(self._store.last_audit()),
        }
        if "dataset" not in snapshot.values:
            dataset = Dataset(**{f: getattr(known.located, f) for f in ("name", "uri", "fingerprint")})
            return Review(id=entry.id, dataset=dataset, status=status, **more)
        if decisions:
            more["decisions"] = decisions
        review = review_of(snapshot.values, status, **more)
        return replace(review, actions=available_actions(status, review.findings, review.decisions))

    def _run(self, entry: Entry, request: dict[str, Any] | None, lease: Lease) -> None:
        """Let the graph run until it ends or pauses; keep why, when it cannot."""
        problem = None
        try:
            values = self.snapshot(entry).values
            if "graph_version" in values:  # before intake is through there is nothing that could be outdated
                demand_version(values)
            with untraced():
                self._graph.invoke(request, _thread(entry), durability="sync")
        except (InputError, TableError, SpecError, GraphVersionError) as error:
            problem = problem_of(error)
        self.settle(entry, lease, problem)

    def _running(self, entry: Entry, lease: Lease) -> Entry:
        """Put down that somebody goes on with a review."""
        present = self._store.get(entry.id) or entry
        told_so = self.told(AuditAction.REVIEW_RESUMED, present, {"from": present.status.value})
        if present.status is Status.RUNNING:
            self._store.append([told_so])
            return present
        return self._store.transition(present, Status.RUNNING, lease=lease, audit=[told_so])

    def _take_up(self, entry: Entry, snapshot: StateSnapshot) -> None:
        """Write into the graph the decisions that are recorded and that it does not know, and the waivers of today."""
        waits, moved = _can_be_judged_anew(snapshot), _was_sent_on(snapshot)
        if not (waits or moved):
            return
        waivers = self._soundness.waivers_now(entry)
        known = {decision.number for decision in decisions_of(snapshot.values)}
        missing = [decision for decision in self._store.decisions(entry.id) if decision.number not in known]
        by_others = moved and entry.status is Status.PAUSED  # what is recorded says whether that is right
        if missing:
            self._tell_of(entry, [decision.number for decision in missing])  # first, as with taking over
        if missing or by_others or waivers_matter(snapshot.values, waivers):
            with untraced():
                gate.take_up(self._graph, _thread(entry), missing, waivers)

    def _tell_of(self, entry: Entry, applied: Sequence[int]) -> None:
        """Tell the trail of decisions that are applied, but for those of which it was told before a process died."""
        acts = self._store.told(entry.id, AuditAction.DECISION_APPLIED)
        known = {number for each in acts for number in each.detail.get("decisions", ())}
        if news := [number for number in applied if number not in known]:
            self._store.append([self.told(AuditAction.DECISION_APPLIED, entry, {"decisions": news})])

    def _adopted(self, entry: Entry, snapshot: StateSnapshot, lease: Lease) -> Entry:
        """Record the decisions of a review from before there was a store, which stand in its thread alone."""
        held = decisions_of(snapshot.values)
        if not self._soundness.is_from_before(entry) or not held or self._store.decisions(entry.id):
            return entry
        audit = [
            self.told(AuditAction.DECIDED, entry, {**decided_detail(each), "at": each.at}, by=each.by) for each in held
        ]
        return self._store.record(entry, held, lease=lease, audit=audit)

    def _as_kept(self, entry: Entry) -> StateSnapshot:
        return self._graph.get_state(_thread(entry))


def problem_of(error: BaseException) -> Problem:
    """Return whose an error is to mend, and the line that says so."""
    for kind, errors in _KINDS.items():
        if isinstance(error, errors):
            return Problem(kind=kind, message=str(error))
    what = f"{type(error).__name__}: {visible(str(error))}"
    return Problem(kind="bug", message=f"this is a bug of review-graph, please report it: {what}")


def _can_be_judged_anew(snapshot: StateSnapshot) -> bool:
    return gate.status_of(snapshot) is Status.PAUSED and snapshot.values.get("graph_version") == GRAPH_VERSION


def _was_sent_on(snapshot: StateSnapshot) -> bool:
    """Whether a review is on its way after its triage."""
    judged = "severity" in snapshot.values and snapshot.values.get("graph_version") == GRAPH_VERSION
    return judged and gate.status_of(snapshot) is Status.RUNNING


def _thread(entry: Entry) -> RunnableConfig:
    return {"configurable": {"thread_id": entry.id}}
