"""What can be had from told sets by adding and subtracting them: their span over the atoms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from review_graph.core.disclosure.partition import Flags, Whole

P = 2**31 - 1
"""A prime; products of two remainders fit into 64 bits. What holds for fractions holds modulo P, but where P divides
a determinant, which for sets of ones and zeros is as good as never, and would refuse or tell one group wrongly."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Span:
    """A basis in reduced row echelon form, modulo a prime.

    A row has its pivot in a big atom wherever it touches one. So the rows with a pivot in a small atom are a basis of
    all combinations that leave the big atoms out, and these alone can give away a few subjects.

    Attributes:
        rows: The basis, a column an atom.
        pivots: The column of each row that is 1 there and 0 in the others.
    """

    rows: Whole
    pivots: Whole

    @classmethod
    def of(cls, atoms: int) -> Self:
        """The span of nothing."""
        return cls(rows=np.zeros((0, atoms), np.int64), pivots=np.zeros(0, np.int64))

    def split(self, parent: Whole, subjects: Whole, big: Flags) -> Self:
        """The same span over finer atoms."""
        by_size = np.argsort(-subjects, kind="stable")
        _, place = np.unique(parent[by_size], return_index=True)
        biggest = np.zeros(int(parent.max(initial=-1)) + 1, np.int64)
        biggest[parent[by_size[place]]] = by_size[place]
        finer = replace(self, rows=self.rows[:, parent], pivots=biggest[self.pivots])
        for row in np.flatnonzero(~big[finer.pivots]):
            touched = np.flatnonzero((finer.rows[row] != 0) & big)
            if len(touched):
                finer = finer.pivoted(int(row), int(touched[0]))
        return finer

    def add(self, members: Flags, big: Flags) -> Self:
        """The span with one more set; itself when the set is in it already."""
        rest = self._rest(members)
        touched = np.flatnonzero(rest)
        if not len(touched):
            return self
        column = touched[np.argmax(big[touched])]  # a big one where there is one
        longer = replace(self, rows=np.vstack([self.rows, rest]), pivots=np.append(self.pivots, column))
        return longer.pivoted(len(self.pivots), int(column))

    def holds(self, members: Flags) -> bool:
        """Whether a set is in the span."""
        return not self._rest(members).any()

    def _rest(self, members: Flags) -> Whole:
        """What is left of a set when the basis is subtracted as often as the set has the pivots: once or not at all."""
        rest = members.astype(np.int64)
        used = np.flatnonzero(rest[self.pivots])
        rest -= self.rows[used].sum(axis=0)
        return np.remainder(rest, P)

    def without_big(self, big: Flags) -> tuple[Whole, Whole]:
        """A basis of the combinations that leave the big atoms out, and its pivots."""
        inner = ~big[self.pivots]
        return self.rows[inner], self.pivots[inner]

    def pivoted(self, row: int, column: int) -> Self:
        """The same span with the pivot of a row in another column, or that of a new row in its place."""
        rows, pivots = self.rows.copy(), self.pivots.copy()
        rows[row] = rows[row] * pow(int(rows[row, column]), -1, P) % P
        others = np.flatnonzero(rows[:, column])
        others = others[others != row]
        rows[others] = (rows[others] - rows[others, column][:, None] * rows[row]) % P
        pivots[row] = column
        return replace(self, rows=rows, pivots=pivots)
