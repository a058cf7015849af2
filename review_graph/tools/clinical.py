"""What CDISC tables have in common: arms, a safety population, flags, and fixed bands of age."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw

from checks.plain import name_text, quote
from review_graph.tools.conditions import Condition, equals
from review_graph.tools.quoting import listed
from review_graph.tools.tool import InvalidArguments, UnknownName

if TYPE_CHECKING:
    from review_graph.tools.view import View

ARMS = ("TRT01A", "TRTA", "ARM", "ACTARM")
"""Columns that hold the arm; the first that is there counts."""

BAND_STARTS = (0, 18, 40, 65, 75, 85)
BAND_ENDS = (17, 39, 64, 74, 84, 120)
"""Ages in whole years at which a band begins and ends. Free limits would isolate a subject by subtraction."""

_BANDS = ", ".join(f"{start}-{end}" for start, end in zip(BAND_STARTS, BAND_ENDS, strict=True))

_AGE = "AGE"
_SEX = "SEX"
_SAFETY = "SAFFL"
_FLAG_ENDING = "FL"


def arm_column(view: View) -> str | None:
    """Return the column that holds the arm, where there is one."""
    return view.first_of_kind("text", *ARMS)


def is_clinical(view: View) -> bool:
    """Whether there are subjects and arms to count."""
    return view.subject is not None and arm_column(view) is not None


def population(view: View) -> tuple[str, list[Condition]]:
    """Return whom an answer is about, in words and as conditions: the safety population where there is a flag."""
    if view.first_of_kind("text", _SAFETY) is None:
        return "all subjects in the dataset", []
    flag = view.operand(_SAFETY).expr == "Y"
    return "safety population", [equals(_SAFETY, "Y", flag, always=True)]


def of_arm(view: View, arm: str | None) -> list[Condition]:
    """Return the condition of an arm, in any case; none when no arm is named.

    Raises:
        UnknownName: There is no such arm, or no arms; the text lists those there are.
    """
    column = arm_column(view)
    if arm is None:
        return []
    if column is None:
        raise UnknownName("the dataset has no arms")
    return [_is_value(view, column, arm, "arm")]


def of_sex(view: View, sex: str | None) -> list[Condition]:
    """Return the condition of a sex, in any case; none when none is named.

    Raises:
        UnknownName: There is no such sex, or no column of it.
    """
    if sex is None:
        return []
    if view.first_of_kind("text", _SEX) is None:
        raise UnknownName("the dataset has no column SEX")
    return [_is_value(view, _SEX, sex, "sex")]


def of_ages(view: View, age_min: int | None, age_max: int | None) -> list[Condition]:
    """Return the condition of an age; none when no limit is given.

    Args:
        view: The table.
        age_min: Where a band begins; 0 when only the other is given.
        age_max: Where a band ends; 120 when only the other is given.

    Raises:
        InvalidArguments: These are no limits of bands.
        UnknownName: There are no ages.
    """
    if age_min is None and age_max is None:
        return []
    low = BAND_STARTS[0] if age_min is None else age_min
    high = BAND_ENDS[-1] if age_max is None else age_max
    if low not in BAND_STARTS or high not in BAND_ENDS or low > high:
        raise InvalidArguments(
            f"ages are asked for in bands of whole years: {_BANDS}, or several that lie together; "
            f"age_min is one of {_numbers(BAND_STARTS)} and age_max one of {_numbers(BAND_ENDS)}, not below age_min"
        )
    if view.first_of_kind("number", _AGE) is None:
        raise UnknownName("the dataset has no numbers in a column AGE")
    age = view.operand(_AGE).expr
    holds = (age >= low) & (age < high + 1)
    return [Condition(text=f"{low} <= {_AGE} <= {high}", asked=(_AGE, low, high), holds=holds)]


def of_flag(view: View, name: str, value: str) -> Condition:
    """Return the condition of a flag. CDISC leaves many flags empty where they do not hold, so N is all but Y.

    Raises:
        UnknownName: There is no such flag.
        InvalidArguments: The value is neither Y nor N.
    """
    if value not in ("Y", "N"):
        raise InvalidArguments("the value of a flag is Y or N")
    flags = [column for column in view.names if is_flag(view, column)]
    column = view.find(name)
    if column not in flags:
        raise UnknownName(f"there is no flag {quote(name)}; the flags are {listed(flags)}")
    is_yes = (view.operand(column).expr == "Y").fill_null(value=False)
    text = f"{name_text(column)} = 'Y'" if value == "Y" else f"{name_text(column)} = 'N' or missing"
    holds = is_yes if value == "Y" else ~is_yes
    return Condition(text=text, asked=(column, "flag", value), holds=holds, free=True, excludes=value == "N")


def is_flag(view: View, column: str) -> bool:
    """Whether a column is a flag by its name and type."""
    return column.upper().endswith(_FLAG_ENDING) and view.kind(column) == "text"


def _is_value(view: View, column: str, wanted: str, noun: str) -> Condition:
    value = view.matching(column, wanted)
    holds = view.operand(column).expr == nw.lit(value)
    if not view.any_row(holds):
        raise UnknownName(f"there is no {noun} {quote(wanted)}; there are {listed(view.common_values(column))}")
    return equals(column, value, holds)


def _numbers(values: tuple[int, ...]) -> str:
    return ", ".join(map(str, values))
