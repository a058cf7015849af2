"""Working on a review: the graph is run under a lease, and the store told where the review stands.

The store is the truth about decisions. What it has recorded and the graph does not know, because a process died in
between, is written into the graph before the review goes on. What the graph holds and the store does not know never
passed the gate, and the review counts as failed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from checks.errors import SpecError, TableError
from checks.plain import visible
from checks.vocabulary import JSON
from review_graph import gate
from review_graph.core.deciding import available_actions
from review_graph.core.telling import told
from review_graph.errors import GraphVersionError, InputError
from review_graph.nodes import GRAPH_VERSION, demand_version
from review_graph.ports import Clock, Entry, Lease, Store
from review_graph.state import decisions_of, review_of, triage_of, waived_of, waiver_values
from review_graph.vocabulary import AuditAction, AuditDraft, Dataset, Decision, Problem, Review, Status

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.pregel import Pregel
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
    """

    def __init__(self, graph: Pregel[Any, Any, Any, Any], store: Store, clock: Clock, user: str) -> None:
        self._graph = graph
        self._store = store
        self._clock = clock
        self._user = user

    def now(self) -> dt.datetime:
        """The present time in UTC."""
        return self._clock().astimezone(dt.UTC)

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
        """Return the state of a review's thread."""
        return self._graph.get_state(_thread(entry))

    def advance(self, entry: Entry, request: dict[str, Any] | None, lease: Lease) -> None:
        """Go on with a review as far as it goes: to its end, to a human, or to a problem."""
        snapshot = self.snapshot(entry)
        if not snapshot.values and request is not None:
            self._run(self._running(entry, lease) if entry.status is Status.FAILED else entry, request, lease)
            return
        if gate.status_of(snapshot) is Status.PAUSED:
            self._take_up(entry, snapshot)
        if gate.status_of(self.snapshot(entry)) is Status.RUNNING:
            self._run(self._running(entry, lease), None, lease)
        else:
            self.settle(entry, lease)

    def settle(self, entry: Entry, lease: Lease, problem: Problem | None = None) -> Entry:
        """Tell the store where a review stands, if that is news; what ended stays as it ended."""
        present = self._store.get(entry.id) or entry
        snapshot = self.snapshot(present)
        status, trouble = self._status(snapshot, present)
        problem = problem or trouble
        if problem is not None:
            status = Status.FAILED
        if present.status.is_final or status in (present.status, Status.RUNNING):
            return present
        if present.status is not Status.RUNNING:
            present = self._running(present, lease)
        severity = triage_of(snapshot.values).severity if "severity" in snapshot.values else present.severity
        detail: dict[str, JSON] = {"from": present.status.value, "to": status.value, "severity": severity.value}
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
            DecisionNotAllowed: It needs no taking over.
        """
        before = self.snapshot(entry).values.get("graph_version")
        gate.re_enter(self._graph, _thread(entry))
        told_so = self.told(AuditAction.MIGRATED, entry, {"from": before, "to": GRAPH_VERSION})
        self._store.append([told_so])
        self.advance(self._store.get(entry.id) or entry, None, lease)

    def hold_against_waivers(self, entry: Entry) -> bool:
        """Judge a review anew where the waivers at hand do something else to it than when it was judged last.

        Returns:
            Whether they do; a review that ended is left as it ended.
        """
        snapshot = self.snapshot(entry)
        values, day = snapshot.values, self.now().date()
        if "severity" not in values:
            return False
        fresh = waiver_values(self._store.waivers(dataset=entry.located.name), day)
        if _effect({**values, **fresh}) == _effect(values):
            return False
        if gate.status_of(snapshot) is Status.PAUSED and values.get("graph_version") == GRAPH_VERSION:
            gate.take_up(self._graph, _thread(entry), changes=fresh)
        return True

    def view(self, entry: Entry) -> Review:
        """Return a review as it stands."""
        snapshot = self.snapshot(entry)
        known = self._store.get(entry.id) or entry
        status, trouble = self._status(snapshot, known)
        if status is Status.RUNNING and known.problem is not None:
            status = Status.FAILED
        decisions = self._store.decisions(entry.id)
        more: dict[str, Any] = {
            "problem": known.problem or (trouble if status is Status.FAILED else None),
            "created_at": known.created_at,
        }
        if "dataset" not in snapshot.values:
            dataset = Dataset(**{f: getattr(known.located, f) for f in ("name", "uri", "fingerprint")})
            return Review(id=entry.id, dataset=dataset, status=status, **more)
        if decisions:
            more["decisions"] = decisions
        review = review_of(snapshot.values, status, **more)
        actions = available_actions(status, review.findings, review.decisions)
        return review_of(snapshot.values, status, **more, actions=actions)

    def _run(self, entry: Entry, request: dict[str, Any] | None, lease: Lease) -> None:
        """Let the graph run until it ends or pauses; keep why, when it cannot."""
        problem = None
        try:
            values = self.snapshot(entry).values
            if "graph_version" in values:  # before intake is through there is nothing that could be outdated
                demand_version(values)
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
        """Write into the graph the decisions that are recorded and that it does not know."""
        known = {decision.number for decision in decisions_of(snapshot.values)}
        missing = [decision for decision in self._store.decisions(entry.id) if decision.number not in known]
        if missing and snapshot.values.get("graph_version") == GRAPH_VERSION:
            gate.take_up(self._graph, _thread(entry), missing)
            numbers: list[JSON] = [decision.number for decision in missing]
            self._store.append([self.told(AuditAction.DECISION_APPLIED, entry, {"decisions": numbers})])

    def _status(self, snapshot: StateSnapshot, known: Entry) -> tuple[Status, Problem | None]:
        """Where a review stands by its thread, and what is wrong with the thread."""
        status = gate.status_of(snapshot)
        if known.graph_version is not None and not self._are_recorded(decisions_of(snapshot.values), known):
            return Status.FAILED, _FORGED
        return status, _CUT if status is Status.FAILED else None

    def _are_recorded(self, held: tuple[Decision, ...], known: Entry) -> bool:
        recorded = {decision.number: decision.digest for decision in self._store.decisions(known.id)}
        return all(recorded.get(decision.number) == decision.digest for decision in held)


def problem_of(error: BaseException) -> Problem:
    """Return whose an error is to mend, and the line that says so."""
    for kind, errors in _KINDS.items():
        if isinstance(error, errors):
            return Problem(kind=kind, message=str(error))
    what = f"{type(error).__name__}: {visible(str(error))}"
    return Problem(kind="bug", message=f"this is a bug of review-graph, please report it: {what}")


def _effect(values: Mapping[str, Any]) -> object:
    """What waivers do to the findings of a review: which of them they cover, and what is said of the others."""
    waived = waived_of(values)
    covered = {finding: [waiver.id for waiver in waivers] for finding, waivers in waived.by_finding.items()}
    return covered, sorted(waived.notices)


def _thread(entry: Entry) -> RunnableConfig:
    return {"configurable": {"thread_id": entry.id}}
