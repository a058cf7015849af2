"""Which counts of an answer are told, which are small, and which are withheld for the sake of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from review_graph.core.disclosure.auditing import Audit
from review_graph.core.disclosure.knowing import How, Known
from review_graph.core.disclosure.partition import Flags


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What becomes of an answer.

    Attributes:
        known: What is said of each group; nothing when it is refused.
        audit: What is known with it.
        guarded: Groups of subjects because of which it is refused: that they are small can be read from the refusal.
    """

    known: tuple[Known, ...]
    audit: Audit
    guarded: tuple[Flags, ...] = ()


def hide(audit: Audit, sets: Sequence[Sequence[Flags]]) -> Outcome:
    """Decide on each group of an answer.

    The smallest count whose withholding helps is withheld, until nothing is given away. Somebody who knows that may
    conclude that it is no larger than the next count that is told; the audit takes that for known.

    Args:
        audit: What is known before.
        sets: Of each group its units, in each world; none is empty.

    Raises:
        TooManyError: It is too much to be looked through.
    """
    answer = _Answer(audit.split(sets), [int(units[0].sum()) for units in sets])
    hidden: frozenset[int] = frozenset()
    guarded: tuple[Flags, ...] = ()
    while True:
        after = answer.known_with(hidden)
        groups = after.by_sums(answer.before)
        if not any(groups) and not after.by_bounds(answer.before):
            return Outcome(known=after.known[len(audit.known) :], audit=after)
        if not hidden:
            units_of = after.worlds[0].partition.units_of
            guarded = tuple(units_of(sorted(group)) for group in sorted(groups[0], key=sorted))
        told = answer.told(hidden)
        if not told or (len(told) == 1 and not answer.has_small):  # nothing would be left to be told
            return Outcome(known=(), audit=audit, guarded=guarded)
        hidden |= {answer.least_that_helps(hidden, told, sum(map(len, groups)))}


@dataclass(frozen=True)
class _Answer:
    before: Audit
    counts: Sequence[int]

    @property
    def has_small(self) -> bool:
        """Whether something is told of a group even when all counts are withheld: that it is small."""
        return any(count < self.before.k for count in self.counts)

    def told(self, hidden: frozenset[int]) -> list[int]:
        """Places of the counts that are told, smallest first."""
        places = [place for place, count in enumerate(self.counts) if count >= self.before.k and place not in hidden]
        return sorted(places, key=lambda place: (self.counts[place], place))

    def known(self, hidden: frozenset[int]) -> tuple[Known, ...]:
        """What would be said of each group."""
        told = [self.counts[place] for place in self.told(hidden)]
        return tuple(self._of(place, hidden, told) for place in range(len(self.counts)))

    def _of(self, place: int, hidden: frozenset[int], told: Sequence[int]) -> Known:
        count, below = self.counts[place], self.before.k
        if count < below:
            return Known(how=How.SMALL, below=below)
        if place not in hidden:
            return Known(how=How.TOLD, below=below)
        return Known(how=How.WITHHELD, below=below, most=min((other for other in told if other >= count), default=None))

    def known_with(self, hidden: frozenset[int]) -> Audit:
        """What would be known with the answer."""
        return self.before.learn(self.known(hidden))

    def least_that_helps(self, hidden: frozenset[int], told: Sequence[int], groups: int) -> int:
        """The smallest count whose withholding leaves fewer groups given away; the smallest of all when none does."""
        for place in told if groups else ():
            left = self.known_with(hidden | {place}).by_sums(self.before)
            if sum(map(len, left)) < groups:
                return place
        return told[0]
