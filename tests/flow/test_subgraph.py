"""R10: the review graph as a node of a larger one."""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from review_graph import DecisionRequest, Status, build_graph, pending, record
from review_graph.adapters.checkpoints import SqliteCheckpoints
from review_graph.errors import DecisionConflict, DecisionNotAllowed, SetupError

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

Ask = Callable[..., DecisionRequest]
Clock = Callable[[], dt.datetime]
Graph = Any
Saver = Any

THREAD: RunnableConfig = {"configurable": {"thread_id": "parent"}}


class Parent(TypedDict, total=False):
    """A pipeline with keys of its own that are called as ours are inside."""

    review_request: dict[str, Any]
    review: dict[str, Any]
    findings: Annotated[list[str], operator.add]
    decisions: Annotated[list[str], operator.add]
    dataset: str
    report: str
    severity: str


def load(_state: Parent) -> Parent:
    return {"findings": ["parent's"], "decisions": ["parent's"], "dataset": "d", "report": "r", "severity": "s"}


def publish(state: Parent) -> Parent:
    return {"findings": [f"published {state['review']['status']}"]}


@pytest.fixture(params=["memory", "sqlite"])
def saver(request: pytest.FixtureRequest, tmp_path: Path) -> Saver:
    return InMemorySaver() if request.param == "memory" else SqliteCheckpoints(tmp_path / "parent.sqlite")


def compiled(saver: Saver, clock: Clock, out: Path | None = None) -> Graph:
    graph: Graph = StateGraph(Parent)
    graph.add_node("load", load)
    graph.add_node("check", build_graph(clock=clock, out=out))
    graph.add_node("publish", publish)
    graph.add_edge(START, "load")
    graph.add_edge("load", "check")
    graph.add_edge("check", "publish")
    graph.add_edge("publish", END)
    return graph.compile(checkpointer=saver)


@pytest.fixture
def parent(saver: Saver, clock: Clock) -> Graph:
    return compiled(saver, clock)


def request_for(path: Path, spec: dict[str, Any]) -> dict[str, Any]:
    return {"review_request": {"path": str(path), "spec": spec}}


def own_keys(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in ("review", "review_request")}


UNTOUCHED = {"decisions": ["parent's"], "dataset": "d", "report": "r", "severity": "s"}


def test_clean_dataset_goes_straight_through(parent: Graph, table: Callable[..., Path], spec: dict[str, Any]) -> None:
    values = parent.invoke(request_for(table("clean"), spec), THREAD)
    assert (values["review"]["status"], values["review"]["severity"]) == ("summarised", "none")
    assert values["review"]["text"] == "clean: no findings in 3 rows\n"
    assert own_keys(values) == {**UNTOUCHED, "findings": ["parent's", "published summarised"]}
    assert pending(parent, THREAD) == ()


@pytest.mark.parametrize(
    ("action", "status"),
    [("confirm", "escalated"), ("override", "summarised")],
)
def test_pause_is_seen_and_answered_from_the_parent(
    parent: Graph, table: Callable[..., Path], spec: dict[str, Any], ask: Ask, clock: Clock, action: str, status: str
) -> None:
    values = parent.invoke(request_for(table("major"), spec), THREAD)
    assert "review" not in values
    (waiting,) = pending(parent, THREAD)
    assert (waiting.review.status, waiting.review.triage.severity.value) == (Status.PAUSED, "major")
    assert len(waiting.review.findings) == 2
    decision = record(parent, waiting.config, ask(action), clock)
    assert (decision.number, decision.by) == (1, "Ada")
    values = parent.invoke(None, THREAD)
    assert values["review"]["status"] == status
    assert [made["action"] for made in values["review"]["decisions"]] == [action]
    assert own_keys(values) == {**UNTOUCHED, "findings": ["parent's", f"published {status}"]}
    assert (parent.get_state(THREAD).next, pending(parent, THREAD)) == ((), ())


def test_going_on_without_a_decision_is_refused_and_the_review_still_waits(
    parent: Graph, table: Callable[..., Path], spec: dict[str, Any], ask: Ask, clock: Clock
) -> None:
    parent.invoke(request_for(table("major"), spec), THREAD)
    for _ in range(2):
        with pytest.raises(DecisionNotAllowed):
            parent.invoke(None, THREAD)
    (waiting,) = pending(parent, THREAD)
    record(parent, waiting.config, ask("confirm"), clock)
    assert parent.invoke(None, THREAD)["review"]["status"] == "escalated"


def test_dismissing_one_of_several_still_waits_in_the_parent(
    parent: Graph, table: Callable[..., Path], spec: dict[str, Any], ask: Ask, clock: Clock
) -> None:
    parent.invoke(request_for(table("three-minor"), spec | {"policy": {"majorAt": 2}}), THREAD)
    (waiting,) = pending(parent, THREAD)
    first, second, _ = (item.finding.id for item in waiting.review.findings)
    record(parent, waiting.config, ask("dismiss", findings=(first,)), clock)
    (waiting,) = pending(parent, THREAD)
    assert len(waiting.review.open_findings) == 2
    record(parent, waiting.config, ask("dismiss", findings=(second,)), clock)
    assert pending(parent, THREAD) == ()
    values = parent.invoke(None, THREAD)
    assert (values["review"]["status"], values["review"]["severity"]) == ("summarised", "minor")
    assert values["findings"] == ["parent's", "published summarised"]


def test_second_decision_in_a_parent_is_a_conflict_before_and_after_the_end(
    parent: Graph, table: Callable[..., Path], spec: dict[str, Any], ask: Ask, clock: Clock
) -> None:
    parent.invoke(request_for(table("major"), spec), THREAD)
    (waiting,) = pending(parent, THREAD)
    record(parent, waiting.config, ask("confirm"), clock)
    with pytest.raises(DecisionConflict, match="Ada recorded confirm"):
        record(parent, waiting.config, ask("override", by="Bob"), clock)
    assert parent.invoke(None, THREAD)["review"]["status"] == "escalated"
    with pytest.raises(DecisionConflict, match="Ada recorded confirm"):
        record(parent, waiting.config, ask("override", by="Bob"), clock)


def test_pause_outlives_the_parent_process(
    tmp_path: Path, table: Callable[..., Path], spec: dict[str, Any], ask: Ask, clock: Clock
) -> None:
    database = tmp_path / "parent.sqlite"
    begun = compiled(SqliteCheckpoints(database), clock, out=tmp_path / "out")
    begun.invoke(request_for(table("major"), spec), THREAD)
    (tmp_path / "major.parquet").unlink()
    later = compiled(SqliteCheckpoints(database), clock, out=tmp_path / "another")
    (waiting,) = pending(later, THREAD)
    record(later, waiting.config, ask("confirm"), clock)
    review = later.invoke(None, THREAD)["review"]
    assert review["status"] == "escalated"
    assert Path(review["queries"]).is_relative_to(tmp_path / "out")
    assert Path(review["report"]).read_text(encoding="utf-8") == review["text"]


def gather(left: list[Any] | None, right: Any) -> list[Any]:
    return [*(left or []), *(right if isinstance(right, list) else [right])]


class Fan(TypedDict, total=False):
    """A pipeline over several datasets."""

    paths: list[str]
    review: Annotated[list[dict[str, Any]], gather]


@pytest.mark.parametrize("first", [0, 1])
def test_two_datasets_at_once_are_each_decided_by_their_own_address(
    saver: Saver, table: Callable[..., Path], spec: dict[str, Any], ask: Ask, clock: Clock, first: int
) -> None:
    def fan_out(state: Fan) -> list[Send]:
        return [Send("check", request_for(Path(path), spec)) for path in state["paths"]]

    graph: Graph = StateGraph(Fan)
    graph.add_node("check", build_graph(clock=clock))
    graph.add_conditional_edges(START, fan_out, ["check"])
    graph.add_edge("check", END)
    parent = graph.compile(checkpointer=saver)

    paths = [str(table("major", name)) for name in ("one", "two")] + [str(table("clean"))]
    parent.invoke({"paths": paths}, THREAD)
    waiting = {item.review.dataset.name: item for item in pending(parent, THREAD)}
    assert set(waiting) == {"one", "two"}
    confirmed = ("one", "two")[first]
    (other,) = set(waiting) - {confirmed}

    record(parent, waiting[confirmed].config, ask("confirm"), clock)
    (left,) = pending(parent, THREAD)
    assert left.review.dataset.name == other
    record(parent, left.config, ask("override", by="Bob"), clock)

    reviews = {review["dataset"]["name"]: review for review in parent.invoke(None, THREAD)["review"]}
    assert {name: review["status"] for name, review in reviews.items()} == {
        confirmed: "escalated",
        other: "summarised",
        "clean": "summarised",
    }
    assert [decision["by"] for decision in reviews[confirmed]["decisions"]] == ["Ada"]
    assert [decision["by"] for decision in reviews[other]["decisions"]] == ["Bob"]
    assert parent.get_state(THREAD).next == ()


@pytest.mark.parametrize("kind", ["major", "clean"])
def test_graph_that_cannot_pause_does_not_start(table: Callable[..., Path], spec: dict[str, Any], kind: str) -> None:
    graph: Graph = build_graph()
    with pytest.raises(SetupError, match="checkpointer"):
        graph.invoke(request_for(table(kind), spec))


def test_parent_that_cannot_pause_does_not_start(
    table: Callable[..., Path], spec: dict[str, Any], clock: Clock
) -> None:
    with pytest.raises(SetupError, match="checkpointer"):
        compiled(None, clock).invoke(request_for(table("major"), spec))


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({}, "path"),
        ({"path": ""}, "path"),
        ({"path": 3}, "path"),
        ({"file": "x.csv"}, "path"),
        ({"path": "x.csv", "pth": "y"}, "unknown keys 'pth'"),
        ({"path": "/nowhere/x.csv"}, "cannot be read"),
    ],
    ids=["nothing", "empty path", "number for a path", "another key", "misspelt key", "no such file"],
)
def test_wrong_request_is_refused_in_one_line(request_: dict[str, Any], says: str) -> None:
    from review_graph.errors import InputError

    graph: Graph = build_graph(checkpointer=InMemorySaver())
    with pytest.raises(InputError, match=says) as refusal:
        graph.invoke({"review_request": request_}, THREAD)
    assert "\n" not in str(refusal.value)
