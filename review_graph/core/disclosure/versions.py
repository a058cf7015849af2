"""The units of several versions of a dataset, put together: a subject of one may be a subject of another.

What is known over versions is looked at in more than one way, because there is no one way in which a row of one version
is the row of another. A question has to be harmless in each of these worlds:

- *subjects*, by their identifier; and *rows*, by their subject and their place among its rows;
- both *with their changes*: a unit whose content differs from what it first was is the unit and its change, so that
  the same question asked of both versions does not tell the change of a few;
- *rows by content*, so that a row that was put between others is the only one that is new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from review_graph.core.disclosure.partition import Flags, Whole

Hashes = npt.NDArray[np.uint64]


def mixed(hashes: Hashes, numbers: Hashes) -> Hashes:
    """Return one hash of a hash and a number; odd multipliers lose nothing."""
    both: Hashes = (hashes ^ (numbers * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xBF58476D1CE4E5B9)
    return both


@dataclass(frozen=True, kw_only=True, eq=False)
class Identities:
    """By what units are known again, 64 bits each, different within a version.

    Attributes:
        keys: Of each unit what stays when its values change.
        contents: Of each unit its content.
    """

    keys: Hashes
    contents: Hashes


@dataclass(frozen=True, kw_only=True, eq=False)
class Units:
    """The units of one version.

    Attributes:
        subjects: How many subjects.
        owner_of: Of each row, its subject; None where each row is one.
        subject_identities: Of the subjects; None when this version is the only one that is looked at.
        row_identities: Of the rows; None where each row is a subject.
    """

    subjects: int
    owner_of: Whole | None
    subject_identities: Identities | None = None
    row_identities: Identities | None = None

    def to_bytes(self) -> bytes:
        """Return the identities, and whose each row is, to be kept."""
        parts: list[Hashes] = [np.array([self.subjects, 0 if self.owner_of is None else len(self.owner_of)], np.uint64)]
        for identities in (self.subject_identities, self.row_identities):
            if identities is not None:
                parts += [identities.keys, identities.contents]
        if self.owner_of is not None:
            parts.append(self.owner_of.astype(np.uint64))
        return np.concatenate(parts).astype("<u8").tobytes()

    @classmethod
    def from_bytes(cls, kept: bytes) -> Self:
        """Rebuild from `to_bytes`."""
        numbers = np.frombuffer(kept, "<u8").astype(np.uint64)
        subjects, rows = int(numbers[0]), int(numbers[1])
        keys, contents, more = np.split(numbers[2:], [subjects, 2 * subjects])
        own = Identities(keys=keys, contents=contents)
        if not rows:
            return cls(subjects=subjects, owner_of=None, subject_identities=own)
        row_keys, row_contents, owner = np.split(more, [rows, 2 * rows])
        theirs = Identities(keys=row_keys, contents=row_contents)
        return cls(subjects=subjects, owner_of=owner.astype(np.int64), subject_identities=own, row_identities=theirs)

    def with_rows(self) -> Self:
        """The same, with rows that are told apart from subjects even if each is one."""
        own = self.subject_identities
        if self.owner_of is not None or own is None:
            return self
        first = np.zeros(self.subjects, np.uint64)
        rows = Identities(keys=mixed(own.keys, first), contents=mixed(own.contents, first))
        return replace(self, owner_of=np.arange(self.subjects), row_identities=rows)


@dataclass(eq=False)
class _World:
    """Where the units of each version are among those of all; those at -1 are nowhere."""

    of_rows: bool
    units: int
    places: list[list[Whole]]
    owner_of: Whole | None = None

    def flags(self, version: int, members: Flags) -> Flags:
        flags = np.zeros(self.units, np.bool_)
        for places in self.places[version]:
            chosen = places[members]
            flags[chosen[chosen >= 0]] = True
        return flags


class Versions:
    """All versions of a dataset of which something is known.

    Args:
        versions: The units of each; several need identities.
    """

    def __init__(self, versions: Sequence[Units]) -> None:
        self._worlds = list(_alone(versions[0]) if len(versions) == 1 else _together(versions))

    @property
    def owners(self) -> tuple[Whole | int, ...]:
        """Of each world the subject of each unit; where each unit is a subject, how many there are."""
        return tuple(world.units if world.owner_of is None else world.owner_of for world in self._worlds)

    @property
    def rows(self) -> int | None:
        """Place of the world whose units are the rows."""
        return next((place for place, world in enumerate(self._worlds) if world.of_rows), None)

    def subjects_at(self, version: int) -> Whole:
        """Where the subjects of a version are in the first world."""
        return self._worlds[0].places[version][0]

    def sets(self, version: int, subjects: Flags, rows: Flags | None) -> tuple[Flags, ...]:
        """Return the units of a set in each world."""
        units = [subjects if rows is None or not world.of_rows else rows for world in self._worlds]
        return tuple(world.flags(version, members) for world, members in zip(self._worlds, units, strict=True))


def _alone(units: Units) -> Iterator[_World]:
    yield _World(of_rows=False, units=units.subjects, places=[[np.arange(units.subjects)]])
    if units.owner_of is not None:
        rows = len(units.owner_of)
        yield _World(of_rows=True, units=rows, places=[[np.arange(rows)]], owner_of=units.owner_of)


def _together(versions: Sequence[Units]) -> Iterator[_World]:
    if any(units.owner_of is not None for units in versions):
        versions = [units.with_rows() for units in versions]
    own = [units.subject_identities for units in versions if units.subject_identities is not None]
    subjects = _by(own, "keys", of_rows=False)
    yield subjects
    theirs = [units.row_identities for units in versions if units.row_identities is not None]
    owners = [
        subjects.places[version][0][units.owner_of]
        for version, units in enumerate(versions)
        if units.owner_of is not None
    ]
    if theirs:
        yield _owned(_by(theirs, "keys", of_rows=True), owners)
        yield _owned(_with_changes(theirs, of_rows=True), owners)
        yield _owned(_by(theirs, "contents", of_rows=True), owners)
    yield _owned(_with_changes(own, of_rows=False), [places[0] for places in subjects.places])


def _by(identities: Sequence[Identities], what: str, *, of_rows: bool) -> _World:
    hashes: list[Hashes] = [getattr(one, what) for one in identities]
    different, place = np.unique(np.concatenate(hashes), return_inverse=True)
    cuts = np.cumsum([len(one) for one in hashes])[:-1]
    return _World(of_rows=of_rows, units=len(different), places=[[part] for part in np.split(place, cuts)])


def _with_changes(identities: Sequence[Identities], *, of_rows: bool) -> _World:
    """Each unit by its key; and one more for each content that is not its first."""
    world = _by(identities, "keys", of_rows=of_rows)
    first = np.zeros(world.units, np.uint64)
    for places, one in zip(reversed(world.places), reversed(identities), strict=True):
        first[places[0]] = one.contents
    seen: dict[tuple[int, int], int] = {}
    for places, one in zip(world.places, identities, strict=True):
        changed = np.flatnonzero(first[places[0]] != one.contents)
        change = np.full(len(one.keys), -1, np.int64)
        for unit in changed.tolist():
            pair = (int(places[0][unit]), int(one.contents[unit]))
            change[unit] = seen.setdefault(pair, world.units + len(seen))
        places.append(change)
    world.units += len(seen)
    return world


def _owned(world: _World, owners: Sequence[Whole]) -> _World:
    """Say of each unit of a world whose it is."""
    world.owner_of = np.zeros(world.units, np.int64)
    for places, owner in zip(world.places, owners, strict=True):
        for some in places:
            there = some >= 0
            world.owner_of[some[there]] = owner[there]
    return world
