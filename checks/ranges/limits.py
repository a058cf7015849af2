"""Values outside their limits, the same for a whole column or by parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import narwhals as nw

from checks.column import Column
from checks.errors import CannotJudge
from checks.plain import count_of, name_text, names_text
from checks.probes import Failure, Query, RowCheck, Spread
from checks.ranges.bounds import TODAY, any_of, bounds_text, outside
from checks.registry import check
from checks.spec import Bounds, LimitsSpec, ParameterBounds
from checks.vocabulary import JSON, Severity


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
        yield from _without_limits(column, block)


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


@dataclass(frozen=True, kw_only=True)
class _Case:
    """Limits of one parameter in one unit, and the rows they are for."""

    name: str
    bounds: ParameterBounds
    rows: nw.Expr


def _cases(column: Column, block: LimitsSpec) -> list[_Case]:
    by = column.of.column(block.by)
    if by.kind != "text":
        raise CannotJudge(f"{name_text(by.name)} holds {by.dtype} values, not the names of parameters")
    return [
        _Case(name=name, bounds=bounds, rows=(by.value == name) & _in_unit(column, block, bounds))
        for name, by_unit in block.values.items()
        for bounds in by_unit
    ]


def _in_unit(column: Column, block: LimitsSpec, bounds: ParameterBounds) -> nw.Expr:
    """True for rows whose unit is that of the limits: the whole text, or what stands in brackets at its end."""
    if block.unit_column is None:
        return nw.lit(value=True)
    unit = column.of.column(block.unit_column)
    if unit.kind != "text":
        raise CannotJudge(f"{name_text(unit.name)} holds {unit.dtype} values, not units")
    written, wanted = unit.stripped.str.to_lowercase(), (bounds.unit or "").lower()
    return ((written == wanted) | written.str.ends_with(f"({wanted})")).fill_null(value=False)


def _by_parameter(column: Column, block: LimitsSpec) -> RowCheck:
    cases = _cases(column, block)

    def allowed(values: Mapping[str, JSON]) -> str | None:
        by_unit = block.values.get(str(values[block.by]), ())
        texts = [bounds_text(bounds, bounds.unit) for bounds in by_unit]
        return f"allowed: {', or '.join(texts)}" if texts else None

    return RowCheck(
        columns=(column.name,),
        show=tuple(name for name in (block.by, column.name, block.unit_column) if name is not None),
        failing=column.present & any_of(case.rows & outside(column, case.bounds) for case in cases),
        says=f"{name_text(column.name)} is outside the limits of its {name_text(block.by)}",
        parameters={"by": block.by, "limits": {name: _allowed(by_unit) for name, by_unit in block.values.items()}},
        severity=block.severity,
        note=allowed,
        spreads=tuple(
            spread
            for case in cases
            for spread in _spread(
                column, case.bounds, column.present & case.rows, unit=case.bounds.unit, label=case.name
            )
        ),
    )


def _allowed(by_unit: Sequence[ParameterBounds]) -> JSON:
    texts: list[JSON] = [bounds_text(bounds, bounds.unit) for bounds in by_unit]
    return texts[0] if len(texts) == 1 else texts


def _without_limits(column: Column, block: LimitsSpec) -> Iterator[Query]:
    """Say once for which parameters there are no limits, and once for which units."""
    by = column.of.column(block.by)
    listed = by.value.is_in(list(block.values)).fill_null(value=False)
    yield _none_for(column, by.present & ~listed, [by], "no limits for")
    if block.unit_column is not None:
        unit = column.of.column(block.unit_column)
        covered = any_of(case.rows for case in _cases(column, block))
        yield _none_for(column, listed & unit.missing, [by], "no unit is given, so no limits hold, for")
        yield _none_for(column, listed & unit.present & ~covered, [by, unit], "no limits in this unit for")


def _none_for(column: Column, rows_without: nw.Expr, by: Sequence[Column], says: str) -> Query:
    names = [part.name for part in by]

    def run(rows: int) -> Failure | None:
        counted = column.of.table.frame.filter(rows_without & column.present).group_by(names).agg(nw.len().alias("n"))
        found = sorted(counted.collect(backend="polars").iter_rows())
        if found:
            count = sum(int(row[-1]) for row in found)
            listed = names_text([" in ".join(map(str, row[:-1])) for row in found])
            raise CannotJudge(f"{count:,} of {count_of(rows, 'row')}: {says} {names_text(names[:1])} {listed}")
        return None

    return Query(columns=(column.name,), run=run)
