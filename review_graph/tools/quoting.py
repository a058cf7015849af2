"""Text of a dataset on its way to a model: bounded, on one line, without control characters. It stays data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

from checks.plain import MAX_QUOTE, plain_value, quote, visible
from checks.vocabulary import JSON

MAX_LISTED = 20
"""Names or values listed in one text or result; a cut list says so."""

MAX_TROUBLE = 600
"""Characters of an error that a model is shown."""

CUT = "…"
"""Ends a text that is not shown as a whole."""

_SIGNIFICANT = 4
"""Digits kept of a number below 1, where decimals would leave nothing of it."""


def shown(value: object) -> JSON:
    """Return a value or name as it stands in a result: text visible and bounded, anything else as JSON holds it."""
    plain = plain_value(value)
    if not isinstance(plain, str):
        return plain
    text = visible(plain)
    return text if len(text) <= MAX_QUOTE else f"{text[:MAX_QUOTE]}{CUT}"


def listed(values: Iterable[object]) -> str:
    """Return values for an error, in quotes; a cut list says of how many."""
    quoted = [quote(value) for value in values]
    told = ", ".join(quoted[:MAX_LISTED]) or "none that can be named"
    return told if len(quoted) <= MAX_LISTED else f"{told}, … ({len(quoted)} in all)"


def one_line(text: str) -> str:
    """Return text of an error on one line, bounded."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= MAX_TROUBLE else f"{line[:MAX_TROUBLE]}{CUT}"


def rounded(value: float, digits: int) -> float | None:
    """Round half away from zero, as SAS does; None where there is no finite number.

    Args:
        value: A statistic.
        digits: Decimals.
    """
    if not math.isfinite(value):
        return None
    return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP))


def concise(value: float) -> float | None:
    """Round to three decimals, and a number below 1 to four significant digits."""
    if not math.isfinite(value):
        return None
    return rounded(value, 3) if abs(value) >= 1 else float(f"{value:.{_SIGNIFICANT}g}")
