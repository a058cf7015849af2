"""Limits with room: wider than what was observed, on numbers that people would choose."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

MARGIN = Decimal("0.1")
"""Room on each side, as a share of the observed span."""

MAX_SIZE = Decimal(10) ** 15
"""Numbers beyond this are identifiers or wrong; floats no longer tell their neighbours apart."""


def with_room(least: Decimal, most: Decimal, *, whole: bool) -> tuple[Decimal, Decimal] | None:
    """Return limits around what was observed, or None where limits make no sense.

    The margin is a tenth of the span; then it is rounded outwards to a multiple of the largest of 1, 2 and 5 times
    a power of ten that is no larger than the margin. No limit crosses zero where no value does, and what is only
    ever 0 and 1 stays so.

    Args:
        least: The least value observed.
        most: The greatest value observed.
        whole: Whether values are whole numbers.
    """
    if not (least.is_finite() and most.is_finite()) or max(abs(least), abs(most)) > MAX_SIZE:
        return None
    if whole and least == 0 and most == 1:
        return least, most
    margin = (most - least or abs(most) or Decimal(1)) * MARGIN
    step = _friendly(margin)
    if whole:
        step = max(step, Decimal(1))
    low = ((least - margin) / step).to_integral_value(ROUND_FLOOR) * step
    high = ((most + margin) / step).to_integral_value(ROUND_CEILING) * step
    if least >= 0:
        low = max(low, Decimal(0))
    if most <= 0 and least < 0:
        high = min(high, Decimal(0))
    return low, high


def plain_number(value: Decimal) -> int | float:
    """Return a decimal as the plainest number that is equal to it."""
    return int(value) if value == value.to_integral_value() else float(value)


def _friendly(size: Decimal) -> Decimal:
    """The largest of 1, 2 and 5 times a power of ten that is no larger."""
    power = Decimal(1).scaleb(size.adjusted())
    return max(power * factor for factor in (1, 2, 5) if power * factor <= size)
