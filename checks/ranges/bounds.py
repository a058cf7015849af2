"""When a value lies outside limits, for each type a column can hold."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Any
from zoneinfo import ZoneInfo

import narwhals as nw

from checks import iso8601
from checks.column import Column
from checks.conditions import joined
from checks.errors import CannotJudge
from checks.plain import name_text, quote
from checks.spec import Bounds, Scalar

_EXACT_FLOAT = 2**53
_DIGITS = r"^[+-]?[0-9]{1,38}$"
TODAY = "today"


def bounds_text(bounds: Bounds, unit: str | None) -> str:
    """What the limits allow, for a message: `0 to 120 years`, `above 0`, …."""
    low = _side(bounds.minimum, "at least") or _side(bounds.exclusive_minimum, "above")
    high = _side(bounds.maximum, "at most") or _side(bounds.exclusive_maximum, "below")
    if bounds.minimum is not None and bounds.maximum is not None:
        text = f"{bounds.minimum} to {bounds.maximum}"
    else:
        text = " and ".join(side for side in (low, high) if side)
    return f"{text} {unit}" if unit else text


def outside(column: Column, bounds: Bounds) -> nw.Expr:
    """True for values outside the limits; false where there is no value that can be compared.

    Raises:
        CannotJudge: The column's type and the limits cannot be compared.
    """
    kind = column.kind
    dates = column.field.is_date_like or any(isinstance(limit, str) for _, limit in _sides(bounds))
    if kind in ("date", "datetime"):
        return any_of(_outside_native(column, side, _as_text(limit)) for side, limit in _sides(bounds))
    if kind == "text" and dates:
        text = nw.when(column.present).then(column.stripped)
        return any_of(
            ~iso8601.compare(text, nw.lit(_today(column, _as_text(limit))), _OPERATOR[side])
            for side, limit in _sides(bounds)
        )
    if kind == "text":
        return any_of(_outside_text(column, side, limit) for side, limit in _sides(bounds))
    if kind == "number" and not dates:
        return column.where_present(any_of(_outside_number(column, side, limit) for side, limit in _sides(bounds)))
    raise CannotJudge(
        f"{name_text(column.name)} holds {column.dtype} values, which cannot be held against {_limits(bounds)}"
    )


def unreadable(column: Column, bounds: Bounds) -> tuple[str, nw.Expr] | None:
    """What text would have to be to be held against limits, and where it is not; None where it is, or is told of.

    Where the spec declares a type, the check of types tells of text that is of another.
    """
    if column.kind != "text" or column.field.type != "any" or column.field.is_date_like:
        return None
    if any(isinstance(limit, str) for _, limit in _sides(bounds)):
        return "a date", column.present & ~iso8601.is_partial(column.stripped)
    return "a number", column.present & ~column.is_number


def unreadable_text(column: Column, what: str) -> str:
    """Say that there is text that is not what it would have to be."""
    return f"{name_text(column.name)} holds text that is not {what}"


def is_proven_inside(column: Column, bounds: Bounds) -> bool:
    """Whether it is known, without looking at each value, that none is outside the limits.

    A NaN may be among floats all the same; it is no value, and so not outside.
    """
    extent = column.extent
    if extent.least is None or extent.greatest is None:
        return False
    if column.kind == "number":
        return not column.field.is_date_like and is_surely_inside(column, (extent.least, extent.greatest), bounds)
    if column.kind != "date":
        return False
    try:
        sides = [(side, dt.date.fromisoformat(_today(column, _as_text(limit)))) for side, limit in _sides(bounds)]
    except ValueError:
        return False
    return not any(_PAST[side](value, limit) for side, limit in sides for value in (extent.least, extent.greatest))


def is_surely_inside(column: Column, ends: tuple[object, object], bounds: Bounds) -> bool:
    """Whether numbers between two ends are all within the limits, so that none has to be looked at.

    Args:
        column: The column they are from.
        ends: The least and the greatest of them; None where there is none.
        bounds: The limits.
    """
    sides = _sides(bounds)
    if any(isinstance(limit, bool | str) or abs(limit) >= _EXACT_FLOAT for _, limit in sides):
        return False
    values = [end for end in ends if isinstance(end, int | float | Decimal)]
    as_decimal = column.dtype is not None and column.dtype.is_decimal()
    exact = [(side, Decimal(str(limit)) if as_decimal else column.as_held(_number(limit))) for side, limit in sides]
    return not any(_PAST[side](value, limit) for side, limit in exact for value in values)


_PAST: Mapping[str, Callable[[Any, Any], bool]] = {
    "minimum": lt,
    "maximum": gt,
    "exclusive_minimum": le,
    "exclusive_maximum": ge,
}

_OPERATOR: dict[str, iso8601.Operator] = {
    "minimum": ">=",
    "maximum": "<=",
    "exclusive_minimum": ">",
    "exclusive_maximum": "<",
}


def _sides(bounds: Bounds) -> list[tuple[str, Scalar]]:
    return [(side, limit) for side in _OPERATOR if (limit := getattr(bounds, side)) is not None]


def any_of(conditions: Iterable[nw.Expr]) -> nw.Expr:
    """Failing on one side is failing; a side that cannot be told does not hide the other."""
    return joined([condition.fill_null(value=False) for condition in conditions], conjunction=False)


def _beyond(value: nw.Expr, side: str, limit: object) -> nw.Expr:
    if side == "minimum":
        return value < limit
    if side == "maximum":
        return value > limit
    return value <= limit if side == "exclusive_minimum" else value >= limit


def _outside_number(column: Column, side: str, limit: Scalar) -> nw.Expr:
    """Numbers are compared as what they are: integers exactly, decimals never through float.

    Floats of 32 bits are compared with the limit in as many: a value that prints as the limit is within it.
    """
    number = column.as_held(_number(limit))
    if column.dtype is not None and column.dtype.is_integer() and isinstance(number, float):
        number = math.ceil(number) if side in ("minimum", "exclusive_maximum") else math.floor(number)
    if column.dtype is not None and column.dtype.is_decimal():
        return _beyond(column.value, side, nw.lit(Decimal(str(number))))
    return _beyond(column.value, side, number)


def _outside_text(column: Column, side: str, limit: Scalar) -> nw.Expr:
    """Text that holds numbers; integers too large for a float are compared as integers."""
    number = _number(limit)
    as_float = _beyond(column.number, side, number)
    if not isinstance(number, int) or abs(number) < _EXACT_FLOAT:
        return as_float
    whole = column.number_text.str.contains(_DIGITS)
    digits = nw.when(whole & column.present).then(column.number_text).otherwise(nw.lit(None, dtype=nw.String))
    return nw.when(whole).then(_beyond(digits.cast(nw.Int128), side, number)).otherwise(as_float)


def _outside_native(column: Column, side: str, limit: str) -> nw.Expr:
    """Dates and times; a limit that is a date means the whole day."""
    limit = _today(column, limit)
    zone = column.dtype.time_zone if isinstance(column.dtype, nw.Datetime) else None
    try:
        moment = dt.datetime.fromisoformat(limit)
    except ValueError:
        raise CannotJudge(f"{quote(limit)} is not a full date to hold {name_text(column.name)} against") from None
    whole_day = "T" not in limit and " " not in limit
    if column.kind == "date":
        return _beyond(column.value, side, moment.date())
    if zone is not None:
        moment = _in_zone(column, moment, zone)
    elif moment.tzinfo is not None:
        raise CannotJudge(f"{name_text(column.name)} has no time zone and the limit {quote(limit)} has one")
    if not whole_day:
        return _beyond(column.value, side, moment)
    next_day = moment + dt.timedelta(days=1)
    if side == "maximum":
        return column.value >= next_day
    return column.value < next_day if side == "exclusive_minimum" else _beyond(column.value, side, moment)


def _in_zone(column: Column, moment: dt.datetime, zone: str) -> dt.datetime:
    """A limit as a moment in the column's zone; a limit without a zone needs one from the spec."""
    if moment.tzinfo is None:
        if column.field.timezone is None:
            raise CannotJudge(
                f"{name_text(column.name)} carries the time zone {zone}, the limit has none: set the field's timezone"
            )
        moment = moment.replace(tzinfo=ZoneInfo(column.field.timezone))
    return moment.astimezone(ZoneInfo(zone))


def _today(column: Column, limit: str) -> str:
    return column.of.today.isoformat() if limit == TODAY else limit


def _number(limit: Scalar) -> int | float:
    if isinstance(limit, bool | str):
        raise CannotJudge(f"the limit {quote(limit)} is not a number")
    return limit


def _as_text(limit: Scalar) -> str:
    return str(limit)


def _side(limit: Scalar | None, word: str) -> str:
    return "" if limit is None else f"{word} {limit}"


def _limits(bounds: Bounds) -> str:
    return f"the limits {bounds_text(bounds, None)}"
