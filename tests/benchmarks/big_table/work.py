"""The work that every contestant does: ten columns of laboratory data and eight checks.

A contestant answers by check: how many rows fail, and the numbers of the first of them (1-based, in file order),
or None where its tool gives none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

Answer = tuple[int, list[int] | None]
Answers = dict[str, Answer]
Variant = Literal["faulty", "clean", "heavy", "shuffled"]

VARIANTS: Final[tuple[Variant, ...]] = get_args(Variant)

SHOWN: Final = 20
"""How many offending rows are asked for."""

TYPES: Final[Mapping[str, str]] = {
    "USUBJID": "string",
    "PARAMCD": "string",
    "AVISITN": "integer",
    "LBSEQ": "integer",
    "AVAL": "number",
    "AGE": "integer",
    "SEX": "string",
    "ADT": "date",
    "LBDTC": "string",
    "TRT01A": "string",
}
"""Columns in file order, with their types as Table Schema names them."""

KEY: Final = ("USUBJID", "PARAMCD", "AVISITN", "LBSEQ")
AGE: Final = (0, 120)
AVAL: Final = (0.0, 1000.0)
SEX: Final = ("F", "M", "U")
ISO_8601: Final = (
    r"^[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01])"
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?)?)?)?$"
)
"""What one writes by hand: parts may be missing from the right. Ours knows the calendar, gaps and zones as well."""

CHECKS: Final = ("types", "key", "USUBJID given", "AVAL given", "AGE", "AVAL", "SEX", "LBDTC", "ADT")
"""Names of the answers; that two columns are given is one check with two answers."""
