"""How many rows fail: one pass over the table for all checks, or a look at a column's different values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw

from checks.domains import Domain
from checks.errors import TableError
from checks.examination import Examination
from checks.frame import CRASH, Frame, collected, how_many
from checks.probes import Measure, Probe, RowCheck

Answer = dict[str, Any] | BaseException
"""Values by name, or the crash that kept them from being counted."""


@dataclass
class Counting:
    """One table being counted.

    Attributes:
        of: The table held against its spec.
        rows: Number of its rows, once something was counted.
    """

    of: Examination
    rows: int = field(default=0, init=False)

    def answers(self, probes: Sequence[Probe]) -> list[Answer]:
        """Count what each probe asks for, all of it together where that can be; only if that crashes, each alone."""
        asked = [aggregates(probe) for probe in probes]
        together = {n for n, probe in enumerate(probes) if not self._is_apart(probe)}
        try:
            values = self.values({f"{n}.{name}": expr for n in together for name, expr in asked[n].items()})
        except CRASH:
            self._demand_readable()
            together, values = set(), self.values({})
        self.rows = values["rows"]
        return [
            {name: values[f"{n}.{name}"] for name in asked[n]} if n in together else self._alone(probe, asked[n])
            for n, probe in enumerate(probes)
        ]

    def count(self, probe: RowCheck, conditions: Mapping[str, nw.Expr]) -> dict[str, int]:
        """Return by name in how many of the rows a probe looks at a condition holds; null is no."""
        domain = self._domain_of(probe)
        if domain is not None:
            return domain.count(conditions)
        return self.values({name: how_many(is_so) for name, is_so in conditions.items()}, probe.frame)

    def offending(self, probe: RowCheck) -> Frame:
        """Return the rows that fail."""
        domain, rows = self._domain_of(probe), self.of.table.frame if probe.frame is None else probe.frame
        failing = probe.failing if domain is None else domain.rows_with(probe.failing)
        return rows.filter(failing.fill_null(value=False))

    def values(self, named: Mapping[str, nw.Expr], frame: Frame | None = None) -> dict[str, Any]:
        """Return values of the whole table by name, and its number of rows as `rows`."""
        exprs = [expr.alias(name) for name, expr in named.items()]
        rows = self.of.table.frame if frame is None else frame
        row = collected(rows.select(nw.len().alias("rows"), *exprs)).row(0)
        return dict(zip(["rows", *named], row, strict=True))

    def _is_apart(self, probe: Probe) -> bool:
        return isinstance(probe, RowCheck) and (probe.frame is not None or self._domain_of(probe) is not None)

    def _domain_of(self, probe: Probe) -> Domain | None:
        if isinstance(probe, RowCheck) and probe.by_value and probe.frame is None:
            return self.of.table.domain(probe.columns[0])
        return None

    def _alone(self, probe: Probe, asked: Mapping[str, nw.Expr]) -> Answer:
        try:
            if isinstance(probe, RowCheck):
                return self.count(probe, conditions(probe))
            return self.values(asked)
        except CRASH as crash:
            return crash

    def _demand_readable(self) -> None:
        """Tell data that cannot be read, for instance a damaged page of a file, from a check that crashes."""
        try:
            self.values({name: nw.col(name).is_null().any() for name in self.of.table.schema})
        except CRASH as error:
            reason = str(error).partition("\n")[0]
            raise TableError(f"the table's values cannot be read: {reason}; ask for the file again") from error


def aggregates(probe: Probe) -> dict[str, nw.Expr]:
    """Return what a probe wants to know of the whole table, by name."""
    if isinstance(probe, Measure):
        return dict(probe.aggregates)
    return {name: how_many(is_so) for name, is_so in conditions(probe).items()} if isinstance(probe, RowCheck) else {}


def conditions(probe: RowCheck) -> dict[str, nw.Expr]:
    """Return the conditions whose rows a row check wants counted."""
    return {"failed": probe.failing} | {f"unjudged{n}": is_so for n, (is_so, _) in enumerate(probe.unjudged)}
