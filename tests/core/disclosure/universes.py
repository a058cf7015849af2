"""Small universes in which every table that bears out some answers can be written down."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from review_graph.core.disclosure import Audit, Flags, How, Known, Outcome, Whole, hide


@cache
def all_tables(subjects: int, cells: int) -> Whole:
    """All ways to spread some subjects over some cells, one a row."""
    if cells == 0:
        return np.zeros((1, 0), np.int64)
    bars = itertools.combinations(range(subjects + cells - 1), cells - 1)
    return np.array([np.diff([-1, *some, subjects + cells - 1]) - 1 for some in bars])


@dataclass
class Universe:
    """Cells of so many subjects, questions about unions of cells, and an attacker who tries every table."""

    sizes: Sequence[int]
    k: int
    audit: Audit = field(init=False)
    open_: Flags = field(init=False)

    def __post_init__(self) -> None:
        everybody = (np.ones(sum(self.sizes), np.bool_),)
        self.audit = Audit.of(self.k, [sum(self.sizes)]).split([everybody]).learn([Known(how=How.ALL, below=self.k)])
        self.open_ = np.ones(len(self.tables), np.bool_)

    @property
    def tables(self) -> Whole:
        return all_tables(sum(self.sizes), len(self.sizes))

    def ask(self, groups: Sequence[Sequence[int]]) -> Outcome:
        cell_of = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return hide(self.audit, [(np.isin(cell_of, group),) for group in groups])

    def take(self, groups: Sequence[Sequence[int]], known: Sequence[Known], audit: Audit) -> None:
        self.audit = audit
        self.open_ = self.left(groups, known)

    def left(self, groups: Sequence[Sequence[int]], known: Sequence[Known]) -> Flags:
        """Which tables are possible after an answer."""
        left = self.open_.copy()
        for group, one in zip(groups, known, strict=True):
            counts = self.tables[:, list(group)].sum(axis=1)
            small = (counts > 0) & (counts < self.k)
            if one.how is How.SMALL:
                left &= small
            elif one.how is How.WITHHELD:
                left &= counts >= self.k
            else:
                left &= counts == sum(self.sizes[cell] for cell in group)
        return left

    def as_if_told(self, groups: Sequence[Sequence[int]]) -> list[Known]:
        """What an answer that hides nothing would say."""
        small = [sum(self.sizes[cell] for cell in group) < self.k for group in groups]
        return [Known(how=How.SMALL if one else How.TOLD, below=self.k) for one in small]

    def determined(self, open_: Flags) -> Iterator[tuple[int, ...]]:
        """Groups of 1 to k - 1 subjects that have one count in all tables that are possible."""
        for number in range(1, self.k):
            for group in itertools.combinations(range(len(self.sizes)), number):
                counts = self.tables[open_][:, list(group)].sum(axis=1)
                if sum(self.sizes[cell] for cell in group) < self.k and (counts == counts[0]).all():
                    yield group
