"""What is asked about: one review, its table, and what may be told of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checks.vocabulary import JSON
from review_graph.vocabulary import Review

if TYPE_CHECKING:
    import polars as pl

    from checks.spec import Spec
    from checks.table import Table
    from review_graph.tools.disclosing import Disclosure

Write = Callable[[str, str], str]
"""Writes a text file of a name as a whole and says where it is."""


@dataclass(frozen=True, kw_only=True)
class Matter:
    """One review that is asked about.

    Attributes:
        review: The review.
        table: The dataset, read again; its content is still what was reviewed.
        spec: The spec it was reviewed against.
        disclosure: Says which counts may be told, and remembers it.
        write: Writes a file into the output folder; None where there is none.
        open_rows: Reads a file of offending rows, whose first column is the row number; without it the counts of
            findings with more rows than their evidence holds are withheld.
        hidden: Columns that no tool lists, reads or names.
        can_query: Whether the SQL gateway is on.
        shown: Data of the results that were shown so far; `Toolbox.call` sets it.
    """

    review: Review
    table: Table
    spec: Spec
    disclosure: Disclosure
    write: Write | None = None
    open_rows: Callable[[str], pl.DataFrame] | None = None
    hidden: frozenset[str] = field(default_factory=frozenset)
    can_query: bool = False
    shown: tuple[Mapping[str, JSON], ...] = ()
