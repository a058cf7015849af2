"""Numbers that are written with letters: Roman and Chinese ones, and digits that are letters in truth."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from review_graph.core.number_words import Worded

CHINESE_ZERO = "\u3007"
"""A numeral by its category, and a digit among Chinese ones."""

_CHINESE = re.compile(
    f"[{CHINESE_ZERO}\u96f6\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341\u767e\u5343\u4e07\u842c\u4ebf\u5104"
    "\u4e24\u5169\u5eff\u5345\u58f9\u58f1\u8d30\u8cb3\u53c1\u53c3\u8086\u4f0d\u9646\u9678\u67d2\u634c\u7396\u62fe\u4f70\u4edf]+"
)
_MYRIAD = 10_000
_MAX_SIGNS = 40

_ROMAN = re.compile(
    r"\b(?:(?=[IVXL]{3})|(?=[IVXLCDM]{4}))M{0,4}(?:CM|CD|D?C{0,4})(?:XC|XL|L?X{0,4})(?:IX|IV|V?I{0,4})\b", re.IGNORECASE
)
_WORTH = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1_000}

_DISGUISED = re.compile(r"(?!\d+l?\Z)(?=.*\d|[Il].*O.)[IlO\d]{2,40}")
_AS_DIGITS = str.maketrans("IlO", "110")


def roman_numerals(text: str) -> Iterator[Worded]:
    """Give the Roman numerals of three letters at least, four where there is a C, D or M: `MCV` is a parameter."""
    for match in _ROMAN.finditer(text):
        if match[0].isupper() or match[0].islower():
            yield Worded(text, *match.span(), Decimal(_roman(match[0].upper())), is_loose=True)


def chinese_numerals(text: str) -> Iterator[Worded]:
    """Give the Chinese numerals."""
    for match in _CHINESE.finditer(text):
        yield Worded(text, *match.span(), Decimal(_chinese(match[0][:_MAX_SIGNS])), is_loose=True)


def as_digits(token: str) -> str:
    """Return a token with digits for the letters that look like some: `l00` and `lOO` look like 100, `5l` does not."""
    return token.translate(_AS_DIGITS) if _DISGUISED.fullmatch(token) else token


def _roman(signs: str) -> int:
    worth = [_WORTH[sign] for sign in signs]
    return sum(-each if each < after else each for each, after in zip(worth, [*worth[1:], 0], strict=True))


def _chinese(signs: str) -> int:
    """What Chinese signs come to: digits in their places, or digits with the powers that they count."""
    values = [int(unicodedata.numeric(sign)) for sign in signs]
    if max(values) < 10:
        return int("".join(map(str, values)))
    total = section = digit = 0
    for value in values:
        if value >= _MYRIAD:
            total, section, digit = total + (section + digit or 1) * value, 0, 0
        elif value % 100 and value > 10:  # a sign for 20 or 30
            section += value
        elif value >= 10:
            section, digit = section + (digit or 1) * value, 0
        else:
            digit = value
    return total + section + digit
