"""The different values of a big table's text columns, each with how often it occurs.

Most checks of text ask something of each value. A column of ten million rows seldom has more than some thousand
different ones, so they are counted once, in one pass that keeps nothing else, and the checks are asked of them.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import narwhals as nw
import polars as pl

from checks.frame import CRASH, Frame, collected, is_big
from checks.plain import BLANKS

_SAMPLED = 10_000
"""Rows looked at, in each of three places, before a column's values are counted."""

_LONG_LOOK = 500_000
"""Rows looked at of a column that seems to have too many."""

MAX_SHARE = 0.2
MAX_SHARE_LATER = 0.12
"""Different values a row of a sample, of the short and of the long look, from which on a column is left alone."""

_COUNT = "rows with the value"


class Domain:
    """The different values of one text column.

    Args:
        name: Name of the column.
        counts: One row for each value, null among them, with how often it occurs.
        row: Name of the table's row number, which conditions may name; there is none of a value, but it is never null.
    """

    def __init__(self, name: str, counts: pl.DataFrame, row: str) -> None:
        self._name = name
        self._frame: Frame = nw.from_native(counts.lazy().with_columns(pl.lit(0).alias(row)))
        self._coded: dict[tuple[str, ...], bool] = {}

    @cached_property
    def has_padded(self) -> bool:
        """Whether a value begins or ends with blanks, or is nothing but blanks."""
        return self._any(nw.col(self._name).str.strip_chars(BLANKS) != nw.col(self._name))

    def has_any_of(self, texts: Sequence[str]) -> bool:
        """Whether one of some texts is a value."""
        key = tuple(texts)
        if key not in self._coded:
            self._coded[key] = self._any(nw.col(self._name).is_in(texts))
        return self._coded[key]

    def count(self, conditions: Mapping[str, nw.Expr]) -> dict[str, int]:
        """Return by name in how many rows of the table a condition on the value holds; null is no."""
        rows = {
            name: nw.when(condition.fill_null(value=False)).then(nw.col(_COUNT)).otherwise(0).sum()
            for name, condition in conditions.items()
        }
        counted = collected(self._frame.select(**rows)).row(0)
        return {name: int(value or 0) for name, value in zip(rows, counted, strict=True)}

    def rows_with(self, condition: nw.Expr) -> nw.Expr:
        """Return a condition on rows that holds where one on their value does, and costs no more than a look-up."""
        values = collected(self._frame.filter(condition.fill_null(value=False)).select(self._name))[self._name]
        among = nw.col(self._name).is_in(values.drop_nulls().to_list()).fill_null(value=False)
        return among | nw.col(self._name).is_null() if values.is_null().any() else among

    def differs_only_in(self, folded: nw.Expr) -> bool:
        """Whether two different values become one when they are folded."""
        values = collected(self._frame.select(value=folded).filter(~nw.col("value").is_null()))
        return len(values) != len(values.unique())

    def _any(self, condition: nw.Expr) -> bool:
        return bool(self.count({"any": condition})["any"])


class Domains:
    """The domains of a table, each counted when first asked for, and once however many threads ask.

    Args:
        frame: The table.
        names: Its text columns.
        row: Name of its row number.
        rows: How many rows it has.
    """

    def __init__(self, frame: Frame, names: Sequence[str], row: str, rows: int) -> None:
        self._frame = frame
        self._names = names
        self._row = row
        self._rows = rows
        self._lock = threading.Lock()
        self._worthy: frozenset[str] | None = None
        self._found: dict[str, Domain | None] = {}

    def get(self, name: str) -> Domain | None:
        """Return the domain of a column; None where it has too many values, or the table too few rows."""
        with self._lock:
            if name not in self._found:
                try:
                    self._found[name] = self._counted(name)
                except CRASH:  # data that cannot be read is found, and said, when its rows are counted
                    self._found[name] = None
            return self._found[name]

    def known(self, name: str) -> Domain | None:
        """Return the domain of a column if it was counted already."""
        return self._found.get(name)

    def _counted(self, name: str) -> Domain | None:
        if self._worthy is None:
            self._worthy = frozenset(self._worth_counting())
        if name not in self._worthy:
            return None
        counted = collected(self._frame.group_by(name).agg(nw.len().cast(nw.Int64).alias(_COUNT)))
        return Domain(name, counted.to_polars(), self._row)

    def _worth_counting(self) -> list[str]:
        if not self._names or not is_big(self._rows):
            return []
        few = self._with_few(self._names, self._samples(), MAX_SHARE)
        others = [name for name in self._names if name not in few]
        # A shuffled column shows all its values late, so those that look varied get a longer look.
        return few + self._with_few(others, [self._frame.head(_LONG_LOOK)], MAX_SHARE_LATER)

    def _samples(self) -> list[Frame]:
        """The start, the middle and the end, where the engine gets there without reading all; else the start."""
        if not self._frame.implementation.is_polars():
            return [self._frame.head(_SAMPLED)]
        native: Any = self._frame.to_native()
        starts = sorted({0, self._rows // 2, max(self._rows - _SAMPLED, 0)})
        return [nw.from_native(native.slice(start, _SAMPLED)) for start in starts]

    def _with_few(self, names: Sequence[str], parts: Sequence[Frame], share: float) -> list[str]:
        if not names:
            return []
        samples = [collected(part.select(*names)) for part in parts]
        return [name for name in names if all(sample[name].n_unique() <= share * len(sample) for sample in samples)]
