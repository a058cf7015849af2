"""What a model is told of a review, and what every report makes of what it wrote."""

from __future__ import annotations

import json
from dataclasses import replace

import polars as pl
import pytest

from checks.vocabulary import Finding, Severity
from review_graph.core.narrating import MAX_FINDINGS, MAX_MESSAGE, grounded, material
from review_graph.core.reporting import report
from review_graph.reports import rendered
from review_graph.vocabulary import Dataset, Narrative, Review, ReviewedFinding, Status, Triage


def finding(number: int, message: str = "text") -> ReviewedFinding:
    return ReviewedFinding(
        finding=Finding(
            code="ranges.outside_limits",
            severity=Severity.MINOR,
            columns=(f"C{number}",),
            message=message,
            failed=7,
            rows=90,
        )
    )


def review(*findings: ReviewedFinding) -> Review:
    return Review(
        id="dm-1",
        dataset=Dataset(name="dm", uri="dm.csv", fingerprint="ab" * 32, rows=90, columns=3),
        status=Status.SUMMARISED,
        triage=Triage(severity=Severity.MINOR, needs_human=False, reason="minor"),
        findings=findings or (finding(1),),
    )


def test_what_the_model_is_told_is_bounded() -> None:
    told = material(review(*(finding(number, "x" * 5000) for number in range(MAX_FINDINGS + 3))))
    assert told.endswith("\n3 more findings not listed here")
    lines = [line for line in told.splitlines() if line.startswith("- ")]
    assert len(lines) == MAX_FINDINGS
    assert max(map(len, lines)) < MAX_MESSAGE + 120


def test_numbers_of_the_findings_and_of_their_messages_are_supported() -> None:
    told = review(finding(1, "7 of 90 rows above 36.5, at most 41.0"))
    text = "7 of 90 rows are too high, up to 41; one finding in 3 columns."
    assert grounded(Narrative(text=text, model="m"), told) == Narrative(text=text, model="m")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("See ranges.foo-12345678.", "ranges.foo-12345678"),
        ("See [finding:made-up].", "made-up"),
        ("structure.duplicate_key is severe.", "structure.duplicate_key"),
    ],
)
def test_a_finding_that_there_is_not_may_not_be_named(text: str, named: str) -> None:
    kept = grounded(Narrative(text=text, model="m"), review())
    assert (kept.text, kept.left_out.replace("'", "")) == ("", f"it names findings that there are not: {named}")


def test_findings_of_the_review_may_be_named_by_id_and_by_code() -> None:
    text = f"ranges.outside_limits fails most, see {finding(1).finding.id}."
    assert grounded(Narrative(text=text, model="m"), review()).text == text


@pytest.mark.parametrize("text", ["__1234__ offending rows", "TOTAL1234", "LXXXVI rows", "Half of the rows are wrong"])
def test_a_number_is_no_less_one_for_its_dress(text: str) -> None:
    assert grounded(Narrative(text=text, model="m"), review()).left_out.startswith("it names numbers that are not")


MARKUP = "# Clean <script>x()</script> [all](http://x) **well** | `x` \u202e\x1b[K"


def test_markup_of_a_model_is_text_in_every_report() -> None:
    narrated = replace(review(), narrative=grounded(Narrative(text=MARKUP, model="m<b>\n# x"), review()))
    markdown = report(narrated)
    assert "\n> \\# Clean \\<script\\>x" in markdown
    assert not [line for line in markdown.splitlines() if line.startswith("# x")]
    page = rendered("html", [narrated], open_rows=lambda _: pl.DataFrame()).decode()
    assert "<h3>Narrative</h3>" in page
    assert "<blockquote><p># Clean &lt;script&gt;x()" in page
    assert "<script>" not in page
    assert not {"\u202e", "\x1b"} & {*page, *markdown}
    events = [
        json.loads(line) for line in rendered("ndjson", [narrated], open_rows=lambda _: pl.DataFrame()).splitlines()
    ]
    (closing,) = [each for each in events if each["type"] == "review"]
    assert closing["narrative"]["text"].startswith("# Clean")


def test_page_says_what_was_left_out() -> None:
    narrated = replace(review(), narrative=Narrative(left_out="the model did not answer"))
    page = rendered("html", [narrated], open_rows=lambda _: pl.DataFrame()).decode()
    assert "The model&#39;s narrative was left out: the model did not answer" in page
    assert "<blockquote>" not in page
