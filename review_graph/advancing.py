"""Working on a review: the graph is run under a lease, and the store told where the review stands.

The store is the truth about decisions. What it has recorded and the graph does not know, because a process died in
between, is written into the graph before the review goes on. What the graph holds and the store does not know never
passed the gate, and the review counts as failed.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from checks.errors import SpecError, TableError
from checks.plain import quote, visible
from checks.vocabulary import JSON
from review_graph import gate
from review_graph.core.chaining import decided_detail
from review_graph.core.telling import told
from review_graph.errors import DecisionNotAllowed, GraphVersionError, InputError, ReviewNotFound
from review_graph.look import Look
from review_graph.nodes import GRAPH_VERSION, demand_version
from review_graph.ports import Clock, Dossier, Entry, Lease, Store
from review_graph.soundness import basis, found, waivers_on
from review_graph.state import MALFORMED, decisions_of
from review_graph.untraced import untraced
from review_graph.vocabulary import AuditAction, AuditDraft, Problem, Review, Status

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.pregel import Pregel
    from langgraph.types import StateSnapshot

_log = logging.getLogger("review_graph")

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

    def look(self, identity: str) -> Look:
        """Look at a review.

        Raises:
            ReviewNotFound: No review has that id.
        """
        while True:
            look = self._look(identity)
            present = self._store.get(identity)
            # Else it moved on between what was read of the store and of its thread, and the two do not belong together.
            if present is None or present.version == look.dossier.entry.version:
                return look

    def view(self, identity: str) -> Review:
        """Return a review as it stands.

        Raises:
            ReviewNotFound: No review has that id.
        """
        return self.look(identity).review

    def advance(self, identity: str, request: dict[str, Any] | None, lease: Lease) -> None:
        """Go on with a review as far as it goes: to its end, to a human, or to a problem.

        Raises:
            DecisionNotAllowed: It had not begun, and there is no request to begin with.
        """
        look = self._look(identity)
        if request is None and not look.has_begun:
            raise DecisionNotAllowed(f"review {identity} had not begun when its process ended: run its dataset again")
        if not look.values and not look.is_damaged and request is not None:
            if look.dossier.entry.status is Status.FAILED:
                self._put_down_going_on(look.dossier.entry, lease)
            self._run(look, request, lease)
            return
        look = self._adopted(look, lease)
        if look.standing[0] in (Status.PAUSED, Status.RUNNING):
            look = self._taken_up(look)
        if look.standing[0] is Status.RUNNING:
            self._put_down_going_on(look.dossier.entry, lease)
            self._run(look, None, lease)
        else:
            self._settle(look, lease)

    def settle(self, identity: str, lease: Lease) -> None:
        """Tell the store where a review stands, if that is news; what ended stays as it ended."""
        self._settle(self._look(identity), lease)

    def take_over(self, identity: str, lease: Lease) -> None:
        """Take a review that an older version of the graph left over into this one, and go on.

        Raises:
            GraphVersionError: It does not hold what this version needs.
            DecisionNotAllowed: It needs no taking over, or its thread is not sound.
        """
        look = self._look(identity)
        changes = {} if look.is_damaged else gate.taken_over(look.kept, self._folder)
        problem = look.standing[1]
        if problem is not None:
            raise DecisionNotAllowed(f"the review is failed: {problem.message}")
        act: dict[str, JSON] = {"from": look.values.get("graph_version"), "to": GRAPH_VERSION}
        # First, so that a process that dies in between leaves nothing undone that nobody was told of.
        if act not in [dict(told.detail) for told in look.dossier.told if told.action is AuditAction.MIGRATED]:
            self._store.append([self.told(AuditAction.MIGRATED, look.dossier.entry, act)])
        with untraced():
            waivers = waivers_on(look.dossier, look.today)
            gate.take_up(self._graph, _thread(identity), changes={**changes, **waivers})
        self.advance(identity, None, lease)

    def _look(self, identity: str) -> Look:
        """Look at a review that nobody else moves on meanwhile."""
        dossier, today = self._store.dossier(identity), self.now().date()
        try:
            return Look(dossier=dossier, kept=self._graph.get_state(_thread(identity)), today=today)
        except (*MALFORMED, NotImplementedError):  # one thread that cannot be decoded keeps nobody from the others
            _log.debug("reading the thread of %s", identity, exc_info=True)
            return Look(dossier=dossier, kept=_nothing(identity), today=today, is_damaged=True)

    def _run(self, look: Look, request: dict[str, Any] | None, lease: Lease) -> None:
        """Let the graph run until it ends or pauses; keep why, when it cannot."""
        identity, problem = look.dossier.entry.id, None
        try:
            if "graph_version" in look.values:  # before intake is through there is nothing that could be outdated
                demand_version(look.values)
            with untraced():
                self._graph.invoke(request, _thread(identity), durability="sync")
        except (InputError, TableError, SpecError, GraphVersionError) as error:
            problem = problem_of(error)
        self._settle(self._look(identity), lease, problem)

    def _settle(self, look: Look, lease: Lease, problem: Problem | None = None) -> None:
        present, (status, trouble) = look.dossier.entry, look.standing
        problem = problem or trouble
        if problem is not None:
            status = Status.FAILED
        if present.status.is_final or status in (present.status, Status.RUNNING):
            return
        if present.status is not Status.RUNNING:
            present = self._put_down_going_on(present, lease)
        severity = look.triage.severity if look.triage is not None else present.severity
        detail: dict[str, JSON] = {"from": present.status.value, "to": status.value, "severity": severity.value}
        if problem is None:
            detail |= {"found": found(look.values), "basis": basis(look.values, ended=status.is_final)}
        else:
            detail["problem"] = problem.to_plain()
        self._store.transition(
            present,
            status,
            severity=severity,
            graph_version=look.values.get("graph_version") if look.is_readable else None,
            problem=problem,
            lease=lease,
            audit=[self.told(_ARRIVALS[status], present, detail)],
        )

    def _put_down_going_on(self, present: Entry, lease: Lease) -> Entry:
        """Put down that somebody goes on with a review."""
        told_so = self.told(AuditAction.REVIEW_RESUMED, present, {"from": present.status.value})
        if present.status is Status.RUNNING:
            self._store.append([told_so])
            return present
        return self._store.transition(present, Status.RUNNING, lease=lease, audit=[told_so])

    def _taken_up(self, look: Look) -> Look:
        """Write into the graph the decisions that are recorded and that it does not know, and the waivers of today."""
        if not (look.can_be_judged_anew or look.was_sent_on):
            return look
        entry = look.dossier.entry
        known = {decision.number for decision in decisions_of(look.values)}
        missing = [decision for decision in look.dossier.decisions if decision.number not in known]
        by_others = look.was_sent_on and entry.status is Status.PAUSED  # what is recorded says whether that is right
        if missing:
            self._tell_of(look.dossier, [decision.number for decision in missing])  # first, as with taking over
        if not (missing or by_others or look.is_outdated):
            return look
        with untraced():
            gate.take_up(self._graph, _thread(entry.id), missing, waivers_on(look.dossier, look.today))
        return self._look(entry.id)

    def _tell_of(self, dossier: Dossier, applied: Sequence[int]) -> None:
        """Tell the trail of decisions that are applied, but for those of which it was told before a process died."""
        acts = [told for told in dossier.told if told.action is AuditAction.DECISION_APPLIED]
        known = {number for each in acts for number in each.detail.get("decisions", ())}
        if news := [number for number in applied if number not in known]:
            self._store.append([self.told(AuditAction.DECISION_APPLIED, dossier.entry, {"decisions": news})])

    def _adopted(self, look: Look, lease: Lease) -> Look:
        """Record the decisions of a review from before there was a store, which stand in its thread alone."""
        held, entry = look.decided_before, look.dossier.entry
        if not held or look.dossier.decisions:
            return look
        audit = [
            self.told(AuditAction.DECIDED, entry, {**decided_detail(each), "at": each.at}, by=each.by) for each in held
        ]
        self._store.record(entry, held, lease=lease, audit=audit)
        return self._look(entry.id)


def problem_of(error: BaseException) -> Problem:
    """Return whose an error is to mend, and the line that says so."""
    for kind, errors in _KINDS.items():
        if isinstance(error, errors):
            return Problem(kind=kind, message=str(error))
    what = f"{type(error).__name__}: {visible(str(error))}"
    return Problem(kind="bug", message=f"this is a bug of review-graph, please report it: {what}")


def _thread(identity: str) -> RunnableConfig:
    return {"configurable": {"thread_id": identity}}


def _nothing(identity: str) -> StateSnapshot:
    """The state of a thread of which nothing can be read."""
    from langgraph.types import StateSnapshot

    nothing: dict[str, Any] = dict.fromkeys(StateSnapshot._fields)
    return StateSnapshot(**nothing | {"values": {}, "next": (), "config": _thread(identity), "tasks": ()})
