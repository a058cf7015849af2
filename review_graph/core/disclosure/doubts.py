"""Other tables that bear out what was said: as long as there is one in which a group has another count, it is in doubt.

They are what an attacker would look for who knows every bound, with a linear program (Fischetti and Salazar, "Models
and algorithms for optimizing cell suppression in tabular data with linear constraints", JASA 95, 2000). A group is in
doubt when its count can be one more or one less than it is: an attacker's interval holds two whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from review_graph.core.disclosure.knowing import NEARLY, Matrix, System
from review_graph.core.disclosure.partition import Flags

STEPS = 600
"""Groups that are tried at once."""

ROUNDS = 4
"""Searches that are to move many groups at once, before those that are for one group."""

REACH = 3.0
"""How far those may go from the true counts: not far, to be found soon."""

SEARCHES = 40
"""Searches for a single group; groups that are left then count as given away."""


class Search:
    """Looks for other tables until each group is in doubt, or cannot be.

    Args:
        system: What is known.
    """

    def __init__(self, system: System) -> None:
        self._system = system
        self._random = np.random.default_rng(20261130)

    def given_away(self, groups: Flags) -> Iterator[int]:
        """Yield the places of those groups whose count is the same in every table that bears out what is known."""
        left = ~self._stepped(groups)
        for _ in range(ROUNDS):
            if not left.any():
                return
            weights = self._random.uniform(-1, 1, int(left.sum()))
            left[left] = ~_moved(groups[left], self._table(weights @ groups[left].astype(np.float64), REACH))
        for _ in range(SEARCHES):
            if not left.any():
                return
            place = int(np.argmax(left))
            wanted = groups[place].astype(np.float64)
            found = np.vstack([self._table(wanted, np.inf), self._table(-wanted, np.inf)])
            if not _moved(groups[place][None], found)[0]:
                left[place] = False
                yield place
            left[left] = ~_moved(groups[left], found)
        yield from np.flatnonzero(left).tolist()

    def _stepped(self, groups: Flags) -> Flags:
        """Take the straightest way to one more or one less in each group, and say where it leads to a table."""
        fixed = _directions(self._system.matrix[self._system.least == self._system.most])
        moved = np.zeros(len(groups), np.bool_)
        for start in range(0, len(groups), STEPS):
            wanted = groups[start : start + STEPS].astype(np.float64)
            ways = wanted - (wanted @ fixed.T) @ fixed
            gained = (wanted * ways).sum(axis=1)
            able = gained > NEARLY
            steps = ways[able] / gained[able][:, None]
            moved[start + np.flatnonzero(able)] = self._system.hold(steps) | self._system.hold(-steps)
        return moved

    def _table(self, cost: Matrix, reach: float) -> Matrix:
        """Search for the table of the least cost, within reach of the true one; return how it differs, in one row."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        system = self._system
        found = milp(
            cost,
            bounds=Bounds(np.maximum(system.truth - reach, 0), system.truth + reach),
            constraints=LinearConstraint(csr_array(system.matrix), system.least, system.most),
        )
        return np.zeros((0, len(cost))) if found.x is None else (found.x - system.truth)[None]


def _directions(matrix: Matrix) -> Matrix:
    """Perpendicular directions of length 1 that span the same as the rows of a matrix."""
    strength, mixes = np.linalg.eigh(matrix @ matrix.T)
    kept = strength > NEARLY
    directions: Matrix = (mixes[:, kept] / np.sqrt(strength[kept])).T @ matrix
    return directions


def _moved(groups: Flags, steps: Matrix) -> Flags:
    """Which groups have at least one more or one less after some of the steps."""
    changes: Matrix = groups.astype(np.float64) @ steps.T
    moved: Flags = np.logical_or.reduce(np.abs(changes) >= 1 - NEARLY, axis=1)
    return moved
