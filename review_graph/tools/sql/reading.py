"""From the text of a query to its normal form: only what is listed here gets through. The text is never run.

Imports sqlglot, so it is itself imported only where there is a query to read. The dialect is sqlglot's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType
from sqlglot.tokens import Tokenizer

from checks.conditions import parse_condition
from checks.errors import SpecError
from checks.plain import quote
from review_graph.tools.sql.joining import is_presence, joined, takes
from review_graph.tools.sql.query import MAX_PARTS, MAX_ROWS, Kind, Order, Output, Query, QueryNotAllowed, Where

if TYPE_CHECKING:
    from collections.abc import Mapping

    from review_graph.tools.view import View

MAX_NESTING: Final = 16
"""Open brackets and prefix operators; the parser needs some of Python's frames for each."""

MAX_DIGITS: Final = 6
"""Decimals that ROUND may keep."""

_AGGREGATES: Final[Mapping[type[exp.Expr], Kind]] = {
    exp.Avg: "mean",
    exp.Sum: "sum",
    exp.Stddev: "deviation",
    exp.StddevSamp: "deviation",
}
_PARTS_OF_SELECT: Final = {"expressions", "from_", "where", "group", "order", "limit", "with_"}
_PREFIXES: Final = (TokenType.NOT, TokenType.DASH, TokenType.TILDE)


def read_query(text: str, dataset: str, view: View) -> Query:
    """Read a query.

    Args:
        text: The query.
        dataset: Name of the only table.
        view: Its columns.

    Raises:
        QueryNotAllowed: It is something else than the gateway takes.
        UnknownName: It names a column that there is not.
        InvalidArguments: It compares single subjects, or groups by them.
    """
    try:
        trees = Parser(error_level=ErrorLevel.IMMEDIATE).parse(_tokens(text), text)
    except (SqlglotError, RecursionError):
        raise QueryNotAllowed("a text that cannot be read as SQL") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Select):
        raise QueryNotAllowed("something else than one SELECT" if len(trees) == 1 else "several statements")
    try:
        return _Reading(dataset, view).query(trees[0])
    except RecursionError:
        raise QueryNotAllowed("a query nested too deep") from None


def _tokens(text: str) -> list[Token]:
    """Part a text: a `;` or `--` within quotes is text. One `;` at the end is nothing."""
    try:
        tokens = Tokenizer().tokenize(text)
    except SqlglotError:
        raise QueryNotAllowed("a quotation mark or comment that is not closed") from None
    if tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens = tokens[:-1]
    nesting = prefixes = 0
    for token in tokens:
        if token.comments:
            raise QueryNotAllowed("a comment")
        if token.token_type == TokenType.SEMICOLON:
            raise QueryNotAllowed("several statements")
        nesting += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
        prefixes = prefixes + 1 if token.token_type in _PREFIXES else 0
        if nesting + prefixes > MAX_NESTING:
            raise QueryNotAllowed("too much nesting")
    return tokens


class _Reading:
    """One query being read."""

    def __init__(self, dataset: str, view: View) -> None:
        self._view = view
        self._tables: dict[str, tuple[Where, ...]] = {dataset.casefold(): ()}
        self._dataset = dataset

    def query(self, tree: exp.Select) -> Query:
        """Read the whole."""
        _only(tree, _PARTS_OF_SELECT)
        self._read_with(tree.args.get("with_"))
        where = self._source(tree)
        outputs = tuple(self._output(item, tree) for item in tree.expressions)
        if len({output.name for output in outputs}) != len(outputs):
            raise QueryNotAllowed("two results of one name (name them apart with AS)")
        groups = self._groups(tree, outputs)
        if len(where) + len(groups) > MAX_PARTS:
            raise QueryNotAllowed(f"more than {MAX_PARTS} conditions and columns of groups together")
        if all(output.kind == "column" for output in outputs):
            raise QueryNotAllowed("no aggregate")
        return Query(
            outputs=outputs,
            groups=groups,
            where=where,
            orders=tuple(self._orders(tree, outputs)),
            limit=_limit(tree.args.get("limit")),
        )

    def _read_with(self, tree: exp.Expr | None) -> None:
        """Parts before the query filter the dataset, or one another, and do nothing else."""
        if tree is None:
            return
        _only(tree, {"expressions"})
        for part in tree.expressions:
            _only(part, {"this", "alias"})
            inner = part.this
            if not isinstance(inner, exp.Select):
                raise QueryNotAllowed("a part of WITH that is no SELECT")
            _only(inner, {"expressions", "from_", "where"})
            conditions = self._source(inner)
            for item in inner.expressions:
                if not (isinstance(item, exp.Star) and not any(item.args.values())):
                    self._column(item, inner)
            self._tables[_name(part.args["alias"]).casefold()] = conditions

    def _source(self, tree: exp.Select) -> tuple[Where, ...]:
        """The conditions of the table that a SELECT reads, and its own."""
        table = tree.args["from_"].this if tree.args.get("from_") else None
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            raise QueryNotAllowed("no table" if table is None else "something that is no table by its name")
        _only(table, {"this", "alias"})
        known = self._tables.get(str(table.this.this).casefold())
        if known is None:
            raise QueryNotAllowed(f"the table {quote(str(table.this.this))} where there is only {quote(self._dataset)}")
        where = tree.args.get("where")
        own = () if where is None else (self._condition(part, tree) for part in joined(where.this))
        return tuple({each.condition.text: each for each in (*known, *own)}.values())

    def _condition(self, tree: exp.Expr, of: exp.Select) -> Where:
        """A condition on one column in the rule language, with the dataset's own spelling of it."""
        named = tree.transform(lambda part: self._spelled(part, of) if isinstance(part, exp.Column) else part)
        try:
            condition = parse_condition(named.sql())
        except SpecError as error:
            raise QueryNotAllowed(str(error).partition("; allowed: ")[0]) from None
        if len(condition.columns) != 1:
            raise QueryNotAllowed(f"a condition on {len(condition.columns)} columns, {_words(tree)}, where one is due")
        if not is_presence(tree):
            self._view.comparable(condition.columns[0])
        return Where(condition=condition, excludes=not takes(tree))

    def _spelled(self, tree: exp.Column, of: exp.Select) -> exp.Expr:
        return exp.column(exp.to_identifier(self._column(tree, of), quoted=True))

    def _column(self, tree: exp.Expr, of: exp.Select) -> str:
        """The name of a column; before a point may stand the table's."""
        if not isinstance(tree, exp.Column) or not isinstance(tree.this, exp.Identifier):
            raise QueryNotAllowed(f"{_words(tree)} where a column is due")
        _only(tree, {"this", "table"})
        table = of.args["from_"].this
        qualifier = tree.table.casefold()
        if qualifier and qualifier not in {table.name.casefold(), table.alias.casefold()}:
            raise QueryNotAllowed(f"a column of {quote(tree.table)}, which is no table of this query")
        return self._view.named(str(tree.this.this))

    def _output(self, tree: exp.Expr, of: exp.Select) -> Output:
        name, inner = tree.output_name, tree
        if isinstance(tree, exp.Alias):
            _only(tree, {"this", "alias"})
            inner = tree.this
        if isinstance(inner, exp.Column):
            return Output(name=name or inner.name, kind="column", column=self._column(inner, of))
        digits = None
        if isinstance(inner, exp.Round):
            _only(inner, {"this", "decimals"})
            digits, inner = _whole(inner.args.get("decimals"), MAX_DIGITS, default=0), inner.this
        kind, column = self._aggregate(inner, of)
        return Output(name=name or tree.sql(), kind=kind, column=column, digits=digits)

    def _aggregate(self, tree: exp.Expr, of: exp.Select) -> tuple[Kind, str]:
        if isinstance(tree, exp.Count):
            return self._count(tree, of)
        kind = _AGGREGATES.get(type(tree))
        if kind is None:
            raise QueryNotAllowed(_words(tree))
        _only(tree, {"this"})
        column = self._column(tree.this, of)
        if self._view.kind(column) != "number":
            raise QueryNotAllowed(f"{_words(tree)} of a column that holds no numbers")
        return kind, column

    def _count(self, tree: exp.Count, of: exp.Select) -> tuple[Kind, str]:
        _only(tree, {"this", "big_int"})
        if isinstance(tree.this, exp.Star):
            _only(tree.this, set())
            return "rows", ""
        if not isinstance(tree.this, exp.Distinct):
            return "values", self._column(tree.this, of)
        _only(tree.this, {"expressions"})
        columns = [self._column(part, of) for part in tree.this.expressions]
        if columns != [self._view.subject]:
            raise QueryNotAllowed("COUNT(DISTINCT …) of something else than the subject")
        return "subjects", ""

    def _groups(self, tree: exp.Select, outputs: tuple[Output, ...]) -> tuple[str, ...]:
        group = tree.args.get("group")
        columns: list[str] = []
        if group is not None:
            _only(group, {"expressions"})
            for part in group.expressions:
                place = _place(part, outputs)
                column = self._column(part, tree) if place is None else outputs[place].column
                columns.append(self._view.comparable(column) if column else column)
        if {output.column for output in outputs if output.kind == "column"} - set(columns) or "" in columns:
            raise QueryNotAllowed("a column that is neither grouped by nor in an aggregate")
        if any(self._view.kind(column) == "other" for column in columns):
            raise QueryNotAllowed("groups by a column whose values cannot be told apart here")
        return tuple(dict.fromkeys(columns))

    def _orders(self, tree: exp.Select, outputs: tuple[Output, ...]) -> list[Order]:
        order = tree.args.get("order")
        if order is None:
            return []
        _only(order, {"expressions"})
        orders = []
        for part in order.expressions:
            _only(part, {"this", "desc", "nulls_first"})
            place = _place(part.this, outputs)
            if place is None:
                same = [n for n, item in enumerate(tree.expressions) if item.unalias() == part.this]
                if not same:
                    raise QueryNotAllowed("an order by something that is not selected")
                place = same[0]
            orders.append(Order(output=place, descending=bool(part.args.get("desc"))))
        return orders


def _place(tree: exp.Expr, outputs: tuple[Output, ...]) -> int | None:
    """Which output is meant by its number or name; None when it is something else."""
    if isinstance(tree, exp.Literal):
        return _whole(tree, len(outputs), default=0, least=1) - 1
    names = [output.name.casefold() for output in outputs]
    is_name = isinstance(tree, exp.Column) and not tree.table
    return names.index(tree.name.casefold()) if is_name and tree.name.casefold() in names else None


def _limit(tree: exp.Expr | None) -> int:
    if tree is None:
        return MAX_ROWS
    _only(tree, {"expression"})
    return _whole(tree.args.get("expression"), MAX_ROWS, default=MAX_ROWS)


def _whole(tree: exp.Expr | None, most: int, *, default: int, least: int = 0) -> int:
    if tree is None:
        return default
    text = str(tree.this) if isinstance(tree, exp.Literal) and not tree.is_string else ""
    if not text.isdecimal() or not least <= int(text[:9]) <= most or len(text) > 9:
        raise QueryNotAllowed(f"{_words(tree)} where a number from {least} to {most} is due")
    return int(text)


def _name(tree: exp.Expr) -> str:
    _only(tree, {"this"})
    return str(tree.name)


def _only(tree: exp.Expr, parts: set[str]) -> None:
    """Refuse a node with parts that nobody looks at."""
    others = [name.strip("_") for name, part in tree.args.items() if part and name not in parts]
    if others:
        raise QueryNotAllowed(f"{others[0].upper()} in {type(tree).__name__.upper()}")


def _words(tree: exp.Expr) -> str:
    """A part as SQL, bounded and in quotes: it is the caller's own text."""
    return quote(tree.sql())
