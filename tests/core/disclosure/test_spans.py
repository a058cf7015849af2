"""Spans, the groups in them, and sets as text, against plain definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_graph.core.disclosure import Partition, indicators, packed, unpacked
from review_graph.core.disclosure.indicators import TooManyError, few
from review_graph.core.disclosure.partition import Flags
from review_graph.core.disclosure.spans import Span

BITS = st.lists(st.lists(st.booleans(), min_size=7, max_size=7), min_size=1, max_size=6)


def span_of(sets: Flags, big: Flags) -> Span:
    span = Span.of(sets.shape[1])
    for members in sets:
        span = span.add(members, big)
    return span


def in_span(sets: Flags, group: tuple[int, ...]) -> bool:
    indicator = np.isin(np.arange(sets.shape[1]), group)
    rank = np.linalg.matrix_rank(sets.astype(float))
    return bool(np.linalg.matrix_rank(np.vstack([sets, indicator]).astype(float)) == rank)


@pytest.mark.parametrize("enumerated", [0, 12], ids=["meet in the middle", "all combinations"])
@given(BITS, st.lists(st.booleans(), min_size=7, max_size=7))
def test_exactly_the_groups_that_are_combinations_are_found(
    enumerated: int, bits: list[list[bool]], large: list[bool]
) -> None:
    """Least groups of up to four small atoms, among any others that are combinations as well."""
    sets, big = np.array(bits), np.array(large)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(indicators, "ENUMERATED", enumerated)
        found = few(*span_of(sets, big).without_big(big), 5)
    small = np.flatnonzero(~big).tolist()
    wanted = {
        frozenset(group)
        for number in range(1, 5)
        for group in itertools.combinations(small, number)
        if in_span(sets, group)
    }
    assert all(in_span(sets, tuple(group)) for group in found)
    assert {group for group in wanted if not any(other < group for other in wanted)} <= found


@given(BITS, BITS)
def test_splitting_atoms_later_leads_to_the_same_span(first: list[list[bool]], second: list[list[bool]]) -> None:
    units = len(first[0])
    whole, _ = Partition.of(units).split(list(np.array(first + second)))
    big = whole.subjects >= 2
    at_once = span_of(whole.sets, big)
    early, _ = Partition.of(units).split(list(np.array(first)))
    span = span_of(early.sets, early.subjects >= 2)
    late, parent = early.split(list(np.array(second)))
    span = span.split(parent, late.subjects, late.subjects >= 2)
    for members in late.sets[len(first) :]:
        span = span.add(members, late.subjects >= 2)
    assert late.atoms == whole.atoms
    assert all(span.holds(members) for members in late.sets)
    assert len(span.pivots) == len(at_once.pivots)
    assert len(span.without_big(late.subjects >= 2)[1]) == len(at_once.without_big(big)[1])


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.booleans()), max_size=20))
def test_atoms_are_the_units_that_are_in_the_same_sets(units: list[tuple[int, bool, bool]]) -> None:
    owners = np.array([owner for owner, _, _ in units], np.int64)
    sets = [np.array([unit[place] for unit in units], np.bool_) for place in (1, 2)]
    partition, _ = Partition.of(len(units), owners).split(sets)
    atoms: dict[tuple[bool, bool], set[int]] = {}
    for owner, *where in units:
        atoms.setdefault((where[0], where[1]), set()).add(owner)
    assert sorted(partition.subjects.tolist()) == sorted(len(some) for some in atoms.values())
    for place, members in enumerate(sets):
        assert (partition.sets[place][partition.atom_of] == members).all()


def test_what_is_too_much_to_look_through_is_not_taken_for_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indicators, "ENUMERATED", 0)
    monkeypatch.setattr(indicators, "MAX_PARTS", 10)
    none_big = np.zeros(7, np.bool_)
    with pytest.raises(TooManyError):
        few(*span_of(np.ones((1, 7), np.bool_), none_big).without_big(none_big), 5)


@given(st.lists(st.booleans(), max_size=50))
def test_sets_come_back_from_text(bits: list[bool]) -> None:
    assert unpacked(packed(np.array(bits, np.bool_)), len(bits)).tolist() == bits
