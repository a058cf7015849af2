"""What is taken from the values themselves: codelists, and limits with room, for a column or by parameter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import narwhals as nw

from checks.column import Column
from checks.drafts.keys import is_identifier
from checks.drafts.profile import MIN_OBSERVED, ColumnProfile
from checks.drafts.rounding import plain_number, with_room
from checks.examination import Examination
from checks.specfile.problems import Path

MAX_LISTED = 50
"""Values of a codelist."""

ROWS_A_VALUE = 4
"""Rows there are for each listed value, on average; with fewer, the next dataset brings new ones."""

MAX_LISTED_TEXT = 80
"""Characters of a listed value; what is longer is a sentence."""

MAX_PARAMETERS = 500

_FREE_TEXT = re.compile(
    r"..?(?:TERM|ORRES|STRESC|REASND|VAL|NAM)|CO?VAL.*|.*(?:comment|note|text|verbatim|descr?|reason|name|address).*",
    re.IGNORECASE,
)
_RESULTS = {"PARAMCD": ("AVAL", "AVALU")}
_TESTCD = re.compile(r"(..)TESTCD")

Limits = tuple[dict[str, Any], str]


def words_for_missing(examination: Examination) -> dict[str, list[str]]:
    """Return, for each field with missing values of its own, those that occur, sorted."""
    found = {}
    for field in examination.spec.fields:
        if field.missing_values is not None:
            words = [str(word) for word in field.missing_values if word != ""]
            values = examination.table.frame.filter(nw.col(field.name).is_in(words)).select(field.name).unique()
            found[field.name] = sorted(str(word) for (word,) in values.collect(backend="polars").iter_rows())
    return found


def listed_values(examination: Examination, profiles: Sequence[ColumnProfile]) -> dict[str, list[str]]:
    """Return by column the values of text that looks like coded: few, repeated, short.

    Identifiers and free text (by their names) have none, nor has text of which many values occur only once.
    """
    found = {}
    for item in profiles:
        column = examination.column(item.name)
        if column.kind != "text" or column.field.type != "string" or column.field.format != "default":
            continue
        few = item.present >= MIN_OBSERVED and item.distinct <= min(
            MAX_LISTED, item.present // 2, item.rows // ROWS_A_VALUE
        )
        if not few or item.counts["longest"] > MAX_LISTED_TEXT:
            continue
        if is_identifier(item.name) or _FREE_TEXT.fullmatch(item.name):
            continue
        counted = examination.table.frame.filter(column.present).group_by(item.name).agg(nw.len().alias("count"))
        counts = dict(counted.collect(backend="polars").iter_rows())
        if sum(count == 1 for count in counts.values()) * 3 <= len(counts):
            found[item.name] = sorted(counts)
    return found


def limits_of_numbers(examination: Examination, profiles: Sequence[ColumnProfile]) -> dict[str, Limits]:
    """Return by column limits with room and the text of what was observed: numbers, and dates by their years.

    Args:
        examination: The dataset held against what is known of its columns so far.
        profiles: What the columns hold.
    """
    found = {}
    for item in profiles:
        column = examination.column(item.name)
        if item.present < MIN_OBSERVED or is_identifier(item.name):
            continue
        limits = None
        if column.field.type in ("integer", "number"):
            least, most = item.least, item.most
            if column.kind == "text":
                ends = examination.table.frame.select(least=column.number.min(), most=column.number.max())
                least, most = ends.collect(backend="polars").row(0)
            limits = _numbers(least, most, whole=column.field.type == "integer")
        elif column.field.is_date_like and not _has_zone(column):
            limits = _years(item.least, item.most)
        if limits:
            found[item.name] = limits
    return found


def limits_by_parameter(examination: Examination) -> tuple[list[dict[str, Any]], dict[Path, str]]:
    """Return limits of results by the parameter that names them, and comments by place: PARAMCD, --TESTCD.

    Args:
        examination: The dataset held against what is known of its columns so far.
    """
    blocks: list[dict[str, Any]] = []
    said: dict[Path, str] = {}
    for name in examination.table.schema:
        prefix = _TESTCD.fullmatch(name)
        of, units = (f"{prefix[1]}STRESN", f"{prefix[1]}STRESU") if prefix else _RESULTS.get(name, ("", ""))
        by, result, unit = (examination.column(column) for column in (name, of or name, units or name))
        if not of or by.kind != "text" or result.kind not in ("number", "text") or not result.exists:
            continue
        values, few = {}, []
        for parameter, count, least, most, only in _by_parameter(examination, by, result, unit):
            limits = _numbers(least, most, whole=False) if count >= MIN_OBSERVED else None
            if limits is None:
                few.append(parameter)
                continue
            values[parameter] = limits[0] | ({"unit": only} if only else {})
            said[len(blocks), "values", parameter] = f"observed {limits[1]}"
        if values:
            if few:
                text = f"{len(few)} more of {name} have fewer than {MIN_OBSERVED} values, so no limits"
                said[len(blocks), "values"] = text
            blocks.append({"by": name, "of": of, "values": values})
    return blocks, said


def _by_parameter(
    examination: Examination, by: Column, result: Column, unit: Column
) -> list[tuple[str, int, Any, Any, str | None]]:
    """Rows of parameter, values, least, most, and the unit where there is one for all."""
    number = result.number
    has_unit = unit.exists and unit.kind == "text" and unit.name != by.name
    units = unit.known if has_unit else nw.lit(None, dtype=nw.String)
    picked = examination.table.frame.filter(by.present).select(by=by.value, number=number, unit=units)
    grouped = (
        picked.filter(~nw.col("number").is_null())
        .group_by("by")
        .agg(
            nw.len().alias("count"),
            nw.col("number").min().alias("least"),
            nw.col("number").max().alias("most"),
            nw.col("unit").n_unique().alias("units"),
            nw.col("unit").min().alias("unit"),
        )
    )
    rows = sorted(grouped.collect(backend="polars").iter_rows())[:MAX_PARAMETERS]
    return [(str(b), int(n), low, high, u if kinds == 1 else None) for b, n, low, high, kinds, u in rows]


def _numbers(least: Any, most: Any, *, whole: bool) -> Limits | None:  # noqa: ANN401 - numbers of any library
    if least is None or most is None:
        return None
    low, high = Decimal(str(least)), Decimal(str(most))
    limits = with_room(low, high, whole=whole)
    if limits is None:
        return None
    bounds = {"minimum": plain_number(limits[0]), "maximum": plain_number(limits[1])}
    return bounds, f"{_shown(low)} to {_shown(high)}"


def _shown(value: Decimal) -> str:
    number = plain_number(value)
    return str(number) if isinstance(number, int) else f"{number:.6g}"


def _years(least: Any, most: Any) -> Limits | None:  # noqa: ANN401 - dates, or text that holds them
    """A year of room on both sides; only years are shown, since a day may be a subject's birthday."""
    first, last = str(least)[:4], str(most)[:4]
    if not (first.isdecimal() and last.isdecimal()) or not 1 < int(first) <= int(last) < 9999:
        return None
    bounds = {"minimum": f"{int(first) - 1:04d}-01-01", "maximum": f"{int(last) + 1:04d}-12-31"}
    return bounds, f"{first} to {last}"


def _has_zone(column: Column) -> bool:
    return isinstance(column.dtype, nw.Datetime) and column.dtype.time_zone is not None
