"""A thread that holds what no node writes fails by itself, in one line, and keeps nobody from the other reviews."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.adapters.checkpoints import open_checkpoints
from review_graph.adapters.store import place_of
from review_graph.errors import DecisionNotAllowed, GraphVersionError
from review_graph.state import ReviewState
from review_graph.vocabulary import AuditAction
from tests.flow.conftest import Built
from tests.flow.things import run, told

Ask = Callable[..., DecisionRequest]
Rewrite = Callable[[Mapping[str, Any]], None]

NONSENSE: Mapping[str, Any] = {
    "text": "x",
    "a number": 1,
    "a list": [1],
    "other keys": {"x": 1},
    "records of text": {"x": "y"},
    "empty records": {"x": {}},
    "records of something else": {"x": {"y": 1}},
    "no JSON": {"x": {"y": float("nan")}},
    "bytes": b"x",
}
CHANNELS = sorted(ReviewState.__annotations__ | {"review": None})
WITHOUT_EFFECT = ("needs_human", "review", "review_request", "severity", "waivers")
"""These are worked out anew or not looked at any more; a review may stand where it stood."""


@pytest.fixture
def service(settings: Settings, built: Built) -> ReviewService:
    return built(settings)


@pytest.fixture
def paused(service: ReviewService, table: Callable[..., Path], spec: dict[str, Any]) -> Review:
    service.start(table("clean", "other"), spec)
    return service.start(table("major"), spec)


@pytest.fixture
def rewrite(settings: Settings, paused: Review) -> Rewrite:
    """Puts other channel values into the last checkpoint of the review that waits; the road stays as it was."""

    def write(changes: Mapping[str, Any]) -> None:
        saver = open_checkpoints(place_of(settings.db))
        address: dict[str, Any] = {"thread_id": paused.id, "checkpoint_ns": ""}
        last = saver.get_tuple({"configurable": address})
        assert last is not None
        assert last.parent_config is not None
        before = address | {"checkpoint_id": last.parent_config["configurable"]["checkpoint_id"]}
        last.checkpoint["channel_values"] |= changes
        saver.put({"configurable": before}, last.checkpoint, last.metadata, {})
        saver.close()

    return write


def acts(service: ReviewService, paused: Review, ask: Ask, table: Path, spec: Any) -> Mapping[str, Callable[[], Any]]:
    identity = paused.id or ""
    return {
        "get": lambda: service.get(identity),
        "list": service.list,
        "diff": lambda: service.diff(identity),
        "preview": lambda: service.preview(identity, ask("override")),
        "override": lambda: service.decide(identity, ask("override")),
        "confirm": lambda: service.decide(identity, ask("confirm")),
        "comment": lambda: service.decide(identity, ask("comment")),
        "migrate": lambda: service.migrate(identity),
        "resume": lambda: service.resume(identity),
        "start": lambda: service.start(table, spec),
    }


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("nonsense", NONSENSE.values(), ids=list(NONSENSE))
def test_channel_that_makes_no_sense(
    service: ReviewService,
    paused: Review,
    table: Callable[..., Path],
    spec: dict[str, Any],
    ask: Ask,
    rewrite: Rewrite,
    channel: str,
    nonsense: Any,
) -> None:
    rewrite({channel: nonsense})
    assert len(service.list()) == 2
    if channel not in WITHOUT_EFFECT:
        assert_fails_by_itself(service, paused, acts(service, paused, ask, table("major"), spec))


@pytest.mark.parametrize("type_", ["msgpack", "json", "something"])
def test_checkpoint_that_cannot_be_decoded(
    service: ReviewService,
    settings: Settings,
    paused: Review,
    table: Callable[..., Path],
    spec: dict[str, Any],
    ask: Ask,
    type_: str,
) -> None:
    run(settings, f"UPDATE checkpoints SET type = '{type_}', checkpoint = x'c1ff' WHERE thread_id = '{paused.id}'")  # noqa: S608 - our own
    assert_fails_by_itself(service, paused, acts(service, paused, ask, table("major"), spec))
    review = service.resume(paused.id or "")
    assert (review.status, told(service, paused, AuditAction.REVIEW_FAILED)) == (Status.FAILED, 1)
    assert review.problem is not None
    assert "thread cannot be read" in review.problem.message
    assert service.start(table("major"), spec, fresh=True).status is Status.PAUSED


def assert_fails_by_itself(service: ReviewService, paused: Review, acts: Mapping[str, Callable[[], Any]]) -> None:
    comments = 0
    for name, act in acts.items():
        try:
            found = act()
        except (DecisionNotAllowed, GraphVersionError):
            found = ()
        else:
            assert name not in ("preview", "override", "confirm")
            comments += name == "comment"
        of_it = [found] if isinstance(found, Review) else [each for each in found or () if each.id == paused.id]
        assert {review.status for review in of_it} <= {Status.FAILED, Status.PAUSED}
    assert told(service, paused, AuditAction.DECIDED) == comments
    assert service.trail.verify() is None
