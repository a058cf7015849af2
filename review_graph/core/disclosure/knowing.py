"""What is known of a table by what was told of it, as equations and bounds over its atoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from review_graph.core.disclosure.partition import Flags, Partition, Whole

Matrix = npt.NDArray[np.float64]


NEARLY = 1e-6
"""How far a sum of numbers with a point may be off."""


class How(StrEnum):
    """What was said of a group of subjects."""

    TOLD = "told"
    SMALL = "small"
    WITHHELD = "withheld"
    ALL = "all"
    """Nothing was said of it in answers, but how many subjects and rows a dataset has stands in its review."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is known of one set.

    Attributes:
        how: What was said of it.
        below: The threshold then: small is 1 to one less, withheld is this or more.
        most: A withheld count is no more than this; None for no bound.
    """

    how: How
    below: int
    most: int | None = None

    @property
    def exact(self) -> bool:
        """Whether the count is known."""
        return self.how in {How.TOLD, How.ALL}


@dataclass(frozen=True, kw_only=True, eq=False)
class System:
    """All tables that bear out what was said: numbers from zero, one an atom, with `least <= matrix x <= most`.

    Attributes:
        matrix: A row for each thing that is known, a column for each atom of subjects and then each atom of rows.
        least: Lower bounds.
        most: Upper bounds.
        truth: How it really is.
    """

    matrix: Matrix
    least: Matrix
    most: Matrix
    truth: Whole

    def hold(self, moves: Matrix) -> Flags:
        """Say of each change of the true table whether the changed one bears out the same."""
        tables = self.truth + moves
        sums = tables @ self.matrix.T
        least, most = self.least - NEARLY, self.most + NEARLY
        wrong = np.concatenate([tables < -NEARLY, sums < least, sums > most], axis=1)
        held: Flags = ~np.logical_or.reduce(wrong, axis=1)
        return held


def system(known: Sequence[Known], subjects: Partition, rows: Partition | None) -> System:
    """Put what is known into numbers.

    Of records it is known that each subject of a group has at least one in it.

    Args:
        known: What is known of each set of the partitions, in their order; of those that follow nothing is.
        subjects: The subjects.
        rows: The rows; None when each is a subject.
    """
    own = subjects.sets[: len(known)].astype(np.float64)
    least, most = _bounds(known, own @ subjects.sizes)
    if rows is None:
        return _without_doubles(own, least, most, subjects.sizes)
    theirs = rows.sets[: len(known)].astype(np.float64)
    records = theirs @ rows.sizes
    exact = np.array([one.exact for one in known], np.bool_)
    matrix = np.block(
        [
            [own, np.zeros((len(own), rows.atoms))],
            [np.zeros((int(exact.sum()), subjects.atoms)), theirs[exact]],
            [-own[~exact], theirs[~exact]],
        ]
    )
    vague = np.zeros(int((~exact).sum()))
    lower = np.concatenate([least, records[exact], vague])
    upper = np.concatenate([most, records[exact], vague + np.inf])
    return _without_doubles(matrix, lower, upper, np.concatenate([subjects.sizes, rows.sizes]))


def _bounds(known: Sequence[Known], counts: Matrix) -> tuple[Matrix, Matrix]:
    least, most = counts.copy(), counts.copy()
    for place, one in enumerate(known):
        if one.how is How.SMALL:
            least[place], most[place] = 1, one.below - 1
        elif one.how is How.WITHHELD:
            least[place], most[place] = one.below, np.inf if one.most is None else one.most
    return least, most


def _without_doubles(matrix: Matrix, least: Matrix, most: Matrix, truth: Whole) -> System:
    """Sets are told again and again; of equal rows the narrowest bounds count."""
    if not len(matrix):
        return System(matrix=matrix, least=least, most=most, truth=truth)
    number: dict[bytes, int] = {}
    same = np.array([number.setdefault(row.tobytes(), len(number)) for row in matrix])
    lower, upper = np.full(len(number), -np.inf), np.full(len(number), np.inf)
    np.maximum.at(lower, same, least)
    np.minimum.at(upper, same, most)
    _, first = np.unique(same, return_index=True)
    return System(matrix=matrix[first], least=lower, most=upper, truth=truth)


def in_doubt(vague: Flags, subjects: Partition, rows: Partition | None, k: int) -> Flags:
    """Return what must stay in doubt, a row for each: small and withheld groups, and each small atom of subjects."""
    small = np.eye(subjects.atoms, dtype=np.bool_)[subjects.subjects < k]
    groups = np.vstack([vague, small])
    different = {group.tobytes(): place for place, group in enumerate(groups)}
    groups = groups[list(different.values())]
    return groups if rows is None else np.hstack([groups, np.zeros((len(groups), rows.atoms), np.bool_)])
