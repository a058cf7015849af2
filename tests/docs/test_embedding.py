"""R10: `review_node`, the review under the parent's own keys."""

from __future__ import annotations

import asyncio
import datetime as dt
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from pydantic import BaseModel

from review_graph import DecisionRequest, Status, pending, record, review_node
from review_graph.adapters.checkpoints import SqliteCheckpoints
from review_graph.errors import InputError

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

Ask = Callable[..., DecisionRequest]
Clock = Callable[[], dt.datetime]
Graph = Any
Saver = Any
MakeTable = Callable[..., Path]

THREAD: RunnableConfig = {"configurable": {"thread_id": "parent"}}


class Delivery(TypedDict, total=False):
    """A pipeline with keys of its own; some are called as ours are inside."""

    dataset_path: Any
    outcome: dict[str, Any]
    findings: Annotated[list[str], operator.add]
    decisions: Annotated[list[str], operator.add]


def prepare(_state: Delivery) -> Delivery:
    return {"findings": ["parent's"], "decisions": ["parent's"]}


def publish(state: Delivery) -> Delivery:
    return {"findings": [f"published {state['outcome']['status']}"]}


def one(saver: Saver, node: Any, schema: type = Delivery) -> Graph:
    graph: Graph = StateGraph(schema)
    graph.add_node("prepare", prepare)
    graph.add_node("review", node)
    graph.add_node("publish", publish)
    graph.add_edge(START, "prepare")
    graph.add_edge("prepare", "review")
    graph.add_edge("review", "publish")
    graph.add_edge("publish", END)
    return graph.compile(checkpointer=saver)


@pytest.fixture(params=["memory", "sqlite"])
def saver(request: pytest.FixtureRequest, tmp_path: Path) -> Saver:
    return InMemorySaver() if request.param == "memory" else SqliteCheckpoints(tmp_path / "parent.sqlite")


@pytest.fixture
def parent(saver: Saver, spec: dict[str, Any]) -> Graph:
    return one(saver, review_node(path="dataset_path", into="outcome", spec=spec))


def test_clean_dataset_goes_through_under_the_keys_of_the_parent(parent: Graph, table: MakeTable) -> None:
    path = str(table("clean"))
    values = parent.invoke({"dataset_path": path}, THREAD)
    assert set(values) == {"dataset_path", "outcome", "findings", "decisions"}
    assert (values["dataset_path"], values["outcome"]["dataset"]["uri"]) == (path, path)
    assert (values["outcome"]["status"], values["outcome"]["severity"]) == ("summarised", "none")
    assert (values["findings"], values["decisions"]) == (["parent's", "published summarised"], ["parent's"])
    assert pending(parent, THREAD) == ()


@pytest.mark.parametrize(("action", "status"), [("confirm", "escalated"), ("override", "summarised")])
def test_pause_is_seen_and_answered_from_the_parent(
    parent: Graph, table: MakeTable, ask: Ask, clock: Clock, action: str, status: str
) -> None:
    values = parent.invoke({"dataset_path": str(table("major"))}, THREAD)
    assert "outcome" not in values
    assert parent.get_state(THREAD).next == ("review",)
    (waiting,) = pending(parent, THREAD)
    assert (waiting.review.status, waiting.review.dataset.name) == (Status.PAUSED, "major")
    record(parent, waiting.config, ask(action), clock)
    values = parent.invoke(None, THREAD)
    assert values["outcome"]["status"] == status
    assert [decision["by"] for decision in values["outcome"]["decisions"]] == ["Ada"]
    assert (values["findings"], values["decisions"]) == (["parent's", f"published {status}"], ["parent's"])
    assert (parent.get_state(THREAD).next, pending(parent, THREAD)) == ((), ())


def test_going_on_without_a_decision_pauses_again(parent: Graph, table: MakeTable, ask: Ask, clock: Clock) -> None:
    parent.invoke({"dataset_path": str(table("major"))}, THREAD)
    for _ in range(3):
        assert "outcome" not in parent.invoke(None, THREAD)
        assert parent.get_state(THREAD).next == ("review",)
    (waiting,) = pending(parent, THREAD)
    record(parent, waiting.config, ask("confirm"), clock)
    assert parent.invoke(None, THREAD)["findings"] == ["parent's", "published escalated"]


def test_decision_that_leaves_it_major_keeps_it_waiting(
    saver: Saver, table: MakeTable, spec: dict[str, Any], ask: Ask, clock: Clock
) -> None:
    parent = one(saver, review_node(path="dataset_path", into="outcome", spec=spec | {"policy": {"majorAt": 2}}))
    parent.invoke({"dataset_path": str(table("three-minor"))}, THREAD)
    for left in (2, 1):
        (waiting,) = pending(parent, THREAD)
        record(parent, waiting.config, ask("dismiss", findings=(waiting.review.open_findings[0].id,)), clock)
        values = parent.invoke(None, THREAD)
        assert ("outcome" in values) == (left == 1)
    assert (values["outcome"]["status"], values["outcome"]["severity"]) == ("summarised", "minor")


class Batch(TypedDict, total=False):
    """A pipeline over several datasets."""

    paths: list[str]
    reviews: Annotated[list[dict[str, Any]], operator.add]


def fan_out(state: Batch) -> list[Send]:
    return [Send("review", {"path": path}) for path in state["paths"]]


def several(saver: Saver, spec: dict[str, Any], out: Path | None = None) -> Graph:
    graph: Graph = StateGraph(Batch)
    graph.add_node("review", review_node(into="reviews", append=True, spec=spec, out=out))
    graph.add_conditional_edges(START, fan_out, ["review"])
    graph.add_edge("review", END)
    return graph.compile(checkpointer=saver)


@pytest.mark.parametrize("first", ["one", "two"])
def test_each_of_several_is_answered_by_its_id_and_the_others_go_on_waiting(
    tmp_path: Path, table: MakeTable, spec: dict[str, Any], ask: Ask, clock: Clock, first: str
) -> None:
    def pipeline() -> Graph:
        """The pipeline as another process has it: with nothing but the database."""
        return several(SqliteCheckpoints(tmp_path / "parent.sqlite"), spec, tmp_path / "out")

    paths = [str(table("major", "one")), str(table("clean")), str(table("major", "two", A=[1, 2, 44]))]
    assert len(pipeline().invoke({"paths": paths}, THREAD)["reviews"]) == 1
    ids = {item.review.dataset.name: item.review.id for item in pending(pipeline(), THREAD)}
    assert set(ids) == {"one", "two"}
    (second,) = set(ids) - {first}

    answered = pipeline()
    waiting = {item.review.id: item for item in pending(answered, THREAD)}
    record(answered, waiting[ids[first]].config, ask("confirm"), clock)
    done = {review["dataset"]["name"]: review["status"] for review in answered.invoke(None, THREAD)["reviews"]}
    assert done == {first: "escalated", "clean": "summarised"}
    report = tmp_path / "out" / str(ids[first]) / "report.md"
    written_at = report.stat().st_mtime_ns

    answered = pipeline()
    (left,) = pending(answered, THREAD)
    assert left.review.id == ids[second]
    record(answered, left.config, ask("override", by="Bob"), clock)
    values = answered.invoke(None, THREAD)
    assert [(review["dataset"]["name"], review["status"]) for review in values["reviews"]] == [
        ("one", "escalated" if first == "one" else "summarised"),
        ("clean", "summarised"),
        ("two", "escalated" if first == "two" else "summarised"),
    ]
    assert [made["by"] for review in values["reviews"] for made in review["decisions"]] == (
        ["Ada", "Bob"] if first == "one" else ["Bob", "Ada"]
    )
    assert report.stat().st_mtime_ns == written_at
    assert answered.get_state(THREAD).next == ()


def test_dataset_that_cannot_be_read_is_mended_and_the_others_are_not_done_again(
    tmp_path: Path, table: MakeTable, spec: dict[str, Any], ask: Ask, clock: Clock
) -> None:
    parent = several(InMemorySaver(), spec, tmp_path / "out")
    paths = [str(table("major")), str(table("clean")), str(tmp_path / "late.parquet")]
    with pytest.raises(InputError, match="late"):
        parent.invoke({"paths": paths}, THREAD)
    (waiting,) = pending(parent, THREAD)
    (tmp_path / "clean.parquet").unlink()
    table("minor", "late")
    assert [review["dataset"]["name"] for review in parent.invoke(None, THREAD)["reviews"]] == ["clean", "late"]
    record(parent, waiting.config, ask("confirm"), clock)
    reviews = parent.invoke(None, THREAD)["reviews"]
    assert [review["status"] for review in reviews] == ["escalated", "summarised", "summarised"]


def test_the_same_dataset_twice_is_two_reviews(
    saver: Saver, table: MakeTable, spec: dict[str, Any], ask: Ask, clock: Clock
) -> None:
    parent = several(saver, spec)
    parent.invoke({"paths": [str(table("major"))] * 2}, THREAD)
    first, second = pending(parent, THREAD)
    assert first.review.id == second.review.id
    assert first.config != second.config
    record(parent, first.config, ask("confirm"), clock)
    (left,) = pending(parent, THREAD)
    record(parent, left.config, ask("override"), clock)
    assert [review["status"] for review in parent.invoke(None, THREAD)["reviews"]] == ["escalated", "summarised"]


def test_pause_is_answered_through_a_parent_of_the_parent(
    saver: Saver, table: MakeTable, spec: dict[str, Any], ask: Ask, clock: Clock
) -> None:
    inner = one(None, review_node(path="dataset_path", into="outcome", spec=spec))
    outer: Graph = StateGraph(Delivery)
    outer.add_node("deliver", inner)
    outer.add_edge(START, "deliver")
    graph = outer.compile(checkpointer=saver)
    graph.invoke({"dataset_path": str(table("major"))}, THREAD)
    assert "outcome" not in graph.invoke(None, THREAD)
    (waiting,) = pending(graph, THREAD)
    record(graph, waiting.config, ask("confirm"), clock)
    assert graph.invoke(None, THREAD)["outcome"]["status"] == "escalated"


def test_async_parent_pauses_keeps_waiting_and_goes_on(
    tmp_path: Path, table: MakeTable, spec: dict[str, Any], ask: Ask, clock: Clock
) -> None:
    async def deliver() -> list[Any]:
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "async.sqlite")) as saver:
            graph = several(saver, spec)
            seen = [await graph.ainvoke({"paths": [str(table("major"))]}, THREAD), await graph.ainvoke(None, THREAD)]
            (waiting,) = await asyncio.to_thread(pending, graph, THREAD)
            await asyncio.to_thread(record, graph, waiting.config, ask("confirm"), clock)
            return [*seen, await graph.ainvoke(None, THREAD)]

    *before, after = asyncio.run(deliver())
    assert [values["reviews"] for values in before] == [[], []]
    assert [review["status"] for review in after["reviews"]] == ["escalated"]


class Model(BaseModel):
    """State as a pydantic model."""

    dataset_path: str
    outcome: dict[str, Any] | None = None


@dataclass
class Record:
    """State as a dataclass."""

    dataset_path: str
    outcome: dict[str, Any] = field(default_factory=dict)


@pytest.mark.parametrize("schema", [Model, Record])
def test_state_may_be_a_model_or_a_dataclass(table: MakeTable, spec: dict[str, Any], schema: type) -> None:
    graph: Graph = StateGraph(schema)
    graph.add_node("review", review_node(path="dataset_path", into="outcome", spec=spec))
    graph.add_edge(START, "review")
    values = graph.compile(checkpointer=InMemorySaver()).invoke({"dataset_path": str(table("minor"))}, THREAD)
    assert values["outcome"]["severity"] == "minor"
