"""SAS numbers that are dates, datetimes or times, by the format of their variable.

SAS keeps days or seconds since 1960-01-01. Source: SAS Formats and Informats: Reference, formats by category.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_DATE = frozenset(
    {f"{order}{separator}" for order in ("DDMMYY", "MMDDYY", "YYMMDD") for separator in ("", *"BCDNPS")}
    | {"DATE", "E8601DA", "B8601DA", "IS8601DA", "WEEKDATE", "WEEKDATX", "WORDDATE", "WORDDATX", "JULIAN"}
    | {"MONYY", "YYMON", "YYMM", "MMYY", "YYQ", "EURDFDD", "EURDFDE", "NLDATE"}
)
_DATETIME = frozenset(
    {"DATETIME", "DATEAMPM", "MDYAMPM", "E8601DT", "B8601DT", "IS8601DT", "E8601DN", "B8601DN", "DTDATE", "DTMONYY"}
    | {"E8601DZ", "B8601DZ", "NLDATM"}
)
_TIME = frozenset({"TIME", "TOD", "HHMM", "TIMEAMPM", "E8601TM", "B8601TM", "IS8601TM", "NLTIME"})

_WIDTH = re.compile(r"\d*\.?\d*$")
_EPOCH = date(1960, 1, 1)
_FIRST_DAY = (date.min - _EPOCH).days
_LAST_DAY = (date.max - _EPOCH).days
_DAY_S = 86_400


def as_temporal(column: pl.Series, sas_format: str | None) -> tuple[pl.Series, str | None]:
    """Return a numeric column as dates, datetimes or times, if that is what its format says.

    Args:
        column: Days or seconds, null where missing.
        sas_format: With or without width and decimals, for instance `DATE9.`.

    Returns:
        The column, and a note when its values do not fit its format: it then stays numeric.
    """
    import polars as pl

    name = _WIDTH.sub("", (sas_format or "").upper())
    if name in _DATE:
        low, high, what = _FIRST_DAY, _LAST_DAY, "a date"
        fits = (column == column.floor()) & column.is_between(low, high)
    elif name in _DATETIME:
        low, high, what = _FIRST_DAY * _DAY_S, (_LAST_DAY + 1) * _DAY_S, "a datetime"
        fits = column.is_between(low, high, closed="left")
    elif name in _TIME:
        low, high, what = 0, _DAY_S, "a time of day"
        fits = column.is_between(low, high, closed="left")
    else:
        return column, None
    if misfits := int((~fits).sum()):
        values = "1 value is" if misfits == 1 else f"{misfits} values are"
        note = f"{column.name} has the SAS format {sas_format}, but {values} not {what}; the column stays numeric."
        return column, note
    if what == "a date":
        return (column.cast(pl.Int32) + _EPOCH_DAYS).cast(pl.Date), None
    if what == "a datetime":
        microseconds = (column * 1e6).round().cast(pl.Int64) + _EPOCH_DAYS * _DAY_S * 1_000_000
        return microseconds.cast(pl.Datetime("us")), None
    return ((column * 1e6).round().cast(pl.Int64) * 1_000).cast(pl.Time), None


_EPOCH_DAYS = (_EPOCH - date(1970, 1, 1)).days
"""From the epoch of SAS to that of Polars: negative."""
