"""What is asked about: one review, its table, and what may be told of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from review_graph.vocabulary import Review

if TYPE_CHECKING:
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
        hidden: Columns that no tool lists, reads or names.
        can_query: Whether the SQL gateway is on.
    """

    review: Review
    table: Table
    spec: Spec
    disclosure: Disclosure
    write: Write | None = None
    hidden: frozenset[str] = field(default_factory=frozenset)
    can_query: bool = False
