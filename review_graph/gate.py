"""The human gate: finding the reviews that wait in a graph, and recording a decision on one.

It works on the compiled review graph and on any parent graph that holds it as a node.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langgraph.types import StateSnapshot

from checks.plain import visible
from checks.registry import families
from checks.vocabulary import Severity
from review_graph.core.deciding import Terms, decide, describe, is_confirmed, settling
from review_graph.core.naming import waivers_made
from review_graph.core.triage import judge
from review_graph.errors import DecisionConflict, DecisionNotAllowed, GraphVersionError
from review_graph.graph import PAUSE_BEFORE
from review_graph.nodes import GRAPH_VERSION, demand_version
from review_graph.ports import Clock
from review_graph.settings import Settings
from review_graph.state import (
    MALFORMED,
    decision_values,
    decisions_of,
    findings_of,
    policy_of,
    review_of,
    spec_of,
    triage_of,
    triage_values,
    verdicts_of,
    waived_of,
)
from review_graph.vocabulary import Decision, DecisionRequest, Review, Status, Triage, Waiver

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.pregel.protocol import PregelProtocol


def system_clock() -> dt.datetime:
    """The present time in UTC."""
    return dt.datetime.now(dt.UTC)


@dataclass(frozen=True, kw_only=True)
class Pending:
    """A review that waits for a human.

    Attributes:
        config: Address of its thread; what `record` wants.
        review: The review as it stands.
    """

    config: RunnableConfig
    review: Review


def status_of(snapshot: StateSnapshot) -> Status:
    """Tell from a thread's state where the review stands.

    An end counts only when the facts bear it out: escalated when a person confirmed, summarised when no
    human is needed. A thread that ended otherwise was written to from outside, and has failed.
    """
    values = snapshot.values
    if not values:
        return Status.RUNNING
    if snapshot.next:
        waits = snapshot.next == (PAUSE_BEFORE,) and not is_confirmed(decisions_of(values))
        return Status.PAUSED if waits else Status.RUNNING
    if snapshot.tasks:
        return Status.RUNNING  # killed between the work of a step and its checkpoint; going on puts that down
    ended = (values.get("review") or {}).get("status")
    if ended == Status.ESCALATED and is_confirmed(decisions_of(values)):
        return Status.ESCALATED
    if ended == Status.SUMMARISED and not triage_of(values).needs_human:
        return Status.SUMMARISED
    return Status.FAILED


def pending(graph: PregelProtocol[Any, Any, Any, Any], config: RunnableConfig) -> tuple[Pending, ...]:
    """Return the reviews that wait in a thread, those inside subgraphs included.

    Args:
        graph: The compiled review graph or a parent of it, with a checkpointer.
        config: The thread.
    """
    return tuple(
        Pending(config=_address(snapshot.config), review=review_of(snapshot.values, Status.PAUSED))
        for snapshot in _with_subgraphs(graph.get_state(config, subgraphs=True))
        if snapshot.next == (PAUSE_BEFORE,) and "review_id" in snapshot.values and status_of(snapshot) is Status.PAUSED
    )


@dataclass(frozen=True, kw_only=True)
class Considered:
    """A decision that is in order and not recorded yet.

    Attributes:
        decision: The decision.
        triage: The triage after it.
        waivers: The waivers that come to hold with it.
    """

    decision: Decision
    triage: Triage
    waivers: tuple[Waiver, ...]


def considered(
    snapshot: StateSnapshot,
    request: DecisionRequest,
    now: dt.datetime,
    decisions: Sequence[Decision] | None = None,
    *,
    second_approver: bool = False,
) -> Considered:
    """Validate a request against a review as it stands.

    Args:
        snapshot: State of the review's thread.
        request: What is asked for.
        now: The present time.
        decisions: Those recorded so far; those in the state when not given.
        second_approver: Whether what makes a review pass that needs a human needs a second person.

    Raises:
        GateError: The decision is refused.
        GraphVersionError: The review was paused under another version of the graph.
    """
    values = snapshot.values
    recorded = decisions_of(values) if decisions is None else tuple(decisions)
    findings, verdicts, policy, waived = findings_of(values), verdicts_of(values), policy_of(values), waived_of(values)
    status = status_of(snapshot)
    if status is Status.PAUSED:
        demand_version(values)
    at = now.astimezone(dt.UTC)
    terms = Terms(status=status, today=at.date(), second_approver=second_approver, waived=waived, verdicts=verdicts)
    decision = decide(
        request,
        findings=findings,
        decisions=recorded,
        triage=judge(findings, verdicts, recorded, policy, waived),
        policy=policy,
        at=at.isoformat(timespec="seconds"),
        terms=terms,
    )
    return Considered(
        decision=decision,
        triage=judge(findings, verdicts, [*recorded, decision], policy, waived),
        waivers=waivers_made(decision, recorded, findings, waived.dataset),
    )


def record(
    graph: PregelProtocol[Any, Any, Any, Any],
    config: RunnableConfig,
    request: DecisionRequest,
    clock: Clock = system_clock,
    *,
    second_approver: bool | None = None,
) -> Decision:
    """Record a decision on a review that waits; it goes on when the graph is next invoked with None.

    Args:
        graph: The compiled review graph or a parent of it.
        config: The review's thread, as `pending` gives it.
        request: What is decided.
        clock: Gives the present time.
        second_approver: Whether what makes a review pass that needs a human needs a second person; as the settings
            say (`REVIEW_GRAPH_SECOND_APPROVER`) when not given.

    Raises:
        GateError: The decision is refused; nothing was written.
        GraphVersionError: The review was paused under another version of the graph.
    """
    config = _address(config)
    snapshot = graph.get_state(config)
    _must_wait(snapshot)
    two = Settings.from_environment().second_approver if second_approver is None else second_approver
    decision = considered(snapshot, request, clock(), second_approver=two).decision
    take_up(graph, config, [decision])
    return decision


def take_up(
    graph: PregelProtocol[Any, Any, Any, Any],
    config: RunnableConfig,
    decisions: Sequence[Decision] = (),
    changes: Mapping[str, Any] | None = None,
) -> None:
    """Write decisions into a review that waits, with the severity that follows from them.

    It is written as the triage node, so that the road is chosen again.

    Args:
        graph: The compiled review graph or a parent of it.
        config: The review's thread.
        decisions: Decisions that are recorded.
        changes: Further channels to write along.
    """
    config = _address(config)
    values = graph.get_state(config).values
    together = {**(values.get("decisions") or {}), **decision_values(*decisions)["decisions"]}
    judged = triage_of({**values, **(changes or {}), "decisions": together})
    written = {"decisions": together} | dict(changes or {}) | triage_values(judged)
    graph.update_state(config, written, as_node="triage")


def taken_over(snapshot: StateSnapshot, folder: Callable[[str], str | None]) -> dict[str, Any]:
    """Return the channels to write, with `take_up`, to take over a review of another version of the graph.

    Args:
        snapshot: State of the review's thread.
        folder: Says where the files of a review go, for one that does not know.

    Raises:
        GraphVersionError: It does not hold what this version needs.
        DecisionNotAllowed: It does not wait, or needs no taking over.
    """
    values = snapshot.values
    if not snapshot.next or values.get("graph_version") == GRAPH_VERSION:
        raise DecisionNotAllowed("the review needs no taking over: it ended, or is of this version already")
    judged = {str(key).partition(".")[0] for key in values.get("verdicts") or {}}
    if not judged >= set(families()) or not {"dataset", "spec", "review_id", "today"} <= set(values):
        raise GraphVersionError(
            "the review had not come to its triage and cannot be taken over: run the dataset again with --fresh"
        )
    changes: dict[str, Any] = {"graph_version": GRAPH_VERSION}
    if "folder" not in values:
        changes["folder"] = folder(values["review_id"])
    try:
        review_of({**values, **changes, "severity": Severity.MAJOR.value}, Status.PAUSED)
        spec_of(values)
        dt.date.fromisoformat(values["today"])
    except MALFORMED as error:
        raise GraphVersionError(
            f"the review does not hold what this version needs ({type(error).__name__}: {visible(str(error))}) and "
            "cannot be taken over: run the dataset again with --fresh"
        ) from error
    return changes


def _address(config: RunnableConfig) -> RunnableConfig:
    """The thread and its place in a parent, always at its latest checkpoint.

    A checkpoint id would make LangGraph fork an old state, and with it lose a decision made since.
    """
    whole = config["configurable"]
    return {"configurable": {name: whole[name] for name in ("thread_id", "checkpoint_ns") if name in whole}}


def _must_wait(snapshot: StateSnapshot) -> None:
    status = status_of(snapshot)
    decisions = decisions_of(snapshot.values)
    if status is Status.PAUSED:
        demand_version(snapshot.values)
        return
    if decisions:
        settled = settling(decisions)
        raise DecisionConflict(f"the review is {status.value} already: {describe([settled])}", settled)
    raise DecisionNotAllowed(f"the review is {status.value} and not paused: there is nothing to decide")


def _with_subgraphs(snapshot: StateSnapshot) -> Iterator[StateSnapshot]:
    yield snapshot
    for task in snapshot.tasks:
        if isinstance(task.state, StateSnapshot):
            yield from _with_subgraphs(task.state)
