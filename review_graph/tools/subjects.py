"""Subjects counted by arm, sex, age and flags; and who they are in the aggregate."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from review_graph.tools import clinical
from review_graph.tools.conditions import MAX_VALUE, asked_of, mask_of, not_missing, rows_of, selected, texts_of
from review_graph.tools.counting import answer_of, asked, categorised, group_of, subjects_of, summary
from review_graph.tools.disclosing import Group
from review_graph.tools.quoting import rounded, shown
from review_graph.tools.tool import Arguments, Result, Tool
from review_graph.tools.view import View

if TYPE_CHECKING:
    from checks.vocabulary import JSON
    from review_graph.tools.matter import Matter

MAX_FLAGS = 3
"""Each subset of all conditions is looked at, so they are few."""


class Flag(BaseModel):
    """A flag and its value.

    Attributes:
        column: A column whose name ends in FL.
        value: Y, or N for all but Y.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    column: str = Field(max_length=MAX_VALUE, description="A column whose name ends in FL.")
    value: Literal["Y", "N"] = Field(description="N stands for N and for missing.")


class CountArguments(Arguments):
    """What subjects are counted by; all that is given has to hold."""

    arm: str | None = Field(default=None, max_length=MAX_VALUE, description="An arm; all of them when left out.")
    sex: str | None = Field(default=None, max_length=MAX_VALUE, description="A value of SEX.")
    age_min: int | None = Field(default=None, description=f"Where a band of age begins: {clinical.BAND_STARTS}.")
    age_max: int | None = Field(default=None, description=f"Where a band of age ends: {clinical.BAND_ENDS}.")
    flags: tuple[Flag, ...] = Field(default=(), max_length=MAX_FLAGS, description="Flags that have to hold.")


class CountSubjects(Tool[CountArguments]):
    """How many subjects there are of a kind."""

    name: ClassVar[str] = "count_subjects"
    description: ClassVar[str] = (
        "Number of subjects in the safety population (all, where SAFFL is not in the dataset) by arm, sex, fixed bands "
        "of age and flags. The result names the exact filter. Fewer subjects than the threshold are told as '<5'."
    )
    arguments: ClassVar[type[CountArguments]] = CountArguments

    def applies_to(self, matter: Matter) -> bool:
        """Where there are subjects and arms."""
        return clinical.is_clinical(View(matter))

    def answer(self, arguments: CountArguments, matter: Matter) -> Result:
        """Count them."""
        view = View(matter)
        whom, conditions = clinical.population(view)
        conditions += clinical.of_arm(view, arguments.arm)
        conditions += clinical.of_sex(view, arguments.sex)
        conditions += clinical.of_ages(view, arguments.age_min, arguments.age_max)
        flags = {flag.column.casefold() + flag.value: flag for flag in arguments.flags}
        conditions += [clinical.of_flag(view, flag.column, flag.value) for _, flag in sorted(flags.items())]
        parts, _ = selected(view, conditions, {})
        question = {"tool": self.name, "filter": asked_of(conditions)}
        (told,) = asked(matter, question, [group_of("subjects", parts, view.rows)])
        data: dict[str, JSON] = {"population": whom, "filter": texts_of(conditions), "subjects": subjects_of(told)}
        return answer_of(matter, data)


class DemographicsArguments(Arguments):
    """Whose demographics are wanted."""

    arm: str | None = Field(default=None, max_length=MAX_VALUE, description="An arm; all of them when left out.")


class DemographicsSummary(Tool[DemographicsArguments]):
    """Age and sex of an arm."""

    name: ClassVar[str] = "demographics_summary"
    description: ClassVar[str] = (
        "Subjects, mean age (1 decimal), standard deviation of age (2 decimals) and counts by sex of one arm of the "
        "safety population, or of all arms together. Statistics of fewer subjects than the threshold are withheld."
    )
    arguments: ClassVar[type[DemographicsArguments]] = DemographicsArguments

    def applies_to(self, matter: Matter) -> bool:
        """Where there are subjects with arms, ages and sexes."""
        view = View(matter)
        has_both = view.first_of_kind("number", "AGE") and view.first_of_kind("text", "SEX")
        return clinical.is_clinical(view) and has_both is not None

    def answer(self, arguments: DemographicsArguments, matter: Matter) -> Result:
        """Summarise them; of a subject with several rows the first counts."""
        view = View(matter)
        whom, conditions = clinical.population(view)
        conditions += clinical.of_arm(view, arguments.arm)
        wanted = {"age": view.operand("AGE").expr, "sex": view.operand("SEX").expr}
        parts, found = selected(view, conditions, wanted)
        rows = mask_of(view.first_of_each_subject(pl.Series(rows_of(parts, view.rows))))
        aged = not_missing(found["age"])
        sexes = categorised(view, "SEX", found["sex"])
        groups = [Group(label=("subjects",), rows=rows, parts=parts)]
        groups.append(Group(label=("age",), rows=rows & aged.holds, parts=(*parts, aged)))
        groups += [
            Group(label=("sex", shown(each.value)), rows=rows & each.part.holds, parts=(*parts, each.part))
            for each in sexes.each
        ]
        question = {"tool": self.name, "filter": asked_of(conditions)}
        everyone, with_age, *by_sex = asked(matter, question, groups)
        mean, deviation = summary(found["age"], groups[1], with_age)
        named = [
            {"sex": shown(each.value), "subjects": subjects_of(told)}
            for each, told in zip(sexes.each, by_sex, strict=True)
            if each.named
        ]
        data: dict[str, JSON] = {
            "population": whom,
            "filter": texts_of(conditions),
            "subjects": subjects_of(everyone),
            "age": {"subjects": subjects_of(with_age), "mean": rounded(mean, 1), "sd": rounded(deviation, 2)},
            "by_sex": named,
            **sexes.others(len(by_sex) - len(named), matter.disclosure.k),
        }
        return answer_of(matter, data)
