"""Small groups that conditions select among them or leave out, against brute force over all their subsets."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_graph.core.disclosure import Conjunction, Flags, Part

K = 3
ROWS = 18
MET = st.lists(st.sampled_from([True, False, None]), min_size=ROWS, max_size=ROWS)
PARTS = st.lists(st.tuples(MET, st.sampled_from(["excluding", "free", "fixed", "always"])), min_size=1, max_size=4)
OWNERS = st.none() | st.lists(st.integers(0, 8), min_size=ROWS, max_size=ROWS)


def part(met: list[bool | None], kind: str) -> Part:
    fails = None if kind == "always" else np.array([one is False for one in met])
    return Part(
        holds=np.array([one is True for one in met]),
        fails=fails,
        free=kind in ("free", "excluding"),
        excludes=kind == "excluding",
    )


def is_small(rows: Flags, owners: list[int] | None) -> bool:
    subjects = np.arange(ROWS) if owners is None else np.array(owners)
    return 0 < len(set(subjects[rows].tolist())) < K


def together(masks: Iterable[Flags]) -> Flags:
    rows = np.ones(ROWS, np.bool_)
    for mask in masks:
        rows &= mask
    return rows


def same(one: Flags | None, other: Flags | None) -> bool:
    return one is None if other is None else one is not None and bool((one == other).all())


@given(PARTS, OWNERS)
def test_the_fewest_conditions_of_a_small_group_are_found(
    drawn: list[tuple[list[bool | None], str]], owners: list[int] | None
) -> None:
    parts = [part(*one) for one in drawn]
    some = [each for size in range(1, len(parts) + 1) for each in combinations(parts, size)]
    small = [rows for each in some if is_small(rows := together(one.holds for one in each), owners)]
    found = Conjunction(parts, None if owners is None else np.array(owners), K).small_part()
    assert same(found, small[0] if small else None)


@given(PARTS, OWNERS)
def test_a_small_group_that_is_left_out_is_found(
    drawn: list[tuple[list[bool | None], str]], owners: list[int] | None
) -> None:
    """Of all that some conditions select, those who do not meet, or fail, one more; where a free one is in the rest.

    Of the whole table only, where the one does not say what it leaves out.
    """
    parts = [part(*one) for one in drawn]
    rows = together(one.holds for one in parts)
    is_told = bool(rows.any()) and not is_small(rows, owners)
    small = []
    for one in (each for each in parts if each.fails is not None):
        others = [each for each in parts if each is not one]
        for size in range(len(others) if one.excludes else min(len(others), 1)):
            for some in combinations(others, size):
                rest = [each for each in parts if not any(each is chosen for chosen in some)]
                if any(each.free for each in rest):
                    masks = [each.holds for each in some]
                    small += [together([~one.holds, *masks]), together([one.fails, *masks])]  # type: ignore[list-item]
    small = [rows for rows in small if is_told and is_small(rows, owners)]
    found = Conjunction(parts, None if owners is None else np.array(owners), K).left_out()
    assert same(found, small[0] if small else None)


@pytest.mark.parametrize("subjects", [2, 3])
def test_the_rows_of_a_small_group_may_be_many(subjects: int) -> None:
    """More than are looked at first: the last of them may be another subject's."""
    owners = np.minimum(np.arange(5_000) // 2_000, subjects - 1)
    found = Conjunction([part([True] * 5_000, "free")], owners, K).small_part()
    assert (found is None) == (subjects == K)
