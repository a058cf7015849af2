"""A table under review: a lazy Narwhals frame, its schema, and a row number fixed when it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import narwhals as nw

from checks.domains import Domain, Domains
from checks.extents import Extent, Extents
from checks.frame import Frame, collected


@dataclass(frozen=True, kw_only=True)
class Table:
    """One table, ready to be checked.

    Attributes:
        frame: The rows with the columns of `schema` and the row number in column `row`.
        schema: Type of each column whose name is unambiguous, in file order.
        row: Name of the column that holds the position in the input, 1-based.
        bits: Of how many bits the floats of a column were, where it was fewer than 64.
        duplicate_columns: Names that occur more than once; no check looks inside them.
        unusable_columns: Names that address no column: blank ones, `*` and `^…$`; no check looks inside them either.
        labels: Column labels, where the source has them.
        files: The Parquet files that hold the rows and nothing else, where there are such; their footers tell much.
    """

    frame: Frame
    schema: Mapping[str, nw.dtypes.DType]
    row: str
    bits: Mapping[str, int] = field(default_factory=dict)
    duplicate_columns: tuple[str, ...] = ()
    unusable_columns: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    files: tuple[Path, ...] = ()

    @cached_property
    def rows(self) -> int:
        """Number of rows, counted when first asked for."""
        return int(collected(self.frame.select(nw.len())).item())

    def domain(self, column: str) -> Domain | None:
        """Return the different values of a text column, where the table is big and they are few."""
        return self._domains.get(column)

    def known_domain(self, column: str) -> Domain | None:
        """Return the different values of a text column if they were counted already."""
        return self._domains.known(column)

    def extent(self, column: str) -> Extent:
        """Return what is known of the values of a column without looking at each."""
        return self._extents.get(column)

    @cached_property
    def _domains(self) -> Domains:
        return Domains(self.frame, self._texts, self.row, self.rows)

    @cached_property
    def _extents(self) -> Extents:
        return Extents(self.frame, self._texts, self.files, self.rows)

    @property
    def _texts(self) -> list[str]:
        return [name for name, dtype in self.schema.items() if isinstance(dtype, nw.String)]

    @property
    def columns(self) -> tuple[str, ...]:
        """All column names in file order; a name that occurs twice stands at the end, once."""
        return (*self.schema, *self.duplicate_columns)
