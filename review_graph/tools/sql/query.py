"""What a query comes to once it was read: groups, aggregates, an order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from review_graph.tools.tool import ToolTrouble

if TYPE_CHECKING:
    from checks.conditions import Condition

MAX_ROWS = 20
"""Rows of a result."""

MAX_PARTS = 6
"""Conditions and columns of groups: each subset of them is looked at, so they are few."""

ALLOWED = (  # what is taken, in words
    "one SELECT of grouping columns and of COUNT(*), COUNT(column), COUNT(DISTINCT subject), AVG, SUM, STDDEV (also in "
    "ROUND(…, digits)) FROM the dataset, with WHERE (conditions joined by AND, each on one column: literals, = <> < <= "
    "> >=, NOT OR, IS NULL, IN, BETWEEN, LIKE, + - * /, ABS ROUND UPPER LOWER LENGTH TRIM COALESCE), GROUP BY columns, "
    "ORDER BY what is selected, LIMIT up to 20; WITH for parts that only filter"
)

Kind = Literal["column", "rows", "subjects", "values", "mean", "sum", "deviation"]


class QueryNotAllowed(ToolTrouble):
    """A query has something that the gateway does not take."""

    def __init__(self, found: str) -> None:
        super().__init__(f"found {found}; allowed: {ALLOWED}")


@dataclass(frozen=True, kw_only=True)
class Output:
    """One column of a result.

    Attributes:
        name: Its name.
        kind: What it holds; `rows` and `subjects` are of whole groups, the others of the values of a column.
        column: The column of the dataset; empty for `rows` and `subjects`.
        digits: Decimals that were asked for; None where it was not said.
    """

    name: str
    kind: Kind
    column: str = ""
    digits: int | None = None


@dataclass(frozen=True, kw_only=True)
class Order:
    """One key of the order of a result.

    Attributes:
        output: Place of the output, from 0.
        descending: Whether the largest comes first.
    """

    output: int
    descending: bool


@dataclass(frozen=True, kw_only=True)
class Where:
    """One condition.

    Attributes:
        condition: The condition in the rule language, on one column.
        excludes: Whether it may say what is left out, and not what is taken.
    """

    condition: Condition
    excludes: bool


@dataclass(frozen=True, kw_only=True)
class Query:
    """A query in normal form.

    Attributes:
        outputs: What is selected, in order.
        groups: Columns that make the groups.
        where: Conditions that all have to hold.
        orders: The keys of the order.
        limit: Rows at most.
    """

    outputs: tuple[Output, ...]
    groups: tuple[str, ...]
    where: tuple[Where, ...]
    orders: tuple[Order, ...]
    limit: int = MAX_ROWS
