"""Numbers written as text, in one spelling for each, so that a key may be compared by what its text means."""

from __future__ import annotations

import narwhals as nw

from checks.column import Column

_LONG_EXPONENT = r"e[+-]?0*[1-9][0-9]{9}"
"""Beyond what any number needs, and what can be calculated with."""

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

    They stay text, in which no digit is lost: the digits without outer zeros and a power of ten, so that `01`, `+1.0`
    and `10E-1` become `1e0`, and `0.50` becomes `5e-1`; 0 is `0`, and infinity `inf`.
    """
    text = column.number_text.str.to_lowercase()
    is_plain = column.present & column.is_number & ~text.str.contains(_LONG_EXPONENT)
    mantissa = text.str.replace_all(r"^[+-]|e.*$", "")
    digits = mantissa.str.replace_all(r"^[0.]+|\.", "")
    significant = digits.str.replace_all(r"0+$", "")
    exponent = text.str.replace_all(r"^[^e]*(e\+?)?", "")
    exponent = nw.when(is_plain & (exponent != "")).then(exponent).otherwise(nw.lit("0")).cast(nw.Int64)
    power = exponent + _length(digits) - _length(significant) - _length(mantissa.str.replace_all(r"^[^.]*\.?", ""))
    sign = nw.when(text.str.starts_with("-")).then(nw.lit("-")).otherwise(nw.lit(""))
    finite = nw.concat_str(sign, significant, nw.lit("e"), power.cast(nw.String))
    spelled = nw.when(text.str.ends_with("inf")).then(nw.concat_str(sign, nw.lit("inf"))).otherwise(finite)
    spelled = nw.when(digits == "").then(nw.lit("0")).otherwise(spelled)
    return nw.when(is_plain).then(spelled).otherwise(column.known)


def _length(text: nw.Expr) -> nw.Expr:
    return text.str.len_chars().cast(nw.Int64)
