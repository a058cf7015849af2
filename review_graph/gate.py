"""The human gate: finding the reviews that wait in a graph, and recording a decision on one.

It works on the compiled review graph and on any parent graph that holds it as a node.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langgraph.types import StateSnapshot

from review_graph.core.deciding import decide, describe, is_confirmed
from review_graph.core.triage import triage
from review_graph.errors import DecisionConflict, DecisionNotAllowed
from review_graph.graph import PAUSE_BEFORE
from review_graph.nodes import demand_version
from review_graph.ports import Clock
from review_graph.state import (
    decision_values,
    decisions_of,
    findings_of,
    policy_of,
    review_of,
    triage_of,
    triage_values,
)
from review_graph.vocabulary import Decision, DecisionRequest, Review, Status

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


def record(
    graph: PregelProtocol[Any, Any, Any, Any],
    config: RunnableConfig,
    request: DecisionRequest,
    clock: Clock = system_clock,
) -> Decision:
    """Record a decision on a review that waits; it goes on when the graph is next invoked with None.

    The decision is written as the triage node, together with the severity that follows from it, so that
    the road is chosen again.

    Args:
        graph: The compiled review graph or a parent of it.
        config: The review's thread, as `pending` gives it.
        request: What is decided.
        clock: Gives the present time.

    Raises:
        GateError: The decision is refused; nothing was written.
        GraphVersionError: The review was paused under another version of the graph.
    """
    config = _address(config)
    snapshot = graph.get_state(config)
    values = snapshot.values
    decisions = decisions_of(values)
    _must_wait(snapshot)
    findings = findings_of(values)
    decision = decide(
        request,
        findings=findings,
        decisions=decisions,
        triage=triage_of(values),
        policy=policy_of(values),
        at=clock().astimezone(dt.UTC).isoformat(timespec="seconds"),
    )
    judged = triage(findings, [*decisions, decision], policy_of(values))
    graph.update_state(config, decision_values(decision) | triage_values(judged), as_node="triage")
    return decision


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
        raise DecisionConflict(f"the review is {status.value} already: {describe(decisions)}")
    raise DecisionNotAllowed(f"the review is {status.value} and not paused: there is nothing to decide")


def _with_subgraphs(snapshot: StateSnapshot) -> Iterator[StateSnapshot]:
    yield snapshot
    for task in snapshot.tasks:
        if isinstance(task.state, StateSnapshot):
            yield from _with_subgraphs(task.state)
