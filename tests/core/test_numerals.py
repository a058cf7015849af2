"""What a reader may take for a number: what needs support, and what is none."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.vocabulary import canonical
from review_graph.core.grounding import claims, numbers_in, unsupported
from review_graph.core.numerals import claims_in

SOURCES = ("How many subjects on placebo?", '{"filter":["SAFFL = \'Y\'","TRT01A = \'Placebo\'"],"subjects":86}')


@pytest.mark.parametrize(
    ("text", "wanting"),
    [
        ("_1234_ subjects died", "1234"),
        ("__1234__ subjects died", "1234"),
        ("TOTAL1234 subjects died", "1234"),
        ("MEAN73.77", "73.77"),
        ("Deaths: N_1234.", "1234"),
        ("The difference is significant, p0.0317.", "0.0317"),
        ("v1234 of them", "1234"),
        ("Q1234 of the subjects", "1234"),
        ("Q03 says so", "03"),
        ("subjects died: n\u2078\u2076\u2077", "867"),
        ("subjects died: n\u2088\u2086\u2087", "867"),
        ("subjects died: n\u2077", "7"),
        ("Number of deaths:\n1) subject", "1"),
        ("n\u0456nety-n\u0456ne subjects died", "ninety-nine"),
        ("f\u00f6rty subjects died", "forty"),
        ("f\u03bfrty subjects died", "forty"),
        ("_forty_ subjects died", "forty"),
        ("seventytwo died", "seventytwo"),
        ("l\u039f\u039f subjects died", "100"),
        ("1OO subjects died", "100"),
        ("TOTAL1,234 subjects died", "1,234"),
        ("I00 subjects died", "100"),
        ("\u516b\u5341\u4e03 subjects died", "\u516b\u5341\u4e03"),
        ("\U0001f51f subjects died", "10"),
        ("\U0001f4af subjects died", "100"),
        ("1\ufe0f\u20e32\ufe0f\u20e3 subjects died", "12"),
        ("LXXXVIII subjects died", "LXXXVIII"),
        ("xii subjects died", "xii"),
        ("a third had an event", "a third"),
        ("two-thirds had an event", "two-thirds"),
        ("three quarters had an event", "three quarters"),
        ("half of the subjects withdrew", "half"),
        ("twice as many as before", "twice"),
        ("a threefold rise", "threefold"),
        ("hundreds died", "hundreds"),
        ("One subject died.", "One"),
        ("It shows that one subject died", "one"),
        ("one of them died", "one"),
        ("one of the treated subjects died", "one"),
        ("eleventy died", "eleventy"),
        ("a trillion died", "trillion"),
        ("the eighty-seventh percentile", "eighty-seventh"),
        ("the twentieth visit", "twentieth"),
        ("one hundred and fifth", "one hundred and fifth"),
    ],
    ids=ascii,
)
def test_a_number_from_nowhere_is_noticed(text: str, wanting: str) -> None:
    assert wanting in unsupported(text, SOURCES)


@pytest.mark.parametrize(
    "text",
    [
        "one of the arms, at first, the second, the third arm, once, none, most",
        "No one can tell. This one, each one, another one, a larger one.",
        "One can look at the high dose; on the one hand, one-sided; one another",
        "the first half of the study, the half-life",
        "TRT01A, _TRT01A_, trt01a",
        "CO\u2082, kg/m\u00b2, \u03c7\u00b2",
        "1. arms\n2. ages\n3. sexes",
        "MCV and MCI; IV; a mix of civil, vivid and mild ones",
        "the oil, 86 of them, LOO",
        "there is 86",
    ],
    ids=ascii,
)
def test_ordinary_prose_can_be_written(text: str) -> None:
    assert unsupported(text, SOURCES) == ()


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("one finding", '{"findings_in_all":1}'),
        ("One subject", "did one subject die?"),
        ("half of them", '{"value":50}'),
        ("half of them", '{"value":0.5}'),
        ("half of them", '{"value":49.6}'),
        ("half of them", "Did half of them drop out?"),
        ("a third", '{"value":33.333333}'),
        ("a third", '{"value":0.3333}'),
        ("two thirds", '{"value":66.7}'),
        ("twice as many", '{"value":2}'),
        ("phase III", '{"label":"Phase III study"}'),
        ("phase III", '{"phase":3}'),
        ("the fifth visit", "how was it at visit 5?"),
        ("Q03 and v2.1", "what do Q03 and v2.1 say?"),
        ("SCR_01", '{"SCR_01":{"n":86}}'),
        ("\u4e8c\u3007\u4e8c\u56db", '{"year":2024}'),
        ("\u4e00\u4ebf\u4e8c\u5343\u4e09\u767e\u4e07", '{"n":123000000}'),
        ("\u5eff\u4e00", '{"n":21}'),
    ],
    ids=ascii,
)
def test_what_is_claimed_in_words_can_be_supported(text: str, source: str) -> None:
    assert unsupported(text, [source]) == ()


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("1 subject", "Did one subject die?"),
        ("3 subjects", '{"label":"Phase III study"}'),
        ("0.5", "Did half of them drop out?"),
        ("one subject", '{"filter":["SEX = \'F\'"]}'),
        ("twice as many", '{"filter":["SEX = \'F\'","AGE > 64"]}'),
        ("half of them", '{"n":"<50"}'),
        ("half of them", '{"value":50.6}'),
        ("a third", '{"value":34}'),
        ("Q03", '{"question":"Q031"}'),
        ("v2", "what does v2.1 say?"),
        ("03", '{"question":"Q03"}'),
    ],
)
def test_what_is_loose_in_a_source_supports_nothing_else(text: str, source: str) -> None:
    assert unsupported(text, [source]) != ()


def test_the_number_of_a_name_of_the_data_is_no_claim() -> None:
    text = "86 by TRT01A, TOTAL86"
    assert [number.written for number in claims(text, SOURCES)] == ["86", "86"]
    assert [number.written for number in numbers_in(text)] == ["86"]


_LETTERS = st.text("ABCDEFGHKMNPQRSTUVWXYZabcdfghjmnpqrstuvwxyz_", max_size=8)


@given(before=_LETTERS, number=st.integers(10, 10**6), after=st.sampled_from(["", "_", "__", ".", "!", "X"]))
def test_no_letters_hide_a_number(before: str, number: int, after: str) -> None:
    assert number in [claim.value for claim in claims_in(f"see {before}{number}{after}")]


@given(name=st.from_regex(r"[A-Z]{1,6}_?[0-9]{1,4}[A-Z]?", fullmatch=True))
def test_an_identifier_of_the_data_is_none(name: str) -> None:
    assert unsupported(f"__{name}__ and {name.lower()}", [canonical({name: "x"})]) == ()


_ROMAN = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL")]
_ROMAN += [(10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


@given(number=st.integers(1, 4999))
def test_roman_numerals_are_worth_what_they_say(number: int) -> None:
    signs, left = "", number
    for worth, sign in _ROMAN:
        signs, left = signs + sign * (left // worth), left % worth
    is_read = len(signs) > 3 or (len(signs) == 3 and not set("CDM") & set(signs))
    assert [claim.value for claim in claims_in(signs)] == [number] * is_read


_UNITS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
_UNITS += " eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def _in_words(number: int, joint: str) -> str:
    if number < 20:
        return _UNITS.split()[number - 1]
    if number < 100:
        ten, unit = _TENS.split()[number // 10 - 2], number % 10
        return ten + (joint + _in_words(unit, joint) if unit else "")
    rest = number % 100
    return f"{_in_words(number // 100, joint)} hundred" + (f" and {_in_words(rest, joint)}" if rest else "")


@given(number=st.integers(2, 999), joint=st.sampled_from(["", " ", "-", "_", "\u2011"]))
def test_number_words_are_worth_what_they_say(number: int, joint: str) -> None:
    assert [claim.value for claim in claims_in(f"{_in_words(number, joint)} died")] == [Decimal(number)]
