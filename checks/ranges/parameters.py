"""Values beyond the limits of their parameter, in their unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from itertools import islice
from operator import and_
from typing import Any

import narwhals as nw

from checks.column import Column
from checks.errors import CannotJudge
from checks.frame import collected, how_many
from checks.plain import count_of, name_text, names_text
from checks.probes import MAX_DRAWN, Failure, Query, Spread
from checks.ranges.bounds import any_of, bounds_text, is_surely_inside, outside, unreadable, unreadable_text
from checks.ranges.spreads import spread_of
from checks.ranges.units import in_brackets, listed, most_first, unit_in
from checks.ranges.wheres import Wheres
from checks.spec import LimitsSpec, ParameterBounds, folded_unit
from checks.vocabulary import JSON, digest


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """A parameter in a unit, as it occurs in the table.

    Attributes:
        parameter: Its name.
        unit: The unit as written; None where none is given, or none is asked for.
        rows: How many values it has.
        ends: The least and the greatest of them; None where they are no numbers.
        wheres: The conditions of limits that hold in these rows.
        unread: How many of them are text that cannot be held against limits, by what it is not.
    """

    parameter: str
    unit: str | None
    wheres: frozenset[str]
    rows: int
    ends: tuple[Any, Any] | None
    unread: Mapping[str, int]

    def __str__(self) -> str:
        return self.parameter if self.unit is None else f"{self.parameter} in {in_brackets(self.unit)}"


@dataclass(frozen=True, kw_only=True)
class _Suspect:
    """Limits of a parameter in a unit, as it is written, that some of its values may break."""

    parameter: str
    unit: str | None
    bounds: ParameterBounds


class ParameterLimits:
    """One block of limits, held against its column.

    What parameters there are, in which units and how far they reach, is found out once; in a clean table
    that is all there is to do, however many limits there are.

    Args:
        column: The column that is limited.
        block: The limits.

    Raises:
        CannotJudge: The names of parameters or units are no text.
    """

    def __init__(self, column: Column, block: LimitsSpec) -> None:
        self._column = column
        self._block = block
        self._by = _text(column.of.column(block.by), "the names of parameters")
        self._unit = None if block.unit_column is None else _text(column.of.column(block.unit_column), "units")
        self._wheres = Wheres(column.of, block)
        self._written = {
            folded_unit(name): folded_unit(unit) for unit, names in block.unit_names.items() for name in (unit, *names)
        }

    def queries(self) -> Iterator[Query]:
        """Yield what is asked of the table: values beyond their limits, and what has no limits."""
        column, block = self._column, self._block
        shown = (self._by.name, column.name, *([self._unit.name] if self._unit else []), *self._wheres.columns)
        yield Query(
            columns=(column.name,),
            show=shown,
            parameters={"by": block.by, "unitColumn": block.unit_column, "limits": _identity(block)},
            severity=block.severity,
            note=self._allowed,
            run=self._beyond,
            by_row=True,
        )
        none_holds = f"there are limits, but none whose where holds{self._wheres.absent_text}, for"
        for says, is_meant in {**_WITHOUT_LIMITS, none_holds: ParameterLimits.is_left_out}.items():

            def run(rows: int, says: str = says, is_meant: Any = is_meant) -> None:  # noqa: ANN401 - bound here
                self._nothing_left_out(rows, says, [seen for seen in self._seen if is_meant(self, seen)])

            yield Query(columns=(column.name,), run=run)
        yield Query(columns=(column.name,), run=self._all_named)
        yield from self._untold()
        for what in self._unreadable:
            yield Query(columns=(column.name,), run=partial(self._all_read, what))

    def _untold(self) -> Iterator[Query]:
        """Say of each condition that makes no sense in this table that it was passed over."""
        for reason in self._wheres.untold:

            def run(rows: int, reason: str = reason) -> None:  # noqa: ARG001 - as queries are run
                raise CannotJudge(reason)

            yield Query(columns=(self._column.name,), run=run)

    @cached_property
    def _unreadable(self) -> Mapping[str, nw.Expr]:
        """Where text cannot be held against such limits as there are, by what it is not."""
        bounds = (bounds for by_unit in self._block.values.values() for bounds in by_unit)
        return dict(unread for one in bounds if (unread := unreadable(self._column, one)) is not None)

    @cached_property
    def _counted(self) -> tuple[Mapping[str, Any], ...]:
        """The values by parameter, unit, and which conditions hold."""
        column = self._column
        by = {"parameter": self._by.known, **({"unit": self._unit.known} if self._unit else {})}
        by |= {f"where {number}": holds for number, holds in enumerate(self._wheres.holds.values())}
        numbers = column.kind in ("number", "text") and not column.field.is_date_like
        ends = {"least": nw.col("value").min(), "most": nw.col("value").max()} if numbers else {}
        picked = column.of.table.frame.filter(column.present).select(
            **by, **({"value": column.number} if numbers else {}), **self._unreadable
        )
        unread = {what: how_many(nw.col(what)) for what in self._unreadable}
        counted = collected(picked.group_by(list(by)).agg(nw.len().alias("rows"), **ends, **unread))
        return tuple(counted.iter_rows(named=True))

    @cached_property
    def _seen(self) -> tuple[_Seen, ...]:
        """The parameters that have values, by name, unit, and which conditions hold."""
        seen = (
            _Seen(
                parameter=row["parameter"],
                unit=row.get("unit"),
                rows=row["rows"],
                ends=(row["least"], row["most"]) if "least" in row else None,
                wheres=frozenset(text for number, text in enumerate(self._wheres.holds) if row[f"where {number}"]),
                unread={what: row[what] for what in self._unreadable},
            )
            for row in self._counted
            if row["parameter"] is not None
        )
        return tuple(sorted(seen, key=lambda one: (one.parameter, one.unit or "", sorted(one.wheres))))

    def _in_unit(self, parameter: str, unit: str | None) -> Sequence[ParameterBounds]:
        """The limits of a parameter that may be meant for values in a unit, those that go before others first."""
        by_unit = self._block.values.get(parameter, ())
        if self._unit is None:
            return by_unit
        meant = dict.fromkeys(self._plain(text) for text in (unit or "", in_brackets(unit or ""), ""))
        return [bounds for text in meant for bounds in by_unit if self._plain(bounds.unit or "") == text]

    def _limits_of(self, seen: _Seen) -> ParameterBounds | None:
        """The first of the limits in the unit whose condition holds."""
        in_unit = self._in_unit(seen.parameter, seen.unit)
        return next((bounds for bounds in in_unit if bounds.where is None or bounds.where in seen.wheres), None)

    def _plain(self, unit: str) -> str:
        """One spelling for all that mean a unit."""
        folded = folded_unit(unit)
        return self._written.get(folded, folded)

    @cached_property
    def _suspects(self) -> tuple[_Suspect, ...]:
        """The limits that are not known to be kept by all their values."""
        limited = ((seen, bounds) for seen in self._seen if (bounds := self._limits_of(seen)) is not None)
        suspects = (
            _Suspect(parameter=seen.parameter, unit=seen.unit, bounds=bounds)
            for seen, bounds in limited
            if seen.ends is None or not is_surely_inside(self._column, seen.ends, bounds)
        )
        return tuple(dict.fromkeys(suspects))

    def _rows_of(self, suspect: _Suspect) -> nw.Expr:
        """True for the rows that limits are for: those in the unit that no limits before them have taken."""
        unit, wheres = suspect.unit, self._wheres.holds
        parts = [self._by.value == suspect.parameter]
        if self._unit is not None:
            parts.append(self._unit.missing if unit is None else self._unit.value == unit)
        for bounds in self._in_unit(suspect.parameter, unit):
            holds = wheres.get(bounds.where or "")
            if holds is not None:
                parts.append(holds if bounds == suspect.bounds else ~holds)
            if bounds == suspect.bounds:
                break
        return reduce(and_, (part.fill_null(value=False) for part in parts))

    def _beyond(self, rows: int) -> Failure | None:
        column = self._column
        of = {suspect: self._rows_of(suspect) for suspect in self._suspects}
        if not of:
            return None
        conditions = [of_it & outside(column, suspect.bounds) for suspect, of_it in of.items()]
        offending = column.of.table.frame.filter(column.present & any_of(conditions))
        names = [self._by.name, *([self._unit.name] if self._unit else [])]
        counted = collected(offending.group_by(names).agg(nw.len().alias("n")))
        counts = sorted(
            ((str(row[0]), unit_in(row[1:-1]), int(row[-1])) for row in counted.iter_rows()), key=most_first
        )
        if not counts:
            return None
        failed = sum(count for _, _, count in counts)
        says = f"{name_text(column.name)} is outside the limits of its {name_text(self._by.name)}"
        message = f"{failed:,} of {count_of(rows, 'row')}: {says} ({listed(counts)})"
        return Failure(
            message=message, failed=failed, offending=offending, spreads=tuple(self._spreads(of)), filtered=True
        )

    def _spreads(self, of: Mapping[_Suspect, nw.Expr]) -> Iterator[Spread]:
        """What to draw: the first few parameters, since a report has room for no more."""
        for suspect, of_it in islice(of.items(), MAX_DRAWN):
            there, bounds = self._column.present & of_it, suspect.bounds
            yield from spread_of(self._column, bounds, there, unit=bounds.unit, label=suspect.parameter)

    def _allowed(self, values: Mapping[str, JSON]) -> str | None:
        """The limits that a value breaks; where they may be one of several, each with its condition."""
        parameter, unit = str(values[self._by.name]), None if self._unit is None else values.get(self._unit.name)
        suspects = [suspect.bounds for suspect in self._suspects if suspect.parameter == parameter]
        in_unit = self._in_unit(parameter, None if unit is None else str(unit))
        broken = [bounds for bounds in in_unit if bounds in suspects]
        said = [bounds_text(bounds, bounds.unit) for bounds in broken]
        if len(broken) > 1:
            said = [f"{text} where {one.where}" if one.where else text for text, one in zip(said, broken, strict=True)]
        return f"allowed: {', else '.join(said)}" if said else None

    def _nothing_left_out(self, rows: int, says: str, seen: Sequence[_Seen]) -> None:
        if seen:
            count = sum(one.rows for one in seen)
            names = dict.fromkeys(one.parameter if self.has_none(one) else str(one) for one in seen)
            raise CannotJudge(
                f"{count:,} of {count_of(rows, 'row')}: {says} {name_text(self._by.name)} {names_text(names)}"
            )

    def _all_named(self, rows: int) -> None:
        if count := sum(row["rows"] for row in self._counted if row["parameter"] is None):
            name = name_text(self._by.name)
            raise CannotJudge(f"{count:,} of {count_of(rows, 'row')}: {name} is missing, so no limits hold")

    def _all_read(self, what: str, rows: int) -> None:
        limited = ((seen, bounds) for seen in self._seen if (bounds := self._limits_of(seen)) is not None)
        asked = ((seen, unreadable(self._column, bounds)) for seen, bounds in limited)
        if count := sum(seen.unread[what] for seen, unread in asked if unread is not None and unread[0] == what):
            raise CannotJudge(f"{count:,} of {count_of(rows, 'row')}: {unreadable_text(self._column, what)}")

    def has_none(self, seen: _Seen) -> bool:
        """Whether there are no limits of a parameter, whatever the unit."""
        return seen.parameter not in self._block.values

    def lacks_unit(self, seen: _Seen) -> bool:
        """Whether there are limits, but not in the unit of the values, because they have none."""
        return not self.has_none(seen) and seen.unit is None and not self._in_unit(seen.parameter, None)

    def has_other_units(self, seen: _Seen) -> bool:
        """Whether there are limits, but none in the unit of the values."""
        there = not self.has_none(seen) and seen.unit is not None
        return there and not self._in_unit(seen.parameter, seen.unit)

    def is_left_out(self, seen: _Seen) -> bool:
        """Whether there are limits in the unit of the values, but all of them for other records."""
        return self._limits_of(seen) is None and bool(self._in_unit(seen.parameter, seen.unit))


_WITHOUT_LIMITS = {
    "no limits for": ParameterLimits.has_none,
    "no unit is given, so no limits hold, for": ParameterLimits.lacks_unit,
    "no limits in this unit for": ParameterLimits.has_other_units,
}


def _text(column: Column, meant: str) -> Column:
    if column.kind != "text":
        raise CannotJudge(f"{name_text(column.name)} holds {column.dtype} values, not {meant}")
    return column


def _identity(block: LimitsSpec) -> str:
    """The limits themselves stand in the spec; what tells two sets of them apart is enough in a finding."""
    return digest(block.model_dump(mode="json", include={"values", "unit_names"}))[:12]
