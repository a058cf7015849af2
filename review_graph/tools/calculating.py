"""Arithmetic, so that a model need not do it in its head."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from review_graph.core.arithmetic import MAX_EXPRESSION, evaluate
from review_graph.tools.tool import Arguments, InvalidArguments, Result, Tool

if TYPE_CHECKING:
    from decimal import Decimal

    from review_graph.tools.matter import Matter

_EXACT = 2**53
"""Whole numbers up to here are exact in every JSON reader."""


class CalculateArguments(Arguments):
    """What is calculated."""

    expression: str = Field(
        max_length=MAX_EXPRESSION, description="Numbers, + - * / and brackets: (12 + 3) / 150 * 100"
    )


class Calculate(Tool[CalculateArguments]):
    """The value of an expression."""

    name: ClassVar[str] = "calculate"
    description: ClassVar[str] = (
        "Value of an expression of numbers, + - * / and brackets; a percent is 100 * part / whole."
    )
    arguments: ClassVar[type[CalculateArguments]] = CalculateArguments
    reads_data: ClassVar[bool] = False

    def answer(self, arguments: CalculateArguments, matter: Matter) -> Result:  # noqa: ARG002 - it needs no data
        """Calculate it. The expression is not repeated: a number is not observed because a model wrote it."""
        try:
            value = evaluate(arguments.expression)
        except ValueError as trouble:
            raise InvalidArguments(str(trouble)) from None
        return Result(data={"value": _plain(value)})


def _plain(value: Decimal) -> int | float:
    if value == value.to_integral_value() and abs(value) <= _EXACT:
        return int(value)
    number = float(value)
    if not math.isfinite(number):
        raise InvalidArguments("the value is too large")
    return number
