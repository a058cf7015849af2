"""Rows on whatever engine holds them, and how a small result is fetched from there."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import polars as pl

Frame = nw.LazyFrame[Any]

CRASH = (Exception, pl.exceptions.PanicException)
"""What a query may end with: a panic of Polars' own code is no `Exception`, and neither may end a review."""


def how_many(condition: nw.Expr) -> nw.Expr:
    """Count the rows in which a condition holds; null is no."""
    return condition.fill_null(value=False).cast(nw.Int64).sum()


def collected(frame: Frame) -> nw.DataFrame[Any]:
    """Fetch the rows of a result that is small: counts, groups, the first rows of many.

    Polars streams: it reads the table in portions and never holds it as a whole.
    """
    if frame.implementation.is_polars():
        return frame.collect(backend="polars", engine="streaming")
    return frame.collect(backend="polars")
