"""A look at a review on which another process works: it is seen as it was before or as it is after, never as a mix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from tests.flow.conftest import Built

Ask = Callable[..., DecisionRequest]
Act = Callable[[], object]

PLACES = ("_store.dossier", "_store.get", "_graph.get_state")
"""What a look reads; another process may act before and after each."""


@pytest.fixture
def looking(kept: Settings, built: Built) -> ReviewService:
    return built(kept)


@pytest.fixture
def paused(acting: ReviewService, table: Callable[..., Path], spec: dict[str, Any]) -> Review:
    return acting.start(table("major"), spec)


def interfere(patched: pytest.MonkeyPatch, service: ReviewService, place: str, act: Act, *, before: bool) -> list[int]:
    """Let something happen once, right before or after a service reads something; the list counts the reads."""
    owner, name = place.split(".")
    held = getattr(service._advancing, owner)
    read = getattr(held, name)
    reads = list[int]()

    def reading(*arguments: Any, **named: Any) -> Any:
        reads.append(len(reads))
        if before and len(reads) == 1:
            act()
        found = read(*arguments, **named)
        if not before and len(reads) == 1:
            act()
        return found

    patched.setattr(held, name, reading)
    return reads


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize(
    ("actions", "ends"),
    [
        (["confirm"], Status.ESCALATED),
        (["override"], Status.SUMMARISED),
        (["comment"], Status.PAUSED),
        (["comment", "confirm"], Status.ESCALATED),
    ],
)
def test_review_that_is_decided_on_meanwhile_is_seen_whole(
    looking: ReviewService,
    acting: ReviewService,
    paused: Review,
    ask: Ask,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    actions: list[str],
    ends: Status,
    *,
    before: bool,
) -> None:
    identity = paused.id or ""

    def act() -> None:
        for action in actions:
            acting.decide(identity, ask(action))

    reads = interfere(monkeypatch, looking, place, act, before=before)
    seen = looking.get(identity)
    assert reads
    assert seen.problem is None
    after = acting.get(identity)
    as_before = (Status.PAUSED, ())
    assert (seen.status, seen.decisions) in ((after.status, after.decisions), as_before)
    assert (after.status, len(after.decisions)) == (ends, len(actions))
    assert looking.get(identity) == after


def test_look_is_taken_until_the_review_holds_still(
    looking: ReviewService, acting: ReviewService, paused: Review, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, reads = looking._advancing._store.dossier, list[str]()

    def reading(identity: str) -> Any:
        found = read(identity)
        reads.append(identity)
        if len(reads) <= 20:
            acting.decide(identity, ask("comment"))
        return found

    monkeypatch.setattr(looking._advancing._store, "dossier", reading)
    seen = looking.get(paused.id or "")
    assert (seen.status, seen.problem, len(seen.decisions)) == (Status.PAUSED, None, 20)
