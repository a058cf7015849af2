"""Names of people: when two mean one, and what says something."""

from __future__ import annotations

import pytest

from review_graph.core.persons import same_person, says_something

ADA = "Ada Lovelace"


@pytest.mark.parametrize(
    "other",
    [
        "ada lovelace",
        "  Ada   Lovelace ",
        "Lovelace, Ada",
        "Ada Lovelace.",
        "Áda Lovelace",
        "\uff21da Lovelace",
        "Ada Lovelace\ufe0f",
        "Ada Love\u034flace",
        "Ada Love\u200blace",
        "Ada Lovelace\u3164",
        "Ada\u2800Lovelace",
        "AdaLovelace",
        "Lovelace Ada",
        "LovelaceAda",
        "Ada Love-lace",
    ],
    ids=ascii,
)
def test_one_person_under_two_names(other: str) -> None:
    assert same_person(ADA, other)
    assert same_person(other, ADA)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Łukasz Nowak", "Lukasz Nowak"),
        ("Søren Ørsted", "Soren Orsted"),
        ("Đorđe", "Dorde"),
        ("Ħal", "Hal"),
        ("Ŧor", "Tor"),
        ("Straße", "STRASSE"),
        ("Æthel", "Aethel"),
        ("Œuvrard", "Oeuvrard"),
        ("I\u0131ker", "Iiker"),
        ("Guðrún", "Gudrun"),
        ("Þór", "Thor"),
        ("ᴀda", "Ada"),
    ],
    ids=ascii,
)
def test_letters_with_strokes_and_ligatures_are_those_they_are_written_for(one: str, other: str) -> None:
    assert same_person(one, other)
    assert same_person(other, one)


def test_letters_of_other_alphabets_are_others() -> None:
    assert not same_person("Ada", "\u0410da")


@pytest.mark.parametrize("other", ["Ada", "Ada Byron", "Bob", "Ada Lovelace 2"])
def test_two_people(other: str) -> None:
    assert not same_person(ADA, other)


@pytest.mark.parametrize("text", ["", " ", "?", "...", "\u3164", "\u115f\u1160", "\u2800", "\u200b"], ids=ascii)
def test_what_says_nothing(text: str) -> None:
    assert not says_something(text)


@pytest.mark.parametrize("text", ["x", " 7 ", "é", "好"])
def test_what_says_something(text: str) -> None:
    assert says_something(text)
