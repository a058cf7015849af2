"""An attacker: remembers every answer, and combines them by linear algebra and linear programming of its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.optimize import LinearConstraint, milp

from checks import adopt
from review_graph.ports import Clock, Ledgers
from review_graph.tools.disclosing import Disclosure, Group, Told, disclosure_of
from review_graph.tools.tool import NotAnswered
from review_graph.vocabulary import Dataset

K = 5
Flags = npt.NDArray[np.bool_]


def disclosure(data: pl.DataFrame, ledgers: Ledgers, clock: Clock, version: str = "1") -> Disclosure:
    return disclosure_of(adopt(data), Dataset(name="trial", uri="trial", fingerprint=version), ledgers, K, clock)


@dataclass
class Attacker:
    """Asks for groups of rows of a table, and says which small groups it found out about.

    Attributes:
        data: The table; an attacker who knows who is in which group is the strongest.
        tell: Where it asks.
    """

    data: pl.DataFrame
    tell: Callable[..., tuple[Told, ...]]
    asked: list[tuple[Flags, Told]] = field(default_factory=list)
    refused: list[Flags] = field(default_factory=list)

    def ask(self, name: str, *groups: pl.Expr) -> list[str | int]:
        """Ask once; return the counts or marks, nothing when it was refused."""
        rows = [self.data.select(group).to_series().fill_null(value=False).to_numpy() for group in groups]
        try:
            told = self.tell({"name": name}, [Group(label=(place,), rows=one) for place, one in enumerate(rows)])
        except NotAnswered:
            self.refused += rows
            return []
        self.asked += zip(rows, told, strict=True)
        return [one.mark or one.subjects or 0 for one in told]

    def found(self) -> list[tuple[int, ...]]:
        """Subjects of small groups of which a count, or anything over their rows, comes out."""
        subjects = [self._subjects(rows) for rows, _ in self.asked]
        return [*self._by_sums(), *self._by_bounds(subjects)]

    def _subjects(self, rows: Flags) -> Flags:
        owners = self.data["USUBJID"].rank("dense").to_numpy() - 1
        return np.isin(np.arange(owners.max() + 1), owners[rows])

    def _candidates(self, sets: Sequence[Flags]) -> list[Flags]:
        """Differences and cuts of any two groups, and those less a third."""
        pairs = [one for a, b in itertools.permutations(sets, 2) for one in (a & ~b, a & b)]
        small = {one.tobytes(): one for one in [*sets, *pairs] if 0 < self._subjects(one).sum() < K}
        return list(small.values())

    def _by_sums(self) -> list[tuple[int, ...]]:
        """Groups of rows that are a combination of the groups that were told."""
        told = np.array([rows for rows, one in self.asked if one.shows], float)
        if not len(told):
            return []
        everything = [rows for rows, _ in self.asked] + self.refused
        base = np.linalg.svd(told, full_matrices=False)
        directions = base.Vh[base.S > 1e-9]
        found = []
        for rows in self._candidates(everything):
            rest = rows - directions.T @ (directions @ rows)
            if abs(rest).max() < 1e-7:
                found.append(tuple(np.flatnonzero(self._subjects(rows)).tolist()))
        return found

    def _by_bounds(self, sets: Sequence[Flags]) -> list[tuple[int, ...]]:
        """Small groups whose count lies between two whole numbers that are one, with how many there are in all."""
        atoms, place = np.unique(np.array(sets).T, axis=0, return_inverse=True)
        sizes = np.bincount(place)
        rows, least, most = [np.ones(len(atoms))], [float(sizes.sum())], [float(sizes.sum())]
        for number, (_, told) in enumerate(self.asked):
            low, high = {"": (told.subjects, told.subjects), "withheld": (K, np.inf)}.get(told.mark, (1, K - 1))
            rows, least, most = (
                [*rows, atoms[:, number].astype(float)],
                [*least, float(low or 0)],
                [*most, float(high or 0)],
            )
        known = LinearConstraint(np.array(rows), least, most)
        small = [row for row, high in zip(rows, most, strict=True) if high == K - 1]
        small += [row for row, size in zip(np.eye(len(atoms)), sizes, strict=True) if size < K]
        found = []
        for row in {one.tobytes(): one for one in small}.values():
            lowest, highest = _least(row, known), -_least(-row, known)
            if np.ceil(lowest - 1e-6) == np.floor(highest + 1e-6):
                found.append(tuple(np.flatnonzero(row[place]).tolist()))
        return found


def _least(cost: npt.NDArray[np.float64], known: LinearConstraint) -> float:
    found = milp(cost, constraints=known)
    assert found.fun is not None
    return float(found.fun)
