"""ISO 8601 text as Narwhals expressions: is it valid, and which of two comes first.

Everything here is regular expressions and comparisons of text, so that each backend does it column by
column. The patterns know the calendar (month lengths, leap years) and keep to what Rust's and Google's
RE2 expressions share.

Source: ISO 8601-1:2019 extended format; CDISC SDTMIG v3.4, section 4.4 (--DTC variables: parts missing
from the right are left out, other missing parts are a hyphen, as in `2003---15`); Table Schema v2 and
XML Schema part 2 for the strict forms. The year 0000 (by mutual agreement only), leap seconds, hour 24 and zones
beyond 14 hours (XML Schema) are not taken as valid.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

import narwhals as nw

Operator = Literal["=", "!=", "<", "<=", ">", ">="]

_YEAR: Final = r"(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_MONTH: Final = r"(?:0[1-9]|1[0-2])"
_DAY: Final = r"(?:0[1-9]|[12][0-9]|3[01])"
_MONTH_DAY: Final = (
    r"(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_FOURTH: Final = r"(?:0[48]|[2468][048]|[13579][26])"
_DATE: Final = rf"(?:{_YEAR}-{_MONTH_DAY}|(?:[0-9]{{2}}{_FOURTH}|{_FOURTH}00)-02-29)"
_HOUR: Final = r"(?:[01][0-9]|2[0-3])"
_SIXTY: Final = r"[0-5][0-9]"
_FRACTION: Final = r"(?:[.][0-9]+)?"
_ZONE: Final = rf"(?:Z|[+-](?:(?:0[0-9]|1[0-3]):{_SIXTY}|14:00))"
_TIME: Final = rf"{_HOUR}:{_SIXTY}:{_SIXTY}{_FRACTION}{_ZONE}?"
_GAPPED_TIME: Final = rf"(?:(?:{_HOUR}|-):(?:{_SIXTY}|-):{_SIXTY}{_FRACTION}|(?:{_HOUR}|-):{_SIXTY}|{_HOUR}){_ZONE}?"
_SECONDS: Final = rf"[0-9]+{_FRACTION}S"
_CLOCK: Final = rf"T(?:[0-9]+H(?:[0-9]+M)?(?:{_SECONDS})?|[0-9]+M(?:{_SECONDS})?|{_SECONDS})"
_DAYS: Final = r"(?:[0-9]+Y(?:[0-9]+M)?(?:[0-9]+D)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)"

# What a point in time may look like when its year is known, and when it is not.
_TO_DAY: Final = rf"(?:{_DATE}|{_YEAR}---{_DAY})"
_WITH_YEAR: Final = rf"(?:{_YEAR}(?:-{_MONTH})?|{_TO_DAY}|(?:{_TO_DAY}|{_YEAR}-{_MONTH}--|{_YEAR}----)T{_GAPPED_TIME})"
_YEARLESS_TO_DAY: Final = rf"--(?:{_MONTH_DAY}|02-29|--{_DAY})"
_WITHOUT_YEAR: Final = rf"(?:--{_MONTH}|{_YEARLESS_TO_DAY}|(?:{_YEARLESS_TO_DAY}|--{_MONTH}--|-----)T{_GAPPED_TIME})"
_POINT: Final = rf"(?:{_WITH_YEAR}|{_WITHOUT_YEAR})"

_OFFSET: Final = r"[+-][0-9]{2}:[0-9]{2}"
_GAP_OR_ZONE: Final = rf"(?:[T:-]-.*|Z|{_OFFSET})$"
_AFTER_ALL_TEXT: Final = "~"
_UTC: Final = "+00:00"
_DAY_LENGTH: Final = len("2014-03-01")


@dataclass(frozen=True, kw_only=True)
class IsoOperand:
    """One side of a comparison, made ready by `point`, `point_literal`, `date_point` or `datetime_point`.

    Attributes:
        known: The text from the left as far as its parts are known, without a zone. More text means more
            precision: year, month, day, hour, minute, second, digits of a fraction.
        valid: Whether it is a valid point in time; None when it always is, or is null.
        written: The text with its zone; None when no value has a zone.
    """

    known: nw.Expr
    valid: nw.Expr | None = None
    written: nw.Expr | None = None


def _whole(text: nw.Expr, pattern: str) -> nw.Expr:
    r"""Match the whole text; unlike `$`, `\z` never stands before a last line break."""
    return text.str.contains(rf"\A(?:{pattern})\z")


def is_partial(text: nw.Expr) -> nw.Expr:
    """Tell whether text is ISO 8601 as SDTM's --DTC variables allow, possibly an interval of two; null stays null."""
    return _whole(text, f"{_POINT}(?:/{_POINT})?")


def is_date(text: nw.Expr) -> nw.Expr:
    """Tell whether text is a date of the calendar, `2014-03-01` (Table Schema `date`)."""
    return _whole(text, _DATE)


def is_datetime(text: nw.Expr) -> nw.Expr:
    """Tell whether text is a date and a time to the second, zone and fraction optional (Table Schema `datetime`)."""
    return _whole(text, f"{_DATE}T{_TIME}")


def is_time(text: nw.Expr) -> nw.Expr:
    """Tell whether text is a time to the second, zone and fraction optional (Table Schema `time`)."""
    return _whole(text, _TIME)


def is_year(text: nw.Expr) -> nw.Expr:
    """Tell whether text is a year in four digits (Table Schema `year`)."""
    return _whole(text, _YEAR)


def is_yearmonth(text: nw.Expr) -> nw.Expr:
    """Tell whether text is a month, `2014-03` (Table Schema `yearmonth`)."""
    return _whole(text, f"{_YEAR}-{_MONTH}")


def is_duration(text: nw.Expr) -> nw.Expr:
    """Tell whether text is a duration: `P1DT2H` as Table Schema has it from XML Schema, or ISO 8601's weeks, `P3W`."""
    return _whole(text, rf"-?P(?:{_DAYS}(?:{_CLOCK})?|{_CLOCK}|[0-9]+W)")


def date_text(date: nw.Expr) -> nw.Expr:
    """Write native dates as ISO 8601 text, `2014-03-01`."""
    return date.dt.to_string("%Y-%m-%d")


def datetime_text(moment: nw.Expr) -> nw.Expr:
    """Write native datetimes as ISO 8601 text to the second; a fraction and a zone are left out."""
    return moment.dt.to_string("%Y-%m-%dT%H:%M:%S")


def whole_day(text: nw.Expr) -> nw.Expr:
    """Return the days that text names as native dates; null where it names none as a whole. A time is left out."""
    names_one = _whole(text, f"{_DATE}(?:T{_GAPPED_TIME})?")
    day = nw.when(names_one).then(text.str.slice(0, _DAY_LENGTH)).otherwise(nw.lit(None, dtype=nw.String))
    return day.str.to_date("%Y-%m-%d")


def day_number(date: nw.Expr) -> nw.Expr:
    """Number the days of the calendar, one up from each to the next.

    The number of days from the year 1 on, with the leap days of the Gregorian calendar. Numbers instead of native
    dates, because what the difference of two dates is depends on the backend.
    """
    before = date.dt.year().cast(nw.Int64) - 1
    return before * 365 + before // 4 - before // 100 + before // 400 + date.dt.ordinal_day().cast(nw.Int64)


def date_point(date: nw.Expr) -> IsoOperand:
    """Make native dates ready to be compared with text."""
    return IsoOperand(known=date_text(date))


def datetime_point(moment: nw.Expr) -> IsoOperand:
    """Make native datetimes ready to be compared with text; their zone, if any, is not looked at."""
    return IsoOperand(known=datetime_text(moment))


def point(text: nw.Expr) -> IsoOperand:
    """Make text ready to be compared; what is no valid point in time with a year compares as null."""
    return IsoOperand(known=text.str.replace_all(_GAP_OR_ZONE, ""), valid=_whole(text, _WITH_YEAR), written=text)


def point_literal(text: str) -> IsoOperand | None:
    """Make one text ready to be compared, or return None when it is no valid point in time with a year."""
    if not re.fullmatch(_WITH_YEAR, text):
        return None
    has_zone = re.search(rf"(?:Z|{_OFFSET})$", text) is not None
    return IsoOperand(known=nw.lit(re.sub(_GAP_OR_ZONE, "", text)), written=nw.lit(text) if has_zone else None)


def compare(left: IsoOperand | nw.Expr, right: IsoOperand | nw.Expr, operator: Operator) -> nw.Expr:
    """Compare points in time at the precision both sides have; null says that it cannot be told.

    Both sides are cut to the shorter precision, and a gap ends the precision. Where they then differ, every
    operator has its answer. Where they do not, `<=` and `>=` are true; `=` and `!=`, `<` and `>` can be told
    only when nothing was cut. Text that is missing, invalid, an interval or without a year gives null.
    Zones are not converted: where only one side has one, or they differ, both sides are cut to the day.

    All texts are of one layout, so their order as text is the order in time, and a side that was cut is a
    prefix of the other: appending a character after all others decides the order without cutting anything.

    Args:
        left: Text, or an operand made ready by one of the `…point` functions of this module.
        right: The same.
        operator: A comparison as SQL writes it.

    Returns:
        A nullable boolean expression.
    """
    first, second = (side if isinstance(side, IsoOperand) else point(side) for side in (left, right))
    answer = _answer(first, second, operator)
    for side in (first, second):
        if side.valid is not None:  # anything compared with "true or null" is itself or null, without a second branch
            answer = answer == (side.valid | nw.lit(None, dtype=nw.Boolean))
    return answer


def _answer(left: IsoOperand, right: IsoOperand, operator: Operator) -> nw.Expr:
    """Compare valid points. Each large expression is used as few times as can be: not every backend shares them."""
    cut = _zones_differ(left, right)
    if operator in ("<", "<="):
        left, right = right, left
        operator = ">" if operator == "<" else ">="
    if operator == ">=":
        return ~_is_before(left, right, cut)
    equal = left.known == right.known if cut is None else (left.known == right.known) & ~cut
    if operator == ">":
        return _told(yes=_is_before(right, left, cut), no=_is_before(left, right, cut) | equal)
    told = _told(yes=equal, no=_is_before(left, right, cut) | _is_before(right, left, cut))
    return told if operator == "=" else ~told


def _is_before(left: IsoOperand, right: IsoOperand, cut: nw.Expr | None) -> nw.Expr:
    """Tell whether the left point is surely the earlier one."""
    last = nw.lit(_AFTER_ALL_TEXT)
    before = nw.concat_str(left.known, last) < right.known
    if cut is None:
        return before
    day_before = nw.concat_str(left.known.str.slice(0, _DAY_LENGTH), last) < right.known.str.slice(0, _DAY_LENGTH)
    return day_before | (before & ~cut)


def _told(*, yes: nw.Expr, no: nw.Expr) -> nw.Expr:
    """Return true where `yes` is true, false where `no` is, null elsewhere."""
    return yes | (~no & nw.lit(None, dtype=nw.Boolean))


def _zones_differ(left: IsoOperand, right: IsoOperand) -> nw.Expr | None:
    """Tell where only one side has a zone or the zones differ; None when no value has one."""
    written = [side.written for side in (left, right) if side.written is not None]
    if not written:
        return None
    utc = [text.str.ends_with("Z") | text.str.ends_with(_UTC) for text in written]
    ends = [text.str.tail(len(_UTC)) for text in written]
    zoned = [text.str.contains(f"(?:Z|{_OFFSET})$") for text in written]
    if len(written) == 1:
        return zoned[0]
    return (zoned[0] | zoned[1]) & ~(utc[0] & utc[1]) & (ends[0] != ends[1])
