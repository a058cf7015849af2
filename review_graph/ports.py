"""What the middle needs from outside, as Protocols; `adapters/` provides it, `bootstrap.py` wires it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """A table as a reader found it.

    Attributes:
        frame: The rows, in file order. Columns whose name occurs twice are left out.
        duplicate_columns: Names that occur more than once, in file order.
        labels: Column labels, where the format has them.
        notes: What a reviewer should know about how the file was read, for instance its encoding.
    """

    frame: pl.LazyFrame
    duplicate_columns: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
