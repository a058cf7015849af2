"""What a ledger holds of a dataset, as an audit that can be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from checks.vocabulary import JSON
from review_graph.core.disclosure import Audit, Flags, How, Known, Units, Versions, Whole, packed, unpacked
from review_graph.ports import Ledger, Ledgers
from review_graph.vocabulary import Dataset, Disclosed

Members = tuple[Flags, Flags | None]
"""The subjects of a group and its rows; no rows where each is a subject."""


class Recall:
    """Reads a ledger as far as it was not read yet.

    Args:
        ledgers: Where it is.
        dataset: The version in hand.
        units: Its units.
        identified: Returns them with their identities; None where none are kept.
        k: The threshold.
    """

    def __init__(
        self, *, ledgers: Ledgers, dataset: Dataset, units: Units, identified: Callable[[], Units] | None, k: int
    ) -> None:
        self._ledgers = ledgers
        self._dataset = dataset
        self._units = units
        self._identified = identified
        self._k = k
        self._fingerprints: tuple[str, ...] = ()
        self._versions: dict[str, Units] = {}
        self._all = Versions([units])
        self._audit = Audit.of(k, self._all.owners, self._all.rows)
        self._read = 0

    @property
    def owner_of(self) -> Whole | None:
        """The subject of each row of the version in hand; None where each row is one."""
        return self._units.owner_of

    def audit(self, ledger: Ledger) -> Audit:
        """Return what is known by everything in the ledger.

        Raises:
            TooManyError: It is too much to be looked through.
        """
        seen = (*(entry.fingerprint for entry in ledger.entries), self._dataset.fingerprint)
        fingerprints = tuple(dict.fromkeys(seen))
        if fingerprints != self._fingerprints:
            self._begin(fingerprints)
        self._audit = self._with(self._audit, ledger.entries[self._read :])
        self._read = len(ledger.entries)
        return self._audit

    def learned(self, audit: Audit) -> None:
        """Take over what is known with the entry that was just made."""
        self._audit, self._read = audit, self._read + 1

    def members(self, rows: Flags) -> Members:
        """Return the subjects and rows of a group of rows."""
        owner_of = self._units.owner_of
        if owner_of is None:
            return rows, None
        subjects = np.zeros(self._units.subjects, np.bool_)
        subjects[owner_of[rows]] = True
        return subjects, rows

    def sets(self, members: Members) -> tuple[Flags, ...]:
        """Return the units of a group in each world of the audit."""
        return self._all.sets(list(self._versions).index(self._dataset.fingerprint), *members)

    def guards(self, subjects: Sequence[Flags]) -> tuple[dict[str, JSON], ...]:
        """Return groups of subjects of the audit as a ledger keeps small groups, where they are of this version."""
        places = self._all.subjects_at(list(self._versions).index(self._dataset.fingerprint))
        own = [(flags[places], int(flags.sum())) for flags in subjects]
        known = Known(how=How.SMALL, below=self._k)
        return tuple(kept(known, self._of_subjects(flags)) for flags, count in own if int(flags.sum()) == count)

    def with_guards(self, audit: Audit, guards: Sequence[Mapping[str, JSON]]) -> tuple[Audit, Audit]:
        """Return what is known without and with such groups, over the same atoms."""
        return self._split(audit, self._dataset.fingerprint, guards)

    def _of_subjects(self, subjects: Flags) -> Members:
        owner_of = self._units.owner_of
        return subjects, None if owner_of is None else subjects[owner_of]

    def _begin(self, fingerprints: tuple[str, ...]) -> None:
        """Put the versions together. Of each, how many subjects and rows it has is no secret: its review says so."""
        self._fingerprints, self._read = fingerprints, 0
        own = self._own()
        found = {one: self._ledgers.units(self._dataset.name, one) for one in fingerprints} if own else {}
        self._versions = {one: Units.from_bytes(kept) for one, kept in found.items() if kept is not None}
        self._versions[self._dataset.fingerprint] = own or self._units
        self._all = Versions(list(self._versions.values()))
        sets = [self._all.sets(place, *_everything(units)) for place, units in enumerate(self._versions.values())]
        sets = [units for units in sets if units[0].any()]
        audit = Audit.of(self._k, self._all.owners, self._all.rows).split(sets)
        self._audit = audit.learn([Known(how=How.ALL, below=self._k)] * len(sets))

    def _own(self) -> Units | None:
        """This version with its identities, which are kept for versions to come; None when there are none."""
        if self._identified is None:
            return None
        there = self._ledgers.units(self._dataset.name, self._dataset.fingerprint)
        if there is not None:
            return Units.from_bytes(there)
        units = self._identified()
        self._ledgers.keep_units(self._dataset.name, self._dataset.fingerprint, units.to_bytes())
        return units

    def _with(self, audit: Audit, entries: Sequence[Disclosed]) -> Audit:
        for entry in entries:
            if entry.fingerprint in self._versions:
                _, audit = self._split(audit, entry.fingerprint, entry.groups)
        return audit

    def _split(self, audit: Audit, fingerprint: str, groups: Sequence[Mapping[str, JSON]]) -> tuple[Audit, Audit]:
        filled = [group for group in groups if "subjects" in group]
        units, place = self._versions[fingerprint], list(self._versions).index(fingerprint)
        finer = audit.split([self._all.sets(place, *_members(group, units)) for group in filled])
        return finer, finer.learn([_known(group) for group in filled])


def kept(known: Known, members: Members) -> dict[str, JSON]:
    """Return a group as a ledger keeps it: what was said of it, and its units as packed bits."""
    subjects, rows = members
    plain: dict[str, JSON] = {"how": known.how.value, "below": known.below, "subjects": packed(subjects)}
    if known.most is not None:
        plain["most"] = known.most
    return plain if rows is None else plain | {"rows": packed(rows)}


def _known(plain: Mapping[str, JSON]) -> Known:
    return Known(how=How(plain["how"]), below=plain["below"], most=plain.get("most"))


def _members(plain: Mapping[str, JSON], units: Units) -> Members:
    subjects = unpacked(plain["subjects"], units.subjects)
    return subjects, None if units.owner_of is None else unpacked(plain["rows"], len(units.owner_of))


def _everything(units: Units) -> Members:
    subjects = np.ones(units.subjects, np.bool_)
    return subjects, None if units.owner_of is None else np.ones(len(units.owner_of), np.bool_)
