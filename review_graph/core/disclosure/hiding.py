"""Which counts of an answer are told, which are small, and which are withheld for the sake of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from review_graph.core.disclosure.auditing import Audit, Breach
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
    before = audit.split(sets)
    answer = _Answer(before, [int(units[0].sum()) for units in sets])
    breach, after = answer.tried(frozenset())
    hidden: frozenset[int] = frozenset()
    first = breach
    while breach is not None:
        told = answer.told(hidden)
        if len(told) <= 1:  # nothing would be left to be told
            return Outcome(known=(), audit=audit, guarded=first.subjects if first else ())
        hidden, breach, after = answer.hide_one_more(hidden, breach, told)
    return Outcome(known=answer.known(hidden), audit=after)


@dataclass(frozen=True)
class _Answer:
    before: Audit
    counts: Sequence[int]

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

    def tried(self, hidden: frozenset[int]) -> tuple[Breach | None, Audit]:
        """What the answer would give away."""
        return self.before.learn(self.known(hidden)).breach(self.before)

    def hide_one_more(
        self, hidden: frozenset[int], breach: Breach, told: Sequence[int]
    ) -> tuple[frozenset[int], Breach | None, Audit]:
        """Withhold the smallest count that helps; the smallest of all when none helps by itself."""
        for place in told:
            less, after = self.tried(hidden | {place})
            if less is None or less.groups < breach.groups:
                return hidden | {place}, less, after
        smallest = hidden | {told[0]}
        return smallest, *self.tried(smallest)
