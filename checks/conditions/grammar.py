"""From sqlglot's tree of a condition to ours: only what is listed here gets through.

Imports sqlglot, so it is itself imported only where there is a condition to read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from checks.conditions import syntax
from checks.conditions.sense import describe, kind_of, nonsense
from checks.conditions.text import ConditionText, chain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from checks.conditions.syntax import Node
    from checks.errors import SpecError
    from checks.iso8601 import Operator

MAX_WEIGHT: Final = 10_000
"""Parts of the expression that a backend is given."""
MAX_ROUND_DIGITS: Final = 10

_STUDYDAY_ARGUMENTS: Final = 2

_NAME: Final = r"[^\W0-9]\w*"
_COMPARISONS: Final[Mapping[type[exp.Expr], Operator]] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_ARITHMETIC: Final[Mapping[type[exp.Expr], syntax.ArithmeticOperator]] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
}
_FUNCTIONS: Final[Mapping[type[exp.Expr], syntax.FunctionName]] = {
    exp.Abs: "ABS",
    exp.Round: "ROUND",
    exp.Upper: "UPPER",
    exp.Lower: "LOWER",
    exp.Length: "LENGTH",
    exp.Trim: "TRIM",
    exp.Coalesce: "COALESCE",
}
_LOOKED_AT: Final = {"this", "expression", "expressions", "is_string", "quoted", "negate", "low", "high", "decimals"}
_ALSO: Final[Mapping[type[exp.Expr], frozenset[str]]] = {exp.Column: frozenset({"table"})}
"""The parts of sqlglot's nodes that are translated; a node with any other part is refused."""


def parse(text: str) -> Node:
    """Read a condition.

    Args:
        text: The condition as SQL writes it.

    Returns:
        Its tree; it yields a truth value and names a column.

    Raises:
        SpecError: The text is no such condition. The message is one line.
    """
    source = ConditionText(text)
    try:
        tree = source.tree()
        node = _Translation(source).truth(tree)
    except RecursionError:
        raise source.refusal("a condition nested too deep", allowed="several simpler rules") from None
    if next(syntax.columns(node), None) is None:
        raise source.refusal("no column", allowed="a condition on the values of a row")
    if syntax.weight(node) > MAX_WEIGHT:
        raise source.refusal("divisions nested too deep", allowed="several simpler rules")
    return node


class _Translation:
    """One tree being translated."""

    def __init__(self, source: ConditionText) -> None:
        self._source = source

    def refused(self, found: str, tree: exp.Expr, allowed: str | None = None) -> SpecError:
        """Make the error that points at a node."""
        at = self._source.place(tree)
        return self._source.refusal(found, at) if allowed is None else self._source.refusal(found, at, allowed=allowed)

    def node(self, tree: exp.Expr) -> Node:
        """Translate one node, or refuse it."""
        kind = type(tree)
        if any(part for name, part in tree.args.items() if name not in _LOOKED_AT | _ALSO.get(kind, frozenset())):
            raise self._source.unknown(tree)
        if kind in _FUNCTIONS:
            return self._call(tree, _FUNCTIONS[kind])
        if kind in _COMPARISONS:
            return self._comparison(_COMPARISONS[kind], self.node(tree.this), self.node(tree.expression), tree)
        if kind in _ARITHMETIC:
            left, right = self._number(tree.this), self._number(tree.expression)
            return syntax.Arithmetic(operator=_ARITHMETIC[kind], left=left, right=right)
        translate = _TRANSLATIONS.get(kind)
        if translate is None:
            raise self._source.unknown(tree)
        return translate(self, tree)

    def truth(self, tree: exp.Expr) -> Node:
        """Translate a node that must be true or false."""
        node = self.node(tree)
        if kind_of(node) not in ("boolean", "any", "null"):
            found = f"{describe(node)} where something true or false is due"
            raise self.refused(found, tree, "a comparison, IS NULL, IN, BETWEEN, LIKE, or these with AND, OR, NOT")
        return node

    def paren(self, tree: exp.Expr) -> Node:
        """Parentheses have done their work once the tree is there."""
        return self.node(tree.this)

    def column(self, tree: exp.Expr) -> Node:
        """A name in double quotes may hold anything; before a point stands the name of another table."""
        parts = tree.args.get("table"), tree.this
        names = [self._name(part, tree) for part in parts if part is not None]
        return syntax.Column(name=names[-1], of=names[0] if len(names) > 1 else None)

    def _name(self, identifier: object, tree: exp.Expr) -> str:
        if not isinstance(identifier, exp.Identifier):
            raise self._source.unknown(tree)
        name = str(identifier.this)
        if not identifier.args.get("quoted") and not re.fullmatch(_NAME, name):
            raise self.refused(repr(name), tree, "a column's name of letters, digits and _; others in double quotes")
        return name

    def literal(self, tree: exp.Expr) -> Node:
        """Text is taken as it is; numbers are read exactly."""
        if tree.args.get("is_string"):
            return syntax.Constant(value=str(tree.this))
        number = syntax.number_value(str(tree.this))
        if number is None:
            raise self.refused(f"the number {str(tree.this)[:40]}", tree, "numbers that fit a double")
        return syntax.Constant(value=number)

    def boolean(self, tree: exp.Expr) -> Node:
        """TRUE and FALSE."""
        return syntax.Constant(value=bool(tree.this))

    def null(self, _tree: exp.Expr) -> Node:
        """NULL stands for an unknown truth value or an argument of COALESCE."""
        return syntax.Constant(value=None)

    def negative(self, tree: exp.Expr) -> Node:
        """A sign before a number is part of it; before anything else it is a subtraction."""
        of = self._number(tree.this)
        if isinstance(of, syntax.Constant) and not isinstance(of.value, bool | str | None):
            return syntax.Constant(value=-of.value)
        return syntax.Arithmetic(operator="-", left=syntax.Constant(value=0), right=of)

    def junction(self, tree: exp.Expr) -> Node:
        """A chain of AND or of OR becomes one node."""
        parts = tuple(self.truth(part) for part in chain(tree))
        return syntax.Junction(operator="AND" if isinstance(tree, exp.And) else "OR", parts=parts)

    def negation(self, tree: exp.Expr) -> Node:
        """NOT."""
        return syntax.Negation(of=self.truth(tree.this))

    def is_null(self, tree: exp.Expr) -> Node:
        """Only NULL may follow IS."""
        if not isinstance(tree.expression, exp.Null):
            raise self.refused("IS without NULL", tree, "IS NULL and IS NOT NULL; A = TRUE asks for a truth value")
        return syntax.IsNull(of=self.node(tree.this))

    def membership(self, tree: exp.Expr) -> Node:
        """Each value of the list must make sense against the left side."""
        if not tree.expressions:
            raise self.refused("IN without a list", tree, "IN ('A', 'B')")
        of, among = self.node(tree.this), tuple(map(self.node, tree.expressions))
        for value in among:
            self._comparison("=", of, value, tree)
        return syntax.Membership(of=of, among=among)

    def between(self, tree: exp.Expr) -> Node:
        """Both limits belong to the range."""
        of, low, high = self.node(tree.this), self.node(tree.args["low"]), self.node(tree.args["high"])
        limits = (self._comparison(">=", of, low, tree), self._comparison("<=", of, high, tree))
        return syntax.Junction(operator="AND", parts=limits)

    def like(self, tree: exp.Expr) -> Node:
        """The pattern is written out, so that it can be made an expression once."""
        of, pattern = self.node(tree.this), tree.expression
        if not (isinstance(pattern, exp.Literal) and pattern.is_string):
            raise self.refused("LIKE without a text", tree, "LIKE 'A%': % for any text, _ for one character")
        if kind_of(of) not in ("text", "any"):
            raise self.refused(f"{describe(of)} LIKE …", tree, "LIKE after a column or a text")
        like = syntax.Like(of=of, pattern=str(pattern.this))
        return syntax.Negation(of=like) if tree.args.get("negate") else like

    def own_function(self, tree: exp.Expr) -> Node:
        """TODAY() and STUDYDAY(date, reference) are the functions that sqlglot does not know."""
        name = self._source.name(tree).upper()
        if name == "TODAY" and not tree.expressions:
            return syntax.Today()
        if name != "STUDYDAY":
            raise self._source.unknown(tree)
        arguments = tuple(map(self.node, tree.expressions))
        if len(arguments) != _STUDYDAY_ARGUMENTS or any(kind_of(part) not in ("date", "any") for part in arguments):
            found = f"STUDYDAY({', '.join(map(describe, arguments))})"
            raise self.refused(found, tree, "STUDYDAY(date, reference) of two dates")
        return syntax.Call(function="STUDYDAY", arguments=arguments)

    def _call(self, tree: exp.Expr, function: syntax.FunctionName) -> Node:
        if self._source.name(tree).upper() != function:
            raise self._source.unknown(tree)
        if function in ("ABS", "ROUND"):
            return syntax.Call(function=function, arguments=(self._number(tree.this),), digits=self._digits(tree))
        arguments = tuple(map(self.node, (tree.this, *tree.expressions)))
        if function != "COALESCE" and kind_of(arguments[0]) not in ("text", "any"):
            raise self.refused(f"{function} of {describe(arguments[0])}", tree, f"{function} of a text")
        return syntax.Call(function=function, arguments=arguments)

    def _digits(self, tree: exp.Expr) -> int:
        written = tree.args.get("decimals")
        if written is None:
            return 0
        digits = self.node(written)
        number = digits.value if isinstance(digits, syntax.Constant) else None
        if isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= MAX_ROUND_DIGITS:
            return number
        raise self.refused(f"ROUND to {describe(digits)}", tree, f"ROUND(x, n) with n from 0 to {MAX_ROUND_DIGITS}")

    def _number(self, tree: exp.Expr) -> Node:
        node = self.node(tree)
        is_text = isinstance(node, syntax.Constant) and isinstance(node.value, str)
        if is_text or kind_of(node) not in ("number", "text", "any"):
            raise self.refused(f"{describe(node)} in a calculation", tree, "numbers and columns")
        return node

    def _comparison(self, operator: Operator, left: Node, right: Node, tree: exp.Expr) -> Node:
        fault = nonsense(left, right, operator)
        if fault is not None:
            raise self.refused(fault, tree, "values of one kind")
        return syntax.Comparison(operator=operator, left=left, right=right)


_TRANSLATIONS: Final[Mapping[type[exp.Expr], Callable[[_Translation, exp.Expr], Node]]] = {
    exp.Paren: _Translation.paren,
    exp.Column: _Translation.column,
    exp.Literal: _Translation.literal,
    exp.Boolean: _Translation.boolean,
    exp.Null: _Translation.null,
    exp.Neg: _Translation.negative,
    exp.And: _Translation.junction,
    exp.Or: _Translation.junction,
    exp.Not: _Translation.negation,
    exp.Is: _Translation.is_null,
    exp.In: _Translation.membership,
    exp.Between: _Translation.between,
    exp.Like: _Translation.like,
    exp.Anonymous: _Translation.own_function,
}
