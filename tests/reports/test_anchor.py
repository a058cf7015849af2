"""The end of the audit trail that a report prints: it is that of the trail, and shows when the trail was cut."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, build_graph
from review_graph.core.chaining import FaultKind, verify
from review_graph.vocabulary import Anchor

PRINTED = re.compile(r"Audit trail: entry (\d+), sha256 (\w{64}); `review-graph audit verify --anchor \1:\2` shows .*")


def printed(review: Review) -> tuple[int, str]:
    """The anchor in the last line of the file."""
    lines = Path(review.report or "").read_text(encoding="utf-8").splitlines()
    found = PRINTED.fullmatch(lines[-1])
    assert found is not None
    return int(found[1]), found[2]


@pytest.mark.parametrize("kind", ["clean", "minor", "major"])
def test_the_anchor_of_a_report_stands_and_finds_a_trail_that_was_cut(
    service: ReviewService,
    table: Callable[..., Path],
    spec: dict[str, Any],
    ask: Callable[..., DecisionRequest],
    kind: str,
) -> None:
    review = service.start(table(kind), spec)
    if kind == "major":
        review = service.decide(review.id or "", ask("confirm"))
    service.start(table("three-minor"), spec)
    number, digest = printed(review)
    assert service.trail.verify(Anchor(number=number, hash=digest)) is None
    entries = tuple(service.trail.entries())
    assert entries[number - 1].hash == digest
    fault = verify(entries[: number - 1], anchor=Anchor(number=number, hash=digest))
    assert fault is not None
    assert fault.kind is FaultKind.CUT


def test_a_review_has_the_anchor_of_when_it_was_told(
    service: ReviewService, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    first = service.start(table("major"), spec)
    assert first.anchor == Anchor.of(service.trail.last())
    service.start(table("minor"), spec)
    later = service.get(first.id or "")
    assert (later.anchor, later.anchor != first.anchor) == (Anchor.of(service.trail.last()), True)
    assert later == first  # it is no part of the review
    assert later.anchor is not None
    assert json.loads(json.dumps(later.to_plain()))["anchor"] == {
        "number": later.anchor.number,
        "hash": later.anchor.hash,
    }


def test_a_graph_without_a_trail_prints_no_anchor(table: Callable[..., Path], spec: dict[str, Any]) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    graph = build_graph(checkpointer=InMemorySaver())
    request: Any = {"review_request": {"path": str(table("minor")), "spec": spec}}
    ended = graph.invoke(request, {"configurable": {"thread_id": "one"}})["review"]
    assert (ended["status"], ended["anchor"]) == ("summarised", None)
    assert "Audit trail" not in ended["text"]


def test_the_file_of_a_review_tells_what_changed_since_the_one_before(
    service: ReviewService, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    before = service.start(table("three-minor", "t"), spec)
    review = service.start(table("minor", "t", A=[1, 2, 3], B=[1, -2, -3]), spec)
    text = Path(review.report or "").read_text(encoding="utf-8")
    told = f"0 new, 0 reopened, 1 persisting, 1 fixed, 1 no longer judged, compared with review {before.id}"
    assert f"- Since the review before: {told}" in text
    assert "- **persisting** ranges.outside\\_limits: 1 row before, 2 now. Finding" in text
