"""How the values of a column spread around its limits: counted for a drawing, in two passes over the column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import narwhals as nw

from checks.probes import Spread
from checks.table import Frame
from checks.vocabulary import Distribution

BINS = 24
"""Bars of a drawing, about."""

MAX_DRAWN = 6
"""Drawings of one finding; by parameter, those come first that the spec names first."""

_FINITE = 1e300


def distributions(spreads: Sequence[Spread], frame: Frame) -> tuple[Distribution, ...]:
    """Count the values of those spreads in which some lie beyond the limits.

    Values and verdicts are made columns first: the many small counts are then quick to build and to run.

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
    drawn: list[tuple[int, Spread, tuple[float, ...]]] = []
    for number, spread in enumerate(spreads):
        inside, outside = ([extremes[f"{number}.{kind}.{end}"] for end in ("min", "max")] for kind in ("in", "out"))
        if outside[0] is not None and len(drawn) < MAX_DRAWN:
            drawn.append((number, spread, _edges(spread, inside, outside)))
    bins = {name: expr for number, spread, edges in drawn for name, expr in _bins(number, spread, edges)}
    counts = _aggregate(prepared, bins) if bins else {}
    return tuple(_counted(number, spread, edges, counts) for number, spread, edges in drawn)


def _aggregate(frame: Frame, named: Mapping[str, nw.Expr]) -> dict[str, Any]:
    row = frame.select(**named).collect(backend="polars").row(0)
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


def _bins(number: int, spread: Spread, edges: Sequence[float]) -> list[tuple[str, nw.Expr]]:
    """One condition a bar and side; the last bin holds its upper edge too."""
    value, named = spread.value, []
    for index, (low, high) in enumerate(pairwise(edges)):
        within = (value >= low) & ((value <= high) if index == len(edges) - 2 else (value < high))
        named.append((f"{number}.in.{index}", _count(within & ~spread.failing)))
        named.append((f"{number}.out.{index}", _count(within & spread.failing)))
    named.append((f"{number}.below", _count((value < edges[0]) & spread.failing)))
    named.append((f"{number}.above", _count((value > edges[-1]) & spread.failing)))
    return named


def _counted(number: int, spread: Spread, edges: tuple[float, ...], counts: Mapping[str, Any]) -> Distribution:
    bars = range(len(edges) - 1)
    return Distribution(
        label=spread.label,
        unit=spread.unit,
        minimum=spread.minimum,
        maximum=spread.maximum,
        edges=edges,
        inside=tuple(int(counts[f"{number}.in.{index}"] or 0) for index in bars),
        outside=tuple(int(counts[f"{number}.out.{index}"] or 0) for index in bars),
        below=int(counts[f"{number}.below"] or 0),
        above=int(counts[f"{number}.above"] or 0),
    )


def _count(condition: nw.Expr) -> nw.Expr:
    return condition.fill_null(value=False).cast(nw.Int64).sum()
