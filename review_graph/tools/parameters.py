"""Measurements by parameter and visit, as ADaM's BDS tables and SDTM's findings tables hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import narwhals as nw
from pydantic import Field

from checks.plain import name_text, quote
from review_graph.tools.clinical import arm_column
from review_graph.tools.conditions import (
    MAX_VALUE,
    Condition,
    all_of,
    asked_of,
    equals,
    not_missing,
    rows_of,
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
from review_graph.tools.quoting import listed, rounded, shown
from review_graph.tools.tool import Arguments, NoRecords, Result, Tool, UnknownName
from review_graph.tools.view import View
from review_graph.vocabulary import Citation

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from checks.vocabulary import JSON
    from review_graph.tools.disclosing import Group, Told
    from review_graph.tools.matter import Matter

MAX_PARAMETERS = 100
"""Parameters, and visits, that one result lists."""

_TESTS = ("LB", "VS", "EG", "QS", "PC", "FA", "SC", "RS", "TR", "PE", "DA", "MB", "MO")
"""SDTM domains that hold findings by --TESTCD."""

_ANALYSED = "ANL01FL"


class UnknownParameter(UnknownName):
    """There is no such parameter."""


class UnknownVisit(UnknownName):
    """There is no such visit."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where a table keeps its measurements.

    Attributes:
        code: Column of the parameter's code.
        name: Column of its name.
        value: Column of the numbers.
        visit: Column of the visit.
    """

    code: str
    name: str | None
    value: str
    visit: str | None

    @classmethod
    def of(cls, view: View) -> Self | None:
        """Return the layout of a table; None where it has no parameters."""
        for code, name, value, visit in (
            ("PARAMCD", "PARAM", "AVAL", "AVISIT"),
            *((f"{domain}TESTCD", f"{domain}TEST", f"{domain}STRESN", "VISIT") for domain in _TESTS),
        ):
            if view.first_of_kind("text", code) and view.first_of_kind("number", value):
                texts = (view.first_of_kind("text", name), view.first_of_kind("text", visit))
                return cls(code=code, name=texts[0], value=value, visit=texts[1])
        return None


class ListParameters(Tool[Arguments]):
    """The parameters and visits that there are."""

    name: ClassVar[str] = "list_parameters"
    description: ClassVar[str] = "Parameters with their names, and visits. Those of only a few subjects are left out."
    arguments: ClassVar[type[Arguments]] = Arguments

    def applies_to(self, matter: Matter) -> bool:
        """Where measurements are kept by parameter."""
        return Layout.of(View(matter)) is not None

    def answer(self, arguments: Arguments, matter: Matter) -> Result:  # noqa: ARG002 - it takes none
        """List them, sorted."""
        view = View(matter)
        layout = _layout(view)
        codes = [str(code) for code in view.common_values(layout.code)]
        names = {} if layout.name is None else view.first_beside(layout.code, layout.name)
        visits = [] if layout.visit is None else view.common_values(layout.visit)
        data: dict[str, JSON] = {
            "parameters": [
                {"parameter": shown(code)} | ({"name": shown(names[code])} if code in names else {})
                for code in codes[:MAX_PARAMETERS]
            ],
            "visits": [shown(visit) for visit in visits[:MAX_PARAMETERS]],
        }
        for key, found in (("parameters", codes), ("visits", visits)):
            if len(found) > MAX_PARAMETERS:
                data[f"{key}_in_all"] = len(found)
        cited = [Citation(kind="parameter", name=code) for code in codes[:MAX_PARAMETERS]]
        return answer_of(matter, data, cited=cited)


class ParameterArguments(Arguments):
    """Which measurements are summarised."""

    parameter: str = Field(max_length=MAX_VALUE, description="Code or name of a parameter.")
    visit: str | None = Field(default=None, max_length=MAX_VALUE, description="A visit; all together when left out.")


class ParameterSummary(Tool[ParameterArguments]):
    """Mean and spread of a parameter at a visit."""

    name: ClassVar[str] = "parameter_summary"
    description: ClassVar[str] = (
        "Number of values that are not missing, mean and standard deviation (3 decimals) of a parameter at a visit, by "
        "arm, on analysis records (ANL01FL = 'Y') where they are marked, else on all. Statistics of fewer subjects "
        "than the threshold are withheld."
    )
    arguments: ClassVar[type[ParameterArguments]] = ParameterArguments

    def applies_to(self, matter: Matter) -> bool:
        """Where measurements are kept by parameter."""
        return Layout.of(View(matter)) is not None

    def answer(self, arguments: ParameterArguments, matter: Matter) -> Result:
        """Summarise them."""
        view = View(matter)
        layout = _layout(view)
        code = _parameter(view, layout, arguments.parameter)
        conditions = [equals(layout.code, code, view.operand(layout.code).expr == code)]
        conditions += [*_at(view, layout, arguments.visit), *_analysed(view)]
        arm = arm_column(view)
        wanted = {"value": view.operand(layout.value).expr} | ({} if arm is None else {"arm": view.operand(arm).expr})
        parts, found = selected(view, conditions, wanted)
        known = not_missing(found["value"])
        arms = Categories(each=(Category(value=None, part=known, named=True),), cut=0, too_many=False)
        if arm is not None:
            arms = categorised(view, arm, found["arm"])
        question = {"tool": self.name, "filter": asked_of(conditions), "by": arm}
        groups = [group_of(shown(each.value), [*parts, each.part, known], view.rows) for each in arms.each]
        all_told = asked(matter, question, groups)
        if not rows_of(parts, view.rows).any() and all(told.shows for told in all_told):
            raise NoRecords(_nowhere(view, layout, code, conditions))
        lines = _by_arm(found["value"], groups, all_told, arms)
        data: dict[str, JSON] = {
            "parameter": shown(code),
            "filter": texts_of(conditions),
            "records": "analysis records" if view.first_of_kind("text", _ANALYSED) else "all records",
            "arm_column": arm,
            "by_arm": lines,
            **arms.others(len(groups) - len(lines), matter.disclosure.k),
        }
        return answer_of(matter, data, cited=[Citation(kind="parameter", name=code)])


def _by_arm(
    values: pl.Series, groups: Sequence[Group], all_told: Sequence[Told], arms: Categories
) -> list[dict[str, JSON]]:
    """The lines of the arms that may be named."""
    lines: list[dict[str, JSON]] = []
    for each, group, told in zip(arms.each, groups, all_told, strict=True):
        if each.named:
            mean, deviation = summary(values, group, told)
            line: dict[str, JSON] = {"arm": shown(each.value), "n": records_of(told), "subjects": subjects_of(told)}
            lines.append(line | {"mean": rounded(mean, 3), "sd": rounded(deviation, 3)})
    return lines


def _layout(view: View) -> Layout:
    layout = Layout.of(view)
    if layout is None:
        raise UnknownName("the dataset has no parameters")
    return layout


def _parameter(view: View, layout: Layout, wanted: str) -> str:
    """The code of a parameter that is named by its code or its name."""
    code = view.matching(layout.code, wanted)
    if view.any_row(view.operand(layout.code).expr == code):
        return code
    if layout.name is not None:
        name = view.matching(layout.name, wanted)
        codes = view.common_values(layout.code, view.operand(layout.name).expr == name)
        if len(codes) == 1:
            return str(codes[0])
    known = view.common_values(layout.code)
    raise UnknownParameter(f"there is no parameter {quote(wanted)}; there are {listed(known)}")


def _at(view: View, layout: Layout, visit: str | None) -> list[Condition]:
    if visit is None:
        return []
    if layout.visit is None:
        raise UnknownVisit("the dataset has no visits; leave the visit out")
    value = view.matching(layout.visit, visit)
    holds = view.operand(layout.visit).expr == value
    if not view.any_row(holds):
        raise UnknownVisit(f"there is no visit {quote(visit)}; there are {listed(view.common_values(layout.visit))}")
    return [equals(layout.visit, value, holds)]


def _analysed(view: View) -> list[Condition]:
    if view.first_of_kind("text", _ANALYSED) is None:
        return []
    return [equals(_ANALYSED, "Y", view.operand(_ANALYSED).expr == nw.lit("Y"), always=True)]


def _nowhere(view: View, layout: Layout, code: str, conditions: list[Condition]) -> str:
    """Say that there are no records, and at which visits there are."""
    said = f"no record has {' and '.join(texts_of(conditions))}"
    if layout.visit is None:
        return said
    here = all_of([conditions[0], *_analysed(view)])
    return f"{said}; {name_text(code)} has records at {listed(view.common_values(layout.visit, here))}"
