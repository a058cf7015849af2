"""How far the values of a column reach, known without looking at each: from Parquet footers, or from one quick look.

What is proven this way need not be read. A footer proves little of some things, and they are not taken from it:
writers leave NaN out of its bounds, so a column of floats without nulls may still lack values; bounds of text may be
cut, so of text only the first character counts.
"""

from __future__ import annotations

import datetime as dt
import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw

from checks.frame import CRASH, Frame, collected, is_big

if TYPE_CHECKING:
    from pyarrow.parquet import ColumnChunkMetaData, Statistics

MIN_BYTES = 1_000_000
"""Size of a file from which on its footer saves more than it costs."""

_FIRST_PLAIN, _LAST_PLAIN = "!", "~"
"""ASCII without blanks and control characters: text that starts with one of these is not blank."""


@dataclass(frozen=True, kw_only=True)
class Extent:
    """What is known of the values of a column; nothing, where a field is left at its default.

    Attributes:
        nulls: How many are null.
        least: None of them is below.
        greatest: None of them, but NaN, is above.
        starts_plainly: Whether each text begins with a visible character of ASCII, so that none is blank or empty.
    """

    nulls: int | None = None
    least: object = None
    greatest: object = None
    starts_plainly: bool = False


UNKNOWN = Extent()


class Extents:
    """The extents of a table's columns, each found out when first asked for.

    Args:
        frame: The table.
        texts: Names of its text columns.
        files: The Parquet files that hold all of it, and nothing else.
        rows: How many rows it has.
    """

    def __init__(self, frame: Frame, texts: Sequence[str], files: Sequence[Path], rows: int) -> None:
        self._frame = frame
        self._texts = frozenset(texts)
        self._files = files
        self._is_big = is_big(rows)
        self._lock = threading.Lock()
        self._looked_at: dict[str, Extent] = {}

    def get(self, name: str) -> Extent:
        """Return what is known of a column."""
        with self._lock:
            if name in self._written:
                return self._written[name]
            if name not in self._texts or not self._is_big:
                return UNKNOWN
            if name not in self._looked_at:
                self._looked_at[name] = self._look(name)
            return self._looked_at[name]

    @cached_property
    def _written(self) -> Mapping[str, Extent]:
        return footers(self._files)

    def _look(self, name: str) -> Extent:
        """Look at the first character of each text: next to nothing, beside reading it."""
        text = nw.col(name)
        plain = (text >= _FIRST_PLAIN) & (text < chr(ord(_LAST_PLAIN) + 1))
        nulls = text.is_null().cast(nw.Int64).sum()
        try:
            seen = collected(self._frame.select(nulls=nulls, plain=plain.fill_null(value=True).all())).row(0)
        except CRASH:  # data that cannot be read is found, and said, when its rows are counted
            return UNKNOWN
        return Extent(nulls=int(seen[0] or 0), starts_plainly=bool(seen[1]))


def footers(files: Sequence[Path]) -> Mapping[str, Extent]:
    """Return what the footers of Parquet files say of their columns; columns of which they say nothing are left out.

    Args:
        files: The files; small ones are not worth a look.
    """
    if not files:
        return {}
    extents: dict[str, list[Extent]] = {}
    groups = 0
    try:
        if sum(file.stat().st_size for file in files) < MIN_BYTES:
            return {}
        import pyarrow.parquet as pq

        for file in files:
            metadata = pq.read_metadata(file)
            flat = [metadata.schema.column(n) for n in range(metadata.num_columns)]
            for number in range(metadata.num_row_groups):
                group = metadata.row_group(number)
                groups += 1
                for place, column in enumerate(flat):
                    if column.max_repetition_level == 0 and column.max_definition_level <= 1 and "." not in column.path:
                        extents.setdefault(column.path, []).append(_extent(_written(group.column(place))))
    # Who reads the rows says what is wrong with the file; integers of 128 bits Polars reads and pyarrow does not.
    except (ValueError, OSError, NotImplementedError):
        return {}
    return {name: _together(parts) for name, parts in extents.items() if len(parts) == groups}


def _written(chunk: ColumnChunkMetaData) -> Statistics | None:
    return chunk.statistics


def _extent(statistics: Statistics | None) -> Extent:
    """What is written of one part of a column."""
    if statistics is None:
        return UNKNOWN
    nulls = statistics.null_count if statistics.has_null_count else None
    if not statistics.has_min_max:
        return Extent(nulls=nulls)
    least, greatest = statistics.min, statistics.max
    if isinstance(least, str) and isinstance(greatest, str):
        plain = least[:1] >= _FIRST_PLAIN and greatest[:1] <= _LAST_PLAIN
        return Extent(nulls=nulls, starts_plainly=plain)
    if _has_order(least) and _has_order(greatest):
        return Extent(nulls=nulls, least=least, greatest=greatest)
    return Extent(nulls=nulls)


def _has_order(value: object) -> bool:
    """Whether a bound is of a kind whose order is the one the checks mean, and no NaN of a careless writer."""
    if isinstance(value, bool):
        return False
    if isinstance(value, dt.datetime):
        return False
    return isinstance(value, int | Decimal | dt.date) or (isinstance(value, float) and not math.isnan(value))


def _together(parts: Sequence[Extent]) -> Extent:
    """What holds of all parts."""
    nulls = [part.nulls for part in parts]
    least: list[Any] = [part.least for part in parts]
    greatest: list[Any] = [part.greatest for part in parts]
    return Extent(
        nulls=None if None in nulls else sum(count for count in nulls if count is not None),
        least=None if None in least else min(least),
        greatest=None if None in greatest else max(greatest),
        starts_plainly=all(part.starts_plainly for part in parts),
    )
