"""The drawing of the graph, its channels and its version are a promise to every review that is paused."""

from __future__ import annotations

from pathlib import Path

from langgraph.checkpoint.memory import MemorySaver

from review_graph import build_graph
from review_graph.nodes import GRAPH_VERSION
from review_graph.state import ReviewInput, ReviewOutput, ReviewState

VERSION_OF_THIS_DRAWING = 2

EDGES = {
    ("__start__", "intake", False),
    ("intake", "structure", False),
    ("intake", "ranges", False),
    ("structure", "triage", False),
    ("ranges", "triage", False),
    ("triage", "summarise", True),
    ("triage", "escalate", True),
    ("summarise", "__end__", False),
    ("escalate", "__end__", False),
}

CHANNELS = {
    "review_request",
    "review",
    "graph_version",
    "review_id",
    "dataset",
    "spec",
    "folder",
    "today",
    "waivers",
    "previous",
    "findings",
    "verdicts",
    "decisions",
    "severity",
    "needs_human",
}


def test_drawing_changes_only_together_with_the_version() -> None:
    drawn = build_graph(checkpointer=MemorySaver()).get_graph()
    edges = {(edge.source, edge.target, edge.conditional) for edge in drawn.edges}
    assert (edges, GRAPH_VERSION) == (EDGES, VERSION_OF_THIS_DRAWING)


def test_readme_shows_the_drawing() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{build_graph().get_graph().draw_mermaid(with_styles=False)}```\n" in readme


def test_channels_change_only_together_with_the_version() -> None:
    channels = set(ReviewState.__required_keys__ | ReviewState.__optional_keys__)
    assert (channels, GRAPH_VERSION) == (CHANNELS, VERSION_OF_THIS_DRAWING)


def test_graph_pauses_before_escalate_and_nowhere_else() -> None:
    graph = build_graph(checkpointer=MemorySaver())
    assert (list(graph.interrupt_before_nodes), list(graph.interrupt_after_nodes)) == (["escalate"], [])


def test_graph_shares_two_keys_with_a_parent_and_no_other() -> None:
    assert set(ReviewInput.__annotations__) == {"review_request"}
    assert set(ReviewOutput.__annotations__) == {"review"}
