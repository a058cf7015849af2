"""The units of a table, subjects or rows, taken apart by the sets that were asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Partition:
    """Atoms: the units that are in the same sets. What is known of a set is known of the atoms that it consists of.

    Attributes:
        atom_of: Of each unit, its atom.
        owner_of: Of each unit, the subject that it belongs to; None where each unit is a subject.
        sets: Of each set, which atoms it consists of, a row for each.
    """

    atom_of: npt.NDArray[np.int32]
    owner_of: Whole | None
    sets: Flags

    @classmethod
    def of(cls, units: int, owner_of: Whole | None = None) -> Self:
        """All units in one atom, and no sets."""
        atoms = min(units, 1)
        return cls(atom_of=np.zeros(units, np.int32), owner_of=owner_of, sets=np.zeros((0, atoms), np.bool_))

    @property
    def atoms(self) -> int:
        """How many atoms there are."""
        return int(self.sets.shape[1])

    @cached_property
    def sizes(self) -> Whole:
        """Units in each atom, at least one."""
        return np.bincount(self.atom_of, minlength=self.atoms)

    @cached_property
    def subjects(self) -> Whole:
        """Different subjects in each atom."""
        if self.owner_of is None:
            return self.sizes
        by_owner = np.argsort(self.owner_of, kind="stable")
        atom = self.atom_of[by_owner]
        by_atom = by_owner[np.argsort(atom.astype(np.uint16) if self.atoms < 2**16 else atom, kind="stable")]
        atom, owner = self.atom_of[by_atom], self.owner_of[by_atom]
        first = np.ones(len(atom), np.bool_)
        first[1:] = (atom[1:] != atom[:-1]) | (owner[1:] != owner[:-1])
        return np.bincount(atom[first], minlength=self.atoms)

    def subjects_in(self, atoms: Sequence[int]) -> int:
        """Different subjects in some atoms together."""
        if self.owner_of is None:
            return int(self.sizes[list(atoms)].sum())
        wanted = np.zeros(self.atoms, np.bool_)
        wanted[list(atoms)] = True
        return len(np.unique(self.owner_of[wanted[self.atom_of]]))

    def units_of(self, atoms: Sequence[int]) -> Flags:
        """Which units are in some atoms."""
        wanted = np.zeros(self.atoms, np.bool_)
        wanted[list(atoms)] = True
        return wanted[self.atom_of]

    def split(self, members: Sequence[Flags]) -> tuple[Self, Whole]:
        """Split the atoms by more sets.

        Returns:
            The finer partition, with these sets after the others, and of each of its atoms the one it was part of.
        """
        parent: Whole = np.arange(self.atoms)
        atom_of, sets = self.atom_of, self.sets
        for flags in members:
            both = atom_of * np.int32(2) + flags
            used = np.flatnonzero(np.bincount(both, minlength=2 * len(parent)))
            number = np.zeros(2 * len(parent), np.int32)
            number[used] = np.arange(len(used))
            atom_of = number[both]
            parent, sets = parent[used // 2], np.vstack([sets[:, used // 2], (used % 2)[None].astype(np.bool_)])
        return replace(self, atom_of=atom_of, sets=sets), parent
