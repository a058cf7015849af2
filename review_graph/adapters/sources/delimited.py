"""CSV and TSV, compressed or not: every column as text, exactly as it stands in the file.

Nothing is guessed: `007`, `NA` and `1.0` stay what they are, because a review is about what was sent.
An empty field is the empty text, quoted or not. Blank lines are no rows, except in a table of one column; a note
says of those between rows, since a row's number is then not that of its line.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from checks.plain import count_of
from review_graph.adapters.sources.packed import unpacked
from review_graph.adapters.sources.records import (
    DELIMITERS,
    blank_lines,
    check_quotes,
    find_delimiter,
    lines_of_records,
    read_header,
)
from review_graph.adapters.sources.refusal import one_line, refusal
from review_graph.adapters.sources.text import to_utf8
from review_graph.ports import Decoded

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl
    import pyarrow as pa

    from review_graph.errors import InputError

SHOWN_ROWS = 3
"""Rows with a wrong number of fields that a message names; it counts them all."""
_LARGEST_BLOCK_BYTES = 2**31 - 1
_BLOCK_BYTES = 2**20
_BLOCK_BYTES_A_COLUMN = 2**12
"""What is parsed at once, at least: each block makes a chunk of each column, and chunks of few values cost much."""

_LINE_ENDS = re.compile(rb"[\r\n]*+")
_BLANK = re.compile(rb"\s*+\Z")


@dataclass(frozen=True, kw_only=True)
class _Text:
    """Delimited text, ready to be parsed: the rows begin at `body`."""

    path: Path
    data: bytes
    body: int
    delimiter: bytes
    names: list[str]

    @property
    def unique(self) -> list[int]:
        """Positions of the columns whose name occurs once."""
        counts = Counter(self.names)
        return [position for position, name in enumerate(self.names) if counts[name] == 1]


def read_csv(path: Path) -> Decoded:
    """Read comma-separated text; semicolons, tabs and vertical bars are recognised and noted.

    Raises:
        InputError: It is no text, or not one table: see `text.to_utf8` and the module's tests.
    """
    return _read(path, b",")


def read_tsv(path: Path) -> Decoded:
    """Read tab-separated text; another delimiter is recognised when the header has no tab.

    Raises:
        InputError: As `read_csv`.
    """
    return _read(path, b"\t")


def _read(path: Path, promised: bytes) -> Decoded:
    data, notes = to_utf8(path, unpacked(path))
    if _BLANK.match(data):
        raise refusal(path, "holds nothing but blank lines", "expected a header line and rows: export the table again")
    first = _LINE_ENDS.match(data)
    header = first.end() if first else 0
    delimiter = find_delimiter(data, header, promised)
    names, body = read_header(path, data, header, delimiter)
    text = _Text(path=path, data=data, body=body, delimiter=delimiter, names=names)
    if not text.unique:
        raise refusal(path, "has no column whose name occurs only once", "give each column a name of its own")
    if delimiter != promised:
        notes += (f"Fields are separated by {DELIMITERS[delimiter]}, not by {DELIMITERS[promised]}.",)
    if nameless := [str(position) for position, name in enumerate(names, start=1) if not name.strip()]:
        notes += (f"The header has no name for column {', '.join(nameless)}.",)
    frame = _frame(text)
    if len(names) > 1 and (blank := blank_lines(data, body, delimiter, frame.height)):
        notes += (f"{count_of(blank, 'blank line')} before or between rows left out; row numbers do not count such.",)
    return Decoded(
        frame=frame.lazy(),
        duplicate_columns=tuple(name for name, count in Counter(names).items() if count > 1),
        notes=notes,
    )


def _frame(text: _Text) -> pl.DataFrame:
    import polars as pl

    names = [text.names[position] for position in text.unique]
    if text.body == len(text.data):
        return pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    frame = pl.DataFrame(pl.from_arrow(_table(text), rechunk=False))  # one chunk would take the memory twice
    frame.columns = names  # only now: on the way from Arrow, Polars would name a column that has no name
    return frame


def _table(text: _Text) -> pa.Table:
    import pyarrow as pa

    try:
        try:
            table = _parse(text)
        except pa.ArrowInvalid as error:
            if "straddling" not in str(error):
                raise
            table = _parse(text, block_size=min(len(text.data) + 1, _LARGEST_BLOCK_BYTES))
    except pa.ArrowInvalid as error:
        check_quotes(text.path, text.data, text.body, text.delimiter)
        raise _ragged(text, error) from error
    _check_quotes_where_needed(text, table.num_rows)
    return table


def _parse(text: _Text, **read_options: Any) -> pa.Table:  # noqa: ANN401 - the library's own options
    """Let Arrow do the work. Columns are named by position, since names may repeat."""
    import pyarrow as pa
    from pyarrow import csv

    on_invalid_row = read_options.pop("on_invalid_row", None)
    positions = [str(position) for position in range(len(text.names))]
    block = max(_BLOCK_BYTES, _BLOCK_BYTES_A_COLUMN * len(positions))
    read_options.setdefault("block_size", min(block, _LARGEST_BLOCK_BYTES))
    return csv.read_csv(
        pa.BufferReader(pa.py_buffer(text.data).slice(text.body)),
        read_options=csv.ReadOptions(column_names=positions, **read_options),
        parse_options=csv.ParseOptions(
            delimiter=text.delimiter.decode(),
            newlines_in_values=True,
            ignore_empty_lines=len(positions) > 1,
            invalid_row_handler=on_invalid_row,
        ),
        convert_options=csv.ConvertOptions(
            column_types=dict.fromkeys(positions, pa.string()),
            include_columns=[str(position) for position in text.unique],
            check_utf8=False,
        ),
    )


def _check_quotes_where_needed(text: _Text, rows: int) -> None:
    """Arrow lets a value whose quote is never closed run on; where that can have happened, look again.

    A row takes at least one line. With as many lines as rows no value holds a line break, so that only the
    last line can have an open quote; with more lines the whole text is checked.
    """
    data, body = text.data, text.body
    if data.find(b'"', body) < 0:
        return
    lines = data.count(b"\n", body) + (not data.endswith(b"\n"))
    last_line = max(body, data.rfind(b"\n", body, len(data) - 1) + 1)
    check_quotes(text.path, data, last_line if lines == rows else body, text.delimiter)


def _ragged(text: _Text, error: Exception) -> InputError:
    """Say which rows have another number of fields than the header: read once more, collecting them."""
    import pyarrow as pa

    shown: list[tuple[int, int]] = []
    total = 0

    def collect(row: Any) -> str:  # noqa: ANN401 - pyarrow has no types
        nonlocal total
        total += 1
        if len(shown) < SHOWN_ROWS:
            shown.append((row.number, row.actual_columns))
        return "skip"

    block_size = min(len(text.data) + 1, _LARGEST_BLOCK_BYTES)
    try:
        _parse(text, block_size=block_size, use_threads=False, on_invalid_row=collect)
    except pa.ArrowInvalid as other:
        error = other
    if not shown:
        return refusal(text.path, f"cannot be parsed ({one_line(error)})", "export the table again")
    lines = lines_of_records(text.data, text.body, text.delimiter, [number for number, _ in shown])
    where = ", ".join(f"line {line} has {fields}" for line, (_, fields) in zip(lines, shown, strict=True))
    more = ", …" if total > len(shown) else ""
    rows = "1 row" if total == 1 else f"{total} rows"
    return refusal(
        text.path,
        f"has {rows} with another number of fields than its header, which has {len(text.names)} ({where}{more})",
        "put values that hold the delimiter in quotes, or export the table again",
    )
