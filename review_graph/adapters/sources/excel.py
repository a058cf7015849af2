"""Excel workbooks (`.xlsx`): the first worksheet that holds anything.

Other worksheets are named in a note and not read: most are codelists, pivots and remarks, and one such sheet
should not stop a review. A column is numbers, dates, datetimes, times, truth values or text when all its cells
are; a column that mixes them is text, and a note says so. As in CSV and XPT, an empty cell in a column of text
is the empty text. What a formula gave when the workbook was saved is its value. An empty row between others is a row
of missing values, so that row 5 is the fifth below the header, as a person counts them; those at the end are none.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import TYPE_CHECKING, Any

from checks.plain import count_of
from review_graph.adapters.sources.excel_errors import cells_with_errors
from review_graph.adapters.sources.refusal import one_line, refusal
from review_graph.ports import Decoded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl

    from review_graph.errors import InputError

SHOWN = 5
"""Sheets or cells that a note names; it counts them all."""
_WORDS: dict[type, str] = {
    bool: "truth values",
    float: "numbers",
    str: "text",
    dt.date: "dates",
    dt.datetime: "datetimes",
    dt.time: "times",
    dt.timedelta: "durations",
}


def read(path: Path) -> Decoded:
    """Read the first worksheet with content; its first row with content is the header.

    Raises:
        InputError: The workbook is damaged or protected by a password, or holds no table.
    """
    import polars as pl

    sheet, rows, others = _first_sheet(path)
    names = [_text(cell) for cell in rows[0]]
    counts = Counter(names)
    notes: tuple[str, ...] = ()
    if others:
        notes += (f"The worksheet {sheet!r} was read; not read: {_listed([repr(name) for name in others])}.",)
    if nameless := [str(position) for position, name in enumerate(names, start=1) if not name.strip()]:
        notes += (f"The header has no name for column {', '.join(nameless)}.",)
    body = rows[1:]
    while body and _is_empty(body[-1]):
        body.pop()
    if inner := sum(map(_is_empty, body)):
        notes += (f"{count_of(inner, 'empty row')} between others {'was' if inner == 1 else 'were'} read as missing.",)
    if last := len(rows) - 1 - len(body):
        notes += (f"{count_of(last, 'empty row')} at the end {'was' if last == 1 else 'were'} left out.",)
    if errors := cells_with_errors(path, sheet):
        shown = _listed([f"{cell} {error}" for cell, error in errors])
        notes += (f"{len(errors)} cells hold an Excel error, taken as missing: {shown}.",)
    columns: dict[str, pl.Series] = {}
    for position, name in enumerate(names):
        if counts[name] == 1:
            column, note = _column(name, [row[position] for row in body])
            columns[name] = column
            notes += (note,) if note else ()
    if not columns:
        raise refusal(path, "has no column whose name occurs only once", "give each column a name of its own")
    return Decoded(
        frame=pl.DataFrame(columns).lazy(),
        duplicate_columns=tuple(name for name, count in counts.items() if count > 1),
        notes=notes,
    )


def _is_empty(row: Sequence[Any]) -> bool:
    return all(cell == "" for cell in row)


def _first_sheet(path: Path) -> tuple[str, list[list[Any]], list[str]]:
    """Return the name and the rows of the first worksheet with content, and the names of the others with content."""
    import python_calamine as calamine

    filled: list[str] = []
    rows: list[list[Any]] = []
    try:
        with path.open("rb") as stream:
            workbook = calamine.CalamineWorkbook.from_filelike(stream)
            for metadata in workbook.sheets_metadata:
                if metadata.typ != calamine.SheetTypeEnum.WorkSheet:
                    continue
                sheet = workbook.get_sheet_by_name(metadata.name)
                if not sheet.height:
                    continue
                rows = rows or sheet.to_python()
                filled.append(metadata.name)
    except calamine.PasswordError as error:
        raise refusal(path, "is protected by a password", "save it without one") from error
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise _damaged(path, error) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how the library tells of a fault of its own
            raise
        raise _damaged(path, error) from error
    if not rows or not any(cell != "" for cell in rows[0]):
        raise refusal(path, "has no worksheet with content", "expected a header and rows on the first one")
    return filled[0], rows, filled[1:]


def _column(name: str, cells: Sequence[Any]) -> tuple[pl.Series, str | None]:
    """Return a column as what its cells are, and a note when they are not of one kind."""
    import polars as pl

    kinds = {type(cell) for cell in cells if cell != ""}
    present = [None if cell == "" else cell for cell in cells]
    if kinds == {float}:
        return pl.Series(name, present, dtype=pl.Float64), None
    if kinds == {bool}:
        return pl.Series(name, present, dtype=pl.Boolean), None
    if kinds == {dt.date}:
        return pl.Series(name, present, dtype=pl.Date), None
    if kinds == {dt.time}:
        return pl.Series(name, present, dtype=pl.Time), None
    if kinds and kinds <= {dt.date, dt.datetime}:  # a datetime at midnight comes as a date
        midnight = dt.time()
        moments = [
            dt.datetime.combine(cell, midnight) if cell is not None and type(cell) is dt.date else cell
            for cell in present
        ]
        return pl.Series(name, moments, dtype=pl.Datetime("us")), None
    note = None
    if len(kinds) > 1:
        words = sorted(_WORDS.get(kind, kind.__name__) for kind in kinds)
        note = f"{name} holds {' and '.join(words)}; the column was read as text."
    return pl.Series(name, [_text(cell) for cell in cells], dtype=pl.String), note


def _text(cell: object) -> str:
    """Return a cell as text: a whole number without a fraction, dates and times in ISO 8601."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, dt.datetime | dt.date | dt.time):
        return cell.isoformat()
    return str(cell)


def _listed(items: Sequence[str]) -> str:
    return ", ".join(items[:SHOWN]) + (", …" if len(items) > SHOWN else "")


def _damaged(path: Path, error: BaseException) -> InputError:
    found = f"is a truncated or damaged Excel workbook ({one_line(error)})"
    return refusal(path, found, "copy it again, or save it once more in Excel")
