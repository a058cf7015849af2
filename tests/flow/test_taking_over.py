"""A review of an older version of the graph is taken over wholly, or not at all, and told of once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Overwrite

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.errors import DecisionNotAllowed, GraphVersionError
from review_graph.vocabulary import AuditAction
from tests.flow.conftest import Built
from tests.flow.model import Crash, crashing
from tests.flow.things import ids, on_one_database, run, thread_of, told

Ask = Callable[..., DecisionRequest]
Table = Callable[..., Path]
Plain = dict[str, Any]


@pytest.fixture
def service(kept: Settings, built: Built) -> ReviewService:
    return built(kept)


@pytest.fixture
def paused(service: ReviewService, table: Table, spec: Plain) -> Review:
    return service.start(table("major"), spec | {"policy": {"majorAt": 1}})


def dataset(**changed: object) -> Callable[[Plain], Plain]:
    return lambda values: {"dataset": {**values["dataset"], **changed}}


OLDER = 1
"""A version of the graph that this one takes over."""


def aged(kept: Settings, graph: Any, review: Review, *lacks: str) -> None:
    """Make a thread what an older version would have left: of its version, and without some channels."""
    thread = thread_of(review)
    values = {name: value for name, value in graph.get_state(thread).values.items() if name not in lacks}
    tables = (
        ("checkpoints", "checkpoint_blobs", "checkpoint_writes") if "postgres" in kept.db else ("checkpoints", "writes")
    )
    for name in tables:
        run(kept, f"DELETE FROM {name} WHERE thread_id = '{review.id}'")  # noqa: S608 - constants
    graph.update_state(thread, values | {"graph_version": OLDER}, as_node="triage")


@pytest.mark.parametrize("action", ["confirm", "override"])
def test_review_that_lacks_a_folder_is_taken_over_with_one_and_can_be_decided(
    kept: Settings, service: ReviewService, graph: Any, paused: Review, ask: Ask, action: str
) -> None:
    aged(kept, graph, paused, "folder")
    assert service.migrate(paused.id or "").status is Status.PAUSED
    ended = service.decide(paused.id or "", ask(action, severity="none" if action == "override" else None))
    assert ended.status.is_final
    assert ended.report is not None
    assert Path(ended.report).parent == kept.out_path / (paused.id or "")


@pytest.mark.parametrize("where", ["append", "take_up"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_taking_over_is_told_once_wherever_its_process_dies(
    kept: Settings, service: ReviewService, built: Built, graph: Any, paused: Review, ask: Ask, where: str, when: str
) -> None:
    identity = paused.id or ""
    aged(kept, graph, paused)
    with crashing(where, 1, when), pytest.raises(Crash):
        service.migrate(identity)
    later = built(kept)
    if (where, when) == ("take_up", "after"):
        assert later.resume(identity).status is Status.PAUSED
    else:
        assert later.migrate(identity).status is Status.PAUSED
    assert told(later, paused, AuditAction.MIGRATED) == 1
    assert later.decide(identity, ask("confirm")).status is Status.ESCALATED


@on_one_database
@pytest.mark.parametrize("lacks", ["today", "spec"])
def test_review_that_lacks_more_is_not_taken_over_and_nothing_is_written(
    kept: Settings, service: ReviewService, graph: Any, paused: Review, lacks: str
) -> None:
    aged(kept, graph, paused, lacks)
    before = run(kept, "SELECT * FROM checkpoints")
    with pytest.raises(GraphVersionError, match="--fresh"):
        service.migrate(paused.id or "")
    assert run(kept, "SELECT * FROM checkpoints") == before
    assert told(service, paused, AuditAction.MIGRATED) == 0


@on_one_database
def test_review_whose_findings_this_version_cannot_read_is_not_taken_over(
    kept: Settings, service: ReviewService, graph: Any, paused: Review
) -> None:
    aged(kept, graph, paused)
    broken = {identity: {"id": identity} for identity in ids(paused)}
    graph.update_state(thread_of(paused), {"findings": Overwrite(broken)}, as_node="intake")
    with pytest.raises(GraphVersionError, match="does not hold what this version needs"):
        service.migrate(paused.id or "")
    assert told(service, paused, AuditAction.MIGRATED) == 0


@on_one_database
def test_review_that_was_written_to_is_not_taken_over(
    kept: Settings, service: ReviewService, graph: Any, paused: Review
) -> None:
    aged(kept, graph, paused)
    thread = thread_of(paused)
    graph.update_state(thread, dataset(name="other")(graph.get_state(thread).values), as_node="triage")
    with pytest.raises(DecisionNotAllowed, match="is not what the review was started for"):
        service.migrate(paused.id or "")
    assert told(service, paused, AuditAction.MIGRATED) == 0
