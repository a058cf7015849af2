"""A condition of a rule as a tree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checks.iso8601 import Operator

Number = int | Decimal | float
ArithmeticOperator = Literal["+", "-", "*", "/"]
FunctionName = Literal["ABS", "ROUND", "UPPER", "LOWER", "LENGTH", "TRIM", "COALESCE", "STUDYDAY"]

NUMBER: Final = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
"""Text that is a number: what can be cast to one."""

_DECIMAL_DIGITS: Final = 30
_DECIMAL_SCALE: Final = 17
"""Digits in all and after the point of a literal `Decimal`: backends have 38, and a column needs some of its own."""
_LARGEST: Final = Decimal("1e38")
"""Whole numbers from here on are floats; below, each backend has integers or decimals for them."""
_LARGEST_EXPONENT: Final = 308
"""Decimal exponent of the largest float."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column by its name; `of` is the other table it stands in, as `dm` in `dm.RFSTDTC`."""

    name: str
    of: str | None = None


@dataclass(frozen=True, kw_only=True)
class Constant:
    """A literal; None is NULL."""

    value: bool | Number | str | None


@dataclass(frozen=True, kw_only=True)
class Today:
    """The date of the review."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A function of its arguments; the second one of ROUND is `digits`."""

    function: FunctionName
    arguments: tuple[Node, ...]
    digits: int = 0


@dataclass(frozen=True, kw_only=True)
class Arithmetic:
    """A calculation; a sign is a subtraction from 0."""

    operator: ArithmeticOperator
    left: Node
    right: Node


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two values held against each other."""

    operator: Operator
    left: Node
    right: Node


@dataclass(frozen=True, kw_only=True)
class IsNull:
    """Whether there is no value."""

    of: Node


@dataclass(frozen=True, kw_only=True)
class Membership:
    """Whether a value equals one of a list."""

    of: Node
    among: tuple[Node, ...]


@dataclass(frozen=True, kw_only=True)
class Like:
    """Whether text has the form of a pattern with `%` and `_`."""

    of: Node
    pattern: str


@dataclass(frozen=True, kw_only=True)
class Junction:
    """Conditions joined by AND or OR."""

    operator: Literal["AND", "OR"]
    parts: tuple[Node, ...]


@dataclass(frozen=True, kw_only=True)
class Negation:
    """The opposite of a condition."""

    of: Node


Node = (
    Column
    | Constant
    | Today
    | Call
    | Arithmetic
    | Comparison
    | IsNull
    | Membership
    | Like
    | Junction
    | Negation
)  # fmt: skip


def children(node: Node) -> tuple[Node, ...]:
    """Return the parts of a node from left to right."""
    match node:
        case Column() | Constant() | Today():
            return ()
        case Call(arguments=parts) | Junction(parts=parts):
            return parts
        case Arithmetic(left=left, right=right) | Comparison(left=left, right=right):
            return (left, right)
        case Membership(of=of, among=among):
            return (of, *among)
        case IsNull(of=of) | Like(of=of) | Negation(of=of):
            return (of,)


def columns(node: Node) -> Iterator[Column]:
    """Yield the columns in order of appearance, repeated where they are repeated."""
    if isinstance(node, Column):
        yield node
    for part in children(node):
        yield from columns(part)


def weight(node: Node) -> int:
    """Count the parts of the expression this becomes: a divisor occurs in it twice."""
    parts = 1 + sum(weight(part) for part in children(node))
    return parts + weight(node.right) if isinstance(node, Arithmetic) and node.operator == "/" else parts


def number_value(text: str) -> Number | None:
    """Read text as a number, exactly where that is possible; None when it is no number or too large for one.

    Whole numbers become integers and short decimals `Decimal`, so that neither a large integer nor a decimal
    column is compared through floats; everything else becomes a float.
    """
    if not re.fullmatch(NUMBER, text):
        return None
    value = Decimal(text)
    if value.adjusted() > _LARGEST_EXPONENT or value.adjusted() < -_LARGEST_EXPONENT:
        return None if value else 0
    if abs(value) < _LARGEST and value == value.to_integral_value():
        return int(value)
    digits, scale = len(value.as_tuple().digits), -int(value.as_tuple().exponent)
    return value if digits <= _DECIMAL_DIGITS and 0 < scale <= _DECIMAL_SCALE else float(value)
