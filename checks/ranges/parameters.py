"""Values beyond the limits of their parameter, in their unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals as nw

from checks.column import Column
from checks.errors import CannotJudge
from checks.frame import collected
from checks.plain import count_of, name_text, names_text
from checks.probes import MAX_DRAWN, Failure, Query, Spread
from checks.ranges.bounds import any_of, bounds_text, is_surely_inside, outside
from checks.ranges.spreads import spread_of
from checks.spec import LimitsSpec, ParameterBounds
from checks.vocabulary import JSON, digest

_SHOWN = 4
"""Parameters a message counts one by one."""


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """A parameter in a unit, as it occurs in the table.

    Attributes:
        parameter: Its name.
        unit: The unit as written; None where none is given, or none is asked for.
        rows: How many values it has.
        ends: The least and the greatest of them; None where they are no numbers.
    """

    parameter: str
    unit: str | None
    rows: int
    ends: tuple[Any, Any] | None

    def __str__(self) -> str:
        return self.parameter if self.unit is None else f"{self.parameter} in {_in_brackets(self.unit)}"


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
        self._written = {
            name.casefold(): unit.casefold() for unit, names in block.unit_names.items() for name in (unit, *names)
        }

    def queries(self) -> Iterator[Query]:
        """Yield what is asked of the table: values beyond their limits, and what has no limits."""
        column, block = self._column, self._block
        shown = (self._by.name, column.name, *([self._unit.name] if self._unit else []))
        yield Query(
            columns=(column.name,),
            show=shown,
            parameters={"by": block.by, "unitColumn": block.unit_column, "limits": _identity(block)},
            severity=block.severity,
            note=self._allowed,
            run=self._beyond,
            by_row=True,
        )
        for says, is_meant in _WITHOUT_LIMITS.items():

            def run(rows: int, says: str = says, is_meant: Any = is_meant) -> None:  # noqa: ANN401 - bound here
                self._nothing_left_out(rows, says, [seen for seen in self._seen if is_meant(self, seen)])

            yield Query(columns=(column.name,), run=run)

    @cached_property
    def _seen(self) -> tuple[_Seen, ...]:
        """The parameters that have values, by name and unit."""
        column = self._column
        by = {"parameter": self._by.known, **({"unit": self._unit.known} if self._unit else {})}
        numbers = column.kind in ("number", "text") and not column.field.is_date_like
        ends = {"least": nw.col("value").min(), "most": nw.col("value").max()} if numbers else {}
        picked = column.of.table.frame.filter(column.present & self._by.present).select(
            **by, **({"value": column.number} if numbers else {})
        )
        counted = collected(picked.group_by(list(by)).agg(nw.len().alias("rows"), **ends))
        seen = (
            _Seen(
                parameter=row["parameter"],
                unit=row.get("unit"),
                rows=row["rows"],
                ends=(row["least"], row["most"]) if numbers else None,
            )
            for row in counted.iter_rows(named=True)
        )
        return tuple(sorted(seen, key=lambda one: (one.parameter, one.unit or "")))

    def _limits_of(self, parameter: str, unit: str | None) -> ParameterBounds | None:
        """The limits of a parameter in a unit; without units the one block there is."""
        by_unit = self._block.values.get(parameter, ())
        if self._unit is None:
            return by_unit[0] if by_unit else None
        known = {self._plain(bounds.unit or ""): bounds for bounds in by_unit}
        meant = (self._plain(text) for text in (unit or "", _in_brackets(unit or ""), ""))
        return next((known[text] for text in meant if text in known), None)

    def _plain(self, unit: str) -> str:
        """One spelling for all that mean a unit."""
        folded = unit.strip().casefold()
        return self._written.get(folded, folded)

    def _beyond(self, rows: int) -> Failure | None:
        column, conditions = self._column, []
        broken: list[tuple[_Seen, ParameterBounds, nw.Expr]] = []
        for seen in self._seen:
            bounds = self._limits_of(seen.parameter, seen.unit)
            if bounds is None or (seen.ends is not None and is_surely_inside(column, seen.ends, bounds)):
                continue
            of = (self._by.value == seen.parameter).fill_null(value=False)
            if self._unit is not None:
                same = self._unit.missing if seen.unit is None else self._unit.value == seen.unit
                of = of & same.fill_null(value=False)
            conditions.append(of & outside(column, bounds))
            broken.append((seen, bounds, of))
        if not conditions:
            return None
        offending = column.of.table.frame.filter(column.present & any_of(conditions))
        names = [self._by.name, *([self._unit.name] if self._unit else [])]
        counted = collected(offending.group_by(names).agg(nw.len().alias("n")))
        counts = sorted(
            ((str(row[0]), _unit_in(row[1:-1]), int(row[-1])) for row in counted.iter_rows()), key=_most_first
        )
        if not counts:
            return None
        failed = sum(count for _, _, count in counts)
        says = f"{name_text(column.name)} is outside the limits of its {name_text(self._by.name)}"
        message = f"{failed:,} of {count_of(rows, 'row')}: {says} ({_listed(counts)})"
        return Failure(
            message=message, failed=failed, offending=offending, spreads=tuple(self._spreads(broken)), filtered=True
        )

    def _spreads(self, broken: Sequence[tuple[_Seen, ParameterBounds, nw.Expr]]) -> Iterator[Spread]:
        """What to draw: the first few parameters, since a report has room for no more."""
        for seen, bounds, of in broken[:MAX_DRAWN]:
            of_it = self._column.present & of
            yield from spread_of(self._column, bounds, of_it, unit=bounds.unit, label=seen.parameter)

    def _allowed(self, values: Mapping[str, JSON]) -> str | None:
        unit = None if self._unit is None else values.get(self._unit.name)
        bounds = self._limits_of(str(values[self._by.name]), None if unit is None else str(unit))
        return None if bounds is None else f"allowed: {bounds_text(bounds, bounds.unit)}"

    def _nothing_left_out(self, rows: int, says: str, seen: Sequence[_Seen]) -> None:
        if seen:
            count = sum(one.rows for one in seen)
            names = dict.fromkeys(one.parameter if self.has_none(one) else str(one) for one in seen)
            raise CannotJudge(
                f"{count:,} of {count_of(rows, 'row')}: {says} {name_text(self._by.name)} {names_text(names)}"
            )

    def has_none(self, seen: _Seen) -> bool:
        """Whether there are no limits of a parameter, whatever the unit."""
        return seen.parameter not in self._block.values

    def lacks_unit(self, seen: _Seen) -> bool:
        """Whether there are limits, but not in the unit of the values, because they have none."""
        return not self.has_none(seen) and seen.unit is None and self._limits_of(seen.parameter, None) is None

    def has_other_units(self, seen: _Seen) -> bool:
        """Whether there are limits, but none in the unit of the values."""
        there = not self.has_none(seen) and seen.unit is not None
        return there and self._limits_of(seen.parameter, seen.unit) is None


_WITHOUT_LIMITS = {
    "no limits for": ParameterLimits.has_none,
    "no unit is given, so no limits hold, for": ParameterLimits.lacks_unit,
    "no limits in this unit for": ParameterLimits.has_other_units,
}


def _text(column: Column, meant: str) -> Column:
    if column.kind != "text":
        raise CannotJudge(f"{name_text(column.name)} holds {column.dtype} values, not {meant}")
    return column


def _in_brackets(text: str) -> str:
    """What stands in the last brackets of a text that ends with them, other brackets within included; else the text."""
    stripped, depth = text.strip(), 0
    for place in range(len(stripped) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(stripped[place], 0)
        if depth == 0:
            return stripped[place + 1 : -1] if stripped.endswith(")") else stripped
    return stripped


def _identity(block: LimitsSpec) -> str:
    """The limits themselves stand in the spec; what tells two sets of them apart is enough in a finding."""
    return digest(block.model_dump(mode="json", include={"values", "unit_names"}))[:12]


def _unit_in(rest: tuple[Any, ...]) -> str:
    return _in_brackets(str(rest[0])) if rest and rest[0] is not None else ""


def _most_first(count: tuple[str, str, int]) -> tuple[int, str, str]:
    parameter, unit, rows = count
    return -rows, parameter, unit


def _listed(counts: Sequence[tuple[str, str, int]]) -> str:
    """How many rows of each parameter, the most first; a cut list says of how many."""
    shown = [
        f"{rows:,} {name_text(parameter)}{f' in {name_text(unit)}' if unit else ''}"
        for parameter, unit, rows in counts[:_SHOWN]
    ]
    return ", ".join(shown) + (f", … {len(counts)} in all" if len(counts) > _SHOWN else "")
