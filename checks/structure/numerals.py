"""Numbers written as text, in one spelling for each, so that a key may be compared by what its text means."""

from __future__ import annotations

import narwhals as nw

from checks.column import Column

_EXPONENT = r"[eE]"
_ONE_SPELLING = r"^(0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)\.[0-9]*[1-9])$"
"""Numbers that cannot be written with fewer characters."""


def holds_numerals(column: Column) -> bool:
    """Whether a column is of text that the spec calls numbers, as those of a CSV file are."""
    return column.kind == "text" and column.field.type in ("integer", "number")


def has_other_spellings(column: Column) -> bool:
    """Whether some text is longer than its number needs, so that two texts may be one number."""
    return column.count({"other": column.present & ~column.value.str.contains(_ONE_SPELLING)})["other"] > 0


def one_spelling(column: Column) -> nw.Expr:
    """Return numbers without what does not change their value; all other text as it stands, null where missing.

    They stay text, in which no digit is lost: `01`, `+1` and `1.0` become `1`, and `0.50` becomes `.5`. A number with
    an exponent keeps it, and is another one than the same number without.
    """
    text = column.number_text
    digits = text.str.replace_all(r"^[+-]", "").str.replace_all(r"^0+", "")
    has_point = digits.str.contains(".", literal=True)
    digits = nw.when(has_point).then(digits.str.replace_all(r"\.?0*$", "")).otherwise(digits)
    is_negative = text.str.starts_with("-") & (digits != "")
    plain = nw.when(is_negative).then(nw.concat_str(nw.lit("-"), digits)).otherwise(digits)
    return (
        nw.when(column.present & column.is_number & ~text.str.contains(_EXPONENT)).then(plain).otherwise(column.known)
    )
