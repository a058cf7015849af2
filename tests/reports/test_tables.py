"""Excel, CSV and Parquet: every row, true totals, and what does not fit is said."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import openpyxl
import polars as pl
import pytest

from review_graph.core.reporting import begins_formula
from review_graph.reports import rendered, xlsx
from review_graph.reports.offending import FIXED
from review_graph.vocabulary import Review
from tests.reports.conftest import ANCHOR

Render = Callable[..., bytes]
MakeReview = Callable[..., Review]


def book_of(content: bytes) -> Any:
    return openpyxl.load_workbook(io.BytesIO(content))


def table(sheet: Any) -> list[dict[str, Any]]:
    header, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(header, row, strict=True)) for row in rows]


def test_issues_have_true_totals_status_and_decision(make_review: MakeReview, failed: Review, render: Render) -> None:
    book = book_of(render("xlsx", make_review(), failed))
    assert book.sheetnames == [
        *("Issues", "Details", "Waivers", "Changes", "Datasets", "Decisions", "Not judged"),
    ]
    issues = {row["Check"]: row for row in table(book["Issues"])}
    many, closed = issues["ranges.outside_limits"], issues["structure.padded_text"]
    assert (many["Offending rows"], many["Status"], many["Decision"]) == (25, "open", None)
    assert (many["In Details"], many["File of all rows"]) == ("first 20 of 25 rows", "evidence/ages.parquet")
    assert closed["Status"] == "dismissed"
    assert closed["Decision"] == "dismiss by Ada text at 2026-03-04T05:06:07+00:00, major → major: known text"
    assert [row["Why"] for row in table(book["Datasets"])] == ["why text", "cut in the middle"]
    assert len(table(book["Not judged"])) == 3


def test_details_have_a_row_an_evidence_row_and_say_of_how_many(make_review: MakeReview, render: Render) -> None:
    details = table(book_of(render("xlsx", make_review()))["Details"])
    assert len(details) == 21
    assert details[0]["Listed"] == "first 20 of 25 rows"
    assert (details[-1]["Row"], details[-1]["Values"]) == (7, "SEX=' F', row=(missing)")


def test_filters_and_a_frozen_header_cover_each_sheet(make_review: MakeReview, render: Render) -> None:
    for sheet in book_of(render("xlsx", make_review())):
        assert sheet.auto_filter.ref == sheet.dimensions
        assert sheet.freeze_panes == "A2"


def test_a_sheet_that_is_full_says_what_is_left_out(
    make_review: MakeReview, render: Render, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx, "MAX_ROWS", 10)
    sheet = book_of(render("xlsx", make_review()))["Details"]
    assert sheet.max_row == 10
    assert sheet["A10"].value == "13 more rows do not fit into a sheet: the csv and parquet formats hold them all"
    monkeypatch.setattr(xlsx, "MAX_ROWS", 22)
    full = book_of(render("xlsx", make_review()))["Details"]
    assert (full.max_row, full["E22"].value) == (22, 7)


@pytest.mark.parametrize("letter", ["x", "😀"])
def test_a_cell_that_is_full_says_how_long_the_text_was(letter: str, make_review: MakeReview, render: Render) -> None:
    """Excel counts UTF-16 code units, of which an emoji has two."""
    (message, *_) = [row["Message"] for row in table(book_of(render("xlsx", make_review(letter * 40_000)))["Issues"])]
    assert xlsx.MAX_TEXT - 1 <= len(message.encode("utf-16-le")) / 2 <= xlsx.MAX_TEXT
    assert message.endswith("… (40,015 characters)")


@pytest.mark.parametrize(
    ("created_at", "date"),
    [("2026-03-04T05:06:07.5+00:00", dt.datetime(2026, 3, 4, 5, 6, 7)), (None, dt.datetime(1980, 1, 1))],  # noqa: DTZ001
)
def test_the_workbook_has_the_date_of_the_review(
    created_at: str | None, date: dt.datetime, make_review: MakeReview, render: Render
) -> None:
    assert book_of(render("xlsx", make_review(created_at=created_at))).properties.created == date


def frame_of(content: bytes) -> pl.DataFrame:
    return pl.read_parquet(io.BytesIO(content))


def test_every_offending_row_is_a_row(make_review: MakeReview, render: Render) -> None:
    frame = frame_of(render("parquet", make_review(), make_review(id="dm-2")))
    assert tuple(frame.columns[: len(FIXED)]) == FIXED
    assert frame.columns[len(FIXED) :] == ["Ktext", "Ctext", "SEX", "row (data)"]
    assert frame.group_by("review", "code", "failed", maintain_order=True).len().rows() == [
        ("dm-1", "ranges.outside_limits", 25, 25),
        ("dm-1", "structure.padded_text", 1, 1),
        ("dm-2", "ranges.outside_limits", 25, 25),
        ("dm-2", "structure.padded_text", 1, 1),
    ]
    last = frame.row(25, named=True)
    assert (last["row"], last["SEX"], last["row (data)"], last["status"]) == (7, " F", None, "dismissed")
    assert frame["note"].null_count() == 2 * (25 - 20 + 1)


def test_csv_holds_the_same_rows(make_review: MakeReview, render: Render) -> None:
    header, *rows = csv.reader(io.StringIO(render("csv", make_review()).decode()))
    frame = frame_of(render("parquet", make_review()))
    assert (tuple(header), len(rows)) == (tuple(frame.columns), frame.height)
    assert dict(zip(header, rows[0], strict=True))["Ktext"] == "'=1+1"  # no spreadsheet takes it for a formula


@pytest.mark.parametrize(
    ("value", "parquet", "cell"),
    [
        (dt.date(2014, 3, 7), "2014-03-07", "2014-03-07"),
        (dt.datetime(2014, 3, 7), "2014-03-07", "2014-03-07"),  # noqa: DTZ001
        (-1.5, "-1.5", "-1.5"),
        (True, "true", "true"),
        ("-1.5", "-1.5", "-1.5"),
        ("-x", "-x", "'-x"),
        ("a\x00\n", "a\x00\n", "a\\x00\\n"),
        ("x" * 300, "x" * 300, "x" * 300),
        (None, None, ""),
    ],
    ids=str,
)
def test_values_become_text(value: object, parquet: str | None, cell: str, make_review: MakeReview) -> None:
    rows = pl.DataFrame({"row_number": [1], "V": [value]})
    review: Review = make_review()
    assert frame_of(rendered("parquet", [review], open_rows=lambda _: rows))["V"][0] == parquet
    (first, *_) = csv.DictReader(io.StringIO(rendered("csv", [review], open_rows=lambda _: rows).decode()))
    assert first["V"] == cell


def test_the_workbook_tells_of_waivers_changes_decisions_and_the_trail(make_full: MakeReview, render: Render) -> None:
    book = book_of(render("xlsx", make_full()))
    (waiver,) = table(book["Waivers"])
    told = [waiver[column] for column in ("Waiver", "Author", "Role", "Reason code", "Reason", "Until", "At most rows")]
    assert told == [
        *("w-0123456789ab", "Grace text", "lead text", "expected", "ages are in months text", "2026-12-31", 30),
    ]
    changes = [(row["Change"], row["Rows before"], row["Rows now"]) for row in table(book["Changes"])]
    assert changes == [
        ("new", None, 0),
        ("reopened", 1, 1),
        ("persisting", 20, 25),
        ("persisting", 1, 1),
        ("fixed", 3, None),
        ("no longer judged", 1, None),
    ]
    signed, waits, approval = table(book["Decisions"])
    assert (signed["Role"], signed["Reason code"], signed["Signed as"]) == (
        "data manager text",
        "expected",
        "I looked text",
    )
    assert "approved by Bob text (lead text)" in signed["Approval"]
    assert waits["Approval"] == "needs the approval of another person and has no effect until then"
    assert approval["Approval"] == "approves decision 1"
    (dataset,) = table(book["Datasets"])
    assert dataset["Decisions"] == 3
    assert "expired on 2026-03-03" in dataset["Waivers that do not hold"]
    assert dataset["Since the review before"].startswith("1 new, 1 reopened, 2 persisting, 1 fixed, 1 no longer judged")
    assert f"--anchor {ANCHOR}" in dataset["Audit trail"]
    assert [row["Change"] for row in table(book["Issues"])] == ["persisting", "new", "reopened", "persisting"]


def test_text_stays_text_when_somebody_edits_its_cell(make_review: MakeReview, render: Render) -> None:
    issues = book_of(render("xlsx", make_review(dataset=replace(make_review().dataset, name="=1+1"))))["Issues"]
    assert (issues["B2"].value, issues["B2"].quotePrefix) == ("=1+1", True)
    assert not issues["C2"].quotePrefix


def test_rows_say_what_closed_their_finding_and_what_became_of_it(make_full: MakeReview, render: Render) -> None:
    content = render("parquet", make_full())
    frame = frame_of(content).group_by("code", "change", maintain_order=True).agg(pl.col("closed_by").first()).rows()
    (many, persisting, waived), (again, reopened, still), (closed, _, dismissed) = frame
    assert (many, persisting) == ("ranges.outside_limits", "persisting")
    assert "w-0123456789ab by Grace text (lead text) until 2026-12-31" in waived
    assert (again, reopened, still) == ("structure.blank_text", "reopened", None)
    assert (closed, "dismiss by Ada text" in dismissed) == ("structure.padded_text", True)
    assert pl.read_parquet_metadata(io.BytesIO(content))["review_graph.anchor"] == str(ANCHOR)


def test_no_cell_is_a_formula_where_semicolons_part_cells(make_review: MakeReview, render: Render) -> None:
    text = render("csv", make_review('a;=1+1;"-2+3; @x;-1.5;＋1'))  # noqa: RUF001 - the wide sign is meant
    cells = [cell for row in csv.reader(io.StringIO(text.decode()), delimiter=";") for cell in row]
    assert {"'=1+1", "-1.5"} <= {cell.strip() for cell in cells}
    assert not [cell for cell in cells if begins_formula(cell)]
