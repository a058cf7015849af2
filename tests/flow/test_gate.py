"""R7 and R8: a paused review is decided by another process, and takes the road that follows from the decision."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status, build
from review_graph.vocabulary import Action, FindingStatus

Ask = Callable[..., DecisionRequest]


@pytest.fixture
def paused(service: ReviewService, table: Callable[..., Path], spec: dict[str, Any]) -> Review:
    """A review with one major and one minor finding."""
    review = service.start(table("major"), spec)
    assert review.status is Status.PAUSED
    return review


@pytest.fixture
def later(settings: Settings) -> ReviewService:
    """The service as another process has it: with nothing but the database, at another time."""
    return build(settings)


def findings_of(review: Review, code: str | None = None) -> tuple[str, ...]:
    return tuple(item.finding.id for item in review.findings if code in (None, item.finding.code))


def test_paused_review_is_found_again_with_its_findings(paused: Review, later: ReviewService) -> None:
    assert later.list() == (paused,)
    assert later.get(paused.id or "") == paused
    assert paused.actions == (Action.CONFIRM, Action.OVERRIDE, Action.DISMISS, Action.WAIVE, Action.COMMENT)
    assert (paused.report, paused.queries, paused.decisions) == (None, None, ())


@pytest.mark.parametrize("severity", ["minor", "none"])
def test_override_takes_the_summarise_road(paused: Review, later: ReviewService, ask: Ask, severity: str) -> None:
    review = later.decide(paused.id or "", ask("override", severity=severity))
    assert (review.status, review.triage.severity.value) == (Status.SUMMARISED, severity)
    assert not review.triage.needs_human
    assert review.queries is None
    report = Path(review.report or "").read_text(encoding="utf-8")
    assert f"**override** major → {severity}" in report
    assert "Ada" in report


def test_confirm_escalates_with_a_query_for_each_open_finding(paused: Review, later: ReviewService, ask: Ask) -> None:
    review = later.decide(paused.id or "", ask("confirm"))
    assert (review.status, review.triage.severity.value) == (Status.ESCALATED, "major")
    assert review.actions == (Action.COMMENT,)
    with Path(review.queries or "").open(encoding="utf-8", newline="") as file:
        queries = list(csv.DictReader(file))
    assert [query["finding"] for query in queries] == list(findings_of(review))
    assert [query["query"] for query in queries] == ["1", "2"]
    assert "Ada: **confirm**" in Path(review.report or "").read_text(encoding="utf-8")


def test_dismissing_what_made_it_major_summarises(paused: Review, later: ReviewService, ask: Ask) -> None:
    repeated = findings_of(paused, "structure.duplicate_key")
    review = later.decide(paused.id or "", ask("dismiss", findings=repeated))
    assert (review.status, review.triage.severity.value) == (Status.SUMMARISED, "minor")
    assert {item.finding.code: item.status for item in review.findings} == {
        "structure.duplicate_key": FindingStatus.DISMISSED,
        "ranges.outside_limits": FindingStatus.OPEN,
    }


def test_dismissing_every_finding_leaves_none(paused: Review, later: ReviewService, ask: Ask) -> None:
    review = later.decide(paused.id or "", ask("dismiss", findings=findings_of(paused)))
    assert (review.status, review.triage.severity.value, review.open_findings) == (Status.SUMMARISED, "none", ())


def test_dismissing_one_of_several_stays_paused_with_the_others(
    service: ReviewService, later: ReviewService, table: Callable[..., Path], spec: dict[str, Any], ask: Ask
) -> None:
    key = {"ID": ["S-1", "S-2", None], "A": [1, 2, 33]}
    review = service.start(table("major", "two", **key), spec | {"policy": {"majorAt": 1}})
    assert len(review.findings) == 2
    first, second = findings_of(review)
    review = later.decide(review.id or "", ask("dismiss", findings=(first,)))
    assert (review.status, [finding.id for finding in review.open_findings]) == (Status.PAUSED, [second])
    assert review.actions == tuple(action for action in Action if action is not Action.APPROVE)
    review = later.decide(review.id or "", ask("confirm", by="Bob"))
    assert review.status is Status.ESCALATED
    assert [(d.number, d.action.value, d.by) for d in review.decisions] == [
        (1, "dismiss", "Ada"),
        (2, "confirm", "Bob"),
    ]
    queries = Path(review.queries or "").read_text(encoding="utf-8")
    assert second in queries
    assert first not in queries


def test_minor_findings_below_the_threshold_after_a_dismissal_summarise(
    service: ReviewService, table: Callable[..., Path], spec: dict[str, Any], ask: Ask
) -> None:
    review = service.start(table("three-minor"), spec)
    assert review.status is Status.PAUSED
    review = service.decide(review.id or "", ask("dismiss", findings=findings_of(review)[:1]))
    assert (review.status, review.triage.severity.value) == (Status.SUMMARISED, "minor")


def test_decision_is_kept_with_name_time_reason_and_change(paused: Review, service: ReviewService, ask: Ask) -> None:
    review = service.decide(paused.id or "", ask("override", by="  Ada Lovelace ", reason=" a known issue "))
    assert [decision.to_plain() for decision in review.decisions] == [
        {
            "number": 1,
            "action": "override",
            "by": "Ada Lovelace",
            "role": "",
            "at": "2026-03-04T05:06:07+00:00",
            "reason": "a known issue",
            "reason_code": None,
            "meaning": Action.OVERRIDE.meaning,
            "from": "major",
            "to": "minor",
            "findings": [],
            "needs_approval": False,
            "approves": None,
            "waiver": None,
            "expires": None,
            "max_count": None,
        }
    ]


def test_dataset_is_not_needed_any_more_when_it_is_decided(
    paused: Review, later: ReviewService, tmp_path: Path, ask: Ask
) -> None:
    (tmp_path / "major.parquet").unlink()
    assert later.decide(paused.id or "", ask("confirm")).status is Status.ESCALATED


def test_running_and_resuming_a_paused_review_asks_again_and_changes_nothing(
    paused: Review, later: ReviewService, tmp_path: Path, spec: dict[str, Any]
) -> None:
    assert later.start(tmp_path / "major.parquet", spec) == paused
    assert later.resume(paused.id or "") == paused
