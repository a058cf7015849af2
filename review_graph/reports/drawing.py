"""The distribution of a column as shapes on a plane: where bars, limits and numbers stand. The template draws them."""

from __future__ import annotations

from dataclasses import dataclass

from checks.plain import count_of, name_text, visible
from checks.vocabulary import Distribution, Finding

WIDTH, HEIGHT = 640, 220
"""Size of a drawing in its own units; a page scales it."""

_TOP, _BOTTOM, _SIDE, _SLOT = 34, 40, 16, 64
_LEAST = 2.0
"""Height of the smallest bar: one offending row among a million is seen."""


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One bar: its place, whether it stands for values beyond the limits, and what it says of itself."""

    x: float
    y: float
    width: float
    height: float
    beyond: bool
    says: str
    count: str


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A limit or a number on the axis."""

    x: float
    text: str

    @property
    def anchor(self) -> str:
        """Which end of the text stands at `x`, so that it stays on the plane."""
        if self.x < WIDTH / 8:
            return "start"
        return "end" if self.x > WIDTH * 7 / 8 else "middle"


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """All shapes of one distribution.

    Attributes:
        title: What is drawn.
        summary: The same in words, for those who do not see it.
    """

    title: str
    summary: str
    bars: tuple[Bar, ...]
    limits: tuple[Mark, ...]
    ticks: tuple[Mark, ...]
    width: int = WIDTH
    height: int = HEIGHT
    top: int = _TOP
    floor: int = HEIGHT - _BOTTOM


def drawings(finding: Finding) -> tuple[Drawing, ...]:
    """The drawings of a finding; none where its distribution was not counted."""
    name = ", ".join(name_text(column) for column in finding.columns)
    return tuple(drawing(name, distribution) for distribution in finding.distributions)


def drawing(column: str, of: Distribution) -> Drawing:
    """Place bars, limits and ticks.

    Args:
        column: Name of the column.
        of: The counts.
    """
    plane = _Plane(of)
    limits = [(limit, word) for limit, word in ((of.minimum, "minimum"), (of.maximum, "maximum")) if limit is not None]
    title = f"{column} of {visible(of.label)}" if of.label else column
    unit = f" {visible(of.unit)}" if of.unit else ""
    told = " and ".join(f"{word} {limit:g}" for limit, word in limits)
    beyond = sum(of.outside) + of.below + of.above
    first, last = of.edges[0], of.edges[-1]
    hidden = [
        count_of(count, "value") + where for count, where in ((of.below, " lower"), (of.above, " higher")) if count
    ]
    return Drawing(
        title=f"Distribution of {title}{f' in{unit}' if unit else ''}",
        summary=f"{count_of(sum(of.inside), 'value')} within the limits ({told}{unit}) and {beyond:,} beyond; "
        f"drawn from {first:g} to {last:g}" + (f", {' and '.join(hidden)}" if hidden else ""),
        bars=tuple(plane.bars()),
        limits=tuple(
            Mark(x=plane.x(limit), text=f"{word} {limit:g}") for limit, word in limits if first <= limit <= last
        ),
        ticks=tuple(Mark(x=plane.x(at), text=f"{at:.4g}") for at in (first, (first + last) / 2, last)),
    )


class _Plane:
    """Values to places. Values off the ends stand in a slot of their own, beside the axis."""

    def __init__(self, of: Distribution) -> None:
        self.of = of
        self.left = _SIDE + (_SLOT if of.below else 0)
        self.right = WIDTH - _SIDE - (_SLOT if of.above else 0)
        bins = [i + o for i, o in zip(of.inside, of.outside, strict=True)]
        self.most = max([*bins, of.below, of.above, 1])

    def x(self, value: float) -> float:
        first, last = self.of.edges[0], self.of.edges[-1]
        return round(self.left + (value - first) / (last - first) * (self.right - self.left), 2)

    def bars(self) -> list[Bar]:
        of, bars = self.of, []
        for number, (inside, outside) in enumerate(zip(of.inside, of.outside, strict=True)):
            low, high = of.edges[number], of.edges[number + 1]
            says = f"{low:g} to {high:g}: "
            span = (self.x(low), self.x(high))
            lower = self._bar(span, inside, says=says)
            upper = self._bar(span, outside, base=lower.height, says=says, beyond=True)
            bars += [bar for bar in (lower, upper) if bar.height]
        if of.below:
            bars.append(self._bar((_SIDE, self.left - _SIDE), of.below, says="lower: ", beyond=True))
        if of.above:
            bars.append(self._bar((self.right + _SIDE, WIDTH - _SIDE), of.above, says="higher: ", beyond=True))
        return bars

    def _bar(self, span: tuple[float, float], count: int, *, says: str, base: float = 0, beyond: bool = False) -> Bar:
        left, right = span
        whole = HEIGHT - _TOP - _BOTTOM
        height = round(max(count / self.most * whole, _LEAST), 2) if count else 0.0
        where = "beyond the limits" if beyond else "within"
        return Bar(
            x=round(left + 0.5, 2),
            y=round(HEIGHT - _BOTTOM - base - height, 2),
            width=round(max(right - left - 1, 1), 2),
            height=height,
            beyond=beyond,
            says=f"{says}{count_of(count, 'value')} {where}",
            count=f"{count:,}" if beyond else "",
        )
