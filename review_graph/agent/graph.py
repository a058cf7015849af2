"""An investigation as a LangGraph state graph: wiring only.

::

    START → look_up → gate ─┬→ think ─┬→ act ⇄ pause → approve      (one call a step; paused in front of a person)
                            │    ↑    └→ check ─┐
                            │    └──────────────┤
                            └→ decline ─────────┴→ finish → END

Whatever sets a status goes to `finish`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from langgraph.graph import END, START, StateGraph

from review_graph.agent.acting import Acting, is_undecided
from review_graph.agent.calling import next_call
from review_graph.agent.checking import Checking
from review_graph.agent.context import RunContext
from review_graph.agent.state import InvestigationState
from review_graph.agent.thinking import Thinking

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph


def compile_investigation(
    context: RunContext, checkpointer: BaseCheckpointSaver[str]
) -> CompiledStateGraph[InvestigationState, None, InvestigationState, InvestigationState]:
    """Return the graph of the drawing for one run."""
    thinking, acting, checking = Thinking(context), Acting(context), Checking(context)

    def after_gate(state: InvestigationState) -> str:
        return "finish" if "status" in state else "think" if state["admitted"] else "decline"

    def next_act(state: InvestigationState, otherwise: str) -> str:
        call = next_call(state)
        if "status" in state or call is None:
            return "finish" if "status" in state else otherwise
        waits = context.toolbox.needs_approval(call.name) and call.arguments is not None and is_undecided(state)
        return "pause" if waits else "act"

    def after_think(state: InvestigationState) -> str:
        return next_act(state, "check")

    def after_act(state: InvestigationState) -> str:
        return next_act(state, "think")

    graph = StateGraph(InvestigationState)
    graph.add_node("look_up", thinking.look_up)
    graph.add_node("gate", thinking.gate)
    graph.add_node("decline", thinking.decline)
    graph.add_node("think", thinking.think)
    graph.add_node("act", acting.act)
    graph.add_node("pause", acting.pause)
    graph.add_node("approve", acting.approve)
    graph.add_node("check", checking.check)
    graph.add_node("finish", checking.finish)
    graph.add_edge(START, "look_up")
    graph.add_conditional_edges("look_up", lambda state: "finish" if "status" in state else "gate", ["finish", "gate"])
    graph.add_conditional_edges("gate", after_gate, ["finish", "think", "decline"])
    graph.add_edge("decline", "finish")
    graph.add_conditional_edges("think", after_think, ["finish", "act", "pause", "check"])
    graph.add_conditional_edges("act", after_act, ["finish", "think", "act", "pause"])
    graph.add_edge("pause", "approve")
    graph.add_edge("approve", "act")
    graph.add_conditional_edges("check", lambda state: "finish" if "status" in state else "think", ["finish", "think"])
    graph.add_edge("finish", END)
    return graph.compile(checkpointer=checkpointer, name="investigation")
