"""Groups of a few subjects that a span holds: what could be had by adding and subtracting."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np

from review_graph.core.disclosure.partition import Flags, Whole
from review_graph.core.disclosure.spans import P

ENUMERATED = 12
"""Rows of a basis whose combinations are all gone through."""

MAX_PARTS = 5_000_000
"""Halves of groups that are compared; beyond that a question is refused."""

Group = frozenset[int]


class TooManyError(Exception):
    """There is more to look through than is worth a question."""


def few(rows: Whole, pivots: Whole, k: int) -> set[Group]:
    """Return groups of atoms whose indicator is a combination of the rows.

    With a basis of up to `ENUMERATED` rows these are all groups; otherwise all of fewer than `k` atoms. Rows that
    share no column with others are looked at by themselves: what is least in a sum is in one of the parts.

    Args:
        rows: A reduced basis over the atoms, without zero rows.
        pivots: Its pivots.
        k: Groups of fewer subjects are looked for; each atom has one at least.

    Raises:
        TooManyError: They are too many to be looked through.
    """
    found: set[Group] = set()
    for part in _parts(rows != 0):
        columns = np.flatnonzero((rows[part] != 0).any(axis=0))
        basis = rows[np.ix_(part, columns)]
        if len(part) <= ENUMERATED:
            groups = _all(basis)
        else:
            groups = _of_few_atoms(basis, np.searchsorted(columns, pivots[part]), k)
        found.update(frozenset(columns[group].tolist()) for group in groups)
    return found


def _parts(touches: Flags) -> Iterator[Whole]:
    """The rows, in parts that share no column."""
    left = np.ones(len(touches), np.bool_)
    while left.any():
        part = np.zeros(len(touches), np.bool_)
        more = np.zeros(len(touches), np.bool_)
        more[np.argmax(left)] = True
        while (more & ~part).any():
            part |= more
            more = left & touches[:, touches[part].any(axis=0)].any(axis=1)
        left &= ~part
        yield np.flatnonzero(part)


def _all(basis: Whole) -> Iterator[Whole]:
    """Each combination that is an indicator takes a row once or not at all: so it is at the row's pivot."""
    choices = (np.arange(1, 2 ** len(basis))[:, None] >> np.arange(len(basis))) & 1
    sums = choices @ basis % P
    for indicator in sums[(sums <= 1).all(axis=1)]:
        yield np.flatnonzero(indicator)


def _of_few_atoms(basis: Whole, pivots: Whole, k: int) -> Iterator[Whole]:
    """Meet in the middle: a group is a combination if and only if whatever the rows leave free sums to zero over it.

    Two random vectors of what is left free, 62 bits, take a group for one wrongly once in 10^18 times.
    """
    keys = _left_free(basis, pivots)
    halves = [np.arange(keys.shape[1])[:, None]]
    for _ in range(k // 2 - 1):
        halves.append(_longer(halves[-1], keys.shape[1]))
    sums = np.concatenate([_packed(keys[:, half].sum(axis=2) % P) for half in halves])
    negated = np.concatenate([_packed(-keys[:, half].sum(axis=2) % P) for half in halves])
    starts = np.cumsum([0, *(len(half) for half in halves)])

    def atoms_of(number: int) -> list[int]:
        size = int(np.searchsorted(starts, number, "right")) - 1
        members: list[int] = halves[size][number - starts[size]].tolist()
        return members

    for number in np.flatnonzero(sums == 0).tolist():
        yield np.array(atoms_of(number))
    for one, other in _opposite(sums, negated):
        group = sorted([*atoms_of(one), *atoms_of(other)])
        if all(first != second for first, second in pairwise(group)):
            yield np.array(group)


def _left_free(basis: Whole, pivots: Whole) -> Whole:
    random = np.random.default_rng(20261130)
    values = random.integers(0, P, (2, basis.shape[1]))
    values[:, pivots] = 0
    for vector in values:
        vector[pivots] = -(basis * vector % P).sum(axis=1) % P
    return values


def _longer(subsets: Whole, atoms: int) -> Whole:
    """The subsets with one more atom, in ascending order."""
    more = atoms - 1 - subsets[:, -1]
    if more.sum() > MAX_PARTS:
        raise TooManyError
    which = np.repeat(np.arange(len(subsets)), more)
    offset = np.arange(len(which)) - np.repeat(np.cumsum(more) - more, more)
    return np.hstack([subsets[which], (subsets[which, -1] + 1 + offset)[:, None]])


def _packed(pairs: Whole) -> Whole:
    both: Whole = (pairs[0] << 31) | pairs[1]
    return both


def _opposite(sums: Whole, negated: Whole) -> Iterator[tuple[int, int]]:
    """Pairs of which one is the negative of the other: alike up to the sign, so they are neighbours when sorted."""
    alike = np.minimum(sums, negated)
    order = np.argsort(alike)
    ordered = alike[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], [True])) + 1
    starts = np.append(0, ends[:-1])
    several = np.flatnonzero(ends - starts > 1)
    if ((ends - starts)[several] ** 2).sum() > MAX_PARTS:
        raise TooManyError
    for run in several:
        for one, other in combinations(order[starts[run] : ends[run]].tolist(), 2):
            if sums[one] == negated[other]:
                yield one, other
