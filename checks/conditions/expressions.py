"""The language of rules: a condition on the values of one row, as SQL writes it.

`parse_condition` reads a text once and refuses what is not in the language; `condition_expr` makes it a
Narwhals expression for one table. A condition is never evaluated as Python or sent to a database as text.

Truth is three-valued as in SQL: what cannot be told because a value is missing is null.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import narwhals as nw

from checks.conditions import syntax
from checks.conditions.calculation import calculate, call, coalesce, study_day, told
from checks.conditions.comparison import Operand, compare, literal
from checks.errors import CannotJudge

if TYPE_CHECKING:
    import datetime as dt

    from checks.conditions.syntax import Node
    from checks.spec import Tolerance

__all__ = ["Condition", "Operand", "condition_expr", "joined", "parse_condition"]

Resolve = Callable[[str, str | None], Operand]
"""From a column's name, and the table it stands in if that is another one, to its operand."""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A condition that has been read.

    Attributes:
        text: As the spec writes it.
        columns: Names of the table's columns in order of appearance, each once.
        elsewhere: Columns of other tables, as the names of table and column, each once.
    """

    text: str
    columns: tuple[str, ...]
    elsewhere: tuple[tuple[str, str], ...]
    _root: Node = field(repr=False)


@lru_cache(maxsize=1024)
def parse_condition(text: str) -> Condition:
    """Read a condition.

    Args:
        text: For instance `AESTDTC <= AEENDTC AND (AESER = 'Y' OR "odd name" IS NULL)`.

    Returns:
        The condition, checked for everything that can be said without a table.

    Raises:
        SpecError: It is not in the language, or never makes sense. The message is one line: what was
            found, where, and what is allowed.
    """
    from checks.conditions.grammar import parse  # sqlglot costs a tenth of a second

    root = parse(text)
    columns = tuple(dict.fromkeys(syntax.columns(root)))
    return Condition(
        text=text,
        columns=tuple(column.name for column in columns if column.of is None),
        elsewhere=tuple((column.of, column.name) for column in columns if column.of is not None),
        _root=root,
    )


def condition_expr(
    condition: Condition, resolve: Resolve, *, today: dt.date, tolerance: Tolerance | None = None
) -> nw.Expr:
    """Make a condition an expression.

    Args:
        condition: What `parse_condition` returned.
        resolve: Gives the operand for a column, or raises `CannotJudge`.
        today: What TODAY() means.
        tolerance: How far numbers may differ and still be equal, in each comparison.

    Returns:
        A nullable boolean expression: null where a row cannot be told.

    Raises:
        CannotJudge: A column is absent, or values of these kinds cannot be compared or calculated with.
    """
    return _Evaluation(resolve, today, tolerance).truth(condition._root)  # noqa: SLF001 - only this module reads it


class _Evaluation:
    """One condition on its way to an expression."""

    def __init__(self, resolve: Resolve, today: dt.date, tolerance: Tolerance | None) -> None:
        self._resolve = resolve
        self._today = today
        self._tolerance = tolerance

    def truth(self, node: Node) -> nw.Expr:
        """Return the expression of what must be true or false."""
        match node:
            case syntax.Comparison(left=left, right=right, operator=operator):
                return compare(self.value(left), self.value(right), operator, self._tolerance)
            case syntax.Junction(operator=operator, parts=parts):
                return joined([self.truth(part) for part in parts], conjunction=operator == "AND")
            case syntax.Negation(of=of):
                return ~self.truth(of)
            case syntax.IsNull(of=of):
                return self.value(of).expr.is_null()
            case syntax.Membership(of=of, among=among):
                return self._is_among(self.value(of), [self.value(value) for value in among])
            case syntax.Like(of=of, pattern=pattern):
                return _like(self.value(of), pattern)
            case _:
                return self._truth_value(node)

    def value(self, node: Node) -> Operand:
        """Return what a node yields, ready to be compared: a calculation that yields no number is null."""
        operand = self._operand(node)
        calculated = isinstance(node, syntax.Arithmetic | syntax.Call) and operand.kind == "number"
        if isinstance(node, syntax.Call) and node.function in ("LENGTH", "STUDYDAY"):
            return operand  # whole numbers are never NaN
        return told(operand) if calculated else operand

    def _operand(self, node: Node) -> Operand:
        match node:
            case syntax.Column(name=name, of=of):
                return self._resolve(name, of)
            case syntax.Constant(value=value):
                return literal(value)
            case syntax.Today():
                return Operand(kind="date", expr=nw.lit(self._today), literal=self._today)
            case syntax.Arithmetic(operator=operator, left=left, right=right):
                return calculate(self._operand(left), self._operand(right), operator)
            case syntax.Call(function="COALESCE", arguments=arguments):
                given = [part for part in arguments if part != syntax.Constant(value=None)]
                return coalesce([self.value(part) for part in given])
            case syntax.Call(function="STUDYDAY", arguments=arguments):
                return study_day(self._operand(arguments[0]), self._operand(arguments[1]))
            case syntax.Call(function=function, arguments=arguments, digits=digits):
                return call(function, self._operand(arguments[0]), digits)
            case _:
                return Operand(kind="boolean", expr=self.truth(node))

    def _truth_value(self, node: Node) -> nw.Expr:
        operand = self._operand(node)
        if operand.kind not in ("boolean", "missing"):
            raise CannotJudge(f"{operand} is neither true nor false")
        return operand.expr

    def _is_among(self, of: Operand, among: list[Operand]) -> nw.Expr:
        """A list of text is one look-up; anything else is compared one by one."""
        texts = [value.literal for value in among if isinstance(value.literal, str)]
        if of.kind == "text" and len(texts) == len(among):
            return of.expr.is_in(texts)
        return joined([compare(of, value, "=", self._tolerance) for value in among], conjunction=False)


def joined(parts: Sequence[nw.Expr], *, conjunction: bool) -> nw.Expr:
    """Join conditions by AND or by OR, by halves: a chain of a thousand parts must not become a thousand levels.

    Args:
        parts: One condition at least.
        conjunction: Whether all of them must hold, or one.
    """
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    left, right = (joined(half, conjunction=conjunction) for half in (parts[:middle], parts[middle:]))
    return left & right if conjunction else left | right


def _like(of: Operand, pattern: str) -> nw.Expr:
    """Match text with a pattern; a mark after the text keeps `$` from matching before a last line break."""
    if of.kind == "missing":
        return of.expr
    if of.kind not in ("text", "iso"):
        raise CannotJudge(f"{of} cannot be matched with LIKE {pattern!r}: it is not text")
    mark = "\x1f"
    wild = {"%": "(?s:.*)", "_": "(?s:.)"}
    regex = "".join(wild.get(char) or (f"\\{char}" if char in r"\.+*?()|[]{}^$" else char) for char in pattern)
    return nw.concat_str(of.expr, nw.lit(mark)).str.contains(f"^{regex}{mark}$")
