"""Each format tells what a regulated reader asks for; nothing of it goes silently."""

from __future__ import annotations

import html as entities
import io
import re
from collections.abc import Callable

import openpyxl
import pytest

from review_graph.vocabulary import Review
from tests.reports.conftest import ANCHOR, MakeReview, Render

FACTS = {
    "waiver": "w-0123456789ab",
    "who waived": "Grace text",
    "why waived": "ages are in months text",
    "until when": "2026-12-31",
    "waiver that expired": "w-ffffffffffff expired on 2026-03-03",
    "notice": "notice text",
    "who decided": "Ada text",
    "role": "data manager text",
    "reason code": "expected",
    "reason": "known text",
    "meaning": "I looked text",
    "who approved": "Bob text",
    "anchor": ANCHOR.hash,
    "review before": "dm-0",
}

WORDS = {
    "approved": re.compile(r"approved by Bob text|\"approves\": 1\b"),
    "waits for approval": re.compile(r"needs the approval of another person|\"needs_approval\": true"),
    "counts": re.compile(r"20 rows before, 25 now|\"before\": 20,\s*\"after\": 25"),
}

CHANGES = ("new", "reopened", "persisting", "fixed", "no longer judged")


def shown(name: str, content: bytes) -> str:
    """What a reader of a format sees, escapes of its own undone."""
    if name == "xlsx":
        book = openpyxl.load_workbook(io.BytesIO(content))
        return "\n".join(str(cell) for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row)
    text = content.decode()
    if name == "md":
        return re.sub(r"\\([^\w\s])", r"\1", text)
    return entities.unescape(text) if name in ("html", "junit") else text


@pytest.mark.parametrize("name", ["md", "html", "json", "ndjson", "junit", "sarif", "xlsx"])
def test_a_format_tells_all(name: str, make_full: MakeReview, render: Render) -> None:
    review: Review = make_full()
    text = shown(name, render(name, review))
    assert [fact for fact, told in FACTS.items() if told not in text] == []
    assert [fact for fact, told in WORDS.items() if not told.search(text)] == []
    assert review.diff is not None
    for kind in ("new", "reopened", "persisting", "fixed", "unjudged"):
        for change in getattr(review.diff, kind):
            assert change.finding.id in text
    if name in ("md", "html", "junit", "xlsx"):
        assert [word for word in CHANGES if word not in text] == []


@pytest.mark.parametrize("name", ["md", "html"])
def test_a_report_says_that_there_was_no_review_before(
    name: str, make_review: Callable[..., Review], render: Render
) -> None:
    assert "no earlier review of this dataset is known" in render(name, make_review()).decode()


@pytest.mark.parametrize("name", ["md", "html", "junit"])
def test_a_report_without_a_trail_names_none(name: str, make_review: MakeReview, render: Render) -> None:
    assert "Audit trail" not in render(name, make_review()).decode()
