"""Small groups that some conditions of a question select by themselves, or leave out.

Whoever knows that a few subjects meet some conditions learns something of each of them from a count of 0 for these and
one more. So a question that holds the conditions of a small group gets the answer of that group, whoever of it meets
the rest: what it says could be had without the rest. And a question that leaves a small group out is not answered:
beside the same question without that condition, equal counts would say that nobody of the group meets the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from review_graph.core.disclosure.partition import Flags, Whole

_FIRST = 1_000
"""Rows in which different subjects are looked for first."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """One of the conditions that make a group.

    Attributes:
        holds: The rows that meet it.
        fails: The rows that do not; with neither, a value is missing. None for a condition that a tool asks with every
            question, so that nobody can ask without it.
        free: Whether the caller chose it freely, and not among fixed values.
        excludes: Whether it says what is left out, and not what is taken.
    """

    holds: Flags
    fails: Flags | None = None
    free: bool = False
    excludes: bool = False


class Conjunction:
    """The rows that meet several conditions, and what subsets of these select.

    Args:
        parts: The conditions.
        owner_of: The subject of each row; None where each row is one.
        k: Groups of fewer subjects are small.
    """

    def __init__(self, parts: Sequence[Part], owner_of: Whole | None, k: int) -> None:
        self._parts = parts
        self._owner_of = owner_of
        self._k = k

    def small_part(self) -> Flags | None:
        """Return the rows of the fewest conditions that select a small group; None where none do."""
        if self._select_many:
            return None  # fewer conditions select more
        for some in _subsets(range(len(self._parts))):
            if some and self._selects_few(some):
                return _all_of([self._parts[place].holds for place in some])
        return None

    def left_out(self) -> Flags | None:
        """Return the rows of a small group that one condition leaves out; None where there is none.

        Of the whole table; of what other conditions select, too, where the one says what is left out. Only where all
        conditions together select no small group: its count is not told. And only a group that the rest of the
        conditions would take apart: one that is left out of all others comes out by adding and subtracting, and is
        looked for there.
        """
        for place, part in enumerate(self._parts) if self._select_many else ():
            others = [other for other in range(len(self._parts)) if other != place]
            if part.fails is None:
                continue
            for some in _subsets(others) if part.excludes else [()]:
                rest = [place, *(other for other in others if other not in some)]
                if len(rest) == 1 or not any(self._parts[other].free for other in rest):
                    continue
                for without, left in ((place, ~part.holds), (len(self._parts) + place, part.fails)):
                    if self._selects_few(some, without) if some else self._is_small(left):
                        return _all_of([left, *(self._parts[other].holds for other in some)])
        return None

    @cached_property
    def _select_many(self) -> bool:
        """Whether all conditions together select enough subjects."""
        rows = np.flatnonzero(_all_of([part.holds for part in self._parts])) if self._parts else np.zeros(0, np.int64)
        return len(self._few(rows)) >= self._k

    def _is_small(self, rows: Flags) -> bool:
        return 0 < len(self._few(np.flatnonzero(rows))) < self._k

    def _selects_few(self, some: Sequence[int], without: int | None = None) -> bool:
        """Whether conditions select a small group, without those who meet another one, or with those who fail it."""
        codes, few = self._kinds
        chosen = np.ones(len(codes), np.bool_)
        for place in some:
            chosen &= (codes >> place) & 1 == 1
        if without is not None:
            chosen &= (codes >> without) & 1 == (without >= len(self._parts))
        groups = [few[kind] for kind in np.flatnonzero(chosen)]
        if not groups or max(map(len, groups)) >= self._k:
            return False
        return len(np.unique(np.concatenate(groups))) < self._k

    @cached_property
    def _kinds(self) -> tuple[Whole, list[Whole]]:
        """The kinds of rows by which conditions they meet and fail, as bits; and subjects of each, `k` at most."""
        masks = [*(part.holds for part in self._parts), *(part.fails for part in self._parts)]
        code = np.zeros(len(self._parts[0].holds), np.int32)
        for bit, mask in enumerate(masks):
            if mask is not None:
                code |= mask.astype(np.int32) << np.int32(bit)
        sizes = np.bincount(code)
        codes = np.flatnonzero(sizes)
        number = np.zeros(len(sizes), np.uint16)
        number[codes] = np.arange(len(codes))
        order = np.argsort(number[code], kind="stable")
        ends = np.cumsum(sizes[codes])
        return codes, [self._few(rows) for rows in np.split(order, ends[:-1])]

    def _few(self, rows: Whole) -> Whole:
        """Different subjects of some rows: all of them, or `k` where there are as many."""
        if self._owner_of is None:
            return rows[: self._k]
        found = np.unique(self._owner_of[rows[:_FIRST]])
        if len(found) < self._k and len(rows) > _FIRST:
            found = np.unique(self._owner_of[rows])
        return found[: self._k]


def _all_of(masks: Sequence[Flags]) -> Flags:
    """Return the rows that are in each of some sets, at least one."""
    rows: Flags = np.logical_and.reduce(masks)
    return rows


def _subsets(of: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All subsets, the smallest first."""
    for size in range(len(of) + 1):
        yield from combinations(of, size)
