"""One column held against its field: expressions in which missing values are already recognised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Literal

import narwhals as nw

from checks.errors import CannotJudge
from checks.frame import counted
from checks.plain import BLANKS, name_text, nearest
from checks.spec import FieldSpec

if TYPE_CHECKING:
    from checks.conditions import Operand
    from checks.domains import Domain
    from checks.examination import Examination
    from checks.extents import Extent

Kind = Literal["text", "number", "boolean", "date", "datetime", "other"]

_KINDS: Mapping[type[nw.dtypes.DType], Kind] = {
    nw.String: "text",
    nw.Boolean: "boolean",
    nw.Date: "date",
    nw.Datetime: "datetime",
}

_DIGITS = r"^-?[0-9]{1,38}$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_NUMBER_OR_INFINITY = rf"{_NUMBER}|^[+-]?[iI][nN][fF]$"
_NAN = r"^[nN][aA][nN]$"

_FEW_TEXTS = 3
"""So many texts are compared one by one in less time than they are looked up in."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column that the spec names or the table has.

    Attributes:
        field: What the spec says of it; an empty field when it says nothing.
        declared: Whether the spec names it.
        dtype: Its type in the table; None when it is absent or its name is ambiguous.
        of: The examination it belongs to.
    """

    field: FieldSpec
    declared: bool
    dtype: nw.dtypes.DType | None
    of: Examination

    @property
    def name(self) -> str:
        """The column's name."""
        return self.field.name

    @property
    def exists(self) -> bool:
        """Whether the table has the column, under an unambiguous name."""
        return self.dtype is not None

    @property
    def required_here(self) -> bool:
        """Whether a table without this column is wrong."""
        demanded = self.of.spec.fields_match not in ("superset", "partial")
        return self.declared and demanded and not self.field.may_be_absent

    @property
    def may_be_absent(self) -> bool:
        """Whether the column is absent and that is right, so that no check has anything to say of it."""
        absent = not self.exists and self.name not in self.of.table.duplicate_columns
        return absent and self.declared and not self.required_here

    @property
    def value(self) -> nw.Expr:
        """The values as they are.

        Raises:
            CannotJudge: The column is absent or its name is ambiguous.
        """
        if self.exists:
            return nw.col(self.name)
        if self.name in self.of.table.duplicate_columns:
            raise CannotJudge(f"the name {name_text(self.name)} occurs more than once in the table")
        raise CannotJudge(f"column {name_text(self.name)} is not in the table")

    @property
    def kind(self) -> Kind:
        """What kind of values the table holds here.

        Raises:
            CannotJudge: The column is absent.
        """
        _ = self.value
        if self.dtype is not None and self.dtype.is_numeric():
            return "number"
        return next((kind for cls, kind in _KINDS.items() if isinstance(self.dtype, cls)), "other")

    @property
    def stripped(self) -> nw.Expr:
        """Text without outer blanks."""
        domain = self.domain
        return self.value if domain is not None and not domain.has_padded else self.value.str.strip_chars(BLANKS)

    @property
    def domain(self) -> Domain | None:
        """The different values of a text column, where the table is big and they are few; asking for it counts them."""
        return self.of.table.domain(self.name) if isinstance(self.dtype, nw.String) else None

    def count(self, conditions: Mapping[str, nw.Expr]) -> dict[str, int]:
        """Return by name in how many rows a condition on the column's value holds; null is no."""
        if self.domain is not None:
            return self.domain.count(conditions)
        return counted(self.of.table.frame, conditions)

    @property
    def missing(self) -> nw.Expr:
        """True where there is no value: null, NaN, blank text, or text the spec calls missing. Never null.

        Text is NaN where the spec calls the column a number.
        """
        missing = nw.col(self.of.table.row).is_null() if self._has_no_null else self.value.is_null()
        tokens = self._missing_tokens
        if self.kind == "text":
            domain = self.of.table.known_domain(self.name)
            if self.may_be_blank:
                missing = missing | self.blank
            if tokens and (domain is None or domain.has_any_of(tokens)):
                missing = missing | self.is_one_of_texts(tokens)
        if self.may_be_nan:
            missing = missing | self.nan
        return missing | self.is_one_of(tokens) if self.kind == "number" and tokens else missing

    @property
    def is_complete(self) -> bool:
        """Whether it is known, without looking at each value, that none is missing."""
        if not self._has_no_null or self.may_be_nan or self.may_be_blank:
            return False
        return not (self.kind in ("number", "text") and self._missing_tokens)

    @property
    def _has_no_null(self) -> bool:
        return self.exists and self.extent.nulls == 0

    @property
    def extent(self) -> Extent:
        """What is known of the values without looking at each."""
        return self.of.table.extent(self.name)

    @property
    def may_be_blank(self) -> bool:
        """Whether text may be empty or nothing but blanks."""
        return self.kind == "text" and not self.extent.starts_plainly

    @property
    def may_be_nan(self) -> bool:
        """Whether the column is one of floats, or of text that is read as such."""
        is_float = self.dtype is not None and self.dtype.is_float()
        return is_float or (self.kind == "text" and self.field.type == "number")

    @property
    def nan(self) -> nw.Expr:
        """True where a value that may be NaN is. Never null."""
        is_nan = self.stripped.str.contains(_NAN) if self.kind == "text" else self.value.is_nan()
        return is_nan.fill_null(value=False)

    @property
    def may_be_coded(self) -> bool:
        """Whether the spec names values that stand for a missing one."""
        return bool(self._missing_tokens)

    @property
    def blank(self) -> nw.Expr:
        """True where text is empty or nothing but blanks. Never null."""
        return (self.stripped == "").fill_null(value=False)

    @property
    def present(self) -> nw.Expr:
        """True where there is a value. Never null."""
        return ~self.missing

    def where_present(self, condition: nw.Expr) -> nw.Expr:
        """True where there is a value and a condition holds; null where the condition is."""
        return condition if self.is_complete else self.present & condition

    @property
    def known(self) -> nw.Expr:
        """The values, null where missing."""
        return self.value if self.is_complete else nw.when(self.present).then(self.value)

    @property
    def _missing_tokens(self) -> list[str]:
        values = self.field.missing_values if self.field.missing_values is not None else self.of.spec.missing_values
        return [str(value) for value in values if str(value) != ""]

    @property
    def number_text(self) -> nw.Expr:
        """Text in the spelling that can be cast to a number: no outer blanks, a point, no grouping."""
        text = self.stripped
        if self.field.group_char:
            text = text.str.replace_all(self.field.group_char, "", literal=True)
        if self.field.decimal_char != ".":
            text = text.str.replace_all(self.field.decimal_char, ".", literal=True)
        if not self.field.bare_number:
            text = text.str.replace_all(r"^[^0-9+.-]+|[^0-9.]+$", "")
        return text

    @property
    def is_number(self) -> nw.Expr:
        """True where text holds a number; where the spec calls the column one, INF is, in any case (Table Schema)."""
        form = _NUMBER_OR_INFINITY if self.field.type == "number" else _NUMBER
        return self.number_text.str.contains(form).fill_null(value=False)

    @property
    def number(self) -> nw.Expr:
        """The values as numbers; null where missing or, in text, where they are not numbers of the declared type.

        Raises:
            CannotJudge: The column holds neither numbers nor text.
        """
        if self.kind == "number":
            return self.known
        if self.kind == "text" and self.field.type == "integer":
            digits = self.number_text.str.replace_all(r"^\+", "").str.replace_all(r"\.0*$", "")
            known = nw.when(self.present & digits.str.contains(_DIGITS)).then(digits)
            return known.otherwise(nw.lit(None, dtype=nw.String)).cast(nw.Int128)
        if self.kind == "text":
            known = nw.when(self.present & self.is_number).then(self.number_text)
            return known.otherwise(nw.lit(None, dtype=nw.String)).cast(nw.Float64)
        raise CannotJudge(f"{name_text(self.name)} holds {self.dtype} values, not numbers")

    def is_one_of_texts(self, texts: Sequence[str]) -> nw.Expr:
        """True where the value is one of some texts, as they stand. Never null."""
        few = 0 < len(texts) <= _FEW_TEXTS
        listed = reduce(or_, (self.value == text for text in texts)) if few else self.value.is_in(texts)
        return listed.fill_null(value=False)

    def is_one_of(self, numbers: Sequence[str]) -> nw.Expr:
        """True where the value is one of some numbers; those that are no numbers are passed over. Never null.

        Args:
            numbers: Numbers as text, so that none is rounded on its way.
        """
        listed = [number for number in map(_decimal_or_none, numbers) if number is not None]
        whole = [int(number) for number in listed if number == number.to_integral_value()]
        if self.kind == "number" and self.dtype is not None and self.dtype.is_integer():
            return self.value.is_in(whole).fill_null(value=False)
        if self.kind == "text" and self.field.type == "integer":
            equal_whole = (self.number == number for number in whole)
            return reduce(or_, equal_whole, nw.lit(value=False)).fill_null(value=False)
        if self.kind == "number" and self.dtype is not None and self.dtype.is_decimal():
            equal = (self.value == nw.lit(number) for number in listed)
            return reduce(or_, equal, nw.lit(value=False)).fill_null(value=False)
        value = self.value if self.kind == "number" else self.number
        return value.is_in([self.as_held(float(number)) for number in listed]).fill_null(value=False)

    def as_held(self, number: float) -> float:
        """Return a number as the column holds it: rounded as its floats are, where they had fewer than 64 bits."""
        bits = self.of.table.bits.get(self.name)
        return number if bits is None else nearest(number, bits)

    @property
    def operand(self) -> Operand:
        """The column as an operand of a rule.

        Raises:
            CannotJudge: The column is absent or of a type rules cannot use.
        """
        from checks.conditions import Operand

        kind = self.kind
        if kind == "text" and self.field.type in ("number", "integer"):
            return Operand(kind="number", expr=self.number, name=self.name)
        if kind == "text" and self.field.is_date_like:
            return Operand(kind="iso", expr=nw.when(self.present).then(self.stripped), name=self.name)
        if isinstance(self.dtype, nw.Datetime) and self.dtype.time_zone is not None:
            raise CannotJudge(f"{name_text(self.name)} carries a time zone: rules compare times without one")
        return Operand(kind=kind, expr=self.known, name=self.name, bits=self.of.table.bits.get(self.name))


def _decimal_or_none(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
