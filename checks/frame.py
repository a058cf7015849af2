"""Rows on whatever engine holds them, and how a small result is fetched from there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import polars as pl

Frame = nw.LazyFrame[Any]

BIG_ROWS = 50_000
"""Rows from which on finding out about a table first costs less than it saves."""

CRASH = (Exception, pl.exceptions.PanicException)
"""What a query may end with: a panic of Polars' own code is no `Exception`, and neither may end a review."""


def schema_of(frame: pl.LazyFrame) -> pl.Schema:
    """Return the schema of a frame without fixing the frame's own.

    After `collect_schema` on a scan, Polars counts rows above it and not in it any more, and reads much for little.
    """
    return frame.select(pl.all()).collect_schema()


def is_big(rows: int) -> bool:
    """Whether a table of so many rows is worth finding out about first."""
    return rows >= BIG_ROWS


def how_many(condition: nw.Expr) -> nw.Expr:
    """Count the rows in which a condition holds; null is no."""
    return condition.fill_null(value=False).cast(nw.Int64).sum()


def counted(frame: Frame, conditions: Mapping[str, nw.Expr]) -> dict[str, int]:
    """Return by name in how many rows each condition holds; null is no.

    The conditions are made columns first: what is asked of each is then quick to plan, and Polars counts bits.
    """
    columns = {name: f"condition{number}" for number, name in enumerate(conditions)}
    if not columns:
        return {}
    held = frame.select(**{columns[name]: is_so for name, is_so in conditions.items()})
    if held.implementation.is_polars():
        row = held.to_native().select(pl.all().sum()).collect(engine="streaming").row(0)
    else:
        row = collected(held.select(**{column: how_many(nw.col(column)) for column in columns.values()})).row(0)
    return {name: int(value or 0) for name, value in zip(columns, row, strict=True)}


def collected(frame: Frame) -> nw.DataFrame[Any]:
    """Fetch the rows of a result that is small: counts, groups, the first rows of many.

    Polars streams: it reads the table in portions and never holds it as a whole.
    """
    if frame.implementation.is_polars():
        return frame.collect(backend="polars", engine="streaming")
    return frame.collect(backend="polars")
