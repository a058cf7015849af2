"""H5: waivers over runs: they hold for later data, end, are outgrown or taken back, and never silently."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.errors import DecisionConflict, DecisionNotAllowed, InvalidDecision
from review_graph.vocabulary import AuditAction, Waiver
from tests.flow.conftest import Built
from tests.flow.things import KEY, RANGE, Hands, ids, states, told

Ask = Callable[..., DecisionRequest]
LAST = "2026-03-10"
AFTER = {"days": 7}
"""From the day of the tests to the day after the last one."""

CORRECTED = {"ID": ["S-1", "S-2", "S-2"], "A": [1, 2, 3]}
GROWN = {"ID": ["S-1", "S-2", "S-2", "S-2"], "A": [1, 2, 3, 4]}


class Study:
    """One dataset that is delivered again and again."""

    def __init__(self, service: ReviewService, table: Callable[..., Path], spec: dict[str, Any], hands: Hands) -> None:
        self.service = service
        self._table = table
        self.spec = spec
        self._hands = hands

    def run(self, **data: Any) -> Review:
        self._hands.go_on(seconds=1)
        return self.service.start(self._table("major", "dm", **data), self.spec)


@pytest.fixture
def study(settings: Settings, built: Built, table: Callable[..., Path], spec: dict[str, Any], hands: Hands) -> Study:
    return Study(built(settings), table, spec, hands)


@pytest.fixture
def waived(study: Study, ask: Ask) -> Review:
    """A review whose repeated key Ada waived; that let it pass."""
    paused = study.run()
    review = study.service.decide(paused.id or "", ask("waive", findings=ids(paused, KEY), expires=LAST))
    assert (review.status, review.triage.severity.value) == (Status.SUMMARISED, "minor")
    return review


def by_hand(**more: Any) -> Waiver:
    fields = {"dataset": "dm", "code": KEY, "author": "Eve", "reason": "known", "reason_code": "expected"}
    return Waiver(**{"id": "", "created_at": "", "expires_on": LAST} | fields | more)


def test_waiver_made_in_a_review_holds_for_the_next_data_and_is_said(study: Study, waived: Review) -> None:
    (waiver,) = study.service.waivers.list("dm")
    assert (waiver.author, waiver.code, waiver.max_count, waiver.expires_on) == ("Ada", KEY, 2, LAST)
    review = study.run(**CORRECTED)
    assert (review.status, review.decisions) == (Status.SUMMARISED, ())
    assert states(review) == {f"{KEY} ID": "waived"}
    (item,) = review.findings
    assert [each.id for each in item.waivers] == [waiver.id]
    report = Path(review.report or "").read_text(encoding="utf-8")
    for said in (waiver.id, "Ada", LAST, "looked at it"):
        assert said in report
    assert told(study.service, waived, AuditAction.WAIVER_ADDED) == 1


def test_same_content_is_not_reviewed_again_for_the_waiver_it_made_itself(study: Study, waived: Review) -> None:
    again = study.run()
    assert (again.id, again.decisions) == (waived.id, waived.decisions)
    assert len(study.service.list()) == 1


def test_expired_waiver_leaves_the_finding_open_and_says_so(study: Study, waived: Review, hands: Hands) -> None:
    hands.go_on(**AFTER)
    review = study.run(**CORRECTED)
    assert (review.status, states(review)) == (Status.PAUSED, {f"{KEY} ID": "open"})
    assert any(f"expired on {LAST}" in notice for notice in review.notices), review.notices
    assert study.service.get(waived.id or "").status is Status.SUMMARISED  # what ended stays as it ended


def test_waiver_holds_on_its_last_day(study: Study, waived: Review, hands: Hands) -> None:
    assert waived.status is Status.SUMMARISED
    hands.go_on(days=6)
    assert study.run(**CORRECTED).status is Status.SUMMARISED


def test_finding_that_grew_is_open_and_says_so(study: Study, waived: Review) -> None:
    assert waived.status is Status.SUMMARISED
    review = study.run(**GROWN)
    assert (review.status, states(review)) == (Status.PAUSED, {f"{KEY} ID": "open"})
    assert any("grown from 2 to 3" in notice for notice in review.notices), review.notices


@pytest.mark.parametrize("end", ["revoked", "expired"])
def test_same_content_is_reviewed_again_when_its_waiver_ended(
    study: Study, waived: Review, hands: Hands, end: str
) -> None:
    (waiver,) = study.service.waivers.list()
    if end == "revoked":
        study.service.waivers.revoke(waiver.id, by="Bob", reason="it was no duplicate")
    else:
        hands.go_on(**AFTER)
    again = study.run()
    assert (again.id, again.status, again.decisions) == (f"{waived.id}-2", Status.PAUSED, ())
    assert states(again)[f"{KEY} ID"] == "open"
    assert any(end in notice for notice in again.notices), again.notices
    assert study.service.get(waived.id or "").status is Status.SUMMARISED
    assert study.run().id == again.id


def test_paused_review_is_relieved_by_a_waiver(study: Study) -> None:
    paused = study.run()
    study.service.waivers.add(by_hand())
    seen = study.service.get(paused.id or "")
    assert (seen.status, states(seen)[f"{KEY} ID"]) == (Status.PAUSED, "waived")
    review = study.run()
    assert (review.id, review.status, review.decisions) == (paused.id, Status.SUMMARISED, ())
    assert "Eve" in Path(review.report or "").read_text(encoding="utf-8")
    assert study.service.trail.verify() is None


def test_decision_on_a_review_that_a_waiver_relieved_finds_it_ended(study: Study, ask: Ask) -> None:
    paused = study.run()
    study.service.waivers.add(by_hand())
    with pytest.raises(DecisionNotAllowed, match="summarised"):
        study.service.decide(paused.id or "", ask("confirm"))
    assert study.service.get(paused.id or "").status is Status.SUMMARISED


@pytest.mark.parametrize("end", ["revoked", "expired"])
def test_waiver_that_ended_while_a_review_waits_lets_nothing_pass(
    study: Study, ask: Ask, hands: Hands, end: str
) -> None:
    study.spec |= {"policy": {"majorAt": 1}}
    waiver = study.service.waivers.add(by_hand())
    paused = study.run()
    assert (paused.status, states(paused)[f"{KEY} ID"]) == (Status.PAUSED, "waived")
    if end == "revoked":
        study.service.waivers.revoke(waiver.id, by="Bob", reason="not any more")
    else:
        hands.go_on(**AFTER)
    assert states(study.service.get(paused.id or ""))[f"{KEY} ID"] == "open"
    dismissal = ask("dismiss", findings=ids(paused, RANGE))
    assert study.service.preview(paused.id or "", dismissal).triage.needs_human
    review = study.service.decide(paused.id or "", dismissal)
    assert (review.status, states(review)[f"{KEY} ID"]) == (Status.PAUSED, "open")
    assert any(end in notice for notice in review.notices), review.notices


def test_revocation_is_told_once_and_needs_a_name_and_a_reason(study: Study) -> None:
    waiver = study.service.waivers.add(by_hand())
    for by, reason in (("", "why not"), ("Bob", " ")):
        with pytest.raises(InvalidDecision):
            study.service.waivers.revoke(waiver.id, by=by, reason=reason)
    revoked = study.service.waivers.revoke(waiver.id, by="Bob", reason="not any more")
    assert (revoked.revoked_by, revoked.revoked_reason) == ("Bob", "not any more")
    with pytest.raises((InvalidDecision, DecisionNotAllowed), match="already"):
        study.service.waivers.revoke(waiver.id, by="Cyd", reason="me too")
    assert study.service.waivers.list(active_only=True) == ()
    acts = [entry.action for entry in study.service.trail.entries()]
    assert acts == [AuditAction.WAIVER_ADDED, AuditAction.WAIVER_REVOKED]


def test_second_waiver_of_the_same_second_is_not_taken_for_made(study: Study, hands: Hands) -> None:
    first = study.service.waivers.add(by_hand())
    with pytest.raises(DecisionNotAllowed, match="in this very second"):
        study.service.waivers.add(by_hand(expires_on="2026-12-31"))
    hands.go_on(seconds=1)
    second = study.service.waivers.add(by_hand(expires_on="2026-12-31"))
    assert {waiver.id for waiver in study.service.waivers.list(active_only=True)} == {first.id, second.id}


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"expires_on": "31.12.2026"}, "last day"),
        ({"expires_on": "2026-03-03"}, "before today"),
        ({"author": " "}, "name"),
        ({"reason": ""}, "reason"),
        ({"reason_code": "because"}, "reason code"),
        ({"max_count": 0}, "at least 1"),
        ({"code": "structure.not_run"}, "cannot be waived"),
    ],
)
def test_waiver_that_lacks_something_is_refused(study: Study, fields: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidDecision, match=says):
        study.service.waivers.add(by_hand(**fields))
    assert study.service.waivers.list() == ()
    assert study.service.trail.last() is None


def test_waiver_is_for_one_dataset(study: Study, table: Callable[..., Path]) -> None:
    study.service.waivers.add(by_hand(dataset="ae"))
    assert study.run().status is Status.PAUSED
    assert study.service.start(table("major", "ae"), study.spec).status is Status.SUMMARISED


def test_waiver_comes_and_a_decision_is_made_at_once(study: Study, ask: Ask, settings: Settings, built: Built) -> None:
    """Whoever runs the dataset writes into the thread only while nobody else works on the review."""
    paused, other = study.run(), built(settings)
    other.waivers.add(by_hand())
    with study.service._store.claim(paused.id or "") as mine:
        assert mine is not None
        before = study.service._advancing.look(paused.id or "").kept.config
        other._store._leases._wait_s = 0  # type: ignore[attr-defined]
        assert other.start(paused.dataset.uri, study.spec, name="dm").status is Status.PAUSED
        with pytest.raises(DecisionConflict, match="another process is still working"):
            other.decide(paused.id or "", ask("confirm"))
        assert study.service._advancing.look(paused.id or "").kept.config == before
    assert study.run().status is Status.SUMMARISED
