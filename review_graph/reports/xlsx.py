"""An Excel workbook: what was found, the offending rows, the datasets, what was not judged. Text stays text."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from checks.plain import visible
from review_graph.reports.facts import closing_text, listed_text, pairs_text, severity_of, unsure
from review_graph.vocabulary import Review

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.workbook import Workbook

MAX_ROWS = 1_048_576
"""Rows of a sheet, the header among them; source: Excel specifications and limits."""

MAX_TEXT = 32_767
"""UTF-16 code units of a cell; same source."""

_EPOCH = dt.datetime(1980, 1, 1)  # noqa: DTZ001 - workbooks have no time zone
"""Stands in the file of a review without a ledger: a workbook has to have a date and no clock is asked."""

_OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}

Row = tuple[str | int | None, ...]

_ISSUES = {
    "Review": 24,
    "Dataset": 14,
    "Finding": 34,
    "Severity": 9,
    "Status": 11,
    "Check": 30,
    "Columns": 20,
    "Offending rows": 14,
    "Rows": 10,
    "Groups": 9,
    "Message": 80,
    "Decision": 50,
    "In Details": 24,
    "File of all rows": 40,
}
_DETAILS = {
    "Review": 24,
    "Dataset": 14,
    "Finding": 34,
    "Check": 30,
    "Row": 10,
    "Key": 40,
    "Values": 50,
    "Note": 30,
    "Listed": 24,
}
_DATASETS = {
    "Review": 24,
    "Dataset": 14,
    "Status": 12,
    "Severity": 9,
    "Why": 40,
    "Rows": 10,
    "Columns": 9,
    "Open findings": 13,
    "Spec": 14,
    "As of": 12,
    "Source": 50,
    "Sha256": 66,
    "Notes": 50,
    "Decisions": 60,
}
_UNSURE = {"Review": 24, "Dataset": 14, "Outcome": 13, "Check": 30, "Columns": 30, "Reason": 80}


def xlsx(reviews: Sequence[Review]) -> bytes:
    """Return reviews as a workbook; its date is that of the latest review."""
    from xlsxwriter.workbook import Workbook

    out = io.BytesIO()
    with Workbook(out, _OPTIONS) as book:
        book.set_properties({"title": "Review of datasets", "created": _created(reviews)})
        header = book.add_format({"bold": True, "bottom": 1})
        body = book.add_format({"text_wrap": True, "valign": "top"})
        _sheet(book, "Issues", _ISSUES, _issues(reviews), (header, body))
        _sheet(book, "Details", _DETAILS, _details(reviews), (header, body))
        _sheet(book, "Datasets", _DATASETS, _datasets(reviews), (header, body))
        _sheet(book, "Not judged", _UNSURE, _unsure(reviews), (header, body))
    return out.getvalue()


def _sheet(
    book: Workbook, name: str, columns: Mapping[str, int], rows: Iterator[Row], formats: tuple[Format, Format]
) -> None:
    """Write a sheet with filters over all its rows. Rows that do not fit are counted in its last one."""
    sheet: Any = book.add_worksheet(name)
    header, body = formats
    for number, (title, width) in enumerate(columns.items()):
        sheet.set_column(number, number, width)
        sheet.write_string(0, number, title, header)
    last = 0
    for row in rows:
        last += 1
        if last == MAX_ROWS - 1 and (left := sum(1 for _ in rows)):
            told = f"{left + 1:,} more rows do not fit into a sheet: the csv and parquet formats hold them all"
            sheet.write_string(last, 0, told, body)
            break
        for number, value in enumerate(row):
            if isinstance(value, int):
                sheet.write_number(last, number, value, body)
            elif value:
                sheet.write_string(last, number, _fitting(visible(value)), body)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, last, len(columns) - 1)


def _issues(reviews: Sequence[Review]) -> Iterator[Row]:
    for review in reviews:
        for item in review.findings:
            finding = item.finding
            yield (
                review.id,
                review.dataset.name,
                finding.id,
                finding.severity.value,
                item.status.value,
                finding.code,
                ", ".join(finding.columns),
                finding.failed,
                finding.rows,
                finding.groups,
                finding.message,
                closing_text(review, item),
                listed_text(finding),
                finding.evidence_file,
            )


def _details(reviews: Sequence[Review]) -> Iterator[Row]:
    for review in reviews:
        for item in review.findings:
            finding, about = item.finding, listed_text(item.finding)
            for evidence in finding.evidence:
                key, values = pairs_text(evidence.key), pairs_text(evidence.values)
                place: Row = (review.id, review.dataset.name, finding.id, finding.code, evidence.row)
                yield (*place, key, values, evidence.note, about)


def _datasets(reviews: Sequence[Review]) -> Iterator[Row]:
    for review in reviews:
        dataset = review.dataset
        yield (
            review.id,
            dataset.name,
            review.status.value,
            severity_of(review),
            review.problem.message if review.problem else review.triage.reason,
            dataset.rows,
            dataset.columns,
            len(review.open_findings),
            review.spec_name,
            review.today,
            dataset.uri,
            dataset.fingerprint,
            "; ".join(dataset.notes),
            "; ".join(f"{d.action.value} by {d.by} at {d.at}: {d.reason}" for d in review.decisions),
        )


def _unsure(reviews: Sequence[Review]) -> Iterator[Row]:
    for review in reviews:
        for verdict in unsure(review):
            columns = ", ".join(verdict.columns)
            yield (review.id, review.dataset.name, verdict.outcome.value, verdict.code, columns, verdict.reason)


def _created(reviews: Sequence[Review]) -> dt.datetime:
    known = [dt.datetime.fromisoformat(review.created_at) for review in reviews if review.created_at is not None]
    return max((moment.replace(tzinfo=None, microsecond=0) for moment in known), default=_EPOCH)


def _fitting(text: str) -> str:
    """Text that fits into a cell; what is cut says so."""
    units = text.encode("utf-16-le")
    if len(units) <= 2 * MAX_TEXT:
        return text
    ending = f"… ({len(text):,} characters)"
    return units[: 2 * (MAX_TEXT - len(ending))].decode("utf-16-le", "ignore") + ending
