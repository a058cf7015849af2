"""Values outside their limits, the same for a whole column or by parameter."""

from __future__ import annotations

from collections.abc import Iterator

from checks.column import Column
from checks.plain import name_text
from checks.probes import Fact, Query, RowCheck
from checks.ranges.bounds import TODAY, bounds_text, is_proven_inside, outside, unreadable, unreadable_text
from checks.ranges.parameters import ParameterLimits
from checks.ranges.spreads import spread_of
from checks.registry import check
from checks.vocabulary import JSON, Severity


@check("ranges.outside_limits", severity=Severity.MINOR, of_field=True)
def outside_limits(column: Column) -> Iterator[RowCheck | Query | Fact]:
    """Values below `minimum` or above `maximum` (inclusive, in the column's unit), or beyond their parameter's limits.

    Why it matters: an age of 630 or a weight in the wrong unit moves every mean it enters.
    What to do: compare with the source record; look for a slip of the decimal point or a wrong unit.
    """
    if column.field.constraints.any:
        yield _one_limit(column)
    for block in column.of.limits_of(column.name):
        yield from ParameterLimits(column, block).queries()


def _one_limit(column: Column) -> RowCheck | Fact:
    bounds = column.field.constraints
    allowed = bounds_text(bounds, column.field.unit)
    parameters: dict[str, JSON] = {"limits": allowed}
    if is_proven_inside(column, bounds):
        return Fact(columns=(column.name,), parameters=parameters, failure=None)
    unread = unreadable(column, bounds)
    today = f" (today is {column.of.today.isoformat()})" if TODAY in allowed else ""
    return RowCheck(
        columns=(column.name,),
        failing=outside(column, bounds),
        says=f"{name_text(column.name)} is not {allowed}{today}",
        parameters=parameters,
        unjudged=() if unread is None else ((unread[1], unreadable_text(column, unread[0])),),
        by_value=True,
        spreads=spread_of(column, bounds, column.present, unit=column.field.unit),
    )
