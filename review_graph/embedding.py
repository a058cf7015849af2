"""A review as one node of a larger LangGraph: the parent's own keys in and out, the human gate kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda, RunnableSequence
from langgraph.errors import GraphInterrupt

from checks.plain import quote
from checks.spec import Spec
from checks.vocabulary import JSON, canonical
from review_graph.bootstrap import build_graph
from review_graph.errors import DecisionNotAllowed, InputError
from review_graph.gate import status_of
from review_graph.state import review_of
from review_graph.vocabulary import Status

if TYPE_CHECKING:
    from langgraph.types import StateSnapshot

    from review_graph.starting import GivenSpec


def review_node(
    *,
    path: str = "path",
    into: str = "review",
    append: bool = False,
    spec: GivenSpec = None,
    references: Mapping[str, str | Path] | None = None,
    out: str | Path | None = None,
) -> Runnable[Any, dict[str, Any]]:
    """Return a node that reviews the dataset which the parent's state names.

    ::

        parent.add_node("review", review_node(path="dataset_path", into="review"))

    The parent has to be compiled with a checkpointer. A severe review pauses it at this node: `pending` finds
    the review, `record` decides it, and the parent goes on when it is next invoked with None. A review that
    nobody has decided by then goes on waiting, and holds up no other review of the same step.

    Args:
        path: Key of the parent's state, or of what `Send` hands over, that holds the path of the dataset, or
            plain data with `path` and what else is known (`spec`, `references`, `name`, `today`).
        into: Key that receives the review, in the JSON contract.
        append: Give a list of one, for a key that the reviews of several datasets share
            (`Annotated[list[dict[str, Any]], operator.add]`).
        spec: What is expected of each dataset: a spec, plain data, or the path of a YAML or JSON file. A
            built-in one is chosen when neither this nor the state gives one.
        references: Other datasets to which the spec refers, by name: `{"dm": "dm.xpt"}`.
        out: Folder of reports, query lists and full evidence; nothing is written when not given.
    """
    graph = build_graph(out=out)
    given = _plain(spec, references)

    def enter(state: object, config: RunnableConfig) -> dict[str, Any]:
        with suppress(ValueError):  # there is no checkpointer: intake refuses, and says what to do
            _demand_own(graph.get_state(config))
        return {"review_request": given | _request(state, path)}

    async def aenter(state: object, config: RunnableConfig) -> dict[str, Any]:
        with suppress(ValueError):
            _demand_own(await graph.aget_state(config))
        return {"review_request": given | _request(state, path)}

    def leave(output: dict[str, Any], config: RunnableConfig) -> dict[str, Any]:
        review = _ended(output, graph.get_state(config))
        return {into: [review] if append else review}

    async def aleave(output: dict[str, Any], config: RunnableConfig) -> dict[str, Any]:
        review = _ended(output, await graph.aget_state(config))
        return {into: [review] if append else review}

    # LangGraph looks into a sequence for the subgraph whose pause it shows and lets be answered.
    return RunnableSequence(RunnableLambda(enter, aenter), graph, RunnableLambda(leave, aleave), name="review")


def _ended(output: Mapping[str, Any] | None, snapshot: StateSnapshot) -> dict[str, JSON]:
    """Return the review that a child gives, if it follows from what stands in its thread; somebody may write there."""
    review: dict[str, JSON] = (output or {}).get("review") or {}
    status = status_of(snapshot)
    if snapshot.next or not snapshot.values:  # with durability "exit" nothing is saved yet of what its own steps did
        is_own = review.get("status") in (Status.SUMMARISED, Status.ESCALATED)
    else:
        given = {name: value for name, value in review.items() if name != "text"}
        is_own = status.is_final and canonical(given) == canonical(review_of(snapshot.values, status).to_plain())
    if not is_own:
        raise DecisionNotAllowed("the review ended without a report of its own: its thread was written to from outside")
    return review


def _demand_own(snapshot: StateSnapshot) -> None:
    """Refuse waivers, which only a store hands out; pause again where nobody decided.

    One review that waits must not make the step of all others fail.
    """
    if snapshot.values.get("waivers"):
        raise DecisionNotAllowed("the review holds waivers and has no store: its thread was written to from outside")
    if status_of(snapshot) is Status.PAUSED:
        raise GraphInterrupt


def _request(state: object, key: str) -> dict[str, JSON]:
    """What the state says is to be reviewed; the graph judges the rest."""
    found = state.get(key) if isinstance(state, Mapping) else getattr(state, key, None)
    if isinstance(found, Mapping):
        return dict(found)
    if not isinstance(found, str | os.PathLike):
        what = "nothing" if found is None else type(found).__name__
        raise InputError(f"the state needs the path of a dataset under {quote(key)}; found {what}")
    return {"path": os.fspath(found)}


def _plain(spec: GivenSpec, references: Mapping[str, str | Path] | None) -> dict[str, JSON]:
    """What every request begins with, as plain data."""
    given: dict[str, JSON] = {}
    if isinstance(spec, Spec):
        given["spec"] = spec.to_plain()
    elif spec is not None:
        given["spec"] = dict(spec) if isinstance(spec, Mapping) else str(spec)
    if references is not None:
        given["references"] = {name: str(place) for name, place in references.items()}
    return given
