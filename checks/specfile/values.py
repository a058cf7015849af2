"""What a limit or an allowed value of a field must look like, by the field's type.

Source: Table Schema v2, field constraints: values are of the field's type, or text that can be cast to it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence

from checks.spec import Bounds, FieldSpec, Scalar
from checks.specfile.problems import describe

TODAY = "today"
"""Limit that stands for the date of the review."""

_LOW = ("minimum", "exclusive_minimum")
_HIGH = ("maximum", "exclusive_maximum")
_ZONE = r"(?:Z|[+-]\d{2}:\d{2})?"
_ENDS_IN_ZONE = re.compile(r"\d(?:Z|[+-]\d{2}:\d{2})$")
_DAY_CHARACTERS = len("2024-03-01")
_CLOCK = r"\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATETIME = re.compile(rf"\d{{4}}-\d{{2}}-\d{{2}}[T ]{_CLOCK}{_ZONE}")
_TIME = re.compile(rf"{_CLOCK}{_ZONE}")
_PARTIAL = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2]))?")
_YEAR_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_YEAR = re.compile(r"\d{4}")
_DURATION = re.compile(r"-?P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?")

Fits = Callable[[Scalar], bool]


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Scalar) -> bool:
    return _is_number(value) and float(value) == int(value)


def _is_text(value: Scalar) -> bool:
    return isinstance(value, str)


def _written(pattern: re.Pattern[str], parse: Callable[[str], object] | None = None) -> Fits:
    """Return whether text has a form and, where the calendar has a say, exists."""

    def fits(value: Scalar) -> bool:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            return False
        try:
            return parse is None or parse(value) is not None
        except ValueError:
            return False

    return fits


_is_date = _written(_DATE, dt.date.fromisoformat)
_is_datetime = _written(_DATETIME, dt.datetime.fromisoformat)
_is_year_text = _written(_YEAR)
_is_partial_text = _written(_PARTIAL)


def _is_moment(value: Scalar) -> bool:
    return _is_date(value) or _is_datetime(value)


def _is_partial(value: Scalar) -> bool:
    return _is_moment(value) or _is_partial_text(value)


def _is_year(value: Scalar) -> bool:
    return _is_year_text(value) or (_is_whole(value) and not isinstance(value, float))


_VALUES: dict[str, tuple[str, Fits]] = {
    "string": ("text", _is_text),
    "number": ("a number", _is_number),
    "integer": ("a whole number", _is_whole),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "date": ("a date such as 2024-03-01", _is_date),
    "datetime": ("a date with time such as 2024-03-01T10:30:00", _is_moment),
    "time": ("a time such as 10:30:00", _written(_TIME, dt.time.fromisoformat)),
    "year": ("a year such as 2024", _is_year),
    "yearmonth": ("a month such as 2024-03", _written(_YEAR_MONTH)),
    "duration": ("an ISO 8601 duration such as P1Y6M", _written(_DURATION)),
}
_PARTIAL_VALUES: tuple[str, Fits] = ("an ISO 8601 date such as 2024-03-01 or 2024-03", _is_partial)
_ANY_LIMIT: tuple[str, Fits] = ("a number or an ISO 8601 date", lambda value: _is_number(value) or _is_partial(value))
_LIMITED = frozenset(_VALUES) - {"string", "boolean"}


def wrong_value(field: FieldSpec, value: Scalar) -> str | None:
    """Return what is wrong with an allowed value of a field, or None."""
    expected = _VALUES.get(field.type)
    if expected is None or expected[1](value):
        return None
    hint = "; put it in quotes" if field.type == "string" else ""
    return f"found {describe(value)}, expected {expected[0]} for type {field.type}{hint}"


def wrong_limit(field: FieldSpec | None, value: Scalar) -> str | None:
    """Return what is wrong with a limit of a field (None: of a column that is not declared), or None."""
    kind = "any" if field is None else field.type
    words: str
    fits: Fits
    if field is not None and field.format == "iso8601-partial":
        words, fits = _PARTIAL_VALUES
    elif kind == "any":
        words, fits = _ANY_LIMIT
    elif kind == "integer":
        words, fits = _VALUES["number"]
    elif kind in _LIMITED:
        words, fits = _VALUES[kind]
    else:
        return f"found {describe(value)}, but values of type {kind} have no order and so no limits"
    dated = kind in ("date", "datetime", "any") or words == _PARTIAL_VALUES[0]
    if fits(value) or (dated and value == TODAY):
        return None
    also = f" or '{TODAY}'" if dated else ""
    where = f" for type {kind}" if kind != "any" else ""
    return f"found {describe(value)}, expected {words}{also}{where}"


def crossed(bounds: Bounds) -> tuple[str, str] | None:
    """Return the names of two limits between which there is no value, or None."""
    for low in _LOW:
        for high in _HIGH:
            least, most = getattr(bounds, low), getattr(bounds, high)
            order = _order(least, most)
            if order is not None and (order > 0 or (order == 0 and (low, high) != (_LOW[0], _HIGH[0]))):
                return low, high
    return None


def repeated(values: Sequence[Scalar]) -> list[int]:
    """Return the positions of values that stand there already; 1 and true are different values."""
    seen = set()
    again = []
    for index, value in enumerate(values):
        key = (isinstance(value, bool), value)
        if key in seen:
            again.append(index)
        seen.add(key)
    return again


def _order(one: Scalar | None, other: Scalar | None) -> int | None:
    """Return the sign of the difference, or None when the two cannot be told apart or compared."""
    if one is None or other is None or TODAY in (one, other):
        return None
    if isinstance(one, str) and isinstance(other, str):
        if _is_partial(one) and _is_partial(other):
            return _text_order(one, other)
        same_form = any(fits(one) and fits(other) for _, fits in (_VALUES["time"], _VALUES["yearmonth"]))
        return _text_order(one, other) if same_form else None
    if isinstance(one, str) or isinstance(other, str):
        return None
    return (one > other) - (one < other)


def _text_order(one: str, other: str) -> int | None:
    """Compare ISO 8601 text as far as both go; where a zone is given only by the day."""
    zoned = any(_ENDS_IN_ZONE.search(text) for text in (one, other))
    length = min(len(one), len(other), _DAY_CHARACTERS if zoned else len(one))
    first, second = one[:length].replace(" ", "T"), other[:length].replace(" ", "T")
    if first == second:
        return 0 if one == other else None
    return (first > second) - (first < second)
