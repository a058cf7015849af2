"""The page: what a reader finds on it, that it asks nobody for anything, and the drawing of a distribution."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from checks.vocabulary import Distribution
from review_graph.reports import html
from review_graph.reports.drawing import HEIGHT, WIDTH, Drawing, drawing
from review_graph.vocabulary import Review

Render = Callable[..., bytes]
MakeReview = Callable[..., Review]


def spread(**more: Any) -> Distribution:
    """A distribution over three bins, of which some fields are given."""
    fields: dict[str, Any] = {
        "label": None,
        "edges": (0.0, 10.0, 20.0, 30.0),
        "inside": (2, 1000, 0),
        "outside": (1, 0, 3),
        "minimum": 5.0,
        "maximum": 20.0,
        "unit": "years",
    }
    return Distribution(**(fields | more))


def test_a_page_tells_findings_totals_decisions_and_what_was_not_judged(
    make_review: MakeReview, render: Render
) -> None:
    page = render("html", make_review()).decode()
    for told in (
        "<h1>Review of dmtext</h1>",
        "25 of 90 rows: text",
        "Offending rows: first 20 of 25 rows",
        "all 25 rows in <code>evidence/ages.parquet</code>",
        "dismiss by Ada text at 2026-03-04T05:06:07+00:00",
        "Not judged: 3 of 6 outcomes of checks",
        "<td>&#39; F&#39;</td>",
        "<td>(missing)</td>",
    ):
        assert told in page, told


def test_several_reviews_stand_behind_a_table_of_them(make_review: MakeReview, failed: Review, render: Render) -> None:
    page = render("html", make_review(), failed).decode()
    assert "<h1>Review of 2 datasets</h1>" in page
    for target in re.findall(r'href="#(\w+)"', page):
        assert page.count(f'id="{target}"') == 1
    assert "cut in the middle" in page


def test_a_page_is_accessible_and_asks_nobody(make_review: MakeReview, failed: Review, render: Render) -> None:
    page = render("html", make_review(), failed).decode()
    assert '<html lang="en">' in page
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    assert not re.findall(r"https?:|//|@import|url\(|<script|<link|<img|\sstyle=", page)
    levels = [int(level) for level in re.findall(r"<h([1-6])", page)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert set(re.findall(r"<th\b( scope=\"\w+\")?", page)) == {' scope="col"', ' scope="row"'}
    identities = re.findall(r'\sid="([^"]+)"', page)
    assert len(identities) == len(set(identities))
    assert set(re.findall(r'aria-labelledby="([^"]+)"', page)) <= set(identities)


def test_the_policy_of_the_page_allows_its_style_and_nothing_else(make_review: MakeReview, render: Render) -> None:
    page = render("html", make_review()).decode()
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert policy.replace("'", "&#39;").replace("+", "&#43;") in page.replace("+", "&#43;")


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def test_text_has_the_contrast_that_wcag_asks_for(make_review: MakeReview, render: Render) -> None:
    """WCAG 2.2, success criterion 1.4.3: at least 4.5 to 1, in both colour schemes."""
    page = render("html", make_review()).decode()
    schemes = [dict(re.findall(r"--(\w+): (#\w{6})\b", block)) for block in re.findall(r"(?s):root \{(.*?)\}", page)]
    assert len(schemes) == 3
    for scheme in schemes[:2]:
        for ground in ("page", "panel"):
            for ink in ("ink", "soft", "major", "minor", "good", "link"):
                light, dark = sorted((luminance(scheme[ink]), luminance(scheme[ground])), reverse=True)
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, ground)


def test_drawing_shows_all_values_and_the_limits() -> None:
    drawn = drawing("AGE", spread())
    assert drawn.title == "Distribution of AGE in years"
    assert drawn.summary == (
        "1,002 values within the limits (minimum 5 and maximum 20 years) and 4 beyond; drawn from 0 to 30"
    )
    assert [(bar.beyond, bar.says) for bar in drawn.bars] == [
        (False, "0 to 10: 2 values within"),
        (True, "0 to 10: 1 value beyond the limits"),
        (False, "10 to 20: 1,000 values within"),
        (True, "20 to 30: 3 values beyond the limits"),
    ]
    assert [mark.text for mark in drawn.limits] == ["minimum 5", "maximum 20"]
    assert all(bar.height >= 2 for bar in drawn.bars)  # one among a thousand is seen
    within, beyond, *_ = drawn.bars
    assert beyond.y + beyond.height == within.y  # stacked


@pytest.mark.parametrize(
    "counted",
    [
        spread(below=4, above=70_000),
        spread(inside=(0, 0, 0), outside=(0, 0, 0), above=1),
        spread(edges=(1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3), minimum=None, maximum=0.0),
        spread(label="SYSBP\x1b<b>", unit=None),
    ],
    ids=["off both ends", "only off the end", "limit off the picture", "by parameter"],
)
def test_drawing_stays_on_its_plane(counted: Distribution) -> None:
    drawn = drawing("V", counted)
    assert len([bar for bar in drawn.bars if bar.height]) == len(drawn.bars)
    for bar in drawn.bars:
        assert 0 <= bar.x < bar.x + bar.width <= WIDTH
        assert 0 <= bar.y < bar.y + bar.height <= HEIGHT
    assert all(0 <= mark.x <= WIDTH for mark in (*drawn.limits, *drawn.ticks))
    assert "\x1b" not in drawn.title
    assert f"and {sum(counted.outside) + counted.below + counted.above:,} beyond" in drawn.summary


def test_page_draws_what_was_counted(make_review: MakeReview, render: Render, monkeypatch: pytest.MonkeyPatch) -> None:
    def drawings(finding: Any) -> tuple[Drawing, ...]:
        return (drawing("<b>", spread(above=2, unit="<i>")),) if finding.failed == 25 else ()

    html._environment.cache_clear()
    monkeypatch.setattr(html, "drawings", drawings)
    page = render("html", make_review()).decode()
    html._environment.cache_clear()
    (svg,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    shapes = ET.fromstring(svg)  # noqa: S314 - our own
    assert shapes.get("role") == "img"
    assert len(shapes.findall("rect")) == 5
    assert [line.get("class") for line in shapes.findall("line")] == ["axis", "limit", "limit"]
    assert "Distribution of &lt;b&gt; in &lt;i&gt;" in page
