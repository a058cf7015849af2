"""Sums on paper."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_graph.core.arithmetic import MAX_DEPTH, MAX_EXPRESSION, evaluate


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1", "1"),
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("10 - 2 - 3", "5"),
        ("100 / 10 / 2", "5"),
        ("-2 - -3", "1"),
        ("+4", "4"),
        ("--4", "4"),
        ("-(2 + 3)", "-5"),
        ("0.1 + 0.2", "0.3"),
        (".5 + 5.", "5.5"),
        ("28 / 300 * 100", "9.333333333333333333333333333"),
        ("1 / 8", "0.125"),
        ("3 \u00d7 4 \u00f7 2 \u2212 1", "5"),
        ("  7  ", "7"),
        ("9" * 30, "1" + "0" * 30),
    ],
)
def test_what_it_comes_to(expression: str, expected: str) -> None:
    assert evaluate(expression) == Decimal(expected)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "expected a number or a bracket, found the end"),
        ("1 +", "expected a number or a bracket, found the end"),
        ("(1", r"expected '\)', found the end"),
        ("1)", r"expected an operator or the end, found '\)'"),
        ("1 2", "expected an operator or the end, found '2'"),
        ("()", r"expected a number or a bracket, found '\)'"),
        ("1 * * 2", r"expected a number or a bracket, found '\*'"),
        ("2 ** 3", r"expected a number or a bracket, found '\*'"),
        ("7 // 2", "expected a number or a bracket, found '/'"),
        ("9 %", "without thousands separators or %"),
        ("1,247 + 1", "found '1,247 \\+ 1'"),
        ("1.2.3", "found '1.2.3'"),
        ("1e5", "found 'e5'"),
        ("\uff11 + 1", "expected a number"),
        ("__import__('os')", "expected a number, an operator or a bracket"),
        ("abs(1)", "found 'abs\\(1\\)'"),
        ("x = 1", "found 'x = 1'"),
        ("1\x002", "found"),
        ("1 / 0", "division by zero"),
        ("1 / (2 - 2)", "division by zero"),
        ("0 / 0", "division of zero by zero"),
        ("*".join(["9" * 25] * 7), "too large or too small"),
        ("1" * (MAX_EXPRESSION + 1), "may have 200 characters; found 201"),
        ("(" * (MAX_DEPTH + 1) + "1", "may stand 20 deep"),
        ("-" * (MAX_DEPTH + 1) + "1", "may stand 20 deep"),
    ],
)
def test_what_is_refused(expression: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(expression)


def test_as_deep_as_it_may_be() -> None:
    assert evaluate("(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH) == 1
    assert evaluate(" + ".join(["(1)"] * 30)) == 30


_SUM = st.recursive(
    st.integers(0, 99).map(lambda number: (str(number), Fraction(number))),
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
        lambda parts: (
            f"({parts[0][0]}{parts[1]}{parts[2][0]})",
            {"+": Fraction.__add__, "-": Fraction.__sub__, "*": Fraction.__mul__}[parts[1]](parts[0][1], parts[2][1]),
        )
    ),
    max_leaves=8,
)


@given(_SUM)
def test_it_agrees_with_exact_arithmetic(case: tuple[str, Fraction]) -> None:
    text, exact = case
    assert Fraction(evaluate(text)) == exact


@given(st.text(max_size=60) | st.text("0123456789.+-*/() ", max_size=60))
def test_any_text_is_a_number_or_an_error(text: str) -> None:
    try:
        value = evaluate(text)
    except ValueError as error:
        assert "\n" not in str(error)  # noqa: PT017 - any text is tried
    else:
        assert value.is_finite()
