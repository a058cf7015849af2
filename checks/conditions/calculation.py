"""Arithmetic and functions of a condition, with the same results on each backend."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

import narwhals as nw

from checks.conditions.comparison import Operand, as_float, as_number, point_text
from checks.errors import CannotJudge
from checks.iso8601 import day_number, point_literal, whole_day

if TYPE_CHECKING:
    from checks.conditions.syntax import ArithmeticOperator, FunctionName

_NUDGE: Final = 1 + 2**-50
"""Lifts 2.5 and what is 1.005 but for its last bits over the half, so that ROUND goes away from zero as in SAS."""
_INT64_LIMIT: Final = 2**63


def calculate(left: Operand, right: Operand, operator: ArithmeticOperator) -> Operand:
    """Calculate with two numbers, or text that holds numbers.

    Sums and differences stay in the types of their operands and are exact for integers and decimals. Products
    and quotients are floats. A division by zero gives null.

    Raises:
        CannotJudge: One of them is no number.
    """
    first, second = _number(left, operator), _number(right, operator)
    if operator == "+":
        expr = _wide(first) + _wide(second)
    elif operator == "-":
        expr = _wide(first) - _wide(second)
    elif operator == "*":
        expr = as_float(first) * as_float(second)
    else:
        divisor = as_float(second)
        expr = nw.when(divisor != 0).then(as_float(first) / divisor)
    return Operand(kind="number", expr=expr)


def call(function: FunctionName, of: Operand, digits: int) -> Operand:
    """Apply a function of one value; `digits` is what ROUND keeps after the point.

    ROUND goes away from zero at the half. TRIM removes blanks, LENGTH counts characters.

    Raises:
        CannotJudge: The function has no meaning for this kind of value.
    """
    if function == "ABS":
        return Operand(kind="number", expr=_wide(_number(of, function)).abs())
    if function == "ROUND":
        return Operand(kind="number", expr=(as_float(_number(of, function)) * _NUDGE).round(digits))
    if of.kind == "missing":
        return of
    if of.kind not in ("text", "iso"):
        raise CannotJudge(f"{function} needs text, not {of}")
    if function == "LENGTH":
        return Operand(kind="number", expr=of.expr.str.len_chars())
    if function == "TRIM":
        return Operand(kind=of.kind, expr=of.expr.str.strip_chars(" "))
    return Operand(kind="text", expr=of.expr.str.to_uppercase() if function == "UPPER" else of.expr.str.to_lowercase())


def study_day(date: Operand, reference: Operand) -> Operand:
    """Count the days from a reference: 1 on the reference day itself, -1 on the day before it, never 0.

    Missing where either is not a whole date.

    Source: CDISC SDTMIG v3.4, section 4.4.4.

    Raises:
        CannotJudge: One of them is no date.
    """
    if "missing" in (date.kind, reference.kind):
        nothing = date if date.kind == "missing" else reference
        return Operand(kind="number", expr=nothing.expr.cast(nw.Int64))
    day, first = _day(date), _day(reference)
    return Operand(kind="number", expr=day_number(day) - day_number(first) + (day >= first).cast(nw.Int64))


def _day(operand: Operand) -> nw.Expr:
    if operand.kind == "datetime":
        return operand.expr.dt.date()
    if operand.kind == "date":
        return operand.expr
    if operand.kind != "iso":
        raise CannotJudge(f"STUDYDAY needs dates, not {operand}")
    return whole_day(operand.expr)


def coalesce(operands: list[Operand]) -> Operand:
    """Return the first value that is not missing; points in time of several kinds become ISO 8601 text.

    Raises:
        CannotJudge: The values are of kinds that cannot stand for each other.
    """
    absent = [operand for operand in operands if operand.kind == "missing"]
    operands = [operand for operand in operands if operand.kind != "missing"] or absent
    kinds = {operand.kind for operand in operands}
    if not kinds:
        raise CannotJudge("COALESCE of nothing but NULL has no value")
    if len(kinds) == 1:
        return Operand(kind=operands[0].kind, expr=nw.coalesce(*(operand.expr for operand in operands)))
    if kinds == {"number", "text"}:
        numbers = [as_number(operand) if operand.literal is not None else operand for operand in operands]
        if all(number is not None and number.kind == "number" for number in numbers):
            return Operand(kind="number", expr=nw.coalesce(*(number.expr for number in numbers if number is not None)))
    if kinds <= {"iso", "date", "datetime", "text"} and all(map(_is_point, operands)):
        return Operand(kind="iso", expr=nw.coalesce(*map(point_text, operands)))
    raise CannotJudge(f"COALESCE of {' and '.join(map(str, operands))} has no one kind")


def told(operand: Operand) -> Operand:
    """Make null what a calculation could not tell: infinity minus infinity is no number."""
    is_number = ~operand.expr.cast(nw.Float64).is_nan()
    return Operand(kind=operand.kind, expr=nw.when(is_number).then(operand.expr))


def _is_point(operand: Operand) -> bool:
    if isinstance(operand.literal, str):
        return point_literal(operand.literal) is not None
    return operand.kind != "text"


def _number(operand: Operand, purpose: str) -> Operand:
    number = as_number(operand)
    if number is None:
        raise CannotJudge(f"{purpose} needs numbers, not {operand}")
    return number


def _wide(operand: Operand) -> nw.Expr:
    """Return numbers in a type with room for a sum: small integer types would overflow, on some backends unseen."""
    if isinstance(operand.literal, int):
        value = operand.literal
        return nw.lit(value, dtype=nw.Int64) if abs(value) < _INT64_LIMIT else nw.lit(value)
    if isinstance(operand.literal, Decimal | float):
        return operand.expr
    return operand.expr + nw.lit(0, dtype=nw.Int64)
