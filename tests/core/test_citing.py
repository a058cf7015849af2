"""What an answer or a question names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import registry
from review_graph.core.asking_about import asked_about
from review_graph.core.citing import FAMILIES, cited, named_in, uncited
from review_graph.vocabulary import Citation

FINDING = Citation(kind="finding", name="ranges.outside_limits-1a2b3c4d")
OTHER = Citation(kind="finding", name="structure.duplicate_key-0badcafe")
RULE = Citation(kind="finding", name="ranges.rule.Has-R03_criterion-908eab62")
ALT = Citation(kind="parameter", name="ALT")
WEIGHT = Citation(kind="parameter", name="WEIGHT")
POTASSIUM = Citation(kind="parameter", name="K")
LDL = Citation(kind="parameter", name="LDL_C")
ADSL = Citation(kind="dataset", name="adsl")
SITES = Citation(kind="dataset", name="sites")
AE = Citation(kind="dataset", name="ae")
KNOWN = (FINDING, OTHER, RULE, ALT, WEIGHT, POTASSIUM, LDL, ADSL, SITES, AE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[finding:ranges.outside_limits-1a2b3c4d] says so", [FINDING]),
        ("ranges.outside_limits-1a2b3c4d says so.", [FINDING]),
        ("(ranges.rule.Has-R03_criterion-908eab62)", [RULE]),
        ("[finding: ranges.rule.has-r03_criterion-908eab62 ]", [RULE]),
        ("RANGES.OUTSIDE_LIMITS-1A2B3C4D", [FINDING]),
        ("ranges.outside_limits\u20101a2b3c4d", [FINDING]),
        ("structure.duplicate_key is severe", [OTHER]),
        ("STRUCTURE.DUPLICATE_KEY.", [OTHER]),
        ("[finding:structure.duplicate_key]", [OTHER]),
        ("ranges.rule.has-r03_criterion", [RULE]),
        ("[Parameter: alt]", [ALT]),
        ("ALT is high", [ALT]),
        ("ALT\u2019s mean", [ALT]),
        ("\u0410LT is high", [ALT]),
        ("\uff21\uff2c\uff34 is high", [ALT]),
        ("A\u200bLT is high", [ALT]),
        ("parameter alt", [ALT]),
        ("the alt parameter", [ALT]),
        ("the WEIGHT", [WEIGHT]),
        ("ldl_c was measured", [LDL]),
        ("parameter K", [POTASSIUM]),
        ("the dataset 'ae'", [AE]),
        ("ADSL has subjects", [ADSL]),
        ("dataset sites", [SITES]),
        ("the sites dataset", [SITES]),
        ("ALT and WEIGHT of ADSL", [ALT, WEIGHT, ADSL]),
    ],
    ids=ascii,
)
def test_what_is_known_is_named_as_it_is_known(text: str, expected: list[Citation]) -> None:
    assert named_in(text, KNOWN) == set(expected)


@pytest.mark.parametrize(
    "text",
    [
        *("the weight of the sites", "an AE", "vitamin K", "SALT, ALTITUDE, ALT-2, X.ALT", "[note: ALTERED]"),
        *("altogether", "the structure.The ranges.", "structure.", "infrastructure.net", "my-ranges.csv"),
    ],
)
def test_words_are_no_names(text: str) -> None:
    assert named_in(text, KNOWN) == frozenset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[finding:made-up]", Citation(kind="finding", name="made-up")),
        ("ranges.rule.made-up-00000000", Citation(kind="finding", name="ranges.rule.made-up-00000000")),
        ("ranges.made_up-00000000", Citation(kind="finding", name="ranges.made_up-00000000")),
        ("structure.made_up is severe", Citation(kind="finding", name="structure.made_up")),
        ("[finding: ranges.rule.none ]", Citation(kind="finding", name="ranges.rule.none")),
        ("[dataset: adxx ]", Citation(kind="dataset", name="adxx")),
        ("parameter ZZTOP", Citation(kind="parameter", name="ZZTOP")),
        ("dataset \u201cnone such\u201d", Citation(kind="dataset", name="none such")),
    ],
)
def test_what_is_made_up_is_named_too(text: str, expected: Citation) -> None:
    assert named_in(text, KNOWN) == {expected}
    assert uncited(text, KNOWN, KNOWN) == (expected,)


def test_what_no_tool_returned_is_uncited() -> None:
    text = f"ALT and WEIGHT, see {FINDING.name}"
    assert uncited(text, {ALT}, KNOWN) == (FINDING, WEIGHT)
    assert uncited(text, {ALT, WEIGHT, FINDING}, KNOWN) == ()


def test_the_code_of_a_check_may_be_named_when_one_of_its_findings_was_returned() -> None:
    again = Citation(kind="finding", name="structure.duplicate_key-00000001")
    text = "structure.duplicate_key is severe"
    assert uncited(text, {FINDING}, {*KNOWN, again}) == (again, OTHER)
    assert uncited(text, {OTHER}, {*KNOWN, again}) == ()
    assert uncited(f"{text}, as {again.name}", {OTHER}, {*KNOWN, again}) == (again,)
    assert cited(text, {OTHER, FINDING}) == (OTHER,)


def test_the_families_are_those_of_the_catalogue() -> None:
    assert FAMILIES == registry.FAMILIES


def test_a_citation_is_kept_only_when_returned_and_named() -> None:
    assert cited("ALT and WEIGHT", {ALT, ADSL}) == (ALT,)


def test_what_a_question_asks_about() -> None:
    asked = asked_about(f"Is {FINDING.name} about ALT or parameter QQQ?", KNOWN)
    assert asked.there == (FINDING, ALT)
    assert asked.missing == (Citation(kind="parameter", name="QQQ"),)


def test_an_ordinary_question_names_nothing() -> None:
    asked = asked_about("How many subjects does the dataset contain, by parameter and visit?", KNOWN)
    assert (asked.there, asked.missing) == ((), ())


@given(text=st.text(max_size=200), names=st.lists(st.text(min_size=1, max_size=20), max_size=5))
def test_any_text_and_any_name_can_be_read(text: str, names: list[str]) -> None:
    known = {Citation(kind="parameter", name=name) for name in names}
    assert uncited(text, known, known) == uncited(text, known, ())
    assert set(cited(text, known)) <= known
