"""Keys: each record can be found, and found only once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial, reduce
from operator import and_, or_

import narwhals as nw

from checks.column import Column
from checks.duplicates import maybe_repeated, repeated
from checks.examination import Examination, Key
from checks.frame import Frame, collected
from checks.linking import orphans
from checks.plain import count_of, name_text, names_text
from checks.probes import Fact, Failure, Query, RowCheck
from checks.registry import check
from checks.spec import ForeignKey
from checks.structure.numerals import has_other_spellings, holds_numerals, one_spelling
from checks.vocabulary import JSON, Severity

_COUNT = "count of group"
_VALUE = "value of "
"""Start of the names of columns that hold a part of a key by its value."""


@check("structure.duplicate_key", severity=Severity.MAJOR)
def duplicate_key(key: Key) -> Query:
    """Records that share the values of a key; every member of a group counts as an offending row.

    Why it matters: one subject twice in ADSL doubles all counts; merges multiply rows.
    What to do: compare the members; remove the copy, or add the column that tells them apart to the key.
    """
    frame, named, parts = _complete(key), names_text(key.columns), key.parts

    def run(rows: int) -> Failure | None:
        by_value, says = _by_value(parts), f"the key ({named}) occurs more than once"
        return _repeated(key.of, frame, key.columns, rows, says, by_value)

    return Query(columns=key.columns, parameters={"key": list(key.columns)}, run=run)


@check("structure.null_in_key", severity=Severity.MAJOR)
def null_in_key(key: Key) -> RowCheck | Fact | None:
    """Records in which a part of the primary key is missing; they are not compared with others.

    Why it matters: such a record can neither be found nor shown to be unique.
    What to do: have the missing part supplied.
    """
    if key.origin != "primaryKey":
        return None  # Table Schema leaves rows with a missing part out of `uniqueKeys` and `unique`.
    parameters: dict[str, JSON] = {"key": list(key.columns)}
    incomplete = [part.missing for part in key.parts if not part.is_complete]
    if not incomplete:
        return Fact(columns=key.columns, parameters=parameters, failure=None)
    return RowCheck(
        columns=key.columns,
        failing=reduce(or_, incomplete),
        says=f"a part of the key ({names_text(key.columns)}) is missing",
        parameters=parameters,
    )


@check("structure.near_duplicate_key", severity=Severity.MAJOR)
def near_duplicate_key(key: Key) -> Query | None:
    """Keys that differ only in upper and lower case or in outer blanks.

    Why it matters: 'S-01' and 's-01' are one subject to a person and two to a program.
    What to do: bring them to one form, then look at duplicate keys again.
    """
    parts = key.parts
    text = [part.name for part in parts if part.kind == "text" and not holds_numerals(part)]
    if not text:
        return None
    folded = {f"folded {part.name}": part.stripped.str.to_lowercase() for part in parts if part.name in text}
    others = [part.name for part in parts if part.name not in text]

    def run(rows: int) -> Failure | None:
        if not any(_may_be_near(part, folded[f"folded {part.name}"]) for part in parts if part.name in text):
            return None
        by_value = _by_value(parts)
        by = [*folded, *_compared(others, by_value)]
        kept = dict.fromkeys([key.of.table.row, *key.of.record_key, *key.columns])
        alike = maybe_repeated(_complete(key).select(*kept, **by_value, **folded), key.of.table.row, rows, by)
        if alike is None:
            return None
        spellings = alike.select(*text, *by).unique()
        near = spellings.group_by(by).agg(nw.len().alias(_COUNT)).filter(nw.col(_COUNT) > 1)
        groups = _height(near)
        if not groups:
            return None
        offending = alike.join(near.select(by), on=by, how="semi")
        failed = _height(offending)
        message = (
            f"{failed:,} of {count_of(rows, 'row')}: the key ({names_text(key.columns)}) differs from another "
            f"only in case or outer blanks, {count_of(groups, 'group')}"
        )
        return Failure(message=message, failed=failed, groups=groups, offending=offending)

    return Query(columns=key.columns, parameters={"key": list(key.columns)}, run=run)


def _complete(key: Key) -> Frame:
    """The records in which no part of the key is missing."""
    present = [part.present for part in key.parts if not part.is_complete]
    return key.of.table.frame.filter(reduce(and_, present)) if present else key.of.table.frame


def _by_value(parts: Sequence[Column]) -> dict[str, nw.Expr]:
    """By the name of a further column: the values of those parts of a key that are numbers, written as one pleases."""
    numerals = (part for part in parts if holds_numerals(part) and has_other_spellings(part))
    return {_VALUE + part.name: one_spelling(part) for part in numerals}


def _compared(names: Sequence[str], by_value: Mapping[str, nw.Expr]) -> list[str]:
    """The columns by which a key is compared: those of the values where there are such."""
    return [_VALUE + name if _VALUE + name in by_value else name for name in names]


def _may_be_near(part: Column, folded: nw.Expr) -> bool:
    """Whether two values of a column may differ in nothing but case and outer blanks."""
    return part.domain is None or part.domain.differs_only_in(folded)


@check("structure.foreign_key", severity=Severity.MAJOR)
def foreign_key(examination: Examination) -> Iterator[Query]:
    """Values that do not exist in the columns a foreign key refers to.

    Why it matters: an adverse event of a subject that nobody knows belongs to another study, or to a slip.
    What to do: look for the identifier under another spelling, and for records that were left out.
    """
    for key in examination.spec.foreign_keys:
        yield Query(columns=key.fields, parameters=key.to_plain(), run=partial(_orphans, examination, key), by_row=True)


def _orphans(examination: Examination, key: ForeignKey, rows: int) -> Failure | None:
    offending = orphans(examination, key)
    failed = _height(offending)
    if not failed:
        return None
    where = f" of {name_text(key.reference.resource)}" if key.reference.resource else ""
    says = f"({names_text(key.fields)}) is not among the values of ({names_text(key.reference.fields)}){where}"
    return Failure(message=f"{failed:,} of {count_of(rows, 'row')}: {says}", failed=failed, offending=offending)


@check("structure.repeated_record", severity=Severity.MAJOR)
def repeated_record(examination: Examination) -> Query | None:
    """Records that say the same twice: equal in the whole natural key, where a missing value equals a missing one.

    Why it matters: one event or measurement under two record numbers is counted twice, and no key shows it.
    What to do: remove the copy, or add what tells the two apart to `naturalKey` in the spec (SD1201, SD1352).
    """
    parts = [examination.column(name) for name in examination.spec.natural_key]
    parts = [part for part in parts if not part.may_be_absent]
    if not parts:
        return None
    names = tuple(part.name for part in parts)
    frame = examination.table.frame.with_columns(**{part.name: part.known for part in parts})
    says = f"the natural key ({names_text(names)}) occurs more than once, missing values being equal"

    def run(rows: int) -> Failure | None:
        return _repeated(examination, frame, names, rows, says, _by_value(parts))

    return Query(columns=names, parameters={"naturalKey": list(names)}, run=run)


@check("structure.duplicate_rows", severity=Severity.MAJOR)
def duplicate_rows(examination: Examination) -> Query | None:
    """Records that are equal in every column (only where the table has no key that could tell).

    Why it matters: a file appended twice doubles every count.
    What to do: find out which load brought the second copy; name the key in the spec.
    """
    columns: Sequence[Column] = examination.present_columns
    if not columns or any(all(examination.column(c).exists for c in key.columns) for key in examination.keys):
        return None
    names = tuple(column.name for column in columns)
    no_number = {
        column.name: column.known for column in columns if column.dtype is not None and column.dtype.is_float()
    }
    frame = examination.table.frame.with_columns(**no_number) if no_number else examination.table.frame

    def run(rows: int) -> Failure | None:
        return _repeated(examination, frame, names, rows, "the whole record occurs more than once")

    shown = examination.record_key or names
    return Query(columns=(), show=shown, run=run)


def _repeated(
    of: Examination,
    frame: Frame,
    by: Sequence[str],
    rows: int,
    says: str,
    by_value: Mapping[str, nw.Expr] | None = None,
) -> Failure | None:
    """Groups of more than one row with equal values, nulls being equal to nulls."""
    keep: Sequence[str] = of.record_key
    if by_value:
        frame, by, keep = frame.with_columns(**by_value), _compared(by, by_value), [*keep, *by]
    found = repeated(frame, of.table.row, rows, by, keep=keep)
    if found is None:
        return None
    message = f"{found.rows:,} of {count_of(rows, 'row')}: {says}, {count_of(found.groups, 'group')}"
    return Failure(message=message, failed=found.rows, groups=found.groups, offending=found.offending)


def _height(frame: Frame) -> int:
    height: int = collected(frame.select(nw.len().alias("rows"))).item()
    return height
