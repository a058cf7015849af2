"""Sums on paper: numbers, the four operators and brackets, read by a parser of our own and never run as code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, InvalidOperation, Overflow, Underflow

from checks.plain import quote

MAX_EXPRESSION = 200
"""Characters of an expression."""

MAX_DEPTH = 20
"""Brackets and signs within each other."""

DIGITS = 28
"""Significant digits to which each step is rounded, half to even."""

MAX_POWER = 50
"""A step comes to less than ten to this power, and to no smaller fraction than one to its inverse."""

_SIGNS = str.maketrans({"\u2212": "-", "\u00d7": "*", "\u00f7": "/", "\u22c5": "*", "\u00b7": "*"})
_TOKEN = re.compile(r"\s*(?:((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?![0-9.,]))|([-+*/()]))\s*")
OPERATORS = frozenset("-+*/()")
_CONTEXT = Context(
    prec=DIGITS,
    rounding=ROUND_HALF_EVEN,
    Emin=-MAX_POWER,
    Emax=MAX_POWER,
    traps=[InvalidOperation, DivisionByZero, Overflow, Underflow],
)
_Operators = Mapping[str, Callable[[Decimal, Decimal], Decimal]]
_SUMS: _Operators = {"+": _CONTEXT.add, "-": _CONTEXT.subtract}
_PRODUCTS: _Operators = {"*": _CONTEXT.multiply, "/": _CONTEXT.divide}


def evaluate(expression: str) -> Decimal:
    """Return what an expression comes to, to 28 significant digits.

    Args:
        expression: Numbers such as `12` or `0.5`, + - * / (also as typeset) and brackets, at most
            200 characters. A percentage is written out: `28 / 300 * 100`.

    Raises:
        ValueError: It is no such expression, divides by zero or comes to a number that is too large or too small.
    """
    if len(expression) > MAX_EXPRESSION:
        raise ValueError(f"an expression may have {MAX_EXPRESSION} characters; found {len(expression)}")
    return worked_out(tokens_of(expression))[-1]


def worked_out(tokens: Sequence[str]) -> list[Decimal]:
    """Return what each operation of an expression comes to, in the order in which they are done, and then the whole.

    Args:
        tokens: The expression as `tokens_of` gives it; of whatever numbers.

    Raises:
        ValueError: As `evaluate`.
    """
    reader = _Reader(tokens)
    try:
        whole = reader.whole()
    except DivisionByZero:
        raise ValueError("division by zero") from None
    except InvalidOperation:
        raise ValueError("division of zero by zero") from None
    except (Overflow, Underflow):
        raise ValueError("it comes to a number that is too large or too small for a figure") from None
    return [*reader.done, whole]


def tokens_of(expression: str) -> list[str]:
    """Return the numbers, operators and brackets of an expression.

    Raises:
        ValueError: It holds something else.
    """
    tokens, place, text = [], 0, expression.translate(_SIGNS)
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError(
                f"expected a number, an operator or a bracket, found {quote(text[place:].strip())}; "
                "only numbers, + - * / and brackets are read, without thousands separators or %"
            )
        tokens.append(match[1] or match[2])
        place = match.end()
    return tokens


class _Reader:
    """Reads tokens from left to right: a sum of products of factors."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.done: list[Decimal] = []
        self._tokens = [*tokens, ""]
        self._place = 0
        self._depth = 0

    def whole(self) -> Decimal:
        value = self._sum()
        if self._next:
            raise ValueError(f"expected an operator or the end, found {quote(self._next)}")
        return value

    @property
    def _next(self) -> str:
        return self._tokens[self._place]

    def _take(self) -> str:
        token = self._next
        self._place += 1
        return token

    def _sum(self) -> Decimal:
        return self._chain(_SUMS, lambda: self._chain(_PRODUCTS, self._factor))

    def _chain(self, operators: _Operators, operand: Callable[[], Decimal]) -> Decimal:
        value = operand()
        while self._next in operators:
            value = operators[self._take()](value, operand())
            self.done.append(value)
        return value

    def _factor(self) -> Decimal:
        found = self._take() if self._next else ""
        if found[-1:].isdigit() or found.endswith("."):
            return _CONTEXT.create_decimal(found)
        if found not in ("(", "-", "+"):
            raise ValueError(f"expected a number or a bracket, found {quote(found) if found else 'the end'}")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ValueError(f"brackets and signs may stand {MAX_DEPTH} deep")
        value = self._bracketed() if found == "(" else self._factor()
        self._depth -= 1
        return _CONTEXT.minus(value) if found == "-" else value

    def _bracketed(self) -> Decimal:
        value = self._sum()
        if self._next != ")":
            raise ValueError(f"expected ')', found {quote(self._next) if self._next else 'the end'}")
        self._take()
        return value
