"""H6: what changed since the review before of the same dataset, through real runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.errors import InputError, ReviewNotFound
from review_graph.vocabulary import FindingChange, ReviewDiff
from tests.flow.conftest import Built
from tests.flow.things import KEY, RANGE, Hands, ids

FIRST = {"ID": ["S-1", "S-2", "S-2"], "A": [1, 2, 33], "B": [1, 2, 3]}
SECOND = {"ID": ["S-1", "S-2", "S-3"], "A": [1, 22, 33], "B": [1, 2, -3]}
"""The repeated key is corrected, A has one more outside its limits, and B is outside for the first time."""


@pytest.fixture
def service(settings: Settings, built: Built) -> ReviewService:
    return built(settings)


@pytest.fixture
def run(
    service: ReviewService, table: Callable[..., Path], spec: dict[str, Any], hands: Hands
) -> Callable[..., Review]:
    """Runs a delivery of the one dataset."""

    def deliver(data: dict[str, Any], name: str = "dm", **more: Any) -> Review:
        hands.go_on(minutes=1)
        return service.start(table("major", name, **data), spec | more)

    return deliver


def changes(diff: ReviewDiff | None) -> dict[str, list[str]]:
    """What is in each part, by check and columns, with the counts."""
    assert diff is not None

    def shown(listed: Sequence[FindingChange]) -> list[str]:
        return [f"{c.finding.code} {c.finding.columns[0]} {counts(c)}" for c in listed]

    parts = ("new", "persisting", "fixed", "reopened", "unjudged")
    return {part: shown(getattr(diff, part)) for part in parts if getattr(diff, part)}


def counts(change: FindingChange) -> str:
    before, after = change.before, change.after
    return f"{before.finding.failed if before else '-'}→{after.finding.failed if after else '-'}"


def test_first_review_has_nothing_before_it(service: ReviewService, run: Callable[..., Review]) -> None:
    review = run(FIRST)
    assert review.diff is None
    assert service.diff(review.id or "") is None


def test_new_persisting_and_fixed(service: ReviewService, run: Callable[..., Review]) -> None:
    first, second = run(FIRST), run(SECOND)
    expected = {"new": [f"{RANGE} B -→1"], "persisting": [f"{RANGE} A 1→2"], "fixed": [f"{KEY} ID 2→-"]}
    assert changes(second.diff) == expected
    assert changes(service.diff(second.id or "")) == expected
    assert second.diff is not None
    assert (second.diff.before, second.diff.after, second.diff.same_spec) == (first.id, second.id, True)
    assert changes(service.diff(first.id or "", before=second.id)) == {
        "new": [f"{KEY} ID -→2"],
        "persisting": [f"{RANGE} A 2→1"],
        "fixed": [f"{RANGE} B 1→-"],
    }


def test_what_was_dismissed_and_is_found_again_is_reopened(
    service: ReviewService, run: Callable[..., Review], ask: Callable[..., DecisionRequest]
) -> None:
    first = run(FIRST)
    service.decide(first.id or "", ask("dismiss", findings=ids(first, KEY)))
    again = run(FIRST | {"B": [3, 2, 1]})
    assert changes(again.diff) == {"persisting": [f"{RANGE} A 1→1"], "reopened": [f"{KEY} ID 2→2"]}
    assert again.status is Status.PAUSED


def test_it_is_the_review_before_and_not_the_first(service: ReviewService, run: Callable[..., Review]) -> None:
    run(FIRST)
    second, third = run(SECOND), run(FIRST | {"A": [1, 2, 3]})
    assert third.diff is not None
    assert third.diff.before == second.id
    assert changes(third.diff)["fixed"] == [f"{RANGE} A 2→-", f"{RANGE} B 1→-"]
    assert changes(third.diff)["new"] == [f"{KEY} ID -→2"]
    assert service.get(second.id or "").diff == second.diff  # what came later changes nothing


def test_what_was_not_judged_is_not_said_to_be_fixed(run: Callable[..., Review]) -> None:
    run(FIRST | {"C": [99, 1, 2]})
    later = run(FIRST)
    assert changes(later.diff)["unjudged"] == [f"{RANGE} C 1→-"]
    assert "fixed" not in changes(later.diff)


def test_another_spec_is_said(run: Callable[..., Review]) -> None:
    run(FIRST)
    later = run(FIRST | {"A": [1, 2, 3]}, policy={"majorAt": 1})
    assert later.diff is not None
    assert not later.diff.same_spec
    assert [change.finding.code for change in later.diff.fixed] == []
    assert changes(later.diff)["unjudged"] == [f"{RANGE} A 1→-"]


def test_other_datasets_are_not_compared(service: ReviewService, run: Callable[..., Review]) -> None:
    dm, ae = run(FIRST), run(SECOND, "ae")
    assert ae.diff is None
    with pytest.raises(InputError, match="cannot be compared"):
        service.diff(ae.id or "", before=dm.id)
    with pytest.raises(ReviewNotFound):
        service.diff(ae.id or "", before="dm-0000000000")


def test_report_says_what_changed(
    service: ReviewService, run: Callable[..., Review], ask: Callable[..., DecisionRequest]
) -> None:
    first, second = run(FIRST), run(SECOND)
    assert second.status is Status.SUMMARISED
    report = Path(second.report or "").read_text(encoding="utf-8")
    assert first.id
    assert first.id in report
    assert service.decide(first.id, ask("confirm")).status is Status.ESCALATED
