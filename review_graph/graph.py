"""The review as a LangGraph state graph: wiring only.

::

    START → intake → ┬─ structure ─┬→ triage ──► summarise → END
                     └─ ranges ────┘        └──► escalate  → END      (paused before escalate)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from langgraph.graph import END, START, StateGraph

from review_graph.nodes import Nodes, choose_road
from review_graph.state import ReviewInput, ReviewOutput, ReviewState
from review_graph.vocabulary import Route

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

PAUSE_BEFORE = "escalate"


def wire(nodes: Nodes) -> StateGraph[ReviewState, None, ReviewInput, ReviewOutput]:
    """Return the graph of the drawing, not compiled."""
    graph = StateGraph(ReviewState, input_schema=ReviewInput, output_schema=ReviewOutput)
    graph.add_node("intake", nodes.intake)
    graph.add_node("structure", nodes.structure)
    graph.add_node("ranges", nodes.ranges)
    graph.add_node("triage", nodes.triage)
    graph.add_node("summarise", nodes.summarise)
    graph.add_node("escalate", nodes.escalate)
    graph.add_edge(START, "intake")
    graph.add_edge("intake", "structure")
    graph.add_edge("intake", "ranges")
    # One edge from both: triage waits for the slower one, and runs once.
    graph.add_edge(["structure", "ranges"], "triage")
    graph.add_conditional_edges("triage", choose_road, {road.value: road.value for road in Route})
    graph.add_edge("summarise", END)
    graph.add_edge("escalate", END)
    return graph


def compile_graph(
    nodes: Nodes, checkpointer: BaseCheckpointSaver[str] | None
) -> CompiledStateGraph[ReviewState, None, ReviewInput, ReviewOutput]:
    """Compile with the pause in front of a human.

    Without a checkpointer of its own the graph is a subgraph and inherits its parent's.
    """
    return wire(nodes).compile(checkpointer=checkpointer, interrupt_before=[PAUSE_BEFORE], name="review")
