"""What lets a severe review pass needs two people, where the settings say so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.errors import DecisionConflict, DecisionNotAllowed, InvalidDecision
from review_graph.vocabulary import Action, Waiver
from tests.flow.conftest import Built
from tests.flow.things import KEY, Hands, ids, states

Ask = Callable[..., DecisionRequest]


@pytest.fixture
def service(settings: Settings, built: Built) -> ReviewService:
    return built(settings.model_copy(update={"second_approver": True}))


@pytest.fixture
def paused(service: ReviewService, table: Callable[..., Path], spec: dict[str, Any]) -> Review:
    return service.start(table("major"), spec)


LOWERING: dict[str, dict[str, Any]] = {
    "override": {},
    "dismiss": {"findings": (KEY,)},
    "waive": {"findings": (KEY,), "expires": "2026-06-30"},
}


def lowering(ask: Ask, paused: Review, action: str, **more: Any) -> DecisionRequest:
    fields = dict(LOWERING[action])
    if "findings" in fields:
        fields["findings"] = ids(paused, KEY)
    return ask(action, **fields | more)


@pytest.mark.parametrize("action", list(LOWERING))
def test_it_waits_until_another_person_approves(
    service: ReviewService, paused: Review, ask: Ask, action: str, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    identity = paused.id or ""
    waiting = service.decide(identity, lowering(ask, paused, action))
    assert (waiting.status, waiting.triage.severity.value, states(waiting)) == (Status.PAUSED, "major", states(paused))
    assert "decision 1 waits for another person" in waiting.triage.reason
    assert waiting.decisions[0].needs_approval
    assert Action.APPROVE in waiting.actions
    assert service.waivers.list() == ()
    assert service.start(table("major"), spec).status is Status.PAUSED  # going on changes nothing
    for same in ("Ada", " ada", "ADA", "\uff21\uff44\uff41"):
        with pytest.raises(InvalidDecision, match="another person approves it"):
            service.decide(identity, ask("approve", by=same, approves=1))
    ended = service.decide(identity, ask("approve", by="Bob", approves=1))
    assert (ended.status, ended.triage.severity.value) == (Status.SUMMARISED, "minor")
    assert [(d.action.value, d.by) for d in ended.decisions] == [(action, "Ada"), ("approve", "Bob")]
    assert [waiver.author for waiver in service.waivers.list()] == (["Ada"] if action == "waive" else [])
    assert service.trail.verify() is None


def test_confirmation_needs_one_person_only(service: ReviewService, paused: Review, ask: Ask) -> None:
    assert service.decide(paused.id or "", ask("confirm")).status is Status.ESCALATED


def test_confirmation_goes_before_what_waits(service: ReviewService, paused: Review, ask: Ask) -> None:
    identity = paused.id or ""
    service.decide(identity, lowering(ask, paused, "override"))
    assert service.decide(identity, ask("confirm", by="Bob")).status is Status.ESCALATED
    with pytest.raises(DecisionConflict, match="Bob recorded confirm"):
        service.decide(identity, ask("approve", by="Cyd", approves=1))


def test_approval_names_what_waits(service: ReviewService, paused: Review, ask: Ask) -> None:
    identity = paused.id or ""
    service.decide(identity, ask("comment"))
    for number in (None, 1, 2, -1):
        with pytest.raises(InvalidDecision, match="an approval names a decision that waits"):
            service.decide(identity, ask("approve", by="Bob", approves=number))


def test_waiver_is_not_made_outside_of_a_review(service: ReviewService) -> None:
    asked = Waiver(
        id="",
        created_at="",
        dataset="major",
        code=KEY,
        author="Ada",
        reason="known",
        reason_code="expected",
        expires_on="2026-06-30",
    )
    with pytest.raises(DecisionNotAllowed, match="a second person has to approve"):
        service.waivers.add(asked)
    assert service.waivers.list() == ()


def test_waiver_that_ended_before_the_approval_is_not_approved(
    service: ReviewService, paused: Review, ask: Ask, hands: Hands
) -> None:
    identity = paused.id or ""
    service.decide(identity, lowering(ask, paused, "waive", expires="2026-03-05"))
    hands.go_on(days=2)
    with pytest.raises(InvalidDecision, match="ended on 2026-03-05"):
        service.decide(identity, ask("approve", by="Bob", approves=1))
    assert service.get(identity).status is Status.PAUSED


def test_one_person_alone_does_not_lower_it_in_two_steps(
    service: ReviewService, table: Callable[..., Path], spec: dict[str, Any], ask: Ask
) -> None:
    paused = service.start(table("three-minor"), spec | {"policy": {"majorAt": 2}})
    first, second, _ = ids(paused)
    service.decide(paused.id or "", ask("dismiss", findings=(first,)))
    review = service.decide(paused.id or "", ask("dismiss", findings=(second,)))
    assert (review.status, review.decisions[1].needs_approval) == (Status.PAUSED, True)
    assert service.decide(paused.id or "", ask("approve", by="Bob", approves=2)).status is Status.SUMMARISED


def test_without_the_setting_one_person_is_enough(
    settings: Settings, built: Built, table: Callable[..., Path], spec: dict[str, Any], ask: Ask
) -> None:
    service = built(settings)
    paused = service.start(table("major"), spec)
    assert service.decide(paused.id or "", ask("override")).status is Status.SUMMARISED
