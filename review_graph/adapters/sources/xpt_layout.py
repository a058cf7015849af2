"""Where things lie in a SAS transport file, so that nothing of it is lost unseen.

The reader takes the first dataset of a file and stops at the last whole row. The layout says
whether that was all there is. Sources: SAS TS-140 (version 5) and SAS TS-140-2 (version 8); records are
80 bytes long, a row is not, and the last record is filled up with blanks.
"""

from __future__ import annotations

import mmap
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from review_graph.adapters.sources.refusal import refusal

if TYPE_CHECKING:
    from pathlib import Path

RECORD_BYTES = 80
_MEMBER = b"HEADER RECORD*******MEMB"
_NAMES = b"HEADER RECORD*******NAM"
_ROWS = b"HEADER RECORD*******OBS"
_AGAIN = "copy it again in binary mode, or ask its sender for a sound file"


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The layout of a file that holds one dataset.

    Attributes:
        names: Of the variables, in file order.
        row_bytes: Length of a row.
        data_start: Offset of the first row.
        declared_rows: Number of rows, where the file tells (version 8); else None.
    """

    names: tuple[str, ...]
    row_bytes: int
    data_start: int
    declared_rows: int | None

    @property
    def duplicates(self) -> tuple[str, ...]:
        """Names that occur more than once, in file order."""
        return tuple(name for name, count in Counter(self.names).items() if count > 1)


def read_layout(path: Path) -> Layout:
    """Read the headers of a transport file.

    Raises:
        InputError: It is truncated or damaged, or it holds no dataset or several.
    """
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if len(data) % RECORD_BYTES:
            found = f"is truncated: {len(data)} bytes are no multiple of the {RECORD_BYTES}-byte records of a"
            raise refusal(path, f"{found} SAS transport file", _AGAIN)
        members = [_member_name(data, position) for position in _find_all(data, _MEMBER)]
        if len(members) > 1:
            found = f"holds {len(members)} datasets ({', '.join(members)}), expected one"
            raise refusal(path, found, "write each into a file of its own")
        names_at = next(iter(_find_all(data, _NAMES)), None)
        rows_at = next(iter(_find_all(data, _ROWS)), None)
        if not members or names_at is None or rows_at is None:
            raise refusal(path, "is a truncated SAS transport file: its headers are not complete", _AGAIN)
        try:
            return _layout(data, names_at, rows_at)
        except ValueError as error:
            raise refusal(path, "is a damaged SAS transport file: its headers cannot be read", _AGAIN) from error


def check_complete(path: Path, layout: Layout, rows: int) -> None:
    """Make sure that nothing but padding follows the rows that were read.

    Args:
        path: The file.
        layout: Its layout.
        rows: Number of rows that the reader returned.

    Raises:
        InputError: It ends within a row, or before the number of rows that it declares.
    """
    with path.open("rb") as stream:
        stream.seek(layout.data_start + rows * layout.row_bytes)
        rest = stream.read(max(layout.row_bytes, RECORD_BYTES) + 1)
    if rest.strip(b" "):
        raise refusal(path, f"is truncated or damaged after row {rows}: it ends within a row", _AGAIN)
    if layout.declared_rows is not None and layout.declared_rows != rows:
        raise refusal(path, f"is truncated: it declares {layout.declared_rows} rows and holds {rows}", _AGAIN)


def _find_all(data: mmap.mmap, header: bytes) -> list[int]:
    """Offsets of the records that are such a header: at the start of a record, and not in the data."""
    found: list[int] = []
    position = data.find(header)
    while position >= 0:
        if position % RECORD_BYTES == 0 and data[position + 28 : position + 41] == b"HEADER RECORD":
            found.append(position)
        position = data.find(header, position + 1)
    return found


def _member_name(data: mmap.mmap, position: int) -> str:
    """The name stands two records after the member header: 8 characters in version 5, 32 in version 8."""
    length = 32 if data[position + 20 : position + 26] == b"MEMBV8" else 8
    start = position + 2 * RECORD_BYTES + 8
    return data[start : start + length].decode("ascii", "replace").strip("\0 ") or "without a name"


def _layout(data: mmap.mmap, names_at: int, rows_at: int) -> Layout:
    member_at = data.rfind(_MEMBER, 0, names_at)
    description_bytes = int(data[member_at + 73 : member_at + 78])
    variables = int(data[names_at + 53 : names_at + 58])
    start = names_at + RECORD_BYTES
    if variables < 1 or description_bytes < 136 or start + variables * description_bytes > rows_at:
        raise ValueError(variables)
    is_v8 = data[names_at + 20 : names_at + 27] == b"NAMSTV8"
    names: list[str] = []
    row_bytes = 0
    for position in range(start, start + variables * description_bytes, description_bytes):
        description = data[position : position + description_bytes]
        row_bytes += int.from_bytes(description[4:6], "big")
        name = description[88:120] if is_v8 else description[8:16]
        names.append(name.decode("utf-8", "backslashreplace").strip("\0 "))
    if row_bytes < 1:
        raise ValueError(row_bytes)
    declared = data[rows_at + 48 : rows_at + RECORD_BYTES].strip(b"0 ") if is_v8 else b""
    return Layout(
        names=tuple(names),
        row_bytes=row_bytes,
        data_start=rows_at + RECORD_BYTES,
        declared_rows=int(data[rows_at + 48 : rows_at + RECORD_BYTES]) if declared else None,
    )
