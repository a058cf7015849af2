"""The SQL gateway: aggregates over groups of enough subjects. Off unless the settings switch it on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from checks.conditions import condition_expr
from checks.errors import CannotJudge
from review_graph.tools.conditions import (
    Condition,
    asked_of,
    not_missing,
    rows_of,
    selected,
    texts_of,
    with_value,
)
from review_graph.tools.counting import (
    MAX_GROUPS,
    answer_of,
    asked,
    group_of,
    moments,
    records_of,
    subjects_of,
    total,
)
from review_graph.tools.disclosing import WITHHELD
from review_graph.tools.quoting import concise, one_line, rounded, shown
from review_graph.tools.sql.query import ALLOWED, Output, Query, QueryNotAllowed, Where
from review_graph.tools.tool import Arguments, Result, Tool
from review_graph.tools.view import View

if TYPE_CHECKING:
    import polars as pl

    from checks.vocabulary import JSON
    from review_graph.core.disclosure import Flags, Part
    from review_graph.tools.disclosing import Group, Told
    from review_graph.tools.matter import Matter

MAX_QUERY = 2_000
"""Characters of a query."""

SECONDS = 10.0
"""How long reading the data for one query may take."""


class QueryArguments(Arguments):
    """What is asked."""

    query: str = Field(max_length=MAX_QUERY, description=f"{ALLOWED}.")


class AskSql(Tool[QueryArguments]):
    """Aggregates asked in SQL."""

    name: ClassVar[str] = "sql"
    description: ClassVar[str] = (
        "Aggregates of the dataset by one SELECT over the table of its name (in double quotes when it is no plain "
        "word). Groups of only a few subjects are told as '<5' or not at all; at most 20 rows."
    )
    arguments: ClassVar[type[QueryArguments]] = QueryArguments

    def applies_to(self, matter: Matter) -> bool:
        """Where it is switched on."""
        return matter.can_query

    def answer(self, arguments: QueryArguments, matter: Matter) -> Result:
        """Answer it."""
        from review_graph.tools.sql.reading import read_query  # sqlglot costs a tenth of a second

        if not matter.can_query:
            raise QueryNotAllowed("a query where the gateway is off")
        view = View(matter)
        query = read_query(arguments.query, matter.review.dataset.name, view)
        conditions = [_condition(where, view) for where in query.where]
        columns = dict.fromkeys([*query.groups, *(output.column for output in query.outputs if output.column)])
        wanted = {f"column {name}": view.operand(name).expr for name in columns}
        parts, found = selected(view, conditions, wanted, seconds=SECONDS)
        sets = _Sets(query, found, parts, view)
        question = {"tool": self.name, "filter": asked_of(conditions), "columns": sets.question}
        if any("TODAY" in str(condition.asked).upper() for condition in conditions):
            question["today"] = view.today.isoformat()
        told = dict(zip(sets.keys, asked(matter, question, sets.groups), strict=True))
        lines = [
            [_value(output, group, told, sets) for output in query.outputs]
            for group in sets.each
            if group.is_named and sets.has(group, told)
        ]
        ordered = _ordered(lines, query)[: query.limit]
        data: dict[str, JSON] = {
            "filter": texts_of(conditions),
            "columns": [shown(output.name) for output in query.outputs],
            "rows": ordered,
            "rows_in_all": len(lines),
            **_others(sets, matter.disclosure.k, is_filtered=bool(conditions)),
        }
        return answer_of(matter, data, echo=["filter", "columns"])


@dataclass(frozen=True, kw_only=True)
class _Group:
    """One group: its place, its values by column and as conditions, whether they may be named."""

    place: int
    values: Mapping[str, object]
    parts: tuple[Part, ...]
    is_named: bool


class _Sets:
    """The sets of rows that a query is about: for each group the whole, and the values of each column.

    Args:
        query: The query.
        found: Columns in file order.
        parts: What its conditions select.
        view: The table.
    """

    def __init__(self, query: Query, found: pl.DataFrame, parts: Sequence[Part], view: View) -> None:
        self.found = found
        aggregates = [output for output in query.outputs if output.kind != "column"]
        of = sorted({output.column for output in aggregates})  # the order of a question's groups is always the same
        self.question = [list(query.groups), of]
        self.each = _parted(query.groups, found, view, limit=MAX_GROUPS // len(of))
        known = {column: [not_missing(found[f"column {column}"])] if column else [] for column in of}
        self._groups = {
            (group.place, column): group_of([group.place, column], [*parts, *group.parts, *known[column]], view.rows)
            for group in self.each
            for column in of
        }
        self._parts, self._rows = parts, view.rows

    @property
    def keys(self) -> list[tuple[int, str]]:
        """Place of the group and column of each set."""
        return list(self._groups)

    @property
    def groups(self) -> list[Group]:
        """The sets."""
        return list(self._groups.values())

    def rows_of(self, key: tuple[int, str]) -> Flags:
        """Return the rows of a set."""
        return self._groups[key].rows

    def has(self, group: _Group, told: Mapping[tuple[int, str], Told]) -> bool:
        """Whether a group is in the result: unless zeros are told of it because nobody is in it."""
        own = [told[key] for key in self._groups if key[0] == group.place]
        is_zero = all(one.shows and not one.records for one in own)
        return not group.values or not is_zero or bool(rows_of([*self._parts, *group.parts], self._rows).any())


def _parted(columns: Sequence[str], found: pl.DataFrame, view: View, *, limit: int) -> list[_Group]:
    """The groups of the whole table: which of them the conditions meet is not told by a list."""
    if not columns:
        return [_Group(place=0, values={}, parts=(), is_named=True)]
    names = [f"column {column}" for column in columns]
    combined = found.select(names).unique().sort(names, nulls_last=True)
    if len(combined) > limit:
        raise QueryNotAllowed(f"more than {limit} groups, or than {MAX_GROUPS} with the columns that are aggregated")
    common = {column: set(view.common_values(column)) for column in columns}
    groups = []
    for place, values in enumerate(combined.rows()):
        parts = [with_value(found[name], value, free=True) for name, value in zip(names, values, strict=True)]
        named = dict(zip(columns, values, strict=True))
        is_named = all(value is None or value in common[column] for column, value in named.items())
        groups.append(_Group(place=place, values=named, parts=tuple(parts), is_named=is_named))
    return groups


def _others(sets: _Sets, k: int, *, is_filtered: bool) -> dict[str, JSON]:
    """Say that there are groups without a name; of how many of them meet conditions nothing is said."""
    unnamed = sum(not group.is_named for group in sets.each)
    if not unnamed:
        return {}
    if is_filtered:
        return {"others": f"groups with a value that fewer than {k} subjects have are left out"}
    return {"others": f"{unnamed} more, {'each ' if unnamed > 1 else ''}with a value that fewer than {k} subjects have"}


def _condition(where: Where, view: View) -> Condition:
    read = where.condition
    try:
        holds = condition_expr(read, lambda name, _: view.operand(name), today=view.today)
    except CannotJudge as trouble:
        raise QueryNotAllowed(str(trouble)) from None
    return Condition(text=one_line(read.text), asked=(read.text,), holds=holds, free=True, excludes=where.excludes)


def _value(output: Output, group: _Group, told: Mapping[tuple[int, str], Told], sets: _Sets) -> JSON:
    if output.kind == "column":
        return shown(group.values[output.column])
    key = (group.place, output.column)
    if output.kind == "subjects":
        return subjects_of(told[key])
    if output.kind in ("rows", "values"):
        return records_of(told[key])
    if not told[key].shows:
        return told[key].mark or WITHHELD
    values, rows = sets.found[f"column {output.column}"], sets.rows_of(key)
    mean, deviation = moments(values, rows)
    number = {"mean": mean, "deviation": deviation}.get(output.kind, total(values, rows))
    return concise(number) if output.digits is None else rounded(number, output.digits)


def _ordered(lines: list[list[JSON]], query: Query) -> list[list[JSON]]:
    """Sort by the last key first; what is not told, or missing, is last in either direction."""
    for order in reversed(query.orders):
        numbers = [line for line in lines if isinstance(line[order.output], int | float)]
        texts = [line for line in lines if _is_name(line, order.output, query)]
        rest = [line for line in lines if line not in numbers and line not in texts]
        for part in (numbers, texts):
            part.sort(key=lambda line: line[order.output], reverse=order.descending)
        lines = [*numbers, *texts, *rest]
    return lines


def _is_name(line: list[JSON], place: int, query: Query) -> bool:
    return query.outputs[place].kind == "column" and isinstance(line[place], str)
