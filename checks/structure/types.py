"""Whether the values of a column are of the type the spec declares."""

from __future__ import annotations

from collections.abc import Callable

import narwhals as nw

from checks import iso8601
from checks.column import Column
from checks.errors import CannotJudge
from checks.plain import missing_hint, name_text
from checks.probes import Fact, RowCheck
from checks.registry import check
from checks.vocabulary import Severity

_INTEGER = r"^[+-]?[0-9]+(\.0*)?$"
_ALL = nw.lit(value=True)
_NONE = nw.lit(value=False)


@check("structure.wrong_type", severity=Severity.MAJOR, of_field=True)
def wrong_type(column: Column) -> RowCheck | Fact | None:
    """Values that are not of the declared type, judged by value: 34.0 and '34' are integers, 34.5 is not.

    Why it matters: a program turns them into missing values, or into something else, without a word.
    What to do: correct the values; if the type is wrong, correct the spec.
    """
    declared = column.field.type
    if declared == "any":
        return None
    wrong = _wrong_in(column)
    if wrong is _NONE:  # the schema alone tells
        return Fact(columns=(column.name,), parameters={"type": declared}, failure=None)
    return RowCheck(
        columns=(column.name,),
        failing=column.where_present(wrong),
        says=f"{name_text(column.name)} is not {_article(declared)} {declared}{_held(column)}",
        parameters={"type": declared},
        note=lambda values: missing_hint(values[column.name]),
        by_value=True,
    )


def _wrong_in(column: Column) -> nw.Expr:
    declared, kind = column.field.type, column.kind
    if declared in ("object", "array", "list", "geopoint", "geojson"):
        raise CannotJudge(f"values of type {declared} are not judged")
    if column.field.format not in ("default", "any", "iso8601-partial") and declared != "string":
        raise CannotJudge(f"format {column.field.format!r} of type {declared} is not judged")
    if kind == "other":
        return _wrong_other(column)
    if kind == "text":
        right = _TEXT[declared](column)
        return _NONE if right is _ALL else ~right
    if kind == "number":
        return _wrong_number(column)
    kinds: dict[str, tuple[str, ...]] = {
        "boolean": ("boolean",),
        "date": ("date", "datetime"),
        "datetime": ("datetime", "date"),
    }
    if kind == "datetime" and declared == "date":
        return column.value.dt.to_string("%H:%M:%S") != "00:00:00"
    return _NONE if declared in kinds[kind] else _ALL


def _wrong_other(column: Column) -> nw.Expr:
    """Types with a counterpart in Table Schema beside the usual ones."""
    pairs: dict[str, type[nw.dtypes.DType]] = {"time": nw.Time, "duration": nw.Duration}
    expected = pairs.get(column.field.type)
    return _NONE if expected is not None and isinstance(column.dtype, expected) else _ALL


def _wrong_number(column: Column) -> nw.Expr:
    declared, dtype = column.field.type, column.dtype
    if declared == "number":
        return _NONE
    if declared in ("integer", "year"):
        if dtype is None or dtype.is_integer():
            return _NONE
        if dtype.is_decimal():
            return column.value.round(0) != column.value
        return (column.value != column.value.floor()) | ~column.value.is_finite()
    if declared == "boolean":
        return ~column.value.is_in([0, 1])
    return _ALL


def _is_integer(column: Column) -> nw.Expr:
    return column.number_text.str.contains(_INTEGER)


def _is_boolean(column: Column) -> nw.Expr:
    return column.value.is_in([*column.field.true_values, *column.field.false_values])


def _of_text(test: Callable[[nw.Expr], nw.Expr]) -> Callable[[Column], nw.Expr]:
    return lambda column: test(column.stripped)


_FORMATS = {
    "email": r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
    "uri": r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$",
    "uuid": r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
}
"""Table Schema formats of text, as far as their form can be told."""


def _is_string(column: Column) -> nw.Expr:
    declared = column.field.format
    if declared in ("default", "iso8601-partial"):
        return _ALL
    if declared not in _FORMATS:
        raise CannotJudge(f"format {declared!r} of type string is not judged")
    return column.value.str.contains(_FORMATS[declared])


_TEXT: dict[str, Callable[[Column], nw.Expr]] = {
    "string": _is_string,
    "number": lambda column: column.is_number,
    "integer": _is_integer,
    "boolean": _is_boolean,
    "date": _of_text(iso8601.is_date),
    "datetime": _of_text(iso8601.is_datetime),
    "time": _of_text(iso8601.is_time),
    "duration": _of_text(iso8601.is_duration),
    "year": _of_text(iso8601.is_year),
    "yearmonth": _of_text(iso8601.is_yearmonth),
}


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def _held(column: Column) -> str:
    """What the table holds instead, where the whole column is of another type."""
    return "" if column.kind == "text" else f" (the table holds {column.dtype})"
