"""Questions that any table answers: rows that meet a filter, a number's mean, how often each value occurs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from checks.plain import name_text
from review_graph.tools.conditions import (
    MAX_VALUE,
    Comparison,
    asked_of,
    condition_of,
    not_missing,
    selected,
    texts_of,
)
from review_graph.tools.counting import (
    Categories,
    Category,
    answer_of,
    asked,
    categorised,
    group_of,
    records_of,
    subjects_of,
    summary,
)
from review_graph.tools.quoting import concise, shown
from review_graph.tools.tool import Arguments, InvalidArguments, Result, Tool
from review_graph.tools.view import View

if TYPE_CHECKING:
    import polars as pl

    from checks.vocabulary import JSON
    from review_graph.tools.disclosing import Group, Told
    from review_graph.tools.matter import Matter

MAX_CONDITIONS = 5


class FilterArguments(Arguments):
    """Which rows are counted."""

    filter: tuple[Comparison, ...] = Field(
        default=(), max_length=MAX_CONDITIONS, description="Conditions that all have to hold; all rows when empty."
    )


class CountRows(Tool[FilterArguments]):
    """How many rows meet a filter."""

    name: ClassVar[str] = "count_rows"
    description: ClassVar[str] = (
        "Number of rows, and of subjects where there are such, that meet all conditions of a filter. The result names "
        "the exact filter. Fewer subjects than the threshold are told as '<5'."
    )
    arguments: ClassVar[type[FilterArguments]] = FilterArguments

    def answer(self, arguments: FilterArguments, matter: Matter) -> Result:
        """Count them."""
        view = View(matter)
        once = {condition.asked: condition for condition in (condition_of(each, view) for each in arguments.filter)}
        conditions = sorted(once.values(), key=lambda condition: condition.text)
        parts, _ = selected(view, conditions, {})
        question = {"tool": self.name, "filter": asked_of(conditions)}
        (told,) = asked(matter, question, [group_of("rows", parts, view.rows)])
        data: dict[str, JSON] = {"filter": texts_of(conditions), "rows": records_of(told)}
        return answer_of(matter, data | _subjects(view, told), echo=["filter"])


class SummariseArguments(Arguments):
    """Which numbers are summarised."""

    column: str = Field(max_length=MAX_VALUE, description="A column of numbers.")
    by: str | None = Field(default=None, max_length=MAX_VALUE, description="A column with few values to group by.")


class SummariseColumn(Tool[SummariseArguments]):
    """Mean and spread of a column of numbers."""

    name: ClassVar[str] = "summarise_column"
    description: ClassVar[str] = (
        "Number of values that are not missing, mean and standard deviation of a column of numbers, over all rows or "
        "by the values of another column. Statistics of fewer subjects than the threshold are withheld."
    )
    arguments: ClassVar[type[SummariseArguments]] = SummariseArguments

    def answer(self, arguments: SummariseArguments, matter: Matter) -> Result:
        """Summarise them."""
        view = View(matter)
        column = view.named(arguments.column)
        if view.kind(column) != "number":
            raise InvalidArguments(f"{name_text(column)} holds no numbers; value_counts tells how often a value occurs")
        by = None if arguments.by is None else _countable(view, arguments.by)
        found = view.fetch({"value": view.operand(column).expr} | ({} if by is None else {"by": view.operand(by).expr}))
        known = not_missing(found["value"])
        parts = Categories(each=(Category(value=None, part=known, named=True),), cut=0, too_many=False)
        if by is not None:
            parts = categorised(view, by, found["by"])
        groups = [group_of(shown(each.value), [each.part, known], view.rows) for each in parts.each]
        all_told = asked(matter, {"tool": self.name, "column": column, "by": by}, groups)
        lines = [
            ({} if by is None else {"value": shown(each.value)}) | _summary(view, found["value"], group, told)
            for each, group, told in zip(parts.each, groups, all_told, strict=True)
            if each.named
        ]
        data: dict[str, JSON] = {"column": shown(column)}
        if by is None:
            return answer_of(matter, data | lines[0])
        data |= {"by": shown(by), "groups": lines}
        return answer_of(matter, data | parts.others(len(groups) - len(lines), matter.disclosure.k))


class ValueArguments(Arguments):
    """Whose values are counted."""

    column: str = Field(max_length=MAX_VALUE, description="A column.")


class ValueCounts(Tool[ValueArguments]):
    """How often each value of a column occurs."""

    name: ClassVar[str] = "value_counts"
    description: ClassVar[str] = (
        "Rows, and subjects where there are such, by the values of a column, the most frequent first, at most 20. "
        "Values that only a few subjects have are counted together and not named."
    )
    arguments: ClassVar[type[ValueArguments]] = ValueArguments

    def answer(self, arguments: ValueArguments, matter: Matter) -> Result:
        """Count them."""
        view = View(matter)
        column = _countable(view, arguments.column)
        parts = categorised(view, column, view.values(column)[column], most_frequent=True)
        groups = [group_of(shown(each.value), [each.part], view.rows) for each in parts.each]
        all_told = asked(matter, {"tool": self.name, "column": column}, groups)
        lines = [
            {"value": shown(each.value), "rows": records_of(told)} | _subjects(view, told)
            for each, told in zip(parts.each, all_told, strict=True)
            if each.named
        ]
        data: dict[str, JSON] = {"column": shown(column), "values": lines}
        return answer_of(matter, data | parts.others(len(groups) - len(lines), matter.disclosure.k))


def _countable(view: View, name: str) -> str:
    column = view.comparable(name)
    if view.kind(column) == "other":
        raise InvalidArguments(f"{name_text(column)} holds values of a type that cannot be told apart here")
    return column


def _subjects(view: View, told: Told) -> dict[str, JSON]:
    """The number of subjects, where rows and subjects are two things."""
    return {} if view.subject is None else {"subjects": subjects_of(told)}


def _summary(view: View, values: pl.Series, group: Group, told: Told) -> dict[str, JSON]:
    mean, deviation = summary(values, group, told)
    return {"n": records_of(told), **_subjects(view, told), "mean": concise(mean), "sd": concise(deviation)}
