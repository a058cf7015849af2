"""An Excel workbook, as `sheets` says what is in it. Text stays text, also when somebody edits its cell."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checks.plain import visible
from review_graph.core.reporting import begins_formula
from review_graph.reports.sheets import SHEETS, Row
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

_BODY = {"text_wrap": True, "valign": "top"}


@dataclass(frozen=True, kw_only=True)
class _Formats:
    """How cells look; `quoted` is text that would become a formula once its cell is edited."""

    header: Format
    body: Format
    quoted: Format


def xlsx(reviews: Sequence[Review]) -> bytes:
    """Return reviews as a workbook; its date is that of the latest review."""
    from xlsxwriter.workbook import Workbook

    out = io.BytesIO()
    with Workbook(out, _OPTIONS) as book:
        book.set_properties({"title": "Review of datasets", "created": _created(reviews)})
        formats = _Formats(
            header=book.add_format({"bold": True, "bottom": 1}),
            body=book.add_format(_BODY),
            quoted=book.add_format(_BODY | {"quote_prefix": True}),
        )
        for sheet in SHEETS:
            _sheet(book, sheet.name, sheet.columns, sheet.rows(reviews), formats)
    return out.getvalue()


def _sheet(book: Workbook, name: str, columns: Mapping[str, int], rows: Iterator[Row], formats: _Formats) -> None:
    """Write a sheet with filters over all its rows. Rows that do not fit are counted in its last one."""
    sheet: Any = book.add_worksheet(name)
    for number, (title, width) in enumerate(columns.items()):
        sheet.set_column(number, number, width)
        sheet.write_string(0, number, title, formats.header)
    last = 0
    for row in rows:
        last += 1
        if last == MAX_ROWS - 1 and (left := sum(1 for _ in rows)):
            told = f"{left + 1:,} more rows do not fit into a sheet: the csv and parquet formats hold them all"
            sheet.write_string(last, 0, told, formats.body)
            break
        for number, value in enumerate(row):
            if isinstance(value, int):
                sheet.write_number(last, number, value, formats.body)
            elif value:
                text = _fitting(visible(value))
                sheet.write_string(last, number, text, formats.quoted if begins_formula(text) else formats.body)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, last, len(columns) - 1)


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
