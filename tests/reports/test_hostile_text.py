"""What stands in the data, in names and in what people wrote is shown by every format and acted on by none."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import openpyxl
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from review_graph.core.reporting import report
from review_graph.reports import BINARY, NAMES, rendered
from review_graph.reports.xlsx import MAX_TEXT
from review_graph.vocabulary import Dataset, Review, Status
from tests.reports.conftest import ANCHOR, MakeReview

HOSTILE = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(1)><!--",
    "attribute": "\" onmouseover=\"alert(1)' x='",
    "cdata": "<![CDATA[ ]]> &amp; &#x3c; ]]>",
    "template": "{{ 7 * 7 }}{% raw %}",
    "markdown": "![x](http://example.invalid) [click](http://example.invalid) `a` | b",
    "placeholder": "{0} [0] \\",
    "equals": '=HYPERLINK("http://example.invalid","x")',
    "plus": "+1+cmd|' /C calc'!A0",
    "minus": "-1-1",
    "at": "@SUM(A1)",
    "wide": "＝1+1",  # noqa: RUF001
    "after a blank": " =1+1",
    "semicolon": 'a;=1+1;"=2;-3+4; @x',
    "tab": "\t=1+1",
    "return": "\r=1+1\r",
    "dialects": "$x$ www.example.invalid HTTP://example.invalid &lt;b&gt; ~~x~~",
    "url": "http://example.invalid",
    "mail": "mailto:a@example.invalid",
    "escaped": "_x0000_",
    "controls": "a\x1b[31m\x07\x08\x9b\r\nb\tc",
    "bidi": "abc\u202e\u2066cba\u200b",
    "nul": "a\x00b",
    "surrogate": "a\udc80\ud800b",
    "nonchar": "a\ufffe\uffffb",
    "long": "x" * 40_000,
    "emoji": "👩‍🔬🇩🇪" * 50,
}

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - the wide ones as well
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")

TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "section", "article", "div", "h1", "h2", "h3", "h4"),
    *("p", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td", "span", "code", "a"),
}


class Page(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def is_neutral_json(content: bytes) -> None:
    assert content.isascii()
    for text in [content.decode()] if content.startswith(b"{\n") else content.decode().splitlines():
        json.dumps(json.loads(text), ensure_ascii=False).encode()  # no half characters


def is_neutral_sarif(content: bytes) -> None:
    """What a viewer prints of it is visible; the properties hold text as it is, for programs."""
    is_neutral_json(content)
    assert not [text for text in printed(json.loads(content)) if not text.isprintable()]


def printed(plain: Any) -> Iterator[str]:
    """The messages and justifications in plain data."""
    for name, value in plain.items() if isinstance(plain, dict) else enumerate(plain):
        if name in ("text", "justification"):
            yield value
        elif name != "properties" and isinstance(value, dict | list):
            yield from printed(value)


def is_neutral_html(content: bytes) -> None:
    page = Page(content.decode())
    assert page.tags <= TAGS
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on") or name in ("src", "style", "action")}
    assert all(value.startswith("#") for name, value in page.attributes if name == "href")


def is_neutral_junit(content: bytes) -> None:
    root = ET.fromstring(content)  # noqa: S314 - our own
    tags = {
        "testsuites",
        "testsuite",
        "properties",
        "property",
        "testcase",
        "failure",
        "error",
        "skipped",
        "system-out",
    }
    assert {element.tag for element in root.iter()} <= tags


def is_neutral_workbook(content: bytes) -> None:
    book = openpyxl.load_workbook(io.BytesIO(content))
    for sheet in book:
        assert len(sheet.title) <= 31
        for cell in (cell for row in sheet.iter_rows() for cell in row):
            assert cell.data_type in ("s", "n"), cell.value
            assert cell.hyperlink is None
            assert cell.data_type == "n" or len(str(cell.value).encode("utf-16-le")) <= 2 * MAX_TEXT


def is_neutral_csv(content: bytes) -> None:
    limit = csv.field_size_limit(10**7)  # a line is one cell where semicolons part them
    try:
        rows, elsewhere = (list(csv.reader(io.StringIO(content.decode()), delimiter=sign)) for sign in ",;")
    finally:
        csv.field_size_limit(limit)
    assert len({len(row) for row in rows}) == 1
    for cell in (cell for row in (*rows, *elsewhere) for cell in row):
        assert NUMBER.fullmatch(cell) or not cell.lstrip(" ").startswith(FORMULA)


def is_neutral_parquet(content: bytes) -> None:
    frame = pl.read_parquet(io.BytesIO(content))
    assert set(frame.dtypes) == {pl.String, pl.Int64}


def is_neutral_markdown(content: bytes) -> None:
    """Each line is one of ours, and outside of code no sign of a dialect is left without its backslash."""
    lines = content.decode().splitlines()
    assert all(line == "" or line.startswith(("# ", "## ", "- ", "Audit trail: entry 12")) for line in lines)
    for line in lines:
        text = re.sub(r"\\[^\w\s]|`[^`]*`| \[(waived|dismissed)\]", "", line)
        assert not re.search(r"[<>\[\]`|$&]|\w://|(?i:\bwww\.)", text), line


NEUTRAL: dict[str, Callable[[bytes], None]] = {
    "json": is_neutral_json,
    "ndjson": is_neutral_json,
    "sarif": is_neutral_sarif,
    "md": is_neutral_markdown,
    "html": is_neutral_html,
    "junit": is_neutral_junit,
    "xlsx": is_neutral_workbook,
    "csv": is_neutral_csv,
    "parquet": is_neutral_parquet,
}


def test_every_format_is_tried() -> None:
    assert set(NEUTRAL) == set(NAMES)


def is_shown_safely(name: str, review: Review, text: str) -> None:
    """A format is neutral, and what is text has no control character, no override of direction, no half character."""
    rows = pl.DataFrame({"row_number": [1], "V": [text.encode(errors="replace").decode()]})
    content = rendered(name, [review], open_rows=lambda _: rows, skipped=[text])
    NEUTRAL[name](content)
    if name not in BINARY:
        assert not [c for c in content.decode() if unicodedata.category(c) in UNSEEN and c != "\n"]


UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_neutral(name: str, text: str, make_full: MakeReview) -> None:
    is_shown_safely(name, make_full(text), text)


pieces = st.sampled_from([text for kind, text in HOSTILE.items() if kind not in ("long", "emoji")])
anything = st.text(st.characters(), max_size=8)
hostile = st.lists(
    pieces | anything | st.sampled_from(list("=+-@;,'\"<&|\t\r\n \u202e\u2028\x1b")), min_size=1, max_size=5
)


@pytest.mark.parametrize("name", NAMES)
@given(parts=hostile)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_no_text_whatever_gets_through(name: str, make_full: MakeReview, parts: list[str]) -> None:
    text = "".join(parts)
    is_shown_safely(name, make_full(text), text)


@given(parts=hostile)
def test_no_text_whatever_gets_through_the_line_of_a_clean_review(parts: list[str]) -> None:
    name = "".join(parts)
    clean = Review(
        id="x-1",
        dataset=Dataset(name=name, uri="x", fingerprint="ab", rows=1, columns=1),
        status=Status.SUMMARISED,
        anchor=ANCHOR,
    )
    first, blank, last, end = report(clean).split("\n")
    assert (blank, last[:13], end) == ("", "Audit trail: ", "")
    assert not re.match(r" |[-+=>#]|\d+[.)]", first)


def test_what_is_shown_is_what_was_there(make_review: Callable[..., Review], render: Callable[..., bytes]) -> None:
    text, seen = "<b>&amp;\x1b]]>", "<b>&amp;\\x1b]]>"
    review: Review = make_review(text)
    message = f"25 of 90 rows: {seen}"
    assert message in Page(render("html", review).decode()).text
    root = ET.fromstring(render("junit", review))  # noqa: S314 - our own
    assert message in {failure.get("message") for failure in root.iter("failure")}
    book = openpyxl.load_workbook(io.BytesIO(render("xlsx", review)))
    assert message in {cell.value for row in book["Issues"].iter_rows() for cell in row}
    plain: dict[str, Any] = json.loads(render("json", review, alone=True))
    assert plain["findings"][0]["message"] == f"25 of 90 rows: {text}"
