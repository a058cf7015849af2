"""The review graph for LangGraph's own server: what `langgraph.json` names."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from review_graph.bootstrap import build_graph
from review_graph.settings import Settings

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from review_graph.state import ReviewInput, ReviewOutput, ReviewState


@cache
def graph() -> CompiledStateGraph[ReviewState, None, ReviewInput, ReviewOutput]:
    """Return the review graph without a checkpointer: the server brings its own.

    Files of reviews go where the settings say.

    Raises:
        SetupError: The settings name no folder that can be used.
    """
    return build_graph(out=Settings.from_environment().out_path)
