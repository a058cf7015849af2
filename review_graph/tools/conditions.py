"""Conditions on a row, each with the words in which an answer repeats it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Literal, cast

import narwhals as nw
import numpy as np
import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from checks.conditions.comparison import compare, literal
from checks.conditions.syntax import number_value
from checks.errors import CannotJudge
from checks.plain import name_text, quote
from checks.vocabulary import JSON, canonical
from review_graph.core.disclosure import Flags, Part
from review_graph.tools.tool import InvalidArguments

if TYPE_CHECKING:
    from checks.conditions import Operand
    from review_graph.tools.view import View

MAX_VALUE = 200
"""Characters of a text that a value is compared with."""

Value = str | int | float | bool | None
ComparisonOperator = Literal["=", "!=", "<", "<=", ">", ">="]
Operator = Literal["=", "!=", "<", "<=", ">", ">=", "is null", "is not null"]


class Comparison(BaseModel):
    """One condition of a filter.

    Attributes:
        column: A column.
        op: How its value is compared; a missing value meets no condition but `is null`.
        value: What it is compared with.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    column: str = Field(max_length=MAX_VALUE, description="A column of the dataset.")
    op: Operator = Field(description="A missing value meets no condition but `is null`.")
    value: Value = Field(
        default=None, description="A text, number or ISO 8601 date; nothing for `is null` and `is not null`."
    )


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A condition on a row.

    Attributes:
        text: In words, with the names of the table; long ones are cut.
        asked: The same, whole: what tells one condition from any other.
        holds: True where it holds.
        free: Whether the caller chose it freely, and not among fixed values.
        excludes: Whether it says what is left out, and not what is taken.
        always: Whether the tool asks it with every question, so that nobody can ask without it.
    """

    text: str
    asked: tuple[JSON, ...]
    holds: nw.Expr
    free: bool = False
    excludes: bool = False
    always: bool = False


def equals(column: str, value: str, holds: nw.Expr, *, always: bool = False) -> Condition:
    """Return the condition that a column has a value."""
    text = f"{name_text(column)} = {quote(value)}"
    return Condition(text=text, asked=(column, "=", value), holds=holds, always=always)


def selected(
    view: View, conditions: Sequence[Condition], wanted: Mapping[str, nw.Expr], seconds: float | None = None
) -> tuple[tuple[Part, ...], pl.DataFrame]:
    """Return what the conditions select, each by itself, and calculated columns in file order.

    Args:
        view: The table.
        conditions: The conditions.
        wanted: Expressions by the name they get; none of them begins with `condition `.
        seconds: How long it may take.
    """
    numbered = {f"condition {number}": condition.holds for number, condition in enumerate(conditions)}
    found = view.fetch({**wanted, **numbered}, seconds)
    parts = [_part(condition, found[name]) for name, condition in zip(numbered, conditions, strict=True)]
    return tuple(parts), found.select(list(wanted))


def _part(condition: Condition, found: pl.Series) -> Part:
    fails = None if condition.always else mask_of(~found.cast(pl.Boolean))
    return Part(holds=mask_of(found), fails=fails, free=condition.free, excludes=condition.excludes)


def mask_of(series: pl.Series) -> Flags:
    """Return truth values as an array; null is no."""
    return series.cast(pl.Boolean).fill_null(value=False).to_numpy().astype(np.bool_, copy=False)


def with_value(values: pl.Series, value: object, *, free: bool = False) -> Part:
    """Return the rows with a value, or those where it is missing for None, as a condition."""
    holds = mask_of(values.is_null() if value is None else values == value)
    return Part(holds=holds, fails=~holds, free=free)


def not_missing(values: pl.Series) -> Part:
    """Return the rows that have a value: a statistic is always about these."""
    return Part(holds=mask_of(values.is_not_null()))


def rows_of(parts: Sequence[Part], rows: int) -> Flags:
    """Return which of so many rows meet all conditions."""
    found: Flags = np.logical_and.reduce([np.ones(rows, np.bool_), *(part.holds for part in parts)])
    return found


def all_of(conditions: Sequence[Condition]) -> nw.Expr:
    """Return the expression that is true where all hold, and null or false elsewhere."""
    return reduce(and_, (condition.holds for condition in conditions), nw.lit(value=True))


def texts_of(conditions: Sequence[Condition]) -> list[str]:
    """Return the conditions in words, as an answer repeats them."""
    return [condition.text for condition in conditions]


def asked_of(conditions: Sequence[Condition]) -> list[JSON]:
    """Return the conditions as they belong to a question: whole, and in an order that is always the same."""
    return sorted((list(condition.asked) for condition in conditions), key=canonical)


def condition_of(asked: Comparison, view: View) -> Condition:
    """Make one condition of a filter.

    Raises:
        UnknownName: There is no such column.
        InvalidArguments: The values cannot be compared so, or are those of single subjects.
    """
    is_presence = asked.op in ("is null", "is not null")
    name = view.named(asked.column) if is_presence else view.comparable(asked.column)
    operand = view.operand(name)
    if is_presence:
        if asked.value is not None:
            raise InvalidArguments(f"{asked.op} takes no value")
        missing = operand.expr.is_null()
        holds = missing if asked.op == "is null" else ~missing
        return Condition(
            text=f"{name_text(name)} {asked.op}", asked=(name, asked.op), holds=holds, free=True, excludes=True
        )
    return _comparison(name, operand, cast("ComparisonOperator", asked.op), asked.value, view)


def _comparison(name: str, operand: Operand, operator: ComparisonOperator, value: Value, view: View) -> Condition:
    if value is None or (isinstance(value, str) and (not value.strip() or len(value) > MAX_VALUE)):
        raise InvalidArguments(
            f"{operator} needs a value of 1 to {MAX_VALUE} characters; `is null` asks for missing ones"
        )
    if operand.kind == "text" and isinstance(value, str) and operator in ("=", "!="):
        value = view.matching(name, value)
    try:
        holds = compare(operand, literal(_exact(value)), operator)
    except CannotJudge as trouble:
        raise InvalidArguments(str(trouble)) from None
    text = f"{name_text(name)} {operator} {quote(value)}"
    return Condition(text=text, asked=(name, operator, value), holds=holds, free=True, excludes=operator == "!=")


def _exact(value: str | float) -> str | int | float:
    """Numbers as rules read them: one that is written with decimals is no binary fraction."""
    return value if isinstance(value, str | bool) else number_value(repr(value)) or value  # type: ignore[return-value]
