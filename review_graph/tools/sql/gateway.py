"""The SQL gateway: aggregates over groups of enough subjects. Off unless the settings switch it on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from checks.conditions import Condition as ReadCondition
from checks.conditions import condition_expr
from checks.errors import CannotJudge
from review_graph.tools.conditions import Condition, all_of, asked_of, texts_of
from review_graph.tools.counting import (
    MAX_GROUPS,
    answer_of,
    asked,
    mask_of,
    moments,
    records_of,
    subjects_of,
    total,
)
from review_graph.tools.disclosing import WITHHELD, Group
from review_graph.tools.quoting import concise, one_line, rounded, shown
from review_graph.tools.sql.query import ALLOWED, Output, Query, QueryNotAllowed
from review_graph.tools.tool import Arguments, Result, Tool
from review_graph.tools.view import View

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

    from checks.vocabulary import JSON
    from review_graph.tools.disclosing import Told
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
        conditions = [_condition(read, view) for read in query.where]
        columns = dict.fromkeys([*query.groups, *(output.column for output in query.outputs if output.column)])
        wanted = {f"column {name}": view.operand(name).expr for name in columns}
        found = view.fetch(wanted | {"rows": all_of(conditions)}, seconds=SECONDS)
        rows = mask_of(found["rows"])
        sets = _Sets(query, found, rows, view)
        question = {"tool": self.name, "filter": asked_of(conditions), "sets": sets.question}
        if any("TODAY" in str(condition.asked).upper() for condition in conditions):
            question["today"] = view.today.isoformat()
        told = dict(zip(sets.keys, asked(matter, question, sets.groups), strict=True))
        lines = [
            [_value(output, group, told, sets) for output in query.outputs] for group in sets.each if group.is_named
        ]
        ordered = _ordered(lines, query)[: query.limit]
        data: dict[str, JSON] = {
            "filter": texts_of(conditions),
            "columns": [shown(output.name) for output in query.outputs],
            "rows": ordered,
            "rows_in_all": len(lines),
        }
        if unnamed := len(sets.each) - len(lines):
            data["others"] = f"{unnamed} more, each with a value that fewer than {matter.disclosure.k} subjects have"
        return answer_of(matter, data)


@dataclass(frozen=True, kw_only=True)
class _Group:
    """One group: its place, its values by column, whether they may be named."""

    place: int
    values: Mapping[str, object]
    is_named: bool


class _Sets:
    """The sets of rows that a query is about: for each group the whole, and the values of each column.

    Args:
        query: The query.
        found: Columns in file order.
        rows: The rows that meet the conditions.
        view: The table.
    """

    def __init__(self, query: Query, found: pl.DataFrame, rows: npt.NDArray[np.bool_], view: View) -> None:
        self.found = found
        aggregates = [output for output in query.outputs if output.kind != "column"]
        of = sorted({output.column for output in aggregates})  # the order of a question's groups is always the same
        self.question = [list(query.groups), of]
        self.each, masks = _parted(query.groups, found, rows, view, limit=MAX_GROUPS // len(of))
        self.keys: list[tuple[int, str]] = []
        self.groups: list[Group] = []
        for group, mask in zip(self.each, masks, strict=True):
            for column in of:
                known = mask & mask_of(found[f"column {column}"].is_not_null()) if column else mask
                self.keys.append((group.place, column))
                self.groups.append(Group(label=(group.place, column), rows=known))
        self._rows = {key: group.rows for key, group in zip(self.keys, self.groups, strict=True)}

    def rows_of(self, key: tuple[int, str]) -> npt.NDArray[np.bool_]:
        """Return the rows of a set."""
        return self._rows[key]


def _parted(
    columns: Sequence[str], found: pl.DataFrame, rows: npt.NDArray[np.bool_], view: View, *, limit: int
) -> tuple[list[_Group], list[npt.NDArray[np.bool_]]]:
    if not columns:
        return [_Group(place=0, values={}, is_named=True)], [rows]
    names = [f"column {column}" for column in columns]
    kept = found.select(names).filter(rows)
    parts = kept.unique().sort(names, nulls_last=True)
    if len(parts) > limit:
        raise QueryNotAllowed(f"more than {limit} groups, or than {MAX_GROUPS} with the columns that are aggregated")
    common = {column: set(view.common_values(column)) for column in columns}
    groups, masks = [], []
    for place, values in enumerate(parts.rows()):
        mask = rows.copy()
        for name, value in zip(names, values, strict=True):
            mask &= mask_of(found[name].eq_missing(value))
        named = dict(zip(columns, values, strict=True))
        is_named = all(value is None or value in common[column] for column, value in named.items())
        groups.append(_Group(place=place, values=named, is_named=is_named))
        masks.append(mask)
    return groups, masks


def _condition(read: ReadCondition, view: View) -> Condition:
    try:
        holds = condition_expr(read, lambda name, _: view.operand(name), today=view.today)
    except CannotJudge as trouble:
        raise QueryNotAllowed(str(trouble)) from None
    return Condition(text=one_line(read.text), asked=(read.text,), holds=holds)


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
