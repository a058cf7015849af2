"""Which rows share the values of some columns, found in as little time and memory as the engine allows.

A group for each key of ten million rows takes seconds and gigabytes. Where rows can be hashed, only a hash and a
number of each row are kept: hashes are sorted, and those that occur twice lead to the few rows that may be equal.
These are then grouped by the values themselves, so that two keys which only share a hash are never taken for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import narwhals as nw
import polars as pl

from checks.frame import Frame, collected

PART_ROWS = 20_000_000
"""Rows held at once, 20 bytes each; a longer table is gone through in parts, by the remainders of the hashes."""

_MANY = 10
"""One row in so many that may be equal to another is many."""

_COUNT, _HASH = "count of group", "hash of key"
_MULTIPLIER = 0x9E3779B97F4A7C15
"""Odd, so that it loses nothing; its powers keep the same value in two columns from cancelling out."""


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """Rows that are equal to another one.

    Attributes:
        groups: How many different values they have.
        rows: How many rows they are, every member of a group counted.
        offending: The rows.
    """

    groups: int
    rows: int
    offending: Frame


def repeated(frame: Frame, row: str, rows: int, by: Sequence[str], keep: Sequence[str] = ()) -> Repeated | None:
    """Return the rows that are equal to another one in some columns, nulls being equal to nulls; None for none.

    Args:
        frame: The table.
        row: Name of its row number.
        rows: How many rows it has.
        by: The columns.
        keep: What else is needed of these rows.
    """
    names = list(dict.fromkeys([row, *keep, *by]))
    candidates = maybe_repeated(frame.select(*names), row, rows, by)
    if candidates is None:
        return None
    sizes = candidates.group_by(list(by)).agg(nw.len().alias(_COUNT)).filter(nw.col(_COUNT) > 1)
    totals = sizes.select(nw.len().alias("groups"), nw.col(_COUNT).cast(nw.Int64).sum().alias("rows"))
    groups, rows = collected(totals).row(0)
    if not groups:
        return None
    offending = candidates.filter(nw.len().over(*by) > 1)
    return Repeated(groups=int(groups), rows=int(rows), offending=offending)


def maybe_repeated(frame: Frame, row: str, rows: int, by: Sequence[str]) -> Frame | None:
    """Return the rows that may be equal to another one in some columns; None where surely none is."""
    if not frame.implementation.is_polars():
        return frame
    native: pl.LazyFrame = frame.to_native()
    key, parts = _hash(by).alias(_HASH), rows // PART_ROWS + 1
    hashed = native.select(row, key)
    shares = [hashed.filter(pl.col(_HASH) % parts == n) for n in range(parts)] if parts > 1 else [hashed]
    alike = pl.concat([_alike(share) for share in shares]).sort(row)
    if alike.is_empty():
        return None
    if len(alike) > rows // _MANY:  # looking each candidate up, and holding it, would only cost
        return frame
    candidates = native.filter(pl.col(row).is_in(alike[row].implode())).collect(engine="streaming")
    if not candidates.select(row, key).sort(row).equals(alike):  # a query of the caller's may order its rows anew
        candidates = native.filter(key.is_in(alike[_HASH].unique().implode())).collect(engine="streaming")
    return nw.from_native(candidates.lazy())


def _alike(hashed: pl.LazyFrame) -> pl.DataFrame:
    """Return the rows whose hash occurs more than once.

    One thread sorts the hashes: with two it takes hardly less time and much more work, and others have something to do.
    """
    found = hashed.collect(engine="streaming")
    ordered = found[_HASH].sort(multithreaded=False)
    twice = ordered.filter(ordered == ordered.shift()).unique()
    return found.filter(pl.col(_HASH).is_in(twice.implode()))


def _hash(by: Sequence[str]) -> pl.Expr:
    """A number for the values of a row, equal for equal ones; hashing column by column is faster than a struct."""
    # Not one plus after the other: a key of a thousand columns must not become a thousand levels.
    return pl.sum_horizontal(
        pl.col(name).hash() * pl.lit(pow(_MULTIPLIER, n, 2**64), dtype=pl.UInt64) for n, name in enumerate(by)
    )
