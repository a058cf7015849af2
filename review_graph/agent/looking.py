"""What a question or an answer may name, and the lookup of what a question names before the model sees it."""

from __future__ import annotations

from typing import Any

from review_graph.agent.acting import kept_step, step_of
from review_graph.core.asking_about import asked_about
from review_graph.tools.findings import visible_findings
from review_graph.tools.matter import Matter
from review_graph.tools.toolbox import Toolbox
from review_graph.vocabulary import Citation, ModelCall

_PARAMETERS = "list_parameters"


def known_names(matter: Matter, toolbox: Toolbox) -> frozenset[Citation]:
    """Return all that can be named: the findings of the review, its datasets, and parameters that may be told of."""
    dataset = matter.review.dataset
    names = {Citation(kind="dataset", name=name) for name in (dataset.name, *(of.name for of in dataset.references))}
    names |= {Citation(kind="finding", name=item.finding.id) for item in visible_findings(matter)}
    return frozenset(names | (toolbox.call(_PARAMETERS, {}).names if _PARAMETERS in toolbox.names else frozenset()))


def looked_up(question: str, matter: Matter, toolbox: Toolbox) -> list[dict[str, Any]] | None:
    """Return the steps that looked up what a question names; None when it names something that is not there.

    Those that found nothing to tell are steps all the same.
    """
    named = asked_about(question, known_names(matter, toolbox))
    if named.missing:
        return None
    steps: list[dict[str, Any]] = []
    for call in dict.fromkeys(_lookup(item) for item in named.there):
        made = ModelCall(id="", name=call[0], arguments=dict(call[1:]))
        observation = toolbox.call(made.name, made.arguments or {})
        steps.append(kept_step(step_of(0, made, observation), made, observation))
    return steps


def _lookup(item: Citation) -> tuple[Any, ...]:
    """The tool that knows about something that is named, and its argument."""
    if item.kind == "finding":
        return ("finding_detail", ("finding", item.name))
    return (_PARAMETERS if item.kind == "parameter" else "list_columns",)
