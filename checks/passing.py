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

KEPT_ROWS = 1_000_000
"""Offending rows of which a pass keeps the values for somebody who wants all rows; any further are looked for again."""

NEAR_ROWS = 250_000
"""Rows at the start of the table that are read for the checks that fail there, so that only few are for the others."""


@dataclass(frozen=True, kw_only=True)
class Sought:
    """What is asked of each row.

    Attributes:
        failing: True for offending rows; null is no.
        counted: Further conditions whose rows are counted, by name.
        shown: Columns wanted of the first offending rows.
        values: Those of them that the conditions look at, so that they are read in any case.
    """

    failing: nw.Expr
    counted: Mapping[str, nw.Expr]
    shown: Sequence[str]
    values: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a pass found.

    Attributes:
        failed: Offending rows.
        counts: Rows in which the further conditions hold, by name.
        first: The first offending rows in the order of the table, with the columns that were wanted; or all of them.
    """

    failed: int
    counts: Mapping[str, int]
    first: pl.DataFrame


_Wanted = tuple[pl.Series, Sequence[str]]
"""Numbers of rows in ascending order, and names of columns."""


@dataclass(frozen=True, kw_only=True)
class _Found:
    failed: int
    counts: Mapping[str, int]
    places: pl.Series
    values: pl.DataFrame | None


def passed_over(frame: Frame, row: str, rows: int, sought: Sequence[Sought], *, room: int = 0) -> tuple[Seen, ...]:
    """Return what a pass over a table on Polars finds.

    Nothing but truth values is kept of the pass where only the first offending rows are wanted: to read these again
    takes less than to carry all along. Where all are, they may lie anywhere, and reading them again means decoding
    whole columns twice; so the values that were looked at are kept of the rows that fail, and only the rest is read.

    Args:
        frame: The table.
        row: Name of its row number.
        rows: How many rows it has.
        sought: What to look for.
        room: Of how many offending rows values may be kept, so that all rows of a condition are there and not only
            the first.
    """
    at_once = max(1, MASK_BYTES * 8 // max(rows, 1))
    found: list[_Found] = []
    for start in range(0, len(sought), at_once):
        left = room - sum(len(one.places) for one in found)
        found += _found(frame, row, sought[start : start + at_once], max(left, 0))
    wanted = [(one.places, _still_wanted(one, asked)) for one, asked in zip(found, sought, strict=True)]
    fetched = _fetched(frame, row, wanted)
    return tuple(
        Seen(failed=one.failed, counts=one.counts, first=_completed(rest, one, asked, row))
        for one, asked, rest in zip(found, sought, fetched, strict=True)
    )


def _found(frame: Frame, row: str, sought: Sequence[Sought], room: int) -> Iterator[_Found]:
    named = {f"{n}.failing": one.failing for n, one in enumerate(sought)}
    named |= {f"{n}.{name}": is_so for n, one in enumerate(sought) for name, is_so in one.counted.items()}
    masks, offending = _one_pass(frame, named, sorted({row}.union(*(one.values for one in sought))), room)
    for number, one in enumerate(sought):
        counts = {name: int(masks[f"{number}.{name}"].sum() or 0) for name in one.counted}
        places = masks[f"{number}.failing"].arg_true() + 1
        failed = len(places)
        values = offending.filter(f"{number}.failing").select(row, *one.values) if room and failed else None
        if values is None or len(values) < failed:
            places, values = places.head(EVIDENCE_ROWS), None
        yield _Found(failed=failed, counts=counts, places=places, values=values)


def _one_pass(
    frame: Frame, named: Mapping[str, nw.Expr], columns: Sequence[str], room: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the conditions of all rows, and of the first that fail, as many as there is room for, some columns too."""
    if not room:
        return frame.select(**named).to_native().collect(engine="streaming"), pl.DataFrame()
    looked_at: pl.LazyFrame = frame.select(*columns, **named).to_native()
    offending = looked_at.filter(pl.any_horizontal(*(name for name in named if name.endswith(".failing"))))
    # Text that is picked stays a view of its part of the column and holds all of it in memory; a copy does not.
    copied = offending.head(room).with_columns(pl.selectors.string() + "")
    masks, kept = pl.collect_all([looked_at.select(*named), copied], engine="streaming")
    return masks, kept


def _still_wanted(found: _Found, asked: Sought) -> Sequence[str]:
    return asked.shown if found.values is None else [name for name in asked.shown if name not in asked.values]


def _completed(fetched: pl.DataFrame, found: _Found, asked: Sought, row: str) -> pl.DataFrame:
    if found.values is None:
        return fetched
    return fetched.join(found.values, on=row, how="left", maintain_order="left").select(*asked.shown)


def _fetched(frame: Frame, row: str, wanted: Sequence[_Wanted]) -> list[pl.DataFrame]:
    """Return some columns of some rows, for each of several who want others; rows are given by their numbers."""
    native: pl.LazyFrame = frame.to_native()

    def read(several: Sequence[_Wanted]) -> pl.DataFrame:
        if not several:
            return pl.DataFrame()
        columns = {row}.union(*(columns for _, columns in several))
        places = pl.concat([places for places, _ in several]).unique().sort()
        start = native.select(*sorted(columns)).head(places[-1])
        return start.filter(pl.col(row).is_in(places.implode())).collect(engine="streaming")

    reach = [places[-1] if len(places) else 0 for places, _ in wanted]
    near = read([one for one, last in zip(wanted, reach, strict=True) if 0 < last <= NEAR_ROWS])
    far = read([one for one, last in zip(wanted, reach, strict=True) if last > NEAR_ROWS])
    return [
        (near if last <= NEAR_ROWS else far).filter(pl.col(row).is_in(places.implode())).select(*columns)
        if last
        else pl.DataFrame(schema=list(columns))
        for (places, columns), last in zip(wanted, reach, strict=True)
    ]
