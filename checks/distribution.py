"""How the values of a column spread around its limits: counted for a drawing, in one pass for all and one for each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw

from checks.frame import Frame, collected
from checks.probes import Spread
from checks.vocabulary import Distribution

BINS = 24
"""Bars of a drawing, about."""

MAX_DRAWN = 6
"""Drawings of one finding; by parameter, those come first that the spec names first."""

_FINITE = 1e300
_BELOW, _ABOVE = -1, -2
"""Where a value is counted that lies beyond the first or the last bar."""


def distributions(spreads: Sequence[Spread], frame: Frame) -> tuple[Distribution, ...]:
    """Count the values of those spreads in which some lie beyond the limits.

    Values and verdicts are made columns first: what is asked of them is then quick to build and to run.

    The picture reaches from the lowest to the highest value within the limits and to the limits that were passed, and
    as far again to both sides; what lies beyond it is counted at its ends, so that one slip of the decimal point does
    not press all else into one bar.
    """
    columns = {f"value{n}": spread.value for n, spread in enumerate(spreads)}
    columns |= {f"failing{n}": spread.failing for n, spread in enumerate(spreads)}
    prepared = frame.select(**columns)
    spreads = [
        replace(spread, value=nw.col(f"value{n}"), failing=nw.col(f"failing{n}")) for n, spread in enumerate(spreads)
    ]
    named: dict[str, nw.Expr] = {}
    for number, spread in enumerate(spreads):
        finite = (spread.value > -_FINITE) & (spread.value < _FINITE)
        for kind, wanted in (("in", ~spread.failing), ("out", spread.failing)):
            values = nw.when(finite & wanted).then(spread.value)
            named |= {f"{number}.{kind}.min": values.min(), f"{number}.{kind}.max": values.max()}
    extremes = _aggregate(prepared, named)
    drawn: list[tuple[Spread, tuple[float, ...]]] = []
    for number, spread in enumerate(spreads):
        inside, outside = ([extremes[f"{number}.{kind}.{end}"] for end in ("min", "max")] for kind in ("in", "out"))
        if outside[0] is not None and len(drawn) < MAX_DRAWN:
            drawn.append((spread, _edges(spread, inside, outside)))
    return tuple(_counted(spread, edges, prepared) for spread, edges in drawn)


def _aggregate(frame: Frame, named: Mapping[str, nw.Expr]) -> dict[str, Any]:
    row = collected(frame.select(**named)).row(0)
    return dict(zip(named, row, strict=True))


def _edges(spread: Spread, inside: Sequence[float | None], outside: Sequence[float]) -> tuple[float, ...]:
    within = [value for value in inside if value is not None]
    least, most = min([*within, *outside]), max([*within, *outside])
    passed = [
        *((spread.minimum,) if spread.minimum is not None and least <= spread.minimum else ()),
        *((spread.maximum,) if spread.maximum is not None and most >= spread.maximum else ()),
    ]
    core = [*(within or outside), *passed]
    reach = max(core) - min(core) or 1.0
    first, last = min(*core, max(least, min(core) - reach)), max(*core, min(most, max(core) + reach))
    if spread.whole:
        step = max(1, math.ceil((last - first + 1) / BINS))
        bars = math.ceil((math.floor(last) - math.floor(first) + 1) / step)
        return tuple(math.floor(first) - 0.5 + step * bar for bar in range(bars + 1))
    width = (last - first) / BINS or 1.0
    return (*(first + width * bar for bar in range(BINS)), max(last, first + width * BINS))


def _counted(spread: Spread, edges: tuple[float, ...], frame: Frame) -> Distribution:
    """Count the values of one drawing; the last bar holds its upper edge too."""
    bars = len(edges) - 1
    place = ((spread.value - edges[0]) / (edges[1] - edges[0])).floor()
    last = nw.when(spread.value == edges[-1]).then(nw.lit(float(bars - 1))).otherwise(place)
    inside = (spread.value >= edges[0]) & (spread.value <= edges[-1])
    bar = nw.when(inside).then(nw.min_horizontal(last, nw.lit(float(bars - 1))))
    beside = nw.when(spread.value < edges[0]).then(nw.lit(float(_BELOW))).otherwise(nw.lit(float(_ABOVE)))
    placed = frame.filter(~spread.value.is_null()).select(bar=nw.coalesce(bar, beside), failing=spread.failing)
    counted = collected(placed.group_by("bar", "failing").agg(nw.len().alias("count")))
    counts = {(int(bar), bool(failing)): int(count) for bar, failing, count in counted.iter_rows()}
    return Distribution(
        label=spread.label,
        unit=spread.unit,
        minimum=spread.minimum,
        maximum=spread.maximum,
        edges=edges,
        inside=tuple(counts.get((index, False), 0) for index in range(bars)),
        outside=tuple(counts.get((index, True), 0) for index in range(bars)),
        below=counts.get((_BELOW, True), 0),
        above=counts.get((_ABOVE, True), 0),
    )
