"""The records of another table that a foreign key leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

import narwhals as nw

from checks import iso8601
from checks.column import Column
from checks.errors import CannotJudge
from checks.examination import Examination
from checks.frame import Frame
from checks.plain import name_text, names_text
from checks.spec import ForeignKey

if TYPE_CHECKING:
    from checks.conditions import Operand


@dataclass(frozen=True, kw_only=True)
class Linked:
    """A table with columns of another one beside its own.

    Attributes:
        frame: The rows of the table, each once and in whatever order, with the other's values.
        operands: The columns that were joined, by their name in the other table.
        ambiguous: True for rows whose key occurs more than once in the other table: they have no value of it.
        reason: Why these cannot be judged.
    """

    frame: Frame
    operands: Mapping[str, Operand]
    ambiguous: nw.Expr
    reason: str


def orphans(examination: Examination, key: ForeignKey) -> Frame:
    """Return the records whose key, where all its parts are given, is not in the table it refers to.

    Raises:
        CannotJudge: That table is not at hand, a column is absent, or the two keys cannot be compared.
    """
    parts, known = _keys(examination, key)
    complete = reduce(and_, (part.present for part in parts))
    known = _beside(examination, known.select(*key.fields).unique())
    return examination.table.frame.filter(complete).join(known, on=list(key.fields), how="anti")


def linked(frame: Frame, examination: Examination, resource: str, names: Sequence[str]) -> Linked:
    """Put columns of another table beside the rows that refer to it.

    Args:
        frame: Rows of the examined table.
        examination: The table, with the other one among its references.
        resource: Name of the other table; the first foreign key that refers to it leads there.
        names: Columns of the other table.

    Raises:
        CannotJudge: That table is not at hand, a column is absent, or the two keys cannot be compared.
    """
    from checks.conditions import Operand

    key = next((key for key in examination.spec.foreign_keys if key.reference.resource == resource), None)
    if key is None:
        raise CannotJudge(f"no foreign key refers to {name_text(resource)}")
    target = examination.table_of(resource)
    try:
        there = {name: _operand(target.column(name)) for name in names}
    except CannotJudge as reason:
        raise CannotJudge(f"in {name_text(resource)}, {reason}") from None
    beside = {name: f"{resource}.{name}" for name in names}
    count = f"{resource} records"
    if taken := sorted({*beside.values(), count} & set(frame.collect_schema().names())):
        raise CannotJudge(f"the table has a column {names_text(taken)} of its own, which would stand for another's")
    _, known = _keys(examination, key, {beside[name]: operand.expr for name, operand in there.items()})
    alone = nw.len().over(*key.fields)
    # Of a key that occurs more than once no value can be said to be the one.
    known = known.with_columns(alone.alias(count)).unique(subset=list(key.fields), keep="any")
    known = known.with_columns(**{name: nw.when(nw.col(count) == 1).then(nw.col(name)) for name in beside.values()})
    joined = frame.join(_beside(examination, known), on=list(key.fields), how="left")
    return Linked(
        frame=joined,
        operands={
            name: Operand(kind=operand.kind, expr=nw.col(beside[name]), name=beside[name], bits=operand.bits)
            for name, operand in there.items()
        },
        ambiguous=(nw.col(count) > 1).fill_null(value=False),
        reason=f"{names_text(key.reference.fields)} occurs more than once in {name_text(resource)}",
    )


def _operand(column: Column) -> Operand:
    """Return a column of another table; text that nobody declared, but is all dates, is dates."""
    operand = column.operand
    undeclared = column.field.type in ("any", "string") and column.field.format == "default"
    if operand.kind != "text" or not undeclared:
        return operand
    counts = column.count({"values": column.present, "dates": column.present & iso8601.is_partial(column.stripped)})
    return replace(operand, kind="iso") if counts["values"] and counts["values"] == counts["dates"] else operand


def _keys(
    examination: Examination, key: ForeignKey, more: Mapping[str, nw.Expr] | None = None
) -> tuple[tuple[Column, ...], Frame]:
    """Return the parts of the key, and the records they may lead to under the names of these parts."""
    parts = tuple(examination.column(name) for name in key.fields)
    target = examination.table_of(key.reference.resource)
    columns = tuple(target.column(name) for name in key.reference.fields)
    try:
        complete = reduce(and_, (column.present for column in columns))
    except CannotJudge as reason:
        raise CannotJudge(f"in {name_text(key.reference.resource)}, {reason}") from None
    values = {part.name: _comparable(part, column) for part, column in zip(parts, columns, strict=True)}
    return parts, target.table.frame.filter(complete).select(**values, **(more or {}))


def _comparable(part: Column, target: Column) -> nw.Expr:
    """Return the values of the referenced column in the type of the column that refers to it."""
    value, kinds = target.value, {part.kind, target.kind}
    if part.dtype == target.dtype:
        return value
    if kinds != {"number"} or part.dtype is None or target.dtype is None:
        raise CannotJudge(
            f"{name_text(part.name)} holds {part.dtype} values and {name_text(target.name)}, "
            f"to which it refers, {target.dtype}: they cannot be compared"
        )
    if part.dtype.is_integer() and not target.dtype.is_integer():
        return nw.when(value == value.round(0)).then(value).cast(part.dtype)  # 1.5 is no integer's partner
    return value.cast(part.dtype)


def _beside(examination: Examination, known: Frame) -> Frame:
    """Return the records on the engine of the examined table: Polars takes those of any other in."""
    own, other = examination.table.frame.implementation, known.implementation
    if own.name == other.name:
        return known
    if own.is_polars():
        return known.collect(backend="polars").lazy()
    raise CannotJudge(
        f"the other table is on {other.name.lower()} and this one on {own.name.lower()}: no key leads there"
    )
