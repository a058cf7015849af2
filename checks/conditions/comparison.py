"""Two values held against each other, by what they are: numbers, text, points in time, truth values.

Comparing is three-valued as in SQL: a missing value on either side gives null, which says *cannot be told*.
"""

from __future__ import annotations

import datetime as dt
import operator as op
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import narwhals as nw

from checks import iso8601
from checks.conditions.syntax import NUMBER, Number, number_value
from checks.errors import CannotJudge
from checks.plain import nearest

if TYPE_CHECKING:
    from collections.abc import Callable

    from checks.iso8601 import IsoOperand, Operator
    from checks.spec import Tolerance

Kind = Literal["number", "text", "iso", "date", "datetime", "boolean", "missing", "other"]

_NATIVE: Final[dict[Operator, Callable[[nw.Expr, nw.Expr], nw.Expr]]] = {
    "=": op.eq, "!=": op.ne, "<": op.lt, "<=": op.le, ">": op.gt, ">=": op.ge,
}  # fmt: skip
_HOLDS: Final[dict[Kind, str]] = {
    "number": "numbers", "text": "text", "iso": "ISO 8601 text", "date": "dates",
    "datetime": "dates with times", "boolean": "truth values", "missing": "nothing",
    "other": "values that rules cannot compare",
}  # fmt: skip
_DATETIME: Final = r"[0-9-]{10}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?"
_INFINITY: Final = float("inf")


@dataclass(frozen=True, kw_only=True)
class Operand:
    """One value of a condition.

    Attributes:
        kind: What it is; `iso` is text that holds ISO 8601 dates, complete or not, `missing` is a column that
            the table need not have and has not: nulls of type boolean. Of `other` kinds only IS NULL can be told.
        expr: The values, null where missing; numbers are never NaN.
        name: Name of the column; None for anything else.
        literal: The value itself, where it stands in the condition.
        bits: Of how many bits the floats of a column were, where it was fewer than 64.
    """

    kind: Kind
    expr: nw.Expr
    name: str | None = None
    literal: bool | Number | str | dt.date | None = None
    bits: int | None = None

    def __str__(self) -> str:
        """Say in a message what it is and holds."""
        if self.literal is not None:
            return f"{self.literal!r}" if isinstance(self.literal, str) else str(self.literal)
        return f"{self.name or 'a calculated value'} ({_HOLDS[self.kind]})"


def literal(value: bool | Number | str | None) -> Operand:  # noqa: FBT001 - any literal
    """Return a value that stands in the condition as an operand; NULL is an unknown truth value."""
    if value is None or isinstance(value, bool):
        return Operand(kind="boolean", expr=nw.lit(value, dtype=nw.Boolean), literal=value)
    return Operand(kind="text" if isinstance(value, str) else "number", expr=nw.lit(value), literal=value)


def compare(left: Operand, right: Operand, operator: Operator, tolerance: Tolerance | None = None) -> nw.Expr:
    """Hold two values against each other.

    Numbers are compared as numbers, also where they are written as text: text that is none gives null. Text
    is compared character by character. Dates, datetimes and ISO 8601 text are compared as points in time: a
    date against a datetime by the day, text at the precision both sides have (`iso8601.compare`).

    Args:
        left: The one side.
        right: The other; a relative tolerance is relative to it.
        operator: A comparison as SQL writes it.
        tolerance: How far numbers may differ and still be equal.

    Returns:
        A nullable boolean expression.

    Raises:
        CannotJudge: The two have nothing to compare.
    """
    kinds = {left.kind, right.kind}
    if "missing" in kinds:
        return left.expr if left.kind == "missing" else right.expr
    if kinds == {"boolean"} and operator in ("=", "!="):
        return _NATIVE[operator](left.expr, right.expr)
    if kinds == {"text"}:
        return _NATIVE[operator](left.expr, right.expr)
    if "number" in kinds and kinds <= {"number", "text"}:
        first, second = as_number(left), as_number(right)
        if first is None or second is None:
            raise CannotJudge(f"{left} and {right} cannot be compared: the text is not a number")
        return _compare_numbers(first, second, operator, tolerance)
    if kinds <= {"iso", "date", "datetime", "text"}:
        return _compare_points(left, right, operator)
    raise CannotJudge(f"{left} and {right} cannot be compared with {operator}")


def as_number(operand: Operand) -> Operand | None:
    """Return an operand as numbers, null where text is not a number; None when it can be none at all."""
    if operand.kind == "number":
        return operand
    if operand.kind == "missing":
        return Operand(kind="number", expr=operand.expr.cast(nw.Float64))
    if operand.kind != "text":
        return None
    if isinstance(operand.literal, str):
        value = number_value(operand.literal)
        return None if value is None else literal(value)
    number = nw.when(operand.expr.str.contains(NUMBER)).then(operand.expr).otherwise(nw.lit(None, dtype=nw.String))
    return Operand(kind="number", expr=number.cast(nw.Float64), name=operand.name)


def _compare_numbers(left: Operand, right: Operand, operator: Operator, tolerance: Tolerance | None) -> nw.Expr:
    """Compare numbers in their own types, exactly; a tolerance makes them floats."""
    left, right = _as_held(left, right), _as_held(right, left)
    if tolerance is None or not (tolerance.absolute or tolerance.relative):
        return _NATIVE[operator](left.expr, right.expr)
    first, second = as_float(left), as_float(right)
    within = _tolerance(second, tolerance)
    if operator in ("=", "!="):
        equal = (first == second) | ((first - second).abs() <= within)
        return equal if operator == "=" else ~equal
    return _NATIVE[operator](first, second + within if operator in ("<=", ">") else second - within)


def _as_held(operand: Operand, other: Operand) -> Operand:
    """Round a literal as the floats of the other side are, where they had fewer than 64 bits: `X <= 0.2`."""
    if other.bits is None or operand.literal is None or isinstance(operand.literal, str | dt.date):
        return operand
    return literal(nearest(operand.literal, other.bits))


def _tolerance(right: nw.Expr, tolerance: Tolerance) -> nw.Expr:
    """Return max(absolute, relative * |right|); an infinite limit has no relative tolerance."""
    absolute = nw.lit(tolerance.absolute)
    if not tolerance.relative:
        return absolute
    relative = right.abs() * tolerance.relative
    return nw.max_horizontal(absolute, nw.when(relative != _INFINITY).then(relative).otherwise(nw.lit(0.0)))


def as_float(operand: Operand) -> nw.Expr:
    """Return numbers as floats."""
    if isinstance(operand.literal, str | dt.date | None):
        return operand.expr.cast(nw.Float64)
    return nw.lit(float(operand.literal))


def _compare_points(left: Operand, right: Operand, operator: Operator) -> nw.Expr:
    """Compare natively where both sides are native, by the day where one has no time, as text elsewhere."""
    first, second = _native(left, right), _native(right, left)
    kinds = (first.kind, second.kind)
    if kinds in (("date", "date"), ("datetime", "datetime")):
        return _NATIVE[operator](first.expr, second.expr)
    if set(kinds) == {"date", "datetime"}:
        days = (side.expr.dt.date() if side.kind == "datetime" else side.expr for side in (first, second))
        return _NATIVE[operator](*days)
    points = (_point(first), _point(second))
    if points[0] is None or points[1] is None:
        raise CannotJudge(f"{left} and {right} cannot be compared: the text is not an ISO 8601 date")
    return iso8601.compare(points[0], points[1], operator)


def _native(operand: Operand, other: Operand) -> Operand:
    """Turn text that names a day, or a day and a time, into that, where the other side is native."""
    text = operand.literal
    if not isinstance(text, str) or other.kind not in ("date", "datetime") or iso8601.point_literal(text) is None:
        return operand
    if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        day = dt.date.fromisoformat(text)
        return Operand(kind="date", expr=nw.lit(day), literal=day)
    if re.fullmatch(_DATETIME, text):
        return Operand(kind="datetime", expr=nw.lit(dt.datetime.fromisoformat(text)), literal=text)
    return operand


def _point(operand: Operand) -> IsoOperand | None:
    if operand.literal is not None:
        return iso8601.point_literal(str(operand.literal))
    if operand.kind == "date":
        return iso8601.date_point(operand.expr)
    if operand.kind == "datetime":
        return iso8601.datetime_point(operand.expr)
    return iso8601.point(operand.expr)


def point_text(operand: Operand) -> nw.Expr:
    """Return points in time as ISO 8601 text."""
    if isinstance(operand.literal, dt.date):
        return nw.lit(operand.literal.isoformat())
    if operand.kind == "date":
        return iso8601.date_text(operand.expr)
    return iso8601.datetime_text(operand.expr) if operand.kind == "datetime" else operand.expr
