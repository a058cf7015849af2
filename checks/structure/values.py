"""Single values: present where they must be, clean at the edges, of the agreed form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from operator import or_

import narwhals as nw

from checks import iso8601
from checks.column import Column
from checks.errors import CannotJudge
from checks.plain import count_of, missing_hint, name_text, quote
from checks.probes import Fact, Failure, Query, RowCheck
from checks.registry import check
from checks.vocabulary import JSON, Severity

XPT_TEXT_BYTES = 200
"""Longest text of a SAS transport file version 5, in bytes."""


@check("structure.missing_values", severity=Severity.MAJOR, of_field=True)
def missing_values(column: Column) -> RowCheck | Fact | None:
    """A required column has no value: null, NaN, blank text, or text the spec calls missing.

    Why it matters: records without an identifier or result drop out of every analysis unnoticed.
    What to do: query the records; if they may be empty, the column is not required.
    """
    if not column.field.required:
        return None
    if column.is_complete:
        return Fact(columns=(column.name,), failure=None)
    kinds = {"null": column.value.is_null()}
    if column.may_be_blank:
        kinds["blank"] = column.blank
    if column.may_be_nan:
        kinds["NaN"] = column.nan
    if column.may_be_coded:
        kinds["coded as missing"] = column.missing & ~reduce(or_, kinds.values())
    return RowCheck(
        columns=(column.name,),
        failing=column.missing,
        says=f"{name_text(column.name)} is required and has no value",
        breakdown=kinds,
        by_value=True,
    )


@check("structure.blank_text", severity=Severity.MINOR)
def blank_text(column: Column) -> RowCheck | None:
    """Text that is nothing but blanks in a column that may be empty.

    Why it matters: some programs take it for a value, others for missing, and counts differ.
    What to do: store it as missing.
    """
    if not column.exists or column.kind != "text" or column.field.required:
        return None
    blank = (column.value != "") & (column.stripped == "")
    says = f"{name_text(column.name)} is nothing but blanks"
    return RowCheck(columns=(column.name,), failing=blank, says=says, by_value=True)


@check("structure.padded_text", severity=Severity.MINOR)
def padded_text(column: Column) -> RowCheck | None:
    """Text with blanks before or after it, non-breaking and zero-width ones included; major in an identifier.

    Why it matters: 'S-01 ' and 'S-01' look the same and do not match in a merge.
    What to do: have the blanks removed at the source, and look for records that failed to merge.
    """
    if not column.exists or column.kind != "text":
        return None
    padded = (column.value != column.stripped) & (column.stripped != "")
    return RowCheck(
        columns=(column.name,),
        failing=padded,
        severity=Severity.MAJOR if column.field.identifier else None,
        says=f"{name_text(column.name)} has blanks before or after the text",
        note=lambda values: f"{quote(_text(values, column.name).strip())} without the blanks",
        by_value=True,
    )


@check("structure.mixed_case", severity=Severity.MAJOR)
def mixed_case(column: Column) -> Query | None:
    """Identifiers (`identifier: true`) that are written in another case than most of the column.

    Why it matters: 's-01' among identifiers in capitals matches no record of the other tables.
    What to do: bring all to one case, then look for duplicate keys and for records that failed to merge.
    """
    if not column.field.identifier or column.kind != "text":
        return None
    value = column.stripped
    has_lower, has_upper = value != value.str.to_uppercase(), value != value.str.to_lowercase()
    cases = {
        "capitals": column.present & has_upper & ~has_lower,
        "small letters": column.present & has_lower & ~has_upper,
        "capitals and small letters": column.present & has_upper & has_lower,
    }
    frame = column.of.table.frame

    def run(rows: int) -> Failure | None:
        counts = column.count(cases)
        usual = max(counts, key=lambda case: counts[case])
        failed = sum(counts.values()) - counts[usual]
        if not failed:
            return None
        message = (
            f"{failed:,} of {count_of(rows, 'row')}: {name_text(column.name)} is not written in {usual} as most are"
        )
        others = [is_in for case, is_in in cases.items() if case != usual]
        return Failure(message=message, failed=failed, offending=frame.filter(others[0] | others[1]))

    return Query(columns=(column.name,), run=run)


@check("structure.not_iso8601", severity=Severity.MAJOR, of_field=True)
def not_iso8601(column: Column) -> RowCheck | None:
    """Text that is not an ISO 8601 date or time where one is due; parts may be missing (`2014-03`).

    Why it matters: `20220311` and `11MAR2022` sort and compare wrongly, or not at all.
    What to do: have it written as YYYY-MM-DDThh:mm:ss, cut where it is unknown (SDTM --DTC, CORE SD0003).
    """
    if column.field.format != "iso8601-partial":
        return None
    if column.value is not None and column.kind != "text":
        return None
    return RowCheck(
        columns=(column.name,),
        failing=column.where_present(~iso8601.is_partial(column.value)),
        says=f"{name_text(column.name)} is not an ISO 8601 date or time",
        note=lambda values: missing_hint(values[column.name]),
        by_value=True,
    )


@check("structure.json_schema", severity=Severity.MINOR, of_field=True)
def json_schema(column: Column) -> None:
    """The constraint `jsonSchema`, which is not judged; it is listed so that nobody takes it for passed.

    Why it matters: a constraint that nobody looks at is a promise that nobody keeps.
    What to do: express it as type, pattern or rule.
    """
    if column.field.constraints.json_schema is not None:
        raise CannotJudge("the constraint jsonSchema is not judged")


@check("structure.pattern_mismatch", severity=Severity.MINOR, of_field=True)
def pattern_mismatch(column: Column) -> RowCheck | None:
    """Text that does not match the pattern of the spec as a whole.

    Why it matters: identifiers of another form come from another system or from a slip.
    What to do: correct the value, or widen the pattern if the form is legal.
    """
    pattern = column.field.constraints.pattern
    if pattern is None:
        return None
    # Unlike `$`, `\z` never stands before a last line feed.
    whole = _judged_text(column).str.contains(rf"\A(?:{pattern})\z")
    return RowCheck(
        columns=(column.name,),
        failing=column.where_present(~whole),
        says=f"{name_text(column.name)} does not match the pattern {quote(pattern)}",
        parameters={"pattern": pattern},
        by_value=True,
    )


@check("structure.length_outside_limits", severity=Severity.MINOR, of_field=True)
def length_outside_limits(column: Column) -> RowCheck | None:
    """Text shorter than `minLength` or longer than `maxLength`, in characters.

    Why it matters: cut text is lost text, and a longer one is cut by the next system.
    What to do: compare with the source record.
    """
    shortest, longest = column.field.constraints.min_length, column.field.constraints.max_length
    if shortest is None and longest is None:
        return None
    length = _judged_text(column).str.len_chars()
    outside = nw.lit(value=False)
    if shortest is not None:
        outside = outside | (length < shortest)
    if longest is not None:
        outside = outside | (length > longest)
    limits = f"{shortest or 0} to {longest}" if longest is not None else f"at least {shortest}"
    return RowCheck(
        columns=(column.name,),
        failing=column.where_present(outside),
        says=f"{name_text(column.name)} is not {limits} characters long",
        parameters={"minLength": shortest, "maxLength": longest},
        by_value=True,
    )


@check("structure.text_too_long", severity=Severity.MINOR)
def text_too_long(column: Column) -> Iterator[RowCheck]:
    """Text of more than 200 bytes (profile `xpt-v5`); an accented letter takes two.

    Why it matters: a version 5 transport file cuts it, in the middle of a letter if need be.
    What to do: split it into supplemental qualifiers, or shorten it at the source.
    """
    if column.of.spec.profile == "xpt-v5" and column.exists and column.kind == "text":
        yield RowCheck(
            columns=(column.name,),
            failing=_byte_length(column.value) > XPT_TEXT_BYTES,
            says=f"{name_text(column.name)} is longer than {XPT_TEXT_BYTES} bytes in UTF-8",
            by_value=True,
        )


def _judged_text(column: Column) -> nw.Expr:
    """The text of a column that has a constraint which only text can meet."""
    if column.value is not None and column.kind != "text":
        raise CannotJudge(f"{name_text(column.name)} holds {column.dtype} values, not text")
    return column.value


def _byte_length(text: nw.Expr) -> nw.Expr:
    """Bytes of text in UTF-8, by writing each longer letter as that many plain ones."""
    plain = text.str.replace_all(r"[\x{80}-\x{7FF}]", "xx")
    plain = plain.str.replace_all(r"[\x{800}-\x{FFFF}]", "xxx")
    return plain.str.replace_all(r"[\x{10000}-\x{10FFFF}]", "xxxx").str.len_chars()


def _text(values: Mapping[str, JSON], name: str) -> str:
    return str(values[name])
