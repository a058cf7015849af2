"""H8: decisions are gathered as a draft, and submitted together: all or none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.errors import DecisionConflict, GateError, InvalidDecision, ReviewNotFound
from review_graph.vocabulary import AuditAction
from tests.flow.conftest import Built
from tests.flow.things import KEY, RANGE, ids, states, told

Ask = Callable[..., DecisionRequest]


@pytest.fixture
def service(settings: Settings, built: Built) -> ReviewService:
    return built(settings)


@pytest.fixture
def paused(service: ReviewService, table: Callable[..., Path], spec: dict[str, Any]) -> Review:
    """A review with two findings of which each makes it major."""
    return service.start(table("major"), spec | {"policy": {"majorAt": 1}})


def gathered(ask: Ask, paused: Review) -> list[DecisionRequest]:
    return [
        ask("comment", reason="the site was asked"),
        ask("dismiss", findings=ids(paused, RANGE)),
        ask("dismiss", findings=ids(paused, KEY), reason_code="false_positive"),
    ]


def test_draft_binds_nobody_until_it_is_submitted(service: ReviewService, paused: Review, ask: Ask) -> None:
    identity = paused.id or ""
    service.save_draft(identity, "Ada", gathered(ask, paused)[:1])
    draft = service.save_draft(identity, "Ada", gathered(ask, paused))
    assert service.draft(identity, " Ada ") == draft
    assert service.draft(identity, "Bob") is None
    seen = service.get(identity)
    assert (seen.status, seen.decisions, states(seen)) == (Status.PAUSED, (), states(paused))
    assert told(service, paused, AuditAction.DRAFT_SAVED) == 2


def test_draft_is_submitted_as_one(service: ReviewService, paused: Review, ask: Ask) -> None:
    identity = paused.id or ""
    service.save_draft(identity, "Ada", gathered(ask, paused))
    review = service.submit_draft(identity, "Ada")
    assert (review.status, set(states(review).values())) == (Status.SUMMARISED, {"dismissed"})
    assert [(d.number, d.action.value) for d in review.decisions] == [(1, "comment"), (2, "dismiss"), (3, "dismiss")]
    assert service.draft(identity, "Ada") is None
    assert told(service, review, AuditAction.DECIDED) == 3
    assert told(service, review, AuditAction.DRAFT_SUBMITTED) == 1
    assert service.trail.verify() is None
    with pytest.raises(InvalidDecision, match="there is no draft"):
        service.submit_draft(identity, "Ada")


def test_one_wrong_decision_refuses_all_and_the_draft_stays(service: ReviewService, paused: Review, ask: Ask) -> None:
    identity = paused.id or ""
    wrong = {
        "unknown finding": ask("dismiss", findings=("ranges.outside_limits-00000000",)),
        "the same finding twice": ask("dismiss", findings=ids(paused, RANGE)),
        "no reason": ask("comment", reason=" "),
        "no date": ask("waive", findings=ids(paused, KEY), expires="soon"),
    }
    for request in wrong.values():
        draft = service.save_draft(identity, "Ada", [*gathered(ask, paused)[:2], request])
        with pytest.raises(GateError):
            service.submit_draft(identity, "Ada")
        assert service.draft(identity, "Ada") == draft
        assert service.get(identity).decisions == ()
    assert told(service, paused, AuditAction.DECIDED) == 0
    assert service.waivers.list() == ()


def test_draft_of_another_person_is_refused(service: ReviewService, paused: Review, ask: Ask) -> None:
    identity = paused.id or ""
    with pytest.raises(InvalidDecision, match="decisions of Bob alone"):
        service.save_draft(identity, "Bob", gathered(ask, paused))
    with pytest.raises(InvalidDecision, match="a name"):
        service.save_draft(identity, " ", [])
    with pytest.raises(ReviewNotFound):
        service.save_draft("nothing-0123456789", "Ada", [])
    assert service.draft(identity, "Bob") is None


def test_draft_that_was_overtaken_is_a_conflict_and_stays(service: ReviewService, paused: Review, ask: Ask) -> None:
    identity = paused.id or ""
    requests = [ask("dismiss", findings=(one,), expected_decisions=0) for one in ids(paused)]
    draft = service.save_draft(identity, "Ada", requests)
    service.decide(identity, ask("comment", by="Bob", reason="wait for the site"))
    with pytest.raises(DecisionConflict, match="Bob recorded comment") as conflict:
        service.submit_draft(identity, "Ada")
    assert conflict.value.decision is not None
    assert conflict.value.decision.by == "Bob"
    assert service.draft(identity, "Ada") == draft
    assert len(service.get(identity).decisions) == 1


def test_confirmation_comes_last(service: ReviewService, paused: Review, ask: Ask) -> None:
    identity = paused.id or ""
    service.save_draft(identity, "Ada", [ask("confirm"), ask("comment")])
    with pytest.raises(InvalidDecision, match="it comes last"):
        service.submit_draft(identity, "Ada")
    service.save_draft(identity, "Ada", [ask("comment"), ask("confirm")])
    assert service.submit_draft(identity, "Ada").status is Status.ESCALATED
