"""What to draw of numbers that lie beyond their limits."""

from __future__ import annotations

import narwhals as nw

from checks.column import Column
from checks.probes import Spread
from checks.ranges.bounds import outside
from checks.spec import Bounds


def spread_of(
    column: Column, bounds: Bounds, of: nw.Expr, *, unit: str | None, label: str | None = None
) -> tuple[Spread, ...]:
    """Return what to draw: numbers against numbers, nothing else.

    Args:
        column: The column that is limited.
        bounds: Its limits.
        of: True for the rows the limits are for.
        unit: Unit of values and limits.
        label: Whose values, where they are those of one parameter.
    """
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
