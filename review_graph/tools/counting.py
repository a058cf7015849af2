"""Groups of rows, what may be told of them, and their statistics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from checks.plain import count_of
from checks.vocabulary import JSON, canonical
from review_graph.core.disclosure import Part
from review_graph.tools.conditions import rows_of, with_value
from review_graph.tools.disclosing import WITHHELD, Group
from review_graph.tools.quoting import MAX_LISTED, shown
from review_graph.tools.tool import Result
from review_graph.vocabulary import Citation

if TYPE_CHECKING:
    import numpy.typing as npt

    from review_graph.tools.disclosing import Told
    from review_graph.tools.matter import Matter
    from review_graph.tools.view import View

MAX_GROUPS = 30
"""Groups of one answer. Each is remembered for good, and held against all later questions."""


@dataclass(frozen=True, kw_only=True)
class Category:
    """The rows with one value.

    Attributes:
        value: The value; None for missing ones.
        part: Which rows, in file order, as a condition.
        named: Whether enough subjects of the table have the value for it to be told.
    """

    value: object
    part: Part
    named: bool


@dataclass(frozen=True, kw_only=True)
class Categories:
    """The rows of a table by the values of a column.

    Attributes:
        each: The values that an answer is about. Those that may not be named are among them where they are few:
            what is told of them is told without their names.
        cut: How many values that may be named are left out.
        too_many: Whether those that may not be named are left out.
    """

    each: tuple[Category, ...]
    cut: int
    too_many: bool

    def others(self, small: int, k: int) -> dict[str, JSON]:
        """Say what is not listed.

        Args:
            small: How many values are in the answer but not named.
            k: Subjects that a value needs to be named.
        """
        said: dict[str, JSON] = {}
        if self.cut:
            said["not_listed"] = f"{count_of(self.cut, 'more value')}"
        if self.too_many:
            said["others"] = f"more values, each with fewer than {k} subjects"
        elif small:
            said["others"] = (
                f"{count_of(small, 'other value')}, {'each ' if small > 1 else ''}with fewer than {k} subjects"
            )
        return said


def categorised(view: View, column: str, values: pl.Series, *, most_frequent: bool = False) -> Categories:
    """Part the rows of a table by the values of a column.

    Args:
        view: The table.
        column: The column.
        values: Its values in file order.
        most_frequent: Whether the values that are listed are those with the most rows, and they first.
    """
    common = view.common_values(column)
    is_common = values.is_in(pl.Series(common, dtype=values.dtype).implode())
    if most_frequent:
        sizes = dict(values.filter(is_common).value_counts().rows())
        common.sort(key=lambda value: -sizes[value])
    kept = common[:MAX_LISTED]
    rare = values.filter(~is_common).drop_nulls().unique()
    few = len(kept) + len(rare) < MAX_GROUPS
    each = [Category(value=value, part=with_value(values, value), named=True) for value in kept]
    each += [
        Category(value=value, part=with_value(values, value), named=False) for value in (rare.sort() if few else ())
    ]
    if values.null_count():
        each.append(Category(value=None, part=with_value(values, None), named=True))
    return Categories(each=tuple(each), cut=len(common) - len(kept), too_many=not few)


def group_of(label: JSON, parts: Sequence[Part], rows: int) -> Group:
    """Return the group of those of so many rows that meet some conditions."""
    return Group(label=(label,), rows=rows_of(parts, rows), parts=tuple(parts))


def asked(matter: Matter, question: Mapping[str, JSON], groups: Sequence[Group]) -> tuple[Told, ...]:
    """Return what may be told of groups.

    Args:
        matter: What is asked about. Its spec says what is missing and what is a number, so it is part of the question.
        question: All else that the groups follow from.
        groups: The groups.

    Raises:
        NotAnswered: It would give away too much together with what was told before.
    """
    if not groups:
        return ()
    whole = canonical({**question, "spec": matter.spec.digest})  # one text: blanks around a value tell it from another
    return matter.disclosure.tell({"asked": whole}, groups)


def summary(values: pl.Series, group: Group, told: Told) -> tuple[float, float]:
    """Return mean and standard deviation of a group where they may be told, NaN elsewhere."""
    return moments(values, group.rows) if told.shows else (math.nan, math.nan)


def subjects_of(told: Told) -> JSON:
    """Return the number of subjects, or why it is not told."""
    return told.subjects if told.subjects is not None else told.mark or WITHHELD


def records_of(told: Told) -> JSON:
    """Return the number of rows, or why it is not told."""
    return told.records if told.records is not None else told.mark or WITHHELD


def total(values: pl.Series, rows: npt.NDArray[np.bool_]) -> float:
    """Return the sum of the values of some rows, none of which is null."""
    try:
        return math.fsum(values.cast(pl.Float64).to_numpy()[rows])
    except (OverflowError, ValueError):  # beyond the largest number, or infinities of both signs
        return math.nan


def moments(values: pl.Series, rows: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Return mean and standard deviation of the values of some rows, NaN where there is none.

    Args:
        values: Numbers in file order.
        rows: Which of them; none is null.

    Returns:
        The mean, and the standard deviation with n - 1 as divisor.
    """
    numbers = values.cast(pl.Float64).to_numpy()[rows]
    with np.errstate(all="ignore"):  # infinities have neither
        mean = float(numbers.mean()) if len(numbers) else math.nan
        return mean, float(numbers.std(ddof=1)) if len(numbers) > 1 else math.nan


def answer_of(
    matter: Matter,
    data: dict[str, JSON],
    *,
    rows: int | None = None,
    cited: Sequence[Citation] = (),
    echo: Sequence[str] = (),
) -> Result:
    """Return a result that names its dataset.

    Args:
        matter: What was asked about.
        data: What was found.
        rows: Rows that were looked at; all of the table, when not said. How many were *counted* is no business of
            a trace.
        cited: What was named besides the dataset.
        echo: Which keys of the data repeat what the caller wrote.
    """
    name = str(shown(matter.review.dataset.name))
    return Result(
        data={"dataset": name, **data},
        rows=matter.table.rows if rows is None else rows,
        names=frozenset([Citation(kind="dataset", name=matter.review.dataset.name), *cited]),
        echo=frozenset(echo),
    )
