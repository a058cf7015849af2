"""A review as a node of a parent, and somebody who writes into its thread: the parent never goes on with that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from review_graph import DecisionRequest, Pending, pending, record, review_node
from review_graph.errors import DecisionNotAllowed
from review_graph.vocabulary import Waiver
from tests.flow.things import KEY

Ask = Callable[..., DecisionRequest]
THREAD: Any = {"configurable": {"thread_id": "parent"}}


class Parent(TypedDict, total=False):
    """A pipeline that loads what was reviewed."""

    path: str
    review: dict[str, Any]
    loaded: str


@pytest.fixture
def parent(spec: dict[str, Any]) -> Any:
    graph: Any = StateGraph(Parent)
    graph.add_node("check", review_node(spec=spec))
    graph.add_node("load", lambda state: {"loaded": state["review"]["status"]})
    graph.add_edge(START, "check")
    graph.add_edge("check", "load")
    graph.add_edge("load", END)
    return graph.compile(checkpointer=InMemorySaver())


def waived(waiting: Pending) -> dict[str, Any]:
    waiver = Waiver(
        id="w-000000000000",
        dataset=waiting.review.dataset.name,
        code=KEY,
        author="Eve",
        reason="known",
        reason_code="expected",
        created_at="2026-01-01T00:00:00+00:00",
        expires_on="2099-12-31",
    )
    return {"waivers": {"on": "2026-01-02", "waivers": [waiver.to_plain()]}}


FORGED_END = {"review": {"status": "summarised", "needs_human": False, "id": "x"}}
FORGERIES: Mapping[str, tuple[str, Callable[[Pending], dict[str, Any]]]] = {
    "a summary": ("summarise", lambda _: FORGED_END),
    "an end": ("escalate", lambda _: {}),
    "waivers": ("triage", waived),
}


@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
@pytest.mark.parametrize(("node", "values"), FORGERIES.values(), ids=[*FORGERIES])
def test_what_was_written_into_the_child_does_not_reach_the_parent(
    parent: Any, table: Callable[..., Path], node: str, values: Callable[[Pending], dict[str, Any]], way: str
) -> None:
    parent.invoke({"path": str(table("major"))}, THREAD)
    (waiting,) = pending(parent, THREAD)
    parent.update_state(waiting.config, values(waiting), as_node=node)
    with pytest.raises(DecisionNotAllowed, match="written to from outside"):
        go_on(parent, way)
    assert "loaded" not in parent.get_state(THREAD).values


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
@pytest.mark.parametrize("way", ["invoke", "ainvoke"])
@pytest.mark.parametrize(("action", "status"), [("confirm", "escalated"), ("override", "summarised")])
def test_what_was_decided_reaches_the_parent(
    parent: Any, table: Callable[..., Path], ask: Ask, action: str, status: str, way: str, durability: str
) -> None:
    parent.invoke({"path": str(table("major"))}, THREAD, durability=durability)
    (waiting,) = pending(parent, THREAD)
    record(parent, waiting.config, ask(action))
    assert go_on(parent, way, durability=durability)["loaded"] == status


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
def test_what_needs_nobody_reaches_the_parent(parent: Any, table: Callable[..., Path], durability: str) -> None:
    assert parent.invoke({"path": str(table("clean"))}, THREAD, durability=durability)["loaded"] == "summarised"


def go_on(parent: Any, way: str, **more: Any) -> Any:
    if way == "invoke":
        return parent.invoke(None, THREAD, **more)
    return asyncio.run(parent.ainvoke(None, THREAD, **more))
