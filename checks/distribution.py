"""How the values of columns spread around their limits, counted for drawings: in two passes for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import narwhals as nw
import polars as pl

from checks.frame import Frame, collected, counted
from checks.probes import MAX_DRAWN, Spread
from checks.vocabulary import Distribution

BINS = 24
"""Bars of a drawing, about."""

_FINITE = 1e300

_Edges = tuple[float, ...]


def distributions(spreads: Mapping[str, Sequence[Spread]], frame: Frame) -> dict[str, tuple[Distribution, ...]]:
    """Count, for each finding by its id, the values of those of its spreads in which some lie beyond the limits.

    Values and verdicts are made columns first: what is asked of them is then quick to build and to run.

    The picture reaches from the lowest to the highest value within the limits and to the limits that were passed, and
    as far again to both sides; what lies beyond it is counted at its ends, so that one slip of the decimal point does
    not press all else into one bar.
    """
    of = [(identity, spread) for identity, several in spreads.items() for spread in several]
    if not of:
        return {}
    columns = {f"value{n}": spread.value for n, (_, spread) in enumerate(of)}
    columns |= {f"failing{n}": spread.failing for n, (_, spread) in enumerate(of)}
    prepared = frame.select(**columns)
    named = [
        (identity, replace(spread, value=nw.col(f"value{n}"), failing=nw.col(f"failing{n}")))
        for n, (identity, spread) in enumerate(of)
    ]
    extremes = _aggregate(prepared, {f"{n}.{end}": expr for n, (_, s) in enumerate(named) for end, expr in _ends(s)})
    drawn: list[tuple[int, str, _Edges]] = []
    for number, (identity, spread) in enumerate(named):
        inside, outside = ([extremes[f"{number}.{kind}.{end}"] for end in ("min", "max")] for kind in ("in", "out"))
        if outside[0] is not None and sum(identity == other for _, other, _ in drawn) < MAX_DRAWN:
            drawn.append((number, identity, _edges(spread, inside, outside)))
    counts = _counts(prepared, [(number, edges) for number, _, edges in drawn])
    found: dict[str, tuple[Distribution, ...]] = {}
    for number, identity, edges in drawn:
        found[identity] = (*found.get(identity, ()), _drawing(named[number][1], edges, number, counts))
    return found


def _aggregate(frame: Frame, named: Mapping[str, nw.Expr]) -> dict[str, Any]:
    row = collected(frame.select(**named)).row(0) if named else ()
    return dict(zip(named, row, strict=True))


def _ends(spread: Spread) -> Iterator[tuple[str, nw.Expr]]:
    """The least and the greatest value within the limits and beyond them."""
    finite = (spread.value > -_FINITE) & (spread.value < _FINITE)
    for kind, wanted in (("in", ~spread.failing), ("out", spread.failing)):
        values = nw.when(finite & wanted).then(spread.value)
        yield from ((f"{kind}.min", values.min()), (f"{kind}.max", values.max()))


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


def _counts(prepared: Frame, drawn: Sequence[tuple[int, _Edges]]) -> dict[str, int]:
    """How many values lie below each edge of each drawing, and at or below the last one, which its bar holds too.

    They are counted among all values and among those beyond the limits, which Polars picks first, as they are few.
    There are some fifty counts for a drawing, and to translate each for Polars takes longer than to count.
    """
    own = prepared.implementation.is_polars()
    column: Callable[[str], Any] = pl.col if own else nw.col
    every: dict[str, Any] = {}
    beyond: dict[str, Any] = {}
    for number, edges in drawn:
        value, failing = column(f"value{number}"), column(f"failing{number}")
        beyond[f"{number}.out"] = failing & ~value.is_null()
        for place, edge in enumerate(edges):
            is_below = value <= edge if place == len(edges) - 1 else value < edge
            every[f"{number}.all.{place}"] = is_below
            beyond[f"{number}.out.{place}"] = failing & is_below
    if not own:
        return counted(prepared, every | beyond)
    if not drawn:
        return {}
    native: pl.LazyFrame = prepared.to_native()
    outside = native.filter(pl.any_horizontal(*(f"failing{number}" for number, _ in drawn)))
    asked = ((native, every), (outside, beyond))
    sums = [rows.select(**{name: is_so.sum() for name, is_so in of.items()}) for rows, of in asked]
    return {
        name: int(value or 0)
        for found in pl.collect_all(sums, engine="streaming")
        for name, value in found.row(0, named=True).items()
    }


def _drawing(spread: Spread, edges: _Edges, number: int, counts: Mapping[str, int]) -> Distribution:
    def bars(kind: str) -> tuple[int, ...]:
        below = [counts[f"{number}.{kind}.{edge}"] for edge in range(len(edges))]
        return tuple(after - before for before, after in pairwise(below))

    outside = bars("out")
    return Distribution(
        label=spread.label,
        unit=spread.unit,
        minimum=spread.minimum,
        maximum=spread.maximum,
        edges=edges,
        inside=tuple(values - beyond for values, beyond in zip(bars("all"), outside, strict=True)),
        outside=outside,
        below=counts[f"{number}.out.0"],
        above=counts[f"{number}.out"] - counts[f"{number}.out.{len(edges) - 1}"],
    )
