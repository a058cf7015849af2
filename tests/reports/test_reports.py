"""What holds for every format: the same bytes for the same reviews, any number of reviews, a failed one among them."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from review_graph.doors.cli.options import ReportFormat
from review_graph.reports import BINARY, NAMES
from review_graph.vocabulary import Review

Render = Callable[..., bytes]
MakeReview = Callable[..., Review]


def test_the_command_line_offers_every_format() -> None:
    assert {item.value for item in ReportFormat} == {"table", *NAMES}
    assert set(NAMES) >= BINARY


@pytest.mark.parametrize("name", NAMES)
def test_the_same_reviews_give_the_same_bytes(
    name: str, make_review: MakeReview, failed: Review, render: Render, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = render(name, make_review(), failed)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 90_000)
    assert render(name, make_review(), failed) == first


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_report_holds_any_number_of_reviews(name: str, count: int, make_review: MakeReview, render: Render) -> None:
    assert render(name, *[make_review(id=f"dm-{number}") for number in range(count)]) or (name, count) == ("md", 0)


@pytest.mark.parametrize("name", sorted(set(NAMES) - BINARY - {"csv"}))
def test_a_dataset_that_could_not_be_reviewed_is_told(name: str, failed: Review, render: Render) -> None:
    text = render(name, failed).decode()
    assert "broken" in text
    assert "cut in the middle" in text
