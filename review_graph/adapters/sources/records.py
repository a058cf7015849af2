"""The grammar of delimited text (RFC 4180) as regular expressions: where a record ends, and where it is broken.

The fast reader is lenient: it takes a quote that is never closed for a value that runs to the end of
the file. These expressions are not, and they know the line.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from review_graph.adapters.sources.refusal import refusal
from review_graph.adapters.sources.text import line_of

if TYPE_CHECKING:
    from pathlib import Path

DELIMITERS: dict[bytes, str] = {b",": "commas", b";": "semicolons", b"\t": "tabs", b"|": "vertical bars"}
"""What may stand between two fields, and its name."""

_FIRST_LINE = re.compile(rb'(?:"[^"]*+"|[^"\r\n])*+')
_EMPTY = (b"\n\n", b"\n\r", b"\r\r")
"""What stands where a line is blank."""
_QUOTED = re.compile(rb'"[^"]*+"')


class _Grammar(NamedTuple):
    field: re.Pattern[bytes]
    record: re.Pattern[bytes]
    fields: re.Pattern[bytes]


@cache
def _grammar(delimiter: bytes) -> _Grammar:
    """A quoted field ends at a quote that is not doubled, which a delimiter or the end of the line must follow."""
    between = re.escape(delimiter)
    quoted = rb'"(?:[^"]++|"")*+"(?=[' + between + rb"\r\n]|\Z)"
    plain = rb'[^"' + between + rb"\r\n][^" + between + rb"\r\n]*+"
    field = rb"(?:" + quoted + rb"|" + plain + rb"|)"
    end = rb"(?:\r\n|\n|\r)"
    return _Grammar(
        field=re.compile(field),
        record=re.compile(field + rb"(?:" + between + field + rb")*+(?:" + end + rb"|\Z)"),
        fields=re.compile(rb"(?:" + field + rb"(?:" + between + rb"|" + end + rb"))*+" + field),
    )


def find_delimiter(data: bytes, start: int, promised: bytes) -> bytes:
    """Return what separates the fields of the header.

    Args:
        data: UTF-8 text.
        start: Where the header begins.
        promised: What the file's suffix promises: taken when the header has as many of it as of any other,
            and whenever it is a tab and the header has one.
    """
    line = _FIRST_LINE.match(data, start)
    outside = _QUOTED.sub(b"", line.group()) if line else b""
    if promised == b"\t" and promised in outside:
        return promised
    return max(DELIMITERS, key=lambda delimiter: (outside.count(delimiter), delimiter == promised))


def read_header(path: Path, data: bytes, start: int, delimiter: bytes) -> tuple[list[str], int]:
    """Return the names in the record at `start`, and where the next record begins.

    Raises:
        InputError: A quote in the header is not closed.
    """
    record = _grammar(delimiter).record.match(data, start)
    if record is None:
        raise _broken_quote(path, line_of(data, start))
    names: list[str] = []
    position = start
    while True:
        field = _grammar(delimiter).field.match(data, position)
        raw = field.group() if field else b""
        names.append((raw[1:-1].replace(b'""', b'"') if raw.startswith(b'"') else raw).decode())
        position += len(raw) + len(delimiter)
        if data[position - len(delimiter) : position] != delimiter:
            return names, record.end()


def check_quotes(path: Path, data: bytes, start: int, delimiter: bytes) -> None:
    """Make sure that every quoted field from `start` on is closed, and closed where a field may end.

    Raises:
        InputError: One is not; the line is named.
    """
    fields = _grammar(delimiter).fields.match(data, start)
    end = fields.end() if fields else start
    if end < len(data):
        raise _broken_quote(path, line_of(data, end))


def blank_lines(data: bytes, start: int, delimiter: bytes, rows: int) -> int:
    """Count the blank lines before the last record: no rows to a reader, and yet lines to who looks for a row.

    Args:
        data: UTF-8 text whose quotes are closed.
        start: Where the first record begins.
        delimiter: What stands between fields.
        rows: How many records there are.
    """
    end = len(data)
    while end > start and data[end - 1] in b"\r\n":
        end -= 1
    if end == start or all(data.find(pair, start - 1, end) < 0 for pair in _EMPTY):
        return 0
    if data.find(b'"', start, end) < 0:  # each line is a record or blank
        line_ends = data.count(b"\n", start, end) + data.count(b"\r", start, end) - data.count(b"\r\n", start, end)
        return line_ends + 1 - rows
    records = _grammar(delimiter).record.finditer(data, start, end)
    return sum(1 for record in records if record.end() > record.start() and not record.group().strip(b"\r\n"))


def lines_of_records(data: bytes, start: int, delimiter: bytes, ordinals: list[int]) -> list[int]:
    """Return the lines on which some records begin.

    Args:
        data: UTF-8 text.
        start: Where the first record begins.
        delimiter: What stands between fields.
        ordinals: 1-based positions of the records wanted, ascending; blank lines do not count.
    """
    records = _grammar(delimiter).record.finditer(data, start)
    beginnings = (record.start() for record in records if record.group().strip(b"\r\n"))
    wanted = set(ordinals)
    numbered = enumerate(islice(beginnings, max(ordinals, default=0)), start=1)
    return [line_of(data, position) for ordinal, position in numbered if ordinal in wanted]


def _broken_quote(path: Path, line: int) -> Exception:
    found = f"has a quotation mark on line {line} that is not closed, or one inside a quoted value that is not doubled"
    return refusal(path, found, "mend that line or export the table again")
