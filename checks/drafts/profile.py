"""What the columns of a dataset hold, counted in one pass over it. No value leaves here but the least and greatest."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw

from checks import iso8601
from checks.column import Column, Kind
from checks.examination import Examination
from checks.spec import Spec
from checks.table import Table

TOKENS = ("NA", "N/A", "#N/A", "NULL", "null", "NaN", "nan", "None", ".", "-", "?", "UNK", "NK")
"""Text that stands for a missing value where everything else in the column is a number or a date."""

MIN_OBSERVED = 5
"""Values a column or parameter must have before anything is drawn from single ones: limits of fewer would be they."""

_MANTISSA = r"(?:(?:0|[1-9][0-9]{0,14})(?:\.[0-9]*)?|\.[0-9]+)"
_WHOLE = r"^[+-]?(?:0|[1-9][0-9]{0,14})(?:\.0*)?$"
_NUMBER = rf"^[+-]?(?:{_MANTISSA}(?:[eE][+-][0-9]{{1,2}})?|[0-9]*\.[0-9]+[eE][0-9]{{1,2}})$"
"""Narrower than what can be cast: a leading zero makes a code (`0012`), so do 16 digits, and
so may a bare exponent (`1E5`)."""

_TRUTH = ("true", "false", "True", "False", "TRUE", "FALSE")
_ANY_DAY = dt.date(2000, 1, 1)


@dataclass(frozen=True, kw_only=True)
class ColumnProfile:
    """What one column holds.

    Attributes:
        kind: How it is stored.
        stored: The Table Schema type that comes nearest to it.
        present: Rows with a value.
        distinct: Different values.
        least: The least value, as a number, a date or ISO text; None when there is none that can be ordered.
        most: The greatest.
        counts: Rows whose value is of some form: `whole`, `number`, `date`, `partial`, …; by name.
    """

    name: str
    kind: Kind
    stored: str
    rows: int
    present: int
    distinct: int
    least: Any = None
    most: Any = None
    counts: Mapping[str, int] = field(default_factory=dict)

    def all_are(self, form: str) -> bool:
        """Whether every value, missing-value words aside, is of a form."""
        bare = self.present - self.counts.get("token", 0)
        return bare > 0 and self.counts.get(form, 0) == bare


def profile(table: Table) -> tuple[ColumnProfile, ...]:
    """Return the profile of each column, in file order."""
    bare = Examination(table=table, spec=Spec(), today=_ANY_DAY)
    columns = [bare.column(name) for name in table.schema]
    named = {f"{index}:{fact}": expr for index, c in enumerate(columns) for fact, expr in _facts(c)}
    result = table.frame.select(**named, rows=nw.len()).collect(backend="polars").rows(named=True)[0]
    rows = int(result["rows"])
    profiles = []
    for index, column in enumerate(columns):
        facts = {key.partition(":")[2]: v for key, v in result.items() if key.startswith(f"{index}:")}
        least, most = facts.pop("least", None), facts.pop("most", None)
        counts = {fact: int(value or 0) for fact, value in facts.items()}
        present = counts.pop("present")
        distinct = max(0, counts.pop("distinct", 0) - (present < rows))  # a missing value counts as one
        profiles.append(
            ColumnProfile(
                name=column.name,
                kind=column.kind,
                stored=_stored(column),
                rows=rows,
                present=present,
                distinct=distinct,
                least=least,
                most=most,
                counts=counts,
            )
        )
    return tuple(profiles)


def _stored(column: Column) -> str:
    if column.kind == "number":
        return "integer" if column.dtype is not None and column.dtype.is_integer() else "number"
    if column.kind == "other":
        pairs = ((nw.Time, "time"), (nw.Duration, "duration"))
        return next((name for kind, name in pairs if isinstance(column.dtype, kind)), "any")
    return "string" if column.kind == "text" else column.kind


def _facts(column: Column) -> Iterator[tuple[str, nw.Expr]]:
    yield "present", _count(column.present)
    if column.kind == "other":
        return
    yield "distinct", column.known.n_unique()
    if column.kind == "text":
        yield from _text_facts(column)
        return
    if column.kind != "boolean":
        yield "least", column.known.min()
        yield "most", column.known.max()
    if column.kind == "number":
        whole = _is_whole(column)
        yield "whole", _count(column.present & whole)
    elif column.kind == "datetime":
        yield "midnight", _count(column.value.dt.to_string("%H:%M:%S") == "00:00:00")


def _text_facts(column: Column) -> Iterator[tuple[str, nw.Expr]]:
    token = column.value.is_in(list(TOKENS)).fill_null(value=False)
    text = nw.when(column.present & ~token).then(column.stripped)
    yield "token", _count(column.present & token)
    number = text.str.contains(_NUMBER).fill_null(value=False)
    yield "whole", _count(text.str.contains(_WHOLE))
    yield "number", _count(number)
    yield "truth", _count(text.is_in(list(_TRUTH)))
    for form, test in _FORMS.items():
        yield form, _count(test(text))
    yield "dashed", _count(text.str.contains("^[0-9]{4}-[0-9]{2}"))
    length = column.known.str.len_chars()
    yield "shortest", length.min()
    yield "longest", length.max()
    yield "lower", _count(column.present & (column.value != column.value.str.to_uppercase()))
    yield "upper", _count(column.present & (column.value != column.value.str.to_lowercase()))
    yield "least", text.min()
    yield "most", text.max()


_FORMS = {
    "date": iso8601.is_date,
    "datetime": iso8601.is_datetime,
    "partial": iso8601.is_partial,
    "time": iso8601.is_time,
    "duration": iso8601.is_duration,
}


def _is_whole(column: Column) -> nw.Expr:
    dtype = column.dtype
    if dtype is not None and dtype.is_integer():
        return nw.lit(value=True)
    if dtype is not None and dtype.is_decimal():
        return column.value.round(0) == column.value
    return (column.value == column.value.floor()) & column.value.is_finite()


def _count(condition: nw.Expr) -> nw.Expr:
    return condition.fill_null(value=False).cast(nw.Int64).sum()
