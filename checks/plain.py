"""Values of a table as plain JSON data, and as text that is safe to print.

A dataset's text is data: it is bounded, its control characters are made visible, and it is never
read as markup. That is done here, once, before a value enters a message or the evidence.
"""

from __future__ import annotations

import datetime as dt
import math
import struct
from collections.abc import Iterable
from decimal import Decimal

from checks.vocabulary import JSON

BLANKS = " \t\r\n\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"  # noqa: E501 - one constant
"""What counts as blank in text: Unicode white space, the zero-width space and the byte order mark."""

MAX_TEXT = 200
"""Characters of one value kept in the evidence."""

MAX_QUOTE = 60
"""Characters of one value or name shown inside a message."""

_INT64 = 2**63
_FORMATS = {16: "<e", 32: "<f"}
"""How `struct` calls floats of so many bits; of a byte order it is told, it says which numbers are too large."""


def plain_value(value: object) -> JSON:  # noqa: PLR0911 - one line a type
    """Return one value as JSON data: exact numbers as numbers, everything else as bounded text.

    NaN is a missing value and becomes None. Infinities, decimals and integers over 64 bits become text,
    because neither JSON nor a checkpoint can hold them.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -_INT64 <= value < _INT64 else str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, str):
        return _bounded(value.replace("\x00", "\\x00"), MAX_TEXT)
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time() and value.tzinfo is None
        return value.date().isoformat() if midnight else value.isoformat()
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__:
        return f"<{type(value).__qualname__}>"  # where it lies in memory is no part of it
    return _bounded(str(value), MAX_TEXT)


def nearest(number: float | Decimal, bits: int) -> float:
    """Return the float of 16 or 32 bits that is nearest to a number; the number itself where it is too large for one.

    So a column of such floats is held against numbers as it would hold them itself: in 32 bits 0.2 is
    0.20000000298023224, and a value that prints as 0.2 is not above it.
    """
    try:
        return float(struct.unpack(_FORMATS[bits], struct.pack(_FORMATS[bits], number))[0])
    except OverflowError:
        return float(number)


def quote(value: object) -> str:
    """Return a value for a message: text in quotes with control characters escaped, cut when long."""
    plain = plain_value(value)
    if not isinstance(plain, str) or not isinstance(value, str):
        return str(plain)
    return "'" + _bounded(visible(plain), MAX_QUOTE) + "'"


def name_text(name: str) -> str:
    """Return a column name for a message: as it is when it is a plain word, quoted otherwise."""
    is_word = name.isascii() and name.replace("_", "").replace(".", "").isalnum() and len(name) <= MAX_QUOTE
    return name if is_word else quote(name)


def names_text(names: Iterable[str], limit: int = 8) -> str:
    """Return column names for a message; a cut list says of how many."""
    listed = list(names)
    shown = ", ".join(name_text(name) for name in listed[:limit])
    return shown if len(listed) <= limit else f"{shown}, … ({len(listed)} in all)"


def visible(text: str) -> str:
    """Return text with control characters, line breaks among them, written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def count_of(number: int, noun: str) -> str:
    """Return a count with its noun in the right number: `1 row`, `2 rows`, `1,234 rows`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


_MISSING_WORDS = {"NA", "N/A", "NULL", "NONE", "NAN", ".", "-", "?", "UNK", "#N/A"}


def missing_hint(value: JSON) -> str | None:
    """Say how to declare a word that people often write for a missing value, when it is one."""
    if not isinstance(value, str) or value.strip().upper() not in _MISSING_WORDS:
        return None
    return f"if {quote(value)} stands for missing, add it to missingValues"


def _bounded(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
