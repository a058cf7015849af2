"""What a dataset's answers give away together, and what one more would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from review_graph.core.disclosure.doubts import Search
from review_graph.core.disclosure.indicators import Group, TooManyError, few
from review_graph.core.disclosure.knowing import How, Known, in_doubt, system
from review_graph.core.disclosure.partition import Flags, Partition, Whole
from review_graph.core.disclosure.spans import Span

MAX_ATOMS = 20_000
"""Groups into which all questions together may take a dataset apart; a question that needs more is refused."""


@dataclass(frozen=True, kw_only=True, eq=False)
class World:
    """One way of looking at a dataset as units, and what adding and subtracting gives there.

    Attributes:
        partition: Its units.
        told: Span of the sets that were told: counts, and sums of values.
        counts: The same with the sizes of whole datasets, of which the counts are known and no sums.
        counted: Whether its units are counted in answers, and not changes of units.
    """

    partition: Partition
    told: Span
    counts: Span
    counted: bool = True

    @classmethod
    def of(cls, units: int, owner_of: Whole | None = None, *, counted: bool = True) -> Self:
        """A world of which nothing is known."""
        partition = Partition.of(units, owner_of)
        return cls(partition=partition, told=Span.of(partition.atoms), counts=Span.of(partition.atoms), counted=counted)

    def split(self, sets: Sequence[Flags], k: int) -> Self:
        """Take it apart by more sets, of which nothing is known yet."""
        partition, parent = self.partition.split(sets)
        if partition.atoms > MAX_ATOMS:
            raise TooManyError
        big = partition.subjects >= k
        told, counts = (span.split(parent, partition.subjects, big) for span in (self.told, self.counts))
        return replace(self, partition=partition, told=told, counts=counts)

    def learn(self, known: Sequence[Known], sets: Flags, k: int) -> Self:
        """Add the sets whose sizes are known exactly."""
        big = self.partition.subjects >= k
        told, counts = self.told, self.counts
        for one, members in zip(known, sets, strict=True):
            if one.how is How.TOLD:
                told = told.add(members, big)
            if one.exact and self.counted:
                counts = counts.add(members, big)
        return replace(self, told=told, counts=counts)

    def given_away_since(self, before: Self, k: int) -> set[Group]:
        """Groups of fewer than `k` subjects that are given away, and were not before, over the same atoms."""
        return self._few(self.told, before.told, k) | self._few(self.counts, before.counts, k)

    def _few(self, span: Span, earlier: Span, k: int) -> set[Group]:
        big = self.partition.subjects >= k
        (rows, pivots), (old_rows, old_pivots) = span.without_big(big), earlier.without_big(big)
        if len(rows) == len(old_rows):
            return set()  # one holds the other, and they are equally large: they are the same
        found = few(rows, pivots, k)
        if found:
            found -= few(old_rows, old_pivots, k)
        return {group for group in found if self.partition.subjects_in(sorted(group)) < k}


@dataclass(frozen=True, kw_only=True, eq=False)
class Audit:
    """What is known of a dataset.

    Attributes:
        k: Groups of 1 to one less are not to be given away.
        worlds: Ways to look at it; the first has subjects as its units.
        known: What is known of each set, in their order.
        rows: Place of the world whose units are rows; None where each row is a subject.
    """

    k: int
    worlds: tuple[World, ...]
    known: tuple[Known, ...] = ()
    rows: int | None = None

    @classmethod
    def of(cls, k: int, owners: Sequence[Whole | int], rows: int | None = None) -> Self:
        """Nothing is known.

        Args:
            k: The threshold.
            owners: Of each world, the subject of each unit; where each unit is a subject, how many there are.
            rows: Place of the world whose units are rows.
        """
        worlds = [
            World.of(one) if isinstance(one, int) else World.of(len(one), one, counted=place in {0, rows})
            for place, one in enumerate(owners)
        ]
        return cls(k=k, worlds=tuple(worlds), rows=rows)

    def split(self, sets: Sequence[Sequence[Flags]]) -> Self:
        """Take all worlds apart by more sets.

        Args:
            sets: Of each group its units, in each of the worlds.

        Raises:
            TooManyError: There are too many atoms.
        """
        if not sets:
            return self
        by_world = zip(*sets, strict=True)
        worlds = (world.split(members, self.k) for world, members in zip(self.worlds, by_world, strict=True))
        return replace(self, worlds=tuple(worlds))

    def learn(self, known: Sequence[Known]) -> Self:
        """Know something of the sets that came last; there are as many."""
        first = len(self.known)
        worlds = [world.learn(known, world.partition.sets[first:], self.k) for world in self.worlds]
        return replace(self, worlds=tuple(worlds), known=(*self.known, *known))

    def by_sums(self, before: Self) -> tuple[set[Group], ...]:
        """Return groups of a few subjects that adding and subtracting gives away and did not before, in each world.

        Args:
            before: What was known before, over the same atoms.

        Raises:
            TooManyError: It is too much to be looked through.
        """
        return tuple(one.given_away_since(other, self.k) for one, other in zip(self.worlds, before.worlds, strict=True))

    def by_bounds(self, before: Self) -> bool:
        """Whether the count of a small group is given away by bounds and was not before."""
        search, again = self._search(), None
        groups = in_doubt(self._vague, self._subjects, self._rows, self.k)
        for place in search.given_away(groups):
            again = again or before._search()
            if not list(again.given_away(groups[place][None])):
                return True
        return False

    @property
    def _vague(self) -> Flags:
        """Groups that bounds are known of; not the withheld ones whose counts come out of others, and are no secret."""
        world = self.worlds[0]
        pairs = zip(self.known, world.partition.sets, strict=False)
        places = [
            place
            for place, (one, members) in enumerate(pairs)
            if one.how is How.SMALL or (one.how is How.WITHHELD and not world.counts.holds(members))
        ]
        return world.partition.sets[places]

    def _search(self) -> Search:
        return Search(system(self.known, self._subjects, self._rows))

    @property
    def _subjects(self) -> Partition:
        return self.worlds[0].partition

    @property
    def _rows(self) -> Partition | None:
        return None if self.rows is None else self.worlds[self.rows].partition
