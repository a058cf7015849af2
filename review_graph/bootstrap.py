"""The one place where adapters are wired to the middle."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from review_graph.adapters.checkpoints import open_checkpoints
from review_graph.adapters.datasets import Datasets
from review_graph.adapters.files import ReviewFiles
from review_graph.adapters.sources.columnar import ColumnarCache
from review_graph.adapters.store import open_store, place_of
from review_graph.advancing import Advancing
from review_graph.desk import Desk
from review_graph.gate import system_clock
from review_graph.graph import compile_graph
from review_graph.nodes import Nodes
from review_graph.ports import Clock, Sources
from review_graph.service import ReviewService
from review_graph.settings import Settings
from review_graph.starting import GivenSpec, Starting
from review_graph.state import waiver_values
from review_graph.trail import Trail
from review_graph.vocabulary import Anchor, Review
from review_graph.waiver_book import WaiverBook

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

    from review_graph.state import ReviewInput, ReviewOutput, ReviewState


def build(settings: Settings | None = None, *, clock: Clock = system_clock) -> ReviewService:
    """Return a service that keeps its reviews where the settings say.

    Args:
        settings: Read from the environment when not given.
        clock: Gives the present time.

    Raises:
        SetupError: The database or a folder cannot be used.
    """
    return _build(settings or Settings(), clock)[0]


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
    service, datasets = _build(settings or Settings(), system_clock)
    with service:
        others = {
            resource: other if isinstance(other, str | Path) else datasets.hold(other, resource).uri
            for resource, other in (references or {}).items()
        }
        if isinstance(data, str | Path):
            return service.start(data, spec, name=name, references=others, fresh=fresh)
        located = datasets.hold(data, name or "frame")
        return service.start(located.uri, spec, name=located.name, references=others, fresh=fresh)


def _build(settings: Settings, clock: Clock) -> tuple[ReviewService, Datasets]:
    datasets = Datasets(ColumnarCache(settings.cache_path, max_bytes=settings.cache_bytes))
    place = place_of(settings.db)
    with ExitStack() as opened:
        checkpoints = open_checkpoints(place)
        opened.callback(checkpoints.close)
        store = open_store(place, clock)
        opened.callback(store.close)
        open_things = opened.pop_all()
    nodes = Nodes(
        sources=datasets,
        artifacts=ReviewFiles(settings.out_path),
        clock=clock,
        anchor=lambda: Anchor.of(store.last_audit()),
        waivers=lambda dataset: waiver_values(store.standing_waivers(dataset), clock().astimezone(dt.UTC).date()),
    )
    two = settings.second_approver
    advancing = Advancing(compile_graph(nodes, checkpoints), store, clock, settings.operator)
    service = ReviewService(
        starting=Starting(datasets, store, advancing),
        store=store,
        advancing=advancing,
        desk=Desk(store, advancing, second_approver=two),
        waivers=WaiverBook(store, clock, second_approver=two),
        trail=Trail(store, clock, settings.operator),
        open_things=open_things,
    )
    return service, datasets
