"""Other tables that bear out what was said: as long as there is one in which a group has another count, it is in doubt.

They are what an attacker would look for who knows every bound, with a linear program (Fischetti and Salazar, "Models and
algorithms for optimizing cell suppression in tabular data with linear constraints", JASA 95, 2000). A group is in doubt
when its count can be one more or one less than it is: the interval that an attacker finds holds two whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from review_graph.core.disclosure.knowing import NEARLY, Matrix, System
from review_graph.core.disclosure.partition import Flags, Whole
from review_graph.core.disclosure.spans import Span

STEPS = 600
"""Simple changes that are tried before anything is searched for."""

ROUNDS = 4
"""Searches that are to move many groups at once, before those that are for one group."""

REACH = 3.0
"""How far those may go from the true counts: not far, to be found soon."""

SEARCHES = 40
"""Searches for a single group; groups that are left then count as given away."""

KEPT = 12
"""Other tables that are kept for the next question."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Others:
    """Other tables that were found, as differences from the true one, a row for each."""

    moves: Matrix

    @classmethod
    def of(cls, atoms: int) -> Others:
        """None yet."""
        return cls(moves=np.zeros((0, atoms)))

    def split(self, parent: Whole, truth: Whole) -> Others:
        """The same over finer atoms: what an atom loses or wins, its biggest part does as far as it can."""
        finer, left = np.zeros((len(self.moves), len(parent))), self.moves.copy()
        for atom in np.argsort(-truth, kind="stable"):
            taken = np.maximum(left[:, parent[atom]], -truth[atom])
            finer[:, atom] = taken
            left[:, parent[atom]] -= taken
        return Others(moves=finer)

    def add(self, moves: Matrix) -> Others:
        """These and more."""
        return Others(moves=np.vstack([self.moves, moves]))

    def last(self) -> Others:
        """Those that are worth keeping."""
        return Others(moves=self.moves[-KEPT:])


@dataclass(eq=False)
class Search:
    """Looks for other tables until each group is in doubt, or cannot be.

    Args:
        system: What is known.
        others: Other tables; those that do not bear it out are left aside.
        spans: Of the atoms of subjects, and of rows, the span of what is known exactly.
    """

    system: System
    others: Others
    spans: Sequence[Span]
    _random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(20261130))

    def __post_init__(self) -> None:
        self.others = Others(moves=self.others.moves[self.system.hold(self.others.moves)])

    def given_away(self, groups: Flags) -> Iterator[int]:
        """Yield the places of those groups whose count is the same in every table that bears out what is known."""
        left = self._unmoved(groups)
        if left.any():
            self._step(groups[left].any(axis=0))
            left = self._unmoved(groups)
        for _ in range(ROUNDS):
            if not left.any():
                return
            weights = self._random.uniform(-1, 1, int(left.sum()))
            self._look(weights @ groups[left].astype(np.float64), REACH)
            left &= self._unmoved(groups)
        for _ in range(SEARCHES):
            if not left.any():
                return
            place = int(np.argmax(left))
            if not self._moved(groups[place]):
                left[place] = False
                yield place
            left &= self._unmoved(groups)
        yield from np.flatnonzero(left).tolist()

    def _moved(self, group: Flags) -> bool:
        """Look for the least and for the greatest count of one group."""
        for cost in (group.astype(np.float64), -group.astype(np.float64)):
            self._look(cost, np.inf)
            if not self._unmoved(group[None])[0]:
                return True
        return False

    def _unmoved(self, groups: Flags) -> Flags:
        changes = groups.astype(np.float64) @ self.others.moves.T
        still: Flags = (abs(changes) < 1 - NEARLY).all(axis=1)
        return still

    def _step(self, wanted: Flags) -> None:
        """Try simple changes, forth and back: most groups are in doubt by one of them."""
        first = 0
        for span in self.spans:
            last = first + span.rows.shape[1]
            moves = span.moves(wanted[first:last], STEPS)
            wide = np.zeros((len(moves), len(wanted)))
            wide[:, first:last] = moves
            for some in (wide, -wide):
                self.others = self.others.add(some[self.system.hold(some)])
            first = last

    def _look(self, cost: Matrix, reach: float) -> None:
        """Search for the table of the least cost, within reach of the true one."""
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        system = self.system
        same = system.least == system.most
        low, high = ~same & np.isfinite(system.least), ~same & np.isfinite(system.most)
        found = linprog(
            cost,
            A_ub=csr_array(np.vstack([-system.matrix[low], system.matrix[high]])),
            b_ub=np.concatenate([-system.least[low], system.most[high]]),
            A_eq=csr_array(system.matrix[same]),
            b_eq=system.least[same],
            bounds=np.stack([np.maximum(system.truth - reach, 0), system.truth + reach], axis=1),
            method="highs-ds",
        )
        if found.x is not None:
            self.others = self.others.add((found.x - system.truth)[None])
