"""Values that are not in the list of allowed ones."""

from __future__ import annotations

from collections.abc import Mapping

import narwhals as nw

from checks.column import Column
from checks.errors import CannotJudge
from checks.plain import missing_hint, name_text, quote
from checks.probes import RowCheck
from checks.registry import check
from checks.spec import Scalar
from checks.vocabulary import JSON, Severity

_SHOWN = 6


@check("ranges.not_in_codelist", severity=Severity.MAJOR, of_field=True)
def not_in_codelist(column: Column) -> RowCheck | None:
    """Values that are not in the codelist; case and blanks count, and a likely spelling is suggested.

    Why it matters: 'm' beside 'M' makes a third sex in every table.
    What to do: correct to the listed spelling, or extend the list if it is extensible (CDISC CT2001).
    """
    codelist = column.field.codelist
    if codelist is None:
        return None
    suggestions = {_fold(item): str(item) for item in codelist}

    def suggest(values: Mapping[str, JSON]) -> str | None:
        listed = suggestions.get(_fold(values[column.name]))
        return f"did you mean {quote(listed)}?" if listed is not None else missing_hint(values[column.name])

    return RowCheck(
        columns=(column.name,),
        failing=column.where_present(~_listed(column, codelist)),
        says=f"{name_text(column.name)} is not {_list_text(codelist)}",
        parameters={"enum": list(codelist)},
        note=suggest,
        by_value=True,
    )


def _listed(column: Column, codelist: tuple[Scalar, ...]) -> nw.Expr:
    """Whether the value is listed: text as it stands, numbers by value."""
    numbers = [item for item in codelist if isinstance(item, int | float) and not isinstance(item, bool)]
    if column.kind == "number" or (column.kind == "text" and len(numbers) == len(codelist)):
        return column.is_one_of([str(item) for item in codelist if not isinstance(item, bool)])
    if column.kind == "text":
        return column.is_one_of_texts([str(item) for item in codelist])
    if column.kind == "boolean":
        return column.value.is_in([item for item in codelist if isinstance(item, bool)]).fill_null(value=False)
    raise CannotJudge(f"{name_text(column.name)} holds {column.dtype} values, which have no codelist")


def _fold(item: object) -> str:
    return str(item).strip().casefold()


def _list_text(codelist: tuple[Scalar, ...]) -> str:
    if len(codelist) == 1:
        return quote(codelist[0])
    shown = ", ".join(quote(item) for item in codelist[:_SHOWN])
    return f"one of {shown}" if len(codelist) <= _SHOWN else f"one of {shown}, … ({len(codelist)} in all)"
