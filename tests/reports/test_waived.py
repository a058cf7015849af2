"""A waived finding is in every report with who accepted it, why and until when; never silently."""

from __future__ import annotations

import datetime as dt
import io
from dataclasses import replace

import openpyxl
import pytest

from review_graph.core.triage import apply_decisions
from review_graph.core.waiving import apply_waivers
from review_graph.vocabulary import FindingStatus, Review
from tests.reports.conftest import MakeReview, Render, waiver


@pytest.fixture
def waived(make_review: MakeReview) -> Review:
    """The open finding of many rows is waived."""
    review = make_review()
    accepted = waiver(review, "", author="Grace", role="", reason="ages are in months", max_count=None)
    findings = [item.finding for item in review.findings]
    covered = apply_waivers(findings, [accepted], dataset=review.dataset.name, today=dt.date(2026, 3, 4))
    items = apply_decisions(findings, review.decisions, covered)
    assert items[0].status is FindingStatus.WAIVED
    return replace(review, findings=items)


TOLD = "waiver w-0123456789ab by Grace until 2026-12-31, expected: ages are in months"


@pytest.mark.parametrize("name", ["html", "junit", "sarif"])
def test_a_waived_finding_is_reported_with_its_waiver(waived: Review, render: Render, name: str) -> None:
    assert TOLD in render(name, waived).decode()


def test_a_waived_finding_is_in_the_workbook_with_its_waiver(waived: Review, render: Render) -> None:
    book = openpyxl.load_workbook(io.BytesIO(render("xlsx", waived)))
    cells = {str(cell) for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row}
    assert any(TOLD in cell for cell in cells)
    book.close()


def test_a_waived_finding_is_in_json_with_its_waiver(waived: Review, render: Render) -> None:
    assert '"author": "Grace"' in render("json", waived).decode()
