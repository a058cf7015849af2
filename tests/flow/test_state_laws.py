"""The laws of the reducer: branches may end in any order, and a step may run twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from review_graph.state import Keyed, merge_keyed

RECORDS = st.dictionaries(
    st.sampled_from("abc"), st.dictionaries(st.sampled_from("xy"), st.integers() | st.text(max_size=3)), max_size=3
)


@given(RECORDS)
def test_idempotent(a: Keyed) -> None:
    assert merge_keyed(a, a) == a


@given(RECORDS, RECORDS)
def test_commutative(a: Keyed, b: Keyed) -> None:
    assert merge_keyed(a, b) == merge_keyed(b, a)


@given(RECORDS, RECORDS, RECORDS)
def test_associative(a: Keyed, b: Keyed, c: Keyed) -> None:
    assert merge_keyed(merge_keyed(a, b), c) == merge_keyed(a, merge_keyed(b, c))


@given(RECORDS, RECORDS)
def test_nothing_is_lost_and_the_order_is_fixed(a: Keyed, b: Keyed) -> None:
    merged = merge_keyed(a, b)
    assert list(merged) == sorted({*a, *b})


@given(RECORDS)
def test_nothing_yet_is_neutral(a: Keyed) -> None:
    assert merge_keyed(None, a) == merge_keyed(a, None) == a
