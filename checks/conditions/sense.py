"""What can be said of a condition's tree before any table is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from checks.conditions.syntax import Arithmetic, Call, Column, Constant, Node, Today, number_value
from checks.iso8601 import point_literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checks.iso8601 import Operator

StaticKind = Literal["boolean", "number", "text", "date", "null", "any"]


def kind_of(node: Node) -> StaticKind:
    """Tell what a node yields; `any` where only the table knows."""
    match node:
        case Column():
            return "any"
        case Constant():
            return _kind_of_constant(node)
        case Today():
            return "date"
        case Arithmetic() | Call(function="ABS" | "ROUND" | "LENGTH" | "STUDYDAY"):
            return "number"
        case Call():
            return _kind_of_call(node)
        case _:
            return "boolean"


def _kind_of_constant(node: Constant) -> StaticKind:
    if node.value is None:
        return "null"
    if isinstance(node.value, bool):
        return "boolean"
    return "text" if isinstance(node.value, str) else "number"


def _kind_of_call(node: Call) -> StaticKind:
    if node.function != "COALESCE":
        return "text"
    return next((kind for kind in map(kind_of, node.arguments) if kind not in ("any", "null")), "any")


def describe(node: Node) -> str:
    """Name a node in a message."""
    match node:
        case Column():
            return node.name if node.of is None else f"{node.of}.{node.name}"
        case Constant():
            text = isinstance(node.value, str)
            return repr(node.value) if text else "NULL" if node.value is None else str(node.value).upper()
        case Today():
            return "TODAY()"
        case Call():
            return f"{node.function}(…)"
        case Arithmetic():
            return f"… {node.operator} …"
        case _:
            return "a condition"


def nonsense(left: Node, right: Node, operator: Operator) -> str | None:
    """Say why two values can never be compared, whatever the table holds, or return None."""
    reasons = (*_faults(left, right, operator), *_faults(right, left, operator))
    return f"{describe(left)} {operator} {describe(right)}, {reasons[0]}" if reasons else None


def _faults(node: Node, other: Node, operator: Operator) -> Iterator[str]:
    kind, against = kind_of(node), kind_of(other)
    if kind == "null":
        yield "which can never be told (IS NULL asks for missing values)"
    if kind == "boolean" and against not in ("boolean", "any"):
        yield f"a truth value against a {against}"
    if kind == "boolean" and operator not in ("=", "!="):
        yield "truth values in an order"
    if kind == "number" and against == "date":
        yield "a number against a date"
    if isinstance(node, Constant) and isinstance(node.value, str):
        if isinstance(other, Column) and not node.value.strip():
            yield "blank text, which is a missing value (IS NULL asks for it)"
        if against == "number" and number_value(node.value) is None:
            yield "a number against a text that is none"
        if against == "date" and point_literal(node.value) is None:
            yield "a date against a text that is no ISO 8601 date"
