"""The table as a whole: rows, columns and their names."""

from __future__ import annotations

from checks.column import Column
from checks.errors import CannotJudge
from checks.examination import Examination
from checks.plain import count_of, name_text, names_text, quote
from checks.probes import Fact, Failure, Measure
from checks.registry import check
from checks.vocabulary import Severity

XPT_NAME_CHARACTERS = 8
XPT_LABEL_CHARACTERS = 40
"""Limits of SAS transport files version 5. Source: FDA Study Data Technical Conformance Guide, 3.3.2."""

CONSTANT_MIN_ROWS = 10
"""Rows below which one repeated value says nothing."""


@check("structure.empty_table", severity=Severity.MAJOR)
def empty_table(examination: Examination) -> Measure:
    """The table has no rows.

    Why it matters: every other check passes on nothing, so an empty delivery looks clean.
    What to do: ask for the table again, or for a statement that no records were collected.
    """
    has = "columns but no records" if examination.table.columns else "neither columns nor records"
    message = f"0 rows: the table has {has}"
    return Measure(columns=(), aggregates={}, judge=lambda _, rows: None if rows else Failure(message=message))


@check("structure.missing_column", severity=Severity.MAJOR)
def missing_column(column: Column) -> Fact | None:
    """A column that the spec demands is not in the table.

    Why it matters: whatever is derived from it cannot be, and its own checks cannot judge.
    What to do: look for it under another name or case; ask for it if it was never delivered.
    """
    if not column.required_here:
        return None
    name = column.name
    if name in column.of.table.columns:
        return Fact(columns=(name,), failure=None)
    near = [other for other in column.of.table.columns if other.strip().casefold() == name.casefold()]
    hint = f"; the table has {names_text(near)}" if near else ""
    return Fact(columns=(name,), failure=Failure(message=f"column {name_text(name)} is missing{hint}"))


@check("structure.unexpected_column", severity=Severity.MINOR)
def unexpected_column(examination: Examination) -> Fact | None:
    """Columns that the spec does not name (not with fieldsMatch `subset` or `partial`).

    Why it matters: a renamed column shows up here and as a missing one; data nobody asked for may not be shared.
    What to do: add them to the spec if they belong, or set `fieldsMatch: subset`.
    """
    spec = examination.spec
    if not spec.fields or spec.fields_match in ("subset", "partial"):
        return None
    excepted = examination.settings("structure.unexpected_column").except_columns
    known = {*spec.by_name, *excepted}
    extra = tuple(name for name in examination.table.columns if name not in known)
    message = (
        f"{len(extra)} of {count_of(len(examination.table.columns), 'column')} not in the spec: {names_text(extra)}"
    )
    failure = Failure(message=message, columns=extra) if extra else None
    return Fact(columns=(), failure=failure)


@check("structure.column_order", severity=Severity.MINOR)
def column_order(examination: Examination) -> Fact | None:
    """Columns stand in another order than in the spec (only with fieldsMatch `exact` written out).

    Why it matters: programs that read by position take the wrong column.
    What to do: reorder, or drop `fieldsMatch: exact` when everything reads by name.
    """
    spec = examination.spec
    if spec.fields_match != "exact":
        return None
    found = [name for name in examination.table.schema if name in spec.by_name]
    expected = [field.name for field in spec.fields if field.name in examination.table.schema]
    moved = tuple(a for a, b in zip(found, expected, strict=True) if a != b)
    message = f"{len(moved)} of {count_of(len(found), 'column')} out of the spec's order: {names_text(moved)}"
    return Fact(columns=(), failure=Failure(message=message, columns=moved) if moved else None)


@check("structure.duplicate_column_name", severity=Severity.MAJOR)
def duplicate_column_name(examination: Examination) -> Fact:
    """A column name occurs more than once.

    Why it matters: nobody can say which of them a program will read; no other check looks inside them.
    What to do: have the columns renamed or the copy removed where the table was made.
    """
    repeated = examination.table.duplicate_columns
    message = f"{count_of(len(repeated), 'column name')} occurring more than once: {names_text(repeated)}"
    return Fact(columns=(), failure=Failure(message=message, columns=repeated) if repeated else None)


@check("structure.unusable_name", severity=Severity.MINOR)
def unusable_name(examination: Examination) -> Fact:
    """A column whose name is blank, `*`, or of the form `^…$`, so that it cannot be addressed.

    Why it matters: it is mostly a row number that was written along, and nobody can say what it holds.
    What to do: have it named or left out where the table was made.
    """
    unusable = examination.table.unusable_columns
    message = f"{count_of(len(unusable), 'column')} under a name that cannot be used, so no check looked at it: "
    failure = Failure(message=message + ", ".join(map(quote, unusable)), columns=unusable)
    return Fact(columns=(), failure=failure if unusable else None)


@check("structure.all_null_column", severity=Severity.MINOR)
def all_null_column(examination: Examination) -> Measure | None:
    """Columns that hold no value at all (not those with core `expected`, which may be empty).

    Why it matters: the values may have been lost on the way; in SDTM an empty permissible variable is left out.
    What to do: compare with the source; drop the column or say why it is kept.
    """
    exempt = examination.settings("structure.all_null_column").except_columns
    looked_at = [
        column
        for column in examination.present_columns
        if column.field.core not in ("expected", "required") and not column.field.required and column.name not in exempt
    ]

    def judge(present: dict[str, bool], rows: int) -> Failure | None:
        if not rows:
            raise CannotJudge("the table has no rows")
        has_values = known | present
        empty = tuple(column.name for column in looked_at if not has_values[column.name])
        columns = count_of(len(examination.table.schema), "column")
        message = f"{len(empty)} of {columns} without any value: {names_text(empty)}"
        return Failure(message=message, columns=empty) if empty else None

    known = {column.name: True for column in looked_at if column.is_complete}
    aggregates = {column.name: column.present.any() for column in looked_at if column.name not in known}
    return Measure(columns=(), aggregates=aggregates, judge=judge) if looked_at else None  # type: ignore[arg-type]


@check("structure.constant_column", severity=Severity.MINOR)
def constant_column(examination: Examination) -> Measure | None:
    """Columns the spec does not name that hold one and the same value in every row.

    Why it matters: a default that was never replaced looks like data.
    What to do: confirm that the value is meant, then declare the column in the spec.
    """
    settings = examination.settings("structure.constant_column")
    looked_at = [
        column
        for column in examination.present_columns
        if not column.declared and column.name not in settings.except_columns and column.kind != "other"
    ]
    min_rows = CONSTANT_MIN_ROWS if settings.min_rows is None else settings.min_rows

    def judge(values: dict[str, object], rows: int) -> Failure | None:
        if rows < min_rows:
            raise CannotJudge(f"{count_of(rows, 'row')}: too few to call a column constant (minRows: {min_rows})")
        constant = tuple(
            column.name
            for column in looked_at
            if values[f"complete {column.name}"] and values[f"least {column.name}"] == values[f"most {column.name}"]
        )
        message = (
            f"{count_of(len(constant), 'undeclared column')} with the same value in every row: {names_text(constant)}"
        )
        return Failure(message=message, columns=constant) if constant else None

    aggregates = {}
    for column in looked_at:
        aggregates[f"complete {column.name}"] = column.present.all()
        aggregates[f"least {column.name}"] = column.value.min()
        aggregates[f"most {column.name}"] = column.value.max()
    return Measure(columns=(), aggregates=aggregates, judge=judge) if looked_at else None  # type: ignore[arg-type]


@check("structure.name_too_long", severity=Severity.MINOR)
def name_too_long(examination: Examination) -> Fact | None:
    """Column names over 8 characters (profile `xpt-v5`).

    Why it matters: a version 5 transport file cannot hold them, so they are cut when it is written.
    What to do: use the standard's variable name.
    """
    if examination.spec.profile != "xpt-v5":
        return None
    long = tuple(name for name in examination.table.columns if len(name) > XPT_NAME_CHARACTERS)
    message = f"{count_of(len(long), 'column name')} longer than {XPT_NAME_CHARACTERS} characters: {names_text(long)}"
    return Fact(columns=(), failure=Failure(message=message, columns=long) if long else None)


@check("structure.label_too_long", severity=Severity.MINOR)
def label_too_long(examination: Examination) -> Fact | None:
    """Column labels over 40 characters (profile `xpt-v5`, where the file has labels).

    Why it matters: a version 5 transport file cannot hold them, so they are cut when it is written.
    What to do: use the standard's label.
    """
    labels = examination.table.labels
    if examination.spec.profile != "xpt-v5" or not labels:
        return None
    long = tuple(name for name, label in labels.items() if len(label) > XPT_LABEL_CHARACTERS)
    message = f"{count_of(len(long), 'column label')} longer than {XPT_LABEL_CHARACTERS} characters: {names_text(long)}"
    return Fact(columns=(), failure=Failure(message=message, columns=long) if long else None)
