"""How many rows fail, and which come first: one pass for all checks, or a look at a column's different values."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw
import polars as pl

from checks.domains import Domain
from checks.errors import TableError
from checks.evidence import shown_columns
from checks.examination import Examination
from checks.frame import CRASH, Frame, collected, counted, how_many, is_big
from checks.passing import KEPT_ROWS, Seen, Sought, passed_over
from checks.probes import Measure, Probe, RowCheck

AT_ONCE = 2000
"""Aggregates of one query; a table of ten thousand columns asks for more, and a plan takes memory for each."""

_log = logging.getLogger("checks")

_KIND = "kind "
"""Start of the names of what a check breaks its failures down into."""


@dataclass(frozen=True, kw_only=True)
class Counts:
    """What was counted for a probe.

    Attributes:
        values: Values by name: `failed` and `unjudged0` … of a row check, the aggregates of a measure.
        kinds: How many failures are of which kind, where that was counted along.
        first: The first offending rows, or all of them, where they were brought along.
    """

    values: Mapping[str, Any]
    kinds: Mapping[str, int] | None = None
    first: pl.DataFrame | None = None


Answer = Counts | BaseException
"""What was counted, or the crash that kept it from being counted."""


@dataclass
class Counting:
    """One table being counted.

    Attributes:
        of: The table held against its spec.
        whole: Whether all offending rows will be asked for, and not only the first.
        rows: Number of its rows, once something was counted.
    """

    of: Examination
    whole: bool = False
    rows: int = field(default=0, init=False)

    @property
    def is_big(self) -> bool:
        """Whether the table is one on Polars that is worth some planning."""
        return is_big(self.rows) and self.of.table.frame.implementation.is_polars()

    def count_rows(self) -> None:
        """Count the rows.

        Raises:
            TableError: They cannot be read.
        """
        try:
            self.rows = self.of.table.rows
        except CRASH:
            self._demand_readable()
            raise

    def answers(self, probes: Sequence[Probe]) -> list[Answer]:
        """Count what each probe asks for, all of it together where that can be; only if that crashes, each alone."""
        together = {n for n, probe in enumerate(probes) if not self._is_apart(probe)}
        try:
            known = self._together({n: probes[n] for n in together})
        except CRASH:
            self._demand_readable()
            _log.debug("all checks at once crashed, so each is asked alone, which takes longer", exc_info=True)
            known = {}
        return [known[n] if n in known else self._alone(probe) for n, probe in enumerate(probes)]

    def count(self, probe: RowCheck, conditions: Mapping[str, nw.Expr]) -> dict[str, int]:
        """Return by name in how many of the rows a probe looks at a condition holds; null is no."""
        domain = self._domain_of(probe)
        if domain is not None:
            return domain.count(conditions)
        return counted(self.of.table.frame if probe.frame is None else probe.frame, conditions)

    def offending(self, probe: RowCheck) -> Frame:
        """Return the rows that fail."""
        domain, rows = self._domain_of(probe), self.of.table.frame if probe.frame is None else probe.frame
        failing = probe.failing if domain is None else domain.rows_with(probe.failing)
        return rows.filter(failing.fill_null(value=False))

    def _together(self, probes: Mapping[int, Probe]) -> dict[int, Answer]:
        """One pass for all: a big table is not read again for the rows that are shown."""
        along = {n: probe for n, probe in probes.items() if isinstance(probe, RowCheck) and self.is_big}
        rest = {n: probe for n, probe in probes.items() if n not in along}
        asked = {n: _aggregates(probe) for n, probe in rest.items()}
        named = {f"{n}.{name}": expr for n, exprs in asked.items() for name, expr in exprs.items()}
        values = self._values(named)
        answers: dict[int, Answer] = {
            n: Counts(values={name: values[f"{n}.{name}"] for name in exprs}) for n, exprs in asked.items()
        }
        sought = [self._sought(probe) for probe in along.values()]
        for n, seen in zip(along, self._passed_over(sought), strict=True):
            answers[n] = Counts(
                values={"failed": seen.failed, **seen.counts},
                kinds={name: seen.counts[_KIND + name] for name in along[n].breakdown},
                first=seen.first,
            )
        return answers

    def _sought(self, probe: RowCheck) -> Sought:
        shown = shown_columns(self.of, probe, self.of.table.frame)
        identity = (self.of.table.row, *self.of.record_key)
        return Sought(
            failing=probe.failing,
            counted=_unjudged(probe) | {_KIND + name: is_so for name, is_so in probe.breakdown.items()},
            shown=shown,
            values=[name for name in shown if name not in identity],
        )

    def _passed_over(self, sought: Sequence[Sought]) -> tuple[Seen, ...]:
        table, room = self.of.table, KEPT_ROWS if self.whole else 0
        return passed_over(table.frame, table.row, self.rows, sought, room=room) if sought else ()

    def _values(self, named: Mapping[str, nw.Expr]) -> dict[str, Any]:
        """Return values of the whole table by name."""
        values: dict[str, Any] = {}
        names = list(named)
        for start in range(0, len(names), AT_ONCE):
            some = {name: named[name] for name in names[start : start + AT_ONCE]}
            values |= zip(some, collected(self.of.table.frame.select(**some)).row(0), strict=True)
        return values

    def _is_apart(self, probe: Probe) -> bool:
        return isinstance(probe, RowCheck) and (probe.frame is not None or self._domain_of(probe) is not None)

    def _domain_of(self, probe: Probe) -> Domain | None:
        if isinstance(probe, RowCheck) and probe.by_value and probe.frame is None:
            return self.of.table.known_domain(probe.columns[0])
        return None

    def _alone(self, probe: Probe) -> Answer:
        try:
            if isinstance(probe, RowCheck):
                return Counts(values=self.count(probe, {"failed": probe.failing} | _unjudged(probe)))
            return Counts(values=self._values(_aggregates(probe)))
        except CRASH as crash:
            return crash

    def _demand_readable(self) -> None:
        """Tell data that cannot be read, for instance a damaged page of a file, from a check that crashes."""
        try:
            self._values({name: nw.col(name).is_null().any() for name in self.of.table.schema})
        except CRASH as error:
            reason = str(error).partition("\n")[0]
            raise TableError(f"the table's values cannot be read: {reason}; ask for the file again") from error


def _aggregates(probe: Probe) -> dict[str, nw.Expr]:
    """Return what a probe wants to know of the whole table, by name."""
    if isinstance(probe, Measure):
        return dict(probe.aggregates)
    if isinstance(probe, RowCheck):
        return {name: how_many(is_so) for name, is_so in ({"failed": probe.failing} | _unjudged(probe)).items()}
    return {}


def _unjudged(probe: RowCheck) -> dict[str, nw.Expr]:
    """Return the conditions under which rows cannot be judged, by name."""
    return {f"unjudged{n}": is_so for n, (is_so, _) in enumerate(probe.unjudged)}
