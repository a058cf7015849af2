"""What a dataset's answers give away together, and what one more would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from review_graph.core.disclosure.doubts import Others, Search
from review_graph.core.disclosure.indicators import Group, TooManyError, few
from review_graph.core.disclosure.knowing import How, Known, in_doubt, system
from review_graph.core.disclosure.partition import Flags, Partition, Whole
from review_graph.core.disclosure.spans import Span

MAX_ATOMS = 4_000
"""Groups into which all questions together may take a dataset apart; a question that needs more is refused."""


@dataclass(frozen=True, kw_only=True, eq=False)
class World:
    """One way of looking at a dataset as units, and what adding and subtracting gives there.

    Attributes:
        partition: Its units.
        told: Span of the sets that were told: counts, and sums of values.
        counts: The same with the sizes of whole datasets, of which the counts are known and no sums.
    """

    partition: Partition
    told: Span
    counts: Span

    @classmethod
    def of(cls, units: int, owner_of: Whole | None = None) -> Self:
        """A world of which nothing is known."""
        partition = Partition.of(units, owner_of)
        return cls(partition=partition, told=Span.of(partition.atoms), counts=Span.of(partition.atoms))

    def split(self, sets: Sequence[Flags], k: int) -> tuple[Self, Whole]:
        """Take it apart by more sets, of which nothing is known yet."""
        partition, parent = self.partition.split(sets)
        if partition.atoms > MAX_ATOMS:
            raise TooManyError
        big = partition.subjects >= k
        told = self.told.split(parent, partition.subjects, big)
        return replace(self, partition=partition, told=told, counts=self.counts.split(parent, partition.subjects, big)), parent

    def learn(self, known: Sequence[Known], sets: Flags, k: int) -> Self:
        """Add the sets whose sizes are known exactly."""
        big = self.partition.subjects >= k
        told, counts = self.told, self.counts
        for one, members in zip(known, sets, strict=True):
            if one.how is How.TOLD:
                told = told.add(members, big)
            if one.exact:
                counts = counts.add(members, big)
        return replace(self, told=told, counts=counts)

    def given_away(self, span: Span, k: int) -> set[Group]:
        """Groups of fewer than `k` subjects in a span."""
        groups = few(*span.without_big(self.partition.subjects >= k), k)
        return {group for group in groups if self.partition.subjects_in(sorted(group)) < k}


@dataclass(frozen=True, kw_only=True, eq=False)
class Breach:
    """What an answer would give away.

    Attributes:
        groups: How many groups of a few subjects, by adding and subtracting; 0 when it is by bounds.
        subjects: Those of them that are groups of subjects of the first world.
    """

    groups: int
    subjects: tuple[Flags, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Audit:
    """What is known of a dataset.

    Attributes:
        k: Groups of 1 to one less are not to be given away.
        worlds: Ways to look at it; the first has subjects as its units.
        known: What is known of each set, in their order.
        rows: Place of the world whose units are rows; None where each row is a subject.
        others: Other tables in which all that is known is the same.
    """

    k: int
    worlds: tuple[World, ...]
    known: tuple[Known, ...] = ()
    rows: int | None = None
    others: Others

    @classmethod
    def of(cls, k: int, owners: Sequence[Whole | int], rows: int | None = None) -> Self:
        """Nothing is known.

        Args:
            k: The threshold.
            owners: Of each world, the subject of each unit; where each unit is a subject, how many there are.
            rows: Place of the world whose units are rows.
        """
        worlds = [World.of(one) if isinstance(one, int) else World.of(len(one), one) for one in owners]
        audit = cls(k=k, worlds=tuple(worlds), rows=rows, others=Others.of(0))
        return replace(audit, others=Others.of(audit._atoms))

    def split(self, sets: Sequence[Sequence[Flags]]) -> Self:
        """Take all worlds apart by more sets.

        Args:
            sets: Of each group its units, in each of the worlds.

        Raises:
            TooManyError: There are too many atoms.
        """
        if not sets:
            return self
        split = [world.split(members, self.k) for world, members in zip(self.worlds, zip(*sets, strict=True), strict=True)]
        finer = replace(self, worlds=tuple(world for world, _ in split))
        parent = split[0][1]
        if self.rows is not None:
            parent = np.concatenate([parent, self.worlds[0].partition.atoms + split[self.rows][1]])
        return replace(finer, others=self.others.split(parent, finer._truth))

    def learn(self, known: Sequence[Known]) -> Self:
        """Know something of the sets that came last; there are as many."""
        first = len(self.known)
        worlds = [world.learn(known, world.partition.sets[first:], self.k) for world in self.worlds]
        return replace(self, worlds=tuple(worlds), known=(*self.known, *known))

    def breach(self, before: Self) -> tuple[Breach | None, Self]:
        """Say what is given away that was not before, over the same atoms; and keep what was found meanwhile.

        Raises:
            TooManyError: It is too much to be looked through.
        """
        groups = [self._by_sums(*worlds) for worlds in zip(self.worlds, before.worlds, strict=True)]
        if any(groups):
            partition = self.worlds[0].partition
            subjects = tuple(partition.units_of(sorted(group)) for group in sorted(groups[0], key=sorted))
            return Breach(groups=sum(map(len, groups)), subjects=subjects), self
        bounds, others = self._by_bounds(before)
        return (Breach(groups=0, subjects=()) if bounds else None), replace(self, others=others)

    def _by_sums(self, after: World, before: World) -> set[Group]:
        if after.told is before.told:
            return set()
        found = after.given_away(after.counts, self.k)
        if not found:
            return found  # what was told alone gives away no more than with the sizes of datasets
        found -= before.given_away(before.counts, self.k)
        return found | (after.given_away(after.told, self.k) - before.given_away(before.told, self.k))

    def _by_bounds(self, before: Self) -> tuple[bool, Others]:
        search, again = self._search(), None
        groups = in_doubt(self.known, self._subjects, self._rows, self.k)
        for place in search.given_away(groups):
            again = again or before._search()
            if not list(again.given_away(groups[place][None])):
                return True, search.others.last()
        return False, search.others.last()

    def _search(self) -> Search:
        known = system(self.known, self._subjects, self._rows)
        return Search(known, self.others, [self.worlds[place].counts for place in (0, self.rows) if place is not None])

    @property
    def _subjects(self) -> Partition:
        return self.worlds[0].partition

    @property
    def _rows(self) -> Partition | None:
        return None if self.rows is None else self.worlds[self.rows].partition

    @property
    def _atoms(self) -> int:
        return len(self._truth)

    @cached_property
    def _truth(self) -> Whole:
        sizes = self._subjects.sizes
        return sizes if self._rows is None else np.concatenate([sizes, self._rows.sizes])
