"""The one place where adapters are wired to the middle."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from review_graph.adapters.checkpoints import open_checkpoints
from review_graph.adapters.datasets import Datasets
from review_graph.adapters.files import ReviewFiles, offending_rows
from review_graph.adapters.sources.columnar import ColumnarCache
from review_graph.adapters.store import open_store, place_of
from review_graph.advancing import Advancing
from review_graph.asking import Asking, Telling
from review_graph.desk import Desk
from review_graph.gate import system_clock
from review_graph.graph import compile_graph
from review_graph.nodes import Nodes
from review_graph.ports import Clock, Narrator, Sources
from review_graph.service import ReviewService
from review_graph.settings import Settings
from review_graph.starting import GivenSpec, Starting
from review_graph.state import waiver_values
from review_graph.tables import Tables
from review_graph.trail import Trail
from review_graph.vocabulary import Anchor, Review
from review_graph.waiver_book import WaiverBook

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

    from review_graph.adapters.store.facade import SqlStore
    from review_graph.agent.investigator import Investigator
    from review_graph.state import ReviewInput, ReviewOutput, ReviewState


ASK_LOG = "investigations.jsonl"
"""Name of the account of investigations, in the folder of reports."""


def build(
    settings: Settings | None = None, *, clock: Clock = system_clock, model: BaseChatModel | None = None
) -> ReviewService:
    """Return a service that keeps its reviews where the settings say.

    Args:
        settings: Read from the environment when not given.
        clock: Gives the present time.
        model: A chat model of LangChain to be asked about reviews; that of the settings when not given.

    Raises:
        SetupError: The database or a folder cannot be used.
    """
    return _build(settings or Settings.from_environment(), clock, model)[0]


def build_graph(
    *,
    checkpointer: BaseCheckpointSaver[str] | None = None,
    out: str | Path | None = None,
    sources: Sources | None = None,
    clock: Clock = system_clock,
) -> CompiledStateGraph[ReviewState, None, ReviewInput, ReviewOutput]:
    """Return the compiled review graph, to be a node of a larger graph or to be run by itself.

    As a node it takes `review_request` (a path, or `{"path": …, "spec": …, "references": {"dm": …}, "name": …,
    "today": …}`) and gives `review`; it shares no other key with its parent and uses the parent's checkpointer.

    Args:
        checkpointer: Needed only when the graph is run by itself: without one nothing can pause.
        out: Folder of reports, query lists and full evidence; nothing is written when not given.
        sources: Where datasets come from; files when not given.
        clock: Gives the present time.
    """
    artifacts = ReviewFiles(None if out is None else Path(out))
    nodes = Nodes(sources=sources or Datasets(ColumnarCache(None)), artifacts=artifacts, clock=clock)
    return compile_graph(nodes, checkpointer)


def review(
    data: object,
    spec: GivenSpec = None,
    *,
    name: str | None = None,
    references: Mapping[str, object] | None = None,
    fresh: bool = False,
    settings: Settings | None = None,
) -> Review:
    """Review one dataset: a path, or a polars, pandas or pyarrow table or DuckDB relation.

    Args:
        data: What to review.
        spec: A spec, plain data, or the path of a YAML or JSON file; a built-in one when not given.
        name: Name of the dataset; the file's name, or `frame`, when not given.
        references: Other datasets to which the spec refers, by name: `{"dm": "dm.xpt"}`; paths or tables.
        fresh: Start another review even if the same content was reviewed against the same spec before.
        settings: Where reviews are kept; read from the environment when not given.

    Returns:
        The review; `paused` when a human has to look at it.

    Raises:
        SpecError: The spec is wrong.
        SetupError: The database or a folder cannot be used.
    """
    service, datasets = _build(settings or Settings.from_environment(), system_clock, None)
    with service:
        others = {
            resource: other if isinstance(other, str | Path) else datasets.hold(other, resource).uri
            for resource, other in (references or {}).items()
        }
        if isinstance(data, str | Path):
            return service.start(data, spec, name=name, references=others, fresh=fresh)
        located = datasets.hold(data, name or "frame")
        return service.start(located.uri, spec, name=located.name, references=others, fresh=fresh)


def _build(settings: Settings, clock: Clock, model: BaseChatModel | None) -> tuple[ReviewService, Datasets]:
    datasets = Datasets(ColumnarCache(settings.cache_path, max_bytes=settings.cache_bytes))
    place = place_of(settings.db)
    with ExitStack() as opened:
        checkpoints = open_checkpoints(place)
        opened.callback(checkpoints.close)
        store = open_store(place, clock)
        opened.callback(store.close)
        open_things = opened.pop_all()
    artifacts, tables = ReviewFiles(settings.out_path), Tables(datasets)
    nodes = Nodes(
        sources=datasets,
        tables=tables,
        artifacts=artifacts,
        clock=clock,
        anchor=lambda: Anchor.of(store.last_audit()),
        narrator=_narrator(settings, model),
        waivers=lambda dataset: waiver_values(store.standing_waivers(dataset), clock().astimezone(dt.UTC).date()),
    )
    two = settings.second_approver
    advancing = Advancing(compile_graph(nodes, checkpoints), store, clock, settings.operator, artifacts.folder)
    asking = Asking(
        store=store,
        advancing=advancing,
        tables=tables,
        artifacts=artifacts,
        clock=clock,
        telling=Telling(
            ledgers=store.ledgers(),
            open_rows=offending_rows,
            smallest_group=settings.smallest_group,
            hidden=settings.hidden_columns,
            can_query=settings.sql,
        ),
        investigator=cache(lambda: _investigator(settings, store, checkpoints, clock, model)),
    )
    service = ReviewService(
        starting=Starting(datasets, tables, store, advancing),
        store=store,
        advancing=advancing,
        desk=Desk(store, advancing, second_approver=two),
        waivers=WaiverBook(store, clock, second_approver=two),
        trail=Trail(store, clock, settings.operator),
        asking=asking,
        open_things=open_things,
    )
    return service, datasets


def _narrator(settings: Settings, given: BaseChatModel | None) -> Narrator:
    """Return what writes narratives; nothing is loaded for it unless they are wanted."""
    if not settings.narrative:
        return lambda _: None
    from review_graph.adapters.models.narrator import narrator_of

    return narrator_of(settings, given)


def _investigator(
    settings: Settings,
    store: SqlStore,
    checkpointer: BaseCheckpointSaver[str],
    clock: Clock,
    given: BaseChatModel | None,
) -> Investigator | None:
    """Open the model and what an investigation needs besides; None where there is no model."""
    from review_graph.adapters.ask_log import AskLogFile
    from review_graph.adapters.models.langchain_model import LangChainModel
    from review_graph.adapters.models.openai import open_model
    from review_graph.agent.investigator import Investigator, Means

    model = open_model(settings) if given is None else LangChainModel(given, settings.model or given.get_name())
    if model is None:
        return None
    means = Means(
        model=model,
        checkpointer=checkpointer,
        memory=store.memory(dt.timedelta(minutes=settings.ask_memory_minutes)),
        log=AskLogFile(settings.out_path / ASK_LOG),
        once=store.once,
        clock=clock,
        limits=settings.limits,
        prices=settings.prices,
        has_gate=settings.ask_gate,
    )
    return Investigator(means)
