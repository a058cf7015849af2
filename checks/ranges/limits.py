"""Values outside their limits, the same for a whole column or by parameter."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_

import narwhals as nw

from checks.column import Column
from checks.errors import CannotJudge
from checks.plain import count_of, name_text, names_text
from checks.probes import Failure, Query, RowCheck, Spread
from checks.ranges.bounds import TODAY, bounds_text, outside
from checks.registry import check
from checks.spec import Bounds, LimitsSpec
from checks.vocabulary import Severity


@check("ranges.outside_limits", severity=Severity.MINOR, of_field=True)
def outside_limits(column: Column) -> Iterator[RowCheck | Query]:
    """Values below `minimum` or above `maximum` (inclusive, in the column's unit), or beyond their parameter's limits.

    Why it matters: an age of 630 or a weight in the wrong unit moves every mean it enters.
    What to do: compare with the source record; look for a slip of the decimal point or a wrong unit.
    """
    if column.field.constraints.any:
        yield _one_limit(column)
    for block in column.of.limits_of(column.name):
        yield _by_parameter(column, block)
        yield _without_limits(column, block)


def _one_limit(column: Column) -> RowCheck:
    bounds = column.field.constraints
    allowed = bounds_text(bounds, column.field.unit)
    today = f" (today is {column.of.today.isoformat()})" if TODAY in allowed else ""
    return RowCheck(
        columns=(column.name,),
        failing=column.present & outside(column, bounds),
        says=f"{name_text(column.name)} is not {allowed}{today}",
        parameters={"limits": allowed},
        unjudged=_not_numbers(column),
        spreads=_spread(column, bounds, column.present, unit=column.field.unit),
    )


def _spread(
    column: Column, bounds: Bounds, of: nw.Expr, *, unit: str | None, label: str | None = None
) -> tuple[Spread, ...]:
    """What to draw: numbers against numbers, nothing else."""
    low = bounds.minimum if bounds.minimum is not None else bounds.exclusive_minimum
    high = bounds.maximum if bounds.maximum is not None else bounds.exclusive_maximum
    dates = column.field.is_date_like or any(isinstance(limit, str | bool) for limit in (low, high))
    if dates or column.kind not in ("number", "text"):
        return ()
    spread = Spread(
        value=nw.when(of).then(column.number.cast(nw.Float64)),
        failing=(of & outside(column, bounds)).fill_null(value=False),
        minimum=None if low is None else float(low),
        maximum=None if high is None else float(high),
        unit=unit,
        label=label,
        whole=column.dtype is not None and column.dtype.is_integer(),
    )
    return (spread,)


def _not_numbers(column: Column) -> tuple[tuple[nw.Expr, str], ...]:
    """Text that is no number; where the spec declares a number, wrong_type reports it."""
    if column.kind != "text" or column.field.type != "any" or column.field.is_date_like:
        return ()
    limits = column.field.constraints
    if isinstance(limits.minimum, str) or isinstance(limits.maximum, str):
        return ()
    return ((column.present & ~column.is_number, f"{name_text(column.name)} holds text that is not a number"),)


def _by_parameter(column: Column, block: LimitsSpec) -> RowCheck:
    by = column.of.column(block.by)
    if by.kind != "text":
        raise CannotJudge(f"{name_text(by.name)} holds {by.dtype} values, not the names of parameters")
    failing = [(by.value == name) & outside(column, bounds) for name, bounds in block.values.items()]

    def allowed(values: object) -> str | None:
        bounds = block.values.get(str(values[block.by])) if isinstance(values, dict) else None
        return f"allowed: {bounds_text(bounds, bounds.unit)}" if bounds is not None else None

    return RowCheck(
        columns=(column.name,),
        show=(by.name, column.name),
        failing=column.present & reduce(or_, failing),
        says=f"{name_text(column.name)} is outside the limits of its {name_text(by.name)}",
        parameters={"by": by.name, "limits": {n: bounds_text(b, b.unit) for n, b in block.values.items()}},
        severity=block.severity,
        note=allowed,
        spreads=tuple(
            spread
            for name, bounds in block.values.items()
            for spread in _spread(column, bounds, column.present & (by.value == name), unit=bounds.unit, label=name)
        ),
    )


def _without_limits(column: Column, block: LimitsSpec) -> Query:
    """Say once for which parameters there are no limits."""
    by = column.of.column(block.by)

    def run(rows: int) -> Failure | None:
        unlisted = by.present & ~by.value.is_in(list(block.values)).fill_null(value=False)
        counted = column.of.table.frame.filter(unlisted & column.present).group_by(by.name).agg(nw.len().alias("n"))
        found = sorted(counted.collect(backend="polars").iter_rows())
        if found:
            count = sum(int(n) for _, n in found)
            names = names_text([str(name) for name, _ in found])
            raise CannotJudge(f"{count:,} of {count_of(rows, 'row')}: no limits for {name_text(by.name)} {names}")
        return None

    return Query(columns=(column.name,), run=run)
