"""Which counts of a dataset may be told, in view of everything that was told of it before."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from checks.vocabulary import JSON, digest
from review_graph.core.disclosure import Audit, Conjunction, Flags, How, Known, Part, TooManyError, Units, hide
from review_graph.ports import Clock, Ledger, Ledgers
from review_graph.tools.recalling import Recall, kept
from review_graph.tools.tool import NotAnswered
from review_graph.tools.units import MAX_IDENTITIES, units_of, with_identities
from review_graph.vocabulary import Dataset, Disclosed

if TYPE_CHECKING:
    from checks.table import Table

REFUSED = "not answered: together with earlier answers, this could give away something of a few subjects"
"""All that is said of a refusal."""

WITHHELD = "withheld"
"""The mark of a count that is hidden for the sake of another."""

_ATTEMPTS = 1_000
"""How often somebody else may be quicker with an entry; each time, their question was answered."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Group:
    """One cell of an answer.

    Attributes:
        label: What it is the cell of.
        rows: Which rows of the table are in it, in file order.
        parts: The conditions that it follows from; nothing where the caller chose none.
    """

    label: tuple[JSON, ...]
    rows: Flags
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Told:
    """What may be told of a cell.

    Attributes:
        label: What it is the cell of.
        subjects: How many subjects; rows where the table has no subjects. None when not told.
        records: How many rows. None when not told.
        mark: Empty when told; `<5`, with the threshold, for 1 to one less, and for whatever is left of so few when more
            conditions are added; `withheld` when hidden for another's sake.
    """

    label: tuple[JSON, ...]
    subjects: int | None
    records: int | None
    mark: str

    @property
    def shows(self) -> bool:
        """Whether counts and statistics over exactly these rows may be told."""
        return not self.mark


class Disclosure:
    """Says which counts of one dataset may be told, and keeps what was told in the ledger of its name.

    The same question of the same version gets the same answer. Versions of a dataset share a ledger, and what was
    told of one counts for the others, by the identities of subjects and rows. These are kept for tables of up to
    `MAX_IDENTITIES` rows; of a longer one, each version is protected by itself.

    Args:
        ledgers: Where it is kept.
        dataset: The dataset; its name and its fingerprint count.
        units: Whose each row is.
        identified: Returns the units with their identities, asked once a version; None where none are kept.
        k: Counts and statistics of fewer subjects are not told.
        clock: The time.
    """

    def __init__(
        self,
        *,
        ledgers: Ledgers,
        dataset: Dataset,
        units: Units,
        identified: Callable[[], Units] | None,
        k: int,
        clock: Clock,
    ) -> None:
        self.k = k
        self._ledgers = ledgers
        self._dataset = dataset
        self._clock = clock
        self._lock = threading.Lock()
        self._recall = Recall(ledgers=ledgers, dataset=dataset, units=units, identified=identified, k=k)

    def tell(self, question: Mapping[str, JSON], groups: Sequence[Group]) -> tuple[Told, ...]:
        """Say what may be told of each group of an answer, and remember it.

        Statistics may be told of a group that `shows`, over exactly its rows: for a mean of values that are not
        missing, its rows are those. Groups may overlap, as a total and its parts do.

        A group some of whose conditions select a small group by themselves is answered as that one, and one that leaves
        a small group out of others is not answered.

        Args:
            question: The question as the tool understood it: names in the case of the data. Blanks around texts, and
                `reasoning`, do not count.
            groups: The cells of its answer, always the same and in the same order for the same question; that they are
                called otherwise makes another question.

        Raises:
            NotAnswered: Nothing of it may be told.
        """
        labels: list[JSON] = [list(group.label) for group in groups]
        asked = digest([_trimmed({**question, "reasoning": None}), self.k, labels])
        with self._lock:
            for _ in range(_ATTEMPTS):
                ledger = self._ledgers.disclosed(self._dataset.name)
                entry = self._answered(ledger, asked)
                if entry is None:
                    entry, audit = self._decided(asked, ledger, groups)
                    if not self._ledgers.disclose(self._dataset.name, ledger.seen, entry):
                        continue
                    if audit is not None:
                        self._recall.learned(audit)
                return self._by(entry, groups)
        raise NotAnswered(REFUSED)

    def _answered(self, ledger: Ledger, asked: str) -> Disclosed | None:
        own = self._dataset.fingerprint
        return next((one for one in ledger.entries if one.question == asked and one.fingerprint == own), None)

    def _by(self, entry: Disclosed, groups: Sequence[Group]) -> tuple[Told, ...]:
        if entry.refused or len(entry.groups) != len(groups):
            raise NotAnswered(REFUSED)
        return tuple(self._told(group, How(plain["how"])) for group, plain in zip(groups, entry.groups, strict=True))

    def _told(self, group: Group, how: How) -> Told:
        subjects, _ = self._recall.members(group.rows)
        if how is How.TOLD and 0 < subjects.sum() < self.k:  # told when other units were counted
            how = How.SMALL
        if how is not How.TOLD:
            mark = f"<{self.k}" if how is How.SMALL else WITHHELD
            return Told(label=group.label, subjects=None, records=None, mark=mark)
        return Told(label=group.label, subjects=int(subjects.sum()), records=int(group.rows.sum()), mark="")

    def _decided(self, asked: str, ledger: Ledger, groups: Sequence[Group]) -> tuple[Disclosed, Audit | None]:
        members = [self._recall.members(group.rows) for group in map(self._smallest, groups)]
        filled = [place for place, (subjects, _) in enumerate(members) if subjects.any()]
        try:
            audit = self._recall.audit(ledger)
            if left_out := self._left_out(groups):
                return self._refusal(asked, audit, left_out)
            outcome = hide(audit, [self._recall.sets(members[place]) for place in filled])
            if filled and not outcome.known:
                return self._refusal(asked, audit, self._recall.guards(outcome.guarded))
        except TooManyError:
            return self._entry(asked, (), refused=True), None
        plain: list[dict[str, JSON]] = [{"how": How.TOLD.value} for _ in groups]  # an empty group is told: 0
        for place, known in zip(filled, outcome.known, strict=True):
            plain[place] = kept(known, members[place])
        return self._entry(asked, plain), outcome.audit

    def _smallest(self, group: Group) -> Group:
        """The group as which one is answered: the small one that some of its conditions select, where they do."""
        small = self._conjunction(group).small_part()
        return group if small is None else replace(group, rows=small)

    def _left_out(self, groups: Sequence[Group]) -> tuple[Mapping[str, JSON], ...]:
        """The first small group that is left out, as a ledger keeps it; nothing where there is none."""
        for group in groups:
            rows = self._conjunction(group).left_out()
            if rows is not None:
                return (kept(Known(how=How.SMALL, below=self.k), self._recall.members(rows)),)
        return ()

    def _conjunction(self, group: Group) -> Conjunction:
        return Conjunction(group.parts, self._recall.owner_of, self.k)

    def _refusal(self, asked: str, audit: Audit, guards: Sequence[Mapping[str, JSON]]) -> tuple[Disclosed, Audit]:
        """Who knows how this works reads from a refusal that there is a small group; that is taken for told."""
        before, after = self._recall.with_guards(audit, guards)
        if any(after.by_sums(before)) or after.by_bounds(before):
            guards, after = (), audit
        return self._entry(asked, guards, refused=True), after

    def _entry(self, asked: str, groups: Sequence[Mapping[str, JSON]], *, refused: bool = False) -> Disclosed:
        at = self._clock().isoformat(timespec="seconds")
        own = self._dataset.fingerprint
        return Disclosed(question=asked, fingerprint=own, groups=tuple(groups), at=at, refused=refused)


def disclosure_of(table: Table, dataset: Dataset, ledgers: Ledgers, k: int, clock: Clock) -> Disclosure:
    """Return the disclosure of a table.

    A subject is who has the same USUBJID, or SUBJID where there is none; otherwise each row is one.

    Args:
        table: The dataset, as it was reviewed.
        dataset: What the review says of it.
        ledgers: Where it is kept what was told.
        k: Counts and statistics of fewer subjects are not told.
        clock: The time.
    """
    units = units_of(table)
    identified = (lambda: with_identities(table, units)) if table.rows <= MAX_IDENTITIES else None
    return Disclosure(ledgers=ledgers, dataset=dataset, units=units, identified=identified, k=k, clock=clock)


def _trimmed(value: JSON) -> JSON:
    if isinstance(value, Mapping):
        return {name: _trimmed(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_trimmed(one) for one in value]
    return value.strip() if isinstance(value, str) else value
