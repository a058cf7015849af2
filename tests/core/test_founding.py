"""Calculations that stand on something, and those that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_graph.core.arithmetic import evaluate
from review_graph.core.founding import calculation_fault, is_idle_percentage

SOURCES = ("How many of them?", '{"all":254,"subjects":86,"share":0.34}')


@pytest.mark.parametrize(
    "expression",
    [
        "86",
        "86 + 254",
        "100 * 86 / 254",
        "86 / 254 * 100",
        "86 / 254 * 100.0",
        "86 * 100 / 254",
        "86 / (254 / 100)",
        "1 - 86 / 254",
        "86 / 254 - 1",
        "(254 - 86) / 86 * 100",
        "100 * (1 - 86 / 254)",
        "(86 / 254 - 1) * 100",
        "1 - (86 + 86) / 254",
        "1 - 0.34",
        "(254 + 86) / 254 - 1",
        "100 * 86 / 86",
        "86 / 86 * 100",
        "(86 - 86) / 86 * 100",
        "100.0 * (1 - 254 / 254)",
        "254 + 86 - 86",
        "86 * 254 / 86",
    ],
)
def test_what_stands_on_found_numbers(expression: str) -> None:
    assert calculation_fault(expression, SOURCES) is None


ONE = "1 is no number that was found; it may stand once, as in 1 - 86 / 254"
HUNDRED = "100 is no number that was found; it may stand once, as a factor or a divisor"


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("1+1+1+1+1+1+1", ONE),
        ("(1+1+1)*(1+1)+1", ONE),
        ("1.00*100.0+1.", ONE),
        ("1", ONE),
        ("100", HUNDRED),
        ("1234 + 77", "1234, 77 stands in no result and not in the question"),
        ("86.4 * 1", "86.4 stands in no result and not in the question"),
        ("86 + 1", ONE),
        ("1 + 86", ONE),
        ("86 - 1", ONE),
        ("86 - 1 * 254", ONE),
        ("86 * (1 - 254)", ONE),
        ("254 + 1 - 86 / 254", ONE),
        ("1 - 86 / 254 - 1", ONE),
        ("(1 - 86 / 254) * (1 - 86 / 254)", ONE),
        ("254 - 100", HUNDRED),
        ("86 * 100 * 100", HUNDRED),
        ("100 / 100", HUNDRED),
        ("100 * 100", HUNDRED),
    ],
)
def test_what_stands_on_nothing(expression: str, fault: str) -> None:
    assert calculation_fault(expression, SOURCES) == fault


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("86 / 86", "1"),
        ("86 / 86.0", "1"),
        ("86 - 86", "0"),
        ("(86 + 86) / 86", "2"),
        ("86 / 86 + 86 / 86 + 86 / 86", "1"),
        ("254 + 86 / 86", "1"),
        ("254 * ((86 - 86) + 254)", "0"),
        ("86 / 254 * 254 / 86", "1"),
        ("86 * 254 / (254 * 86)", "1"),
        ("1 - 254 / 254", "1"),
        ("100 * (86 + 86) / 86", "200"),
        ("86 / (86 + 86) / 100", "0.5"),
    ],
)
def test_what_does_not_depend_on_what_was_found(expression: str, value: str) -> None:
    said = f"a part of it is {value} whatever the numbers are; where two are equal, say that they are"
    assert calculation_fault(expression, SOURCES) == said


@pytest.mark.parametrize(
    "expression",
    ["86/86+86/86+86/86+86" + "/254" * 20, "*".join(["86"] * 25) + "-" + "*".join(["86"] * 25) + "+86/86"],
    ids=["too small with others", "too large with others"],
)
def test_what_cannot_be_worked_out_with_other_numbers_is_refused(expression: str) -> None:
    assert evaluate(expression) >= 1
    assert calculation_fault(expression, SOURCES) == (
        "with other numbers it cannot be worked out (it comes to a number that is too large or too small for a "
        "figure), so whether it depends on them is not known"
    )


def test_a_large_number_that_nobody_found_is_written_out() -> None:
    many = "100*" + "*".join(["(8+8+8+8+8)"] * 13) + "/8" * 13
    said = calculation_fault(many, ['{"n":8}'])
    assert said == ("a part of it is 122070312500 whatever the numbers are; where two are equal, say that they are")


@pytest.mark.parametrize(
    ("expression", "idle"),
    [
        ("100 * 86 / 86", True),
        ("(86 - 86) / 86 * 100", True),
        ("100 * (1 - 254 / 254)", True),
        ("100 * 86 / 254", False),
        ("100 * (82 + 4) / 86", False),
        ("86 + 14", False),
    ],
)
def test_what_founds_no_other_calculation(expression: str, idle: bool) -> None:
    assert is_idle_percentage(expression, (*SOURCES, '{"some":82,"few":4,"more":14}')) is idle


def test_a_small_addition_makes_no_percentage_of_all_a_number_that_was_found() -> None:
    """It is 100 but for less than a figure holds, and much more with other numbers."""
    expression = "100*86/86+" + "*".join(["0.34"] * 25) + "*0.34" * 11
    assert calculation_fault(expression, SOURCES) is not None


@given(st.sampled_from(["86", "254", "0.34"]), st.sampled_from("+-*/"), st.sampled_from(["86", "254"]))
def test_nothing_is_taken_from_itself_or_divided_by_itself(one: str, operator: str, other: str) -> None:
    term = f"({one} {operator} {other})"
    assert calculation_fault(f"{term} - {term}", SOURCES) is not None
    assert calculation_fault(f"254 + {term} / {term}", SOURCES) is not None or evaluate(term) == 0


def test_a_constant_that_was_found_may_stand_once_more() -> None:
    found = (*SOURCES, '{"findings_in_all":1,"n":100}')
    assert calculation_fault("86 + 1", found) is None
    assert calculation_fault("100 - 86", found) is None
    assert calculation_fault("100 * 86 / 100", found) is None
    assert calculation_fault("86 + 1 + 1", found) == ONE
    assert calculation_fault("100 / 100", found) is not None


@pytest.mark.parametrize("expression", ["", "86 +* x", "1,247 + 1", "1 / (", "1+" * 200 + "1"])
def test_what_is_no_expression_is_left_to_the_calculator(expression: str) -> None:
    assert calculation_fault(expression, ()) is None or expression == "1 / ("
    with pytest.raises(ValueError, match=r"expect|characters"):
        evaluate(expression)


_CONSTANTS = st.recursive(
    st.sampled_from(["1", "100", "1.0", "100.", "01"]),
    lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda parts: f"({''.join(parts)})"),
    max_leaves=12,
).filter(lambda expression: len(expression) <= 200)


@given(_CONSTANTS)
def test_nothing_is_counted_up_from_constants(expression: str) -> None:
    assert calculation_fault(expression, SOURCES) is not None
