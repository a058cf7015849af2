"""When two calls ask the same, and how often that may be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_graph.core.repeating import call_key, is_repeat, is_stuck, times_running
from review_graph.vocabulary import ModelCall


def _call(name: str = "count_rows", broken: str = "", **arguments: Any) -> ModelCall:
    return ModelCall(id="", name=name, arguments=None if broken else arguments, broken=broken)


def _key(**arguments: Any) -> str:
    return call_key(_call(**arguments))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"arm": "Placebo", "sex": "F"}, {"sex": "F", "arm": "Placebo"}),
        ({"arm": "Placebo"}, {"arm": "  PLACEBO "}),
        ({"arm": "High  Dose"}, {"arm": "high dose"}),
        ({"flags": ["a", "b"]}, {"flags": ["B", "a"]}),
        ({"where": [{"c": "X", "v": 1}]}, {"where": [{"v": 1.0, "c": "x "}]}),
        ({"arm": "x", "reasoning": "why"}, {"arm": "x", "reasoning": "why not"}),
        ({"arm": "x"}, {"arm": "x", "Reasoning ": "why"}),
        ({"arm": "x", "visit": None}, {"ARM": "x"}),
    ],
)
def test_the_same_question(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert _key(**one) == _key(**other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"arm": "Placebo"}, {"arm": "Placebos"}),
        ({"age": 1}, {"age": "1"}),
        ({"age": 1}, {"age": True}),
        ({"age": 1}, {"age": 1.5}),
        ({"flags": ["a", "b"]}, {"flags": ["a"]}),
        ({"a": "x"}, {"b": "x"}),
        ({}, {"broken": "{"}),
    ],
)
def test_another_question(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert _key(**one) != _key(**other)


def test_another_tool_asks_something_else() -> None:
    assert call_key(_call("a")) != call_key(_call("b"))
    assert call_key(_call("Count_Rows ")) == call_key(_call("count_rows"))


def test_broken_arguments_are_compared_as_written() -> None:
    assert call_key(_call(broken="{x")) == call_key(_call(broken="{x"))
    assert call_key(_call(broken="{x")) != call_key(_call(broken="{y"))


@pytest.mark.parametrize(
    ("made", "times"),
    [("", 1), ("a", 2), ("aa", 3), ("aab", 1), ("aba", 2), ("baa", 3), ("b", 1)],
)
def test_how_often_in_a_row(made: str, times: int) -> None:
    assert times_running(list(made), "a") == times
    assert is_stuck(list(made), "a") is (times >= 3)
    assert is_repeat(list(made), "a") is ("a" in made)


_PLAIN: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(arguments=st.dictionaries(st.text(), _PLAIN), reasoning=st.text())
def test_order_and_reasoning_never_count(arguments: dict[str, Any], reasoning: str) -> None:
    arguments = {" ".join(name.casefold().split()): value for name, value in arguments.items()}
    turned = dict(reversed(list(arguments.items()))) | {"reasoning": reasoning}
    key = call_key(ModelCall(id="1", name="t", arguments=arguments))
    assert key == call_key(ModelCall(id="2", name="t", arguments=turned))
