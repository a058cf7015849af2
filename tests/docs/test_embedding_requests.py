"""What `review_node` is asked to review: paths, requests, specs, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import pytest
import yaml
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from checks import read_spec
from review_graph import build_graph, pending, review_node
from review_graph.errors import InputError, SetupError

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

Graph = Any
MakeTable = Callable[..., Path]

THREAD: RunnableConfig = {"configurable": {"thread_id": "parent"}}


class Delivery(TypedDict, total=False):
    """A pipeline of nothing but a review."""

    dataset_path: Any
    outcome: dict[str, Any]


def one(saver: InMemorySaver | None, node: Any) -> Graph:
    graph: Graph = StateGraph(Delivery)
    graph.add_node("review", node)
    graph.add_edge(START, "review")
    graph.add_edge("review", END)
    return graph.compile(checkpointer=saver)


@pytest.fixture
def parent(spec: dict[str, Any]) -> Graph:
    return one(InMemorySaver(), review_node(path="dataset_path", into="outcome", spec=spec))


@pytest.mark.parametrize("form", ["plain data", "file", "name of a file", "spec"])
def test_spec_is_given_in_any_form(tmp_path: Path, table: MakeTable, spec: dict[str, Any], form: str) -> None:
    path = tmp_path / "subjects.yaml"
    path.write_text(yaml.safe_dump(spec), encoding="utf-8")
    forms: dict[str, Any] = {
        "plain data": spec,
        "file": path,
        "name of a file": str(path),
        "spec": read_spec(path).spec,
    }
    parent = one(InMemorySaver(), review_node(path="dataset_path", into="outcome", spec=forms[form]))
    values = parent.invoke({"dataset_path": table("minor")}, THREAD)
    assert (values["outcome"]["spec"], len(values["outcome"]["findings"])) == ("subjects", 1)


def test_what_the_state_says_of_a_dataset_goes_before_what_the_node_was_given(
    parent: Graph, table: MakeTable, spec: dict[str, Any]
) -> None:
    request = {"path": str(table("minor")), "name": "march", "spec": spec | {"name": "lenient", "fields": []}}
    outcome = parent.invoke({"dataset_path": request}, THREAD)["outcome"]
    assert (outcome["dataset"]["name"], outcome["spec"], outcome["findings"]) == ("march", "lenient", [])


@pytest.mark.parametrize("given", ["to the node", "in the state"])
def test_other_datasets_to_which_the_spec_refers_are_handed_on(
    table: MakeTable, spec: dict[str, Any], given: str
) -> None:
    key = {"fields": ["ID"], "reference": {"resource": "dm", "fields": ["ID"]}}
    linked, dm = spec | {"foreignKeys": [key]}, table("clean", "dm", ID=["S-1", "S-2", "S-9"])
    to_node = {"dm": dm} if given == "to the node" else None
    in_state = {"references": {"dm": str(dm)}} if given == "in the state" else {}
    node = review_node(path="dataset_path", into="outcome", spec=linked, references=to_node)
    parent = one(InMemorySaver(), node)
    parent.invoke({"dataset_path": {"path": str(table("clean")), **in_state}}, THREAD)
    (waiting,) = pending(parent, THREAD)
    assert [item.finding.code for item in waiting.review.findings] == ["structure.foreign_key"]


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({}, "path of a dataset under 'dataset_path'; found nothing"),
        ({"dataset_path": 3}, "under 'dataset_path'; found int"),
        ({"dataset_path": ["a.csv"]}, "under 'dataset_path'; found list"),
        ({"dataset_path": {"pth": "a.csv"}}, "needs a path"),
        ({"dataset_path": "/nowhere/a.csv"}, "cannot be read"),
    ],
    ids=["nothing", "number", "list", "misspelt key", "no such file"],
)
def test_state_that_names_no_dataset_is_refused_in_one_line(parent: Graph, state: Delivery, says: str) -> None:
    with pytest.raises(InputError, match=says) as refusal:
        parent.invoke(state, THREAD)
    assert "\n" not in str(refusal.value)


def test_parent_that_cannot_pause_does_not_start(table: MakeTable, spec: dict[str, Any]) -> None:
    parent = one(None, review_node(path="dataset_path", into="outcome", spec=spec))
    with pytest.raises(SetupError, match="checkpointer"):
        parent.invoke({"dataset_path": str(table("clean"))})


def test_the_graph_says_in_json_schema_what_it_takes_and_gives() -> None:
    """LangGraph's server and its Studio ask for it."""
    graph = build_graph()
    assert list(graph.get_input_jsonschema()["properties"]) == ["review_request"]
    assert list(graph.get_output_jsonschema()["properties"]) == ["review"]
