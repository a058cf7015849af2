"""The lookup of what a question names, before the model sees it."""

from __future__ import annotations

from typing import Any

from review_graph.agent.acting import kept_step, step_of
from review_graph.agent.context import PARAMETERS, RunContext
from review_graph.agent.state import InvestigationState
from review_graph.core.asking_about import asked_about
from review_graph.vocabulary import Citation, ModelCall


def looked_up(state: InvestigationState, context: RunContext) -> list[dict[str, Any]] | None:
    """Return the steps that looked up what the question names; None when it names something that is not there.

    Those that found nothing to tell are steps all the same.

    Raises:
        TimeoutError: The time of the run is up.
    """
    named = asked_about(state["question"], context.known(state))
    if named.missing:
        return None
    steps: list[dict[str, Any]] = []
    for call in dict.fromkeys(_lookup(item) for item in named.there):
        made = ModelCall(id="", name=call[0], arguments=dict(call[1:]))
        observation = context.call(state, made.name, made.arguments or {})
        steps.append(kept_step(step_of(0, made, observation), made, observation))
    return steps


def _lookup(item: Citation) -> tuple[Any, ...]:
    """The tool that knows about something that is named, and its argument."""
    if item.kind == "finding":
        return ("finding_detail", ("finding", item.name))
    return (PARAMETERS if item.kind == "parameter" else "list_columns",)
