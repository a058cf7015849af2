"""One pass over a big table that finds the rows of each kind; the first of those that fail are fetched after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import narwhals as nw
import polars as pl

from checks.frame import Frame
from checks.vocabulary import EVIDENCE_ROWS

MASK_BYTES = 256_000_000
"""What the truth values of one pass may take, a bit for each row and condition; more conditions take more passes."""

NEAR_ROWS = 250_000
"""Rows at the start of the table that are read for the checks that fail there, so that only few are for the others."""


@dataclass(frozen=True, kw_only=True)
class Sought:
    """What is asked of each row.

    Attributes:
        failing: True for offending rows; null is no.
        counted: Further conditions whose rows are counted, by name.
        shown: Columns wanted of the first offending rows.
    """

    failing: nw.Expr
    counted: Mapping[str, nw.Expr]
    shown: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a pass found.

    Attributes:
        failed: Offending rows.
        counts: Rows in which the further conditions hold, by name.
        first: The first offending rows in the order of the table, with the columns that were wanted.
    """

    failed: int
    counts: Mapping[str, int]
    first: pl.DataFrame


_Wanted = tuple[Sequence[int], Sequence[str]]
"""Numbers of rows, and names of columns."""


@dataclass(frozen=True, kw_only=True)
class _Found:
    failed: int
    counts: Mapping[str, int]
    places: Sequence[int]


def passed_over(frame: Frame, row: str, rows: int, sought: Sequence[Sought]) -> tuple[Seen, ...]:
    """Return what a pass over a table on Polars finds.

    Nothing but truth values is kept of the pass, not even the columns of the rows that fail: they are few, and to
    read them again takes less than to carry all rows along.

    Args:
        frame: The table.
        row: Name of its row number.
        rows: How many rows it has.
        sought: What to look for.
    """
    at_once = max(1, MASK_BYTES * 8 // max(rows, 1))
    parts = (sought[start : start + at_once] for start in range(0, len(sought), at_once))
    found = [one for part in parts for one in _found(frame, part)]
    shown = _fetched(frame, row, [(one.places, asked.shown) for one, asked in zip(found, sought, strict=True)])
    return tuple(
        Seen(failed=one.failed, counts=one.counts, first=first) for one, first in zip(found, shown, strict=True)
    )


def _found(frame: Frame, sought: Sequence[Sought]) -> Iterator[_Found]:
    named = {f"{n}.failing": one.failing for n, one in enumerate(sought)}
    named |= {f"{n}.{name}": is_so for n, one in enumerate(sought) for name, is_so in one.counted.items()}
    masks = frame.select(**named).to_native().collect(engine="streaming")
    for number, one in enumerate(sought):
        failing = masks[f"{number}.failing"]
        counts = {name: int(masks[f"{number}.{name}"].sum() or 0) for name in one.counted}
        places = failing.arg_true()
        yield _Found(failed=len(places), counts=counts, places=(places.head(EVIDENCE_ROWS) + 1).to_list())


def _fetched(frame: Frame, row: str, wanted: Sequence[_Wanted]) -> list[pl.DataFrame]:
    """Return some columns of some rows, for each of several who want others; rows are given by their numbers."""
    native: pl.LazyFrame = frame.to_native()

    def read(several: Sequence[_Wanted]) -> pl.DataFrame:
        places = sorted({place for places, _ in several for place in places})
        columns = sorted({row}.union(*(columns for _, columns in several)))
        if not places:
            return pl.DataFrame(schema=columns)
        start = native.select(*columns).head(places[-1])
        return start.filter(pl.col(row).is_in(places)).collect(engine="streaming")

    reach = [max(places, default=0) for places, _ in wanted]
    near = read([one for one, last in zip(wanted, reach, strict=True) if last <= NEAR_ROWS])
    far = read([one for one, last in zip(wanted, reach, strict=True) if last > NEAR_ROWS])
    return [
        (near if last <= NEAR_ROWS else far).filter(pl.col(row).is_in(places)).select(*columns)
        for (places, columns), last in zip(wanted, reach, strict=True)
    ]
