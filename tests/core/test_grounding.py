"""Numbers of an answer: which there are, and which a source supports."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.vocabulary import canonical
from review_graph.core.grounding import claims, numbers_in, supporting, unsupported


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mean 9.3 of 1,247", ["9.3", "1247"]),
        ("1'247 and 1\u2019247 and 1_247", ["1247", "1247", "1247"]),
        ("1\u00a0247 and 1\u202f247 and 1\u2009247", ["1247", "1247", "1247"]),
        ("1 247", ["1", "247"]),
        ("1,247,12 and 9,3", ["1", "247", "12", "9", "3"]),
        ("65-74 and 65\u201374", ["65", "74", "65", "74"]),
        ("\u22123.2, -3.2, \u20133.2, +3, (-5)", ["-3.2", "-3.2", "-3.2", "3", "-5"]),
        ("Week-24 and a dash - 3", ["24", "3"]),
        ("9.33 % and 9.33%", ["9.33", "9.33"]),
        ("1.5e3, 2E-2, 1e9999", ["1500", "0.02", "1", "9999"]),
        (".05 and p=.05", ["0.05", "0.05"]),
        ("42k, 5 million, 3 thousand", ["42000", "5000000", "3000"]),
        ("54mg, 3rd, n=42, n42, week24", ["54", "3", "42", "42", "24"]),
        ("28/300", ["28", "300"]),
    ],
)
def test_numbers_of_a_text(text: str, expected: list[str]) -> None:
    assert [number.value for number in numbers_in(text)] == list(map(Decimal, expected))


@pytest.mark.parametrize(
    "text",
    [
        "see Q03 and v2.1.",
        "TRT01A, HbA1c, SCR_01, CDISCPILOT01",
        "ranges.outside_limits-1a2b3c4d",
        "(ranges.rule.Has-R03_criterion-90812345), structure.x-00000000.",
        "m\u00b2 and CO\u2082",
        "one of the arms, the first, half, twice",
        "1. arms\n2. ages\n3) sexes",
        "no numbers",
        "",
    ],
)
def test_what_is_no_number(text: str) -> None:
    assert numbers_in(text) == ()


@pytest.mark.parametrize(
    ("hidden", "seen"),
    [
        ("\uff14\uff12", 42),
        ("\u0664\u0662", 42),
        ("\u096a\u0968", 42),
        ("\U0001d7d2\U0001d7d0", 42),
        ("4\u200b2", 42),
        ("4\u20602", 42),
        ("4\u00ad2", 42),
        ("4\u03382", 42),
        ("4\u20092", 42),
        ("4\u200a2", 42),
        ("\u2074\u00b2", 42),
        ("\u2463\u2461", 4),
        ("\u216b", 12),
        ("\u00bd", Decimal("0.5")),
        ("forty-two", 42),
        ("Forty Two", 42),
        ("three hundred and five", 305),
        ("two dozen", 24),
        ("a thousand", 1000),
        ("two million one hundred", 2_000_100),
        ("42. subjects", 42),
        ("1. arms\n42. subjects", 42),
    ],
    ids=ascii,
)
def test_a_number_is_never_overlooked(hidden: str, seen: Decimal | int) -> None:
    assert seen in [number.value for number in numbers_in(hidden)]
    assert unsupported(hidden, ['{"n":999}']) != ()


def test_a_power_is_a_number_of_its_own() -> None:
    assert [number.value for number in numbers_in("10\u2074")] == [10, 4]


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("9.3", '{"mean":9.333333333333334}'),
        ("9.33", '{"mean":9.333333333333334}'),
        ("9", '{"mean":9.333333333333334}'),
        ("1,247", '{"n":1247}'),
        ("1247.0", '{"n":1247}'),
        ("2 and 3", '{"x":2.5}'),
        ("0.12 and 0.13", '{"x":0.125}'),
        ("-3", '{"x":-2.5}'),
        ("9.33 %", '{"result":9.3333}'),
        ("week 24", '{"visit":"WEEK 24"}'),
        ("band 65-74", '{"age":"65-74"}'),
        ("band 65-74", '{"65-74":{"n":"withheld"}}'),
        ("24", "how was it at week 24?"),
        ("24", "how was it at week twenty-four?"),
        ("fewer than 5", '{"n":"<5"}'),
        ("<5", '{"n":"<5"}'),
        ("below 65", '{"age_max":65}'),
        ("aged 65", "who is under 65?"),
        ("the three arms", '{"arms":["a","b","c"]}'),
        ("the three rows", '{"rows":[["a",5],["b",6],["c",7]]}'),
        ("on 2014-03-01", '{"from":"2014-03-01T10:20:00"}'),
        ("in 2014-03", '{"from":"2014-03-01"}'),
        ("2014-03-01 10:20", '{"at":"2014-03-01T10:20"}'),
        ("subject 01-701-1015", "what of 01-701-1015?"),
        ("123456789012345678901234567890", '{"n":123456789012345678901234567890}'),
    ],
)
def test_supported(text: str, source: str) -> None:
    assert unsupported(text, [source]) == ()


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("9.4", '{"mean":9.333333333333334}', "9.4"),
        ("9.3333", '{"mean":9.3}', "9.3333"),
        ("9.33 %", '{"share":0.0933}', "9.33"),
        ("3.2", '{"change":-3.2}', "3.2"),
        ("1247", '{"list":[1,247]}', "1247"),
        ("1.2e3", '{"n":1247}', "1.2e3"),
        ("4", '{"x":3.4}', "4"),
        ("0", '{"x":0.6}', "0"),
        ("exactly 5", '{"n":"<5"}', "5"),
        ("more than 5", '{"n":"<5"}', "5"),
        ("3", '{"arms":["a","b","c"]}', "3"),
        ("the two arms", '{"rows":[["a",5],["b",6],["c",7]]}', "two"),
        ("on 2014-03-02", '{"from":"2014-03-01"}', "2014-03-02"),
        ("on 2014-03-01", '{"from":"2014-03"}', "2014-03-01"),
        ("01-701-1015", '{"a":1,"b":701,"c":1015}', "01-701-1015"),
        ("01-701-101", '{"id":"01-701-1015"}', "01-701-101"),
        ("12", '{"flag":true,"none":null}', "12"),
        ("1", '{"flag":true}', "1"),
        ("1e300", '{"n":1}', "1e300"),
        ("999999999999999999999999999999999999999999999999999999999999999999", '{"n":0.5}', "9" * 66),
    ],
)
def test_unsupported(text: str, source: str, expected: str) -> None:
    assert unsupported(text, [source]) == (expected,)


def test_each_number_is_named_once_and_any_source_will_do() -> None:
    assert unsupported("7 and 8, 7 and 9", ['{"n":8}', '{"n":9}']) == ("7",)


def test_without_sources_nothing_is_supported() -> None:
    assert unsupported("7", []) == ("7",)


def test_the_source_that_a_figure_stands_on() -> None:
    (number,) = numbers_in("9.3")
    assert [supporting(number, source) for source in ('{"n":9}', '{"n":9.33}')] == [False, True]


def test_a_source_that_only_looks_like_json_is_text() -> None:
    assert unsupported("7", ["[" * 100_000 + "7", '{"n":NaN,"m":7']) == ()


_EXACT = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=4)


@given(value=_EXACT, decimals=st.integers(0, 4))
def test_what_is_rounded_is_supported(value: Decimal, decimals: int) -> None:
    assert unsupported(f"it is {value:.{decimals}f}", [canonical({"x": float(value)})]) == ()


@given(value=_EXACT, decimals=st.integers(0, 4), off=st.integers(1, 9))
def test_what_is_off_by_a_unit_is_not(value: Decimal, decimals: int, off: int) -> None:
    wrong = round(value, decimals) + off * Decimal(1).scaleb(-decimals)
    near_half = abs(wrong - value) <= Decimal(1).scaleb(-decimals) / 2
    assert near_half or unsupported(f"it is {wrong:.{decimals}f}", [canonical({"x": float(value)})]) != ()


@given(text=st.text(), number=st.integers(10, 10**6))
def test_a_number_is_found_behind_any_text(text: str, number: int) -> None:
    assert str(number) in unsupported(f"{text} x {number} ", ['{"n":1}'])


@given(text=st.text(), source=st.text())
def test_any_text_and_any_source_can_be_read(text: str, source: str) -> None:
    assert set(unsupported(text, [source])) <= {number.written for number in claims(text, [source])}
    assert unsupported(text, [f"so: {text}"]) == ()


@given(number=st.integers(2, 10**6), offset=st.sampled_from([0x660, 0x966, 0xFF10, 0x1D7CE, 0x1D7D8, 0x0E50]))
def test_digits_of_other_scripts_are_digits(number: int, offset: int) -> None:
    written = "".join(chr(offset + int(digit)) for digit in str(number))
    assert [found.value for found in numbers_in(f"n is {written}.")] == [number]
