"""The gate cannot be gone round: whoever has the graph in hand still needs a recorded decision."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from langgraph.types import Command

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status, build, build_graph, pending, record
from review_graph.adapters.checkpoints import SqliteCheckpoints
from review_graph.errors import DecisionConflict, DecisionNotAllowed

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

Ask = Callable[..., DecisionRequest]
Graph = Any


@pytest.fixture
def paused(service: ReviewService, table: Callable[..., Path], spec: dict[str, Any]) -> Review:
    return service.start(table("major"), spec)


@pytest.fixture
def graph(settings: Settings, clock: Callable[[], dt.datetime]) -> Graph:
    """The same graph on the same database, in the hands of somebody with a Python prompt."""
    return build_graph(checkpointer=SqliteCheckpoints(settings.db_path), clock=clock)


@pytest.fixture
def thread(paused: Review) -> RunnableConfig:
    return {"configurable": {"thread_id": paused.id}}


def go_on(graph: Graph, thread: RunnableConfig) -> None:
    graph.invoke(None, thread)


def lower(graph: Graph, thread: RunnableConfig) -> None:
    graph.update_state(thread, {"severity": "minor", "needs_human": False}, as_node="triage")
    graph.invoke(None, thread)


def empty(graph: Graph, thread: RunnableConfig) -> None:
    graph.update_state(thread, {"findings": {}, "severity": "none", "needs_human": False}, as_node="triage")
    graph.invoke(None, thread)


def goto_summarise(graph: Graph, thread: RunnableConfig) -> None:
    graph.invoke(Command(goto="summarise"), thread)


def goto_escalate(graph: Graph, thread: RunnableConfig) -> None:
    graph.invoke(Command(goto="escalate"), thread)


def test_summary_of_a_major_review_is_refused_even_when_its_road_was_cut(
    graph: Graph, thread: RunnableConfig, settings: Settings
) -> None:
    graph.update_state(thread, {}, as_node="escalate")
    with pytest.raises(DecisionNotAllowed, match="major"):
        graph.invoke(Command(goto="summarise"), thread)
    review = build(settings).get(thread["configurable"]["thread_id"])
    assert (review.status.is_final, review.report) == (False, None)


@pytest.mark.parametrize("act", [go_on, lower, empty, goto_summarise, goto_escalate])
def test_going_on_without_a_decision_is_refused_and_the_review_still_waits(
    graph: Graph,
    thread: RunnableConfig,
    settings: Settings,
    ask: Ask,
    act: Callable[[Graph, RunnableConfig], None],
) -> None:
    with pytest.raises(DecisionNotAllowed):
        act(graph, thread)
    identity = thread["configurable"]["thread_id"]
    service = build(settings)
    review = service.get(identity)
    assert (review.status, review.triage.severity.value, review.report) == (Status.PAUSED, "major", None)
    assert service.resume(identity).status is Status.PAUSED
    decided = service.decide(identity, ask("confirm"))
    assert (decided.status, len(decided.decisions)) == (Status.ESCALATED, 1)


def as_node(node: str, values: dict[str, Any]) -> Callable[[Graph, RunnableConfig], None]:
    def act(graph: Graph, thread: RunnableConfig) -> None:
        graph.update_state(thread, values, as_node=node)

    return act


FORGED_END = {"review": {"status": "summarised", "report": "/tmp/forged.md"}}  # noqa: S108 - never written
FORGED_ESCALATION = {"review": {"status": "escalated"}}


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(as_node("escalate", {}), id="as if escalate had run"),
        pytest.param(as_node("summarise", {}), id="as if summarise had run"),
        pytest.param(as_node("structure", {}), id="as if structure had run"),
        pytest.param(as_node("ranges", {}), id="as if ranges had run"),
        pytest.param(as_node("intake", {}), id="as if intake had run"),
        pytest.param(as_node("summarise", FORGED_END), id="with a forged summary"),
        pytest.param(as_node("escalate", FORGED_ESCALATION), id="with a forged escalation"),
    ],
)
def test_state_written_past_the_gate_never_ends_a_review(
    graph: Graph,
    thread: RunnableConfig,
    settings: Settings,
    act: Callable[[Graph, RunnableConfig], None],
) -> None:
    act(graph, thread)
    identity = thread["configurable"]["thread_id"]
    service = build(settings)
    assert not service.get(identity).status.is_final
    review = service.resume(identity)
    assert (review.status.is_final, review.triage.needs_human) == (False, True)


@pytest.mark.parametrize("node", ["escalate", "summarise", "structure", "ranges"])
def test_review_whose_road_was_cut_is_not_said_to_be_running(
    graph: Graph, thread: RunnableConfig, settings: Settings, node: str
) -> None:
    as_node(node, {})(graph, thread)
    review = build(settings).resume(thread["configurable"]["thread_id"])
    assert review.status in (Status.PAUSED, Status.FAILED)  # either mended, or a person is told


def test_second_decision_on_the_same_pending_review_is_a_conflict(
    graph: Graph, thread: RunnableConfig, clock: Callable[[], dt.datetime], ask: Ask
) -> None:
    (seen,) = pending(graph, thread)
    record(graph, seen.config, ask("confirm"), clock)
    with pytest.raises(DecisionConflict, match="Ada recorded confirm"):
        record(graph, seen.config, ask("override", by="Bob"), clock)
    assert graph.invoke(None, thread)["review"]["status"] == "escalated"


def test_ended_review_is_not_decided_by_what_was_seen_before_the_end(
    graph: Graph, thread: RunnableConfig, clock: Callable[[], dt.datetime], settings: Settings, ask: Ask
) -> None:
    (seen,) = pending(graph, thread)
    identity = thread["configurable"]["thread_id"]
    ended = build(settings).decide(identity, ask("confirm"))
    with pytest.raises(DecisionConflict, match="Ada recorded confirm"):
        record(graph, seen.config, ask("override", by="Bob"), clock)
    assert build(settings).get(identity) == ended
