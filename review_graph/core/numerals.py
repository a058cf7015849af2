"""The numbers of a text, however they are written.

A reader must be able to trust each number that she sees. So whatever looks like a number on paper is read as one:
digits of any script, digits with something unseen between them, and English number words. What is left out is listed
at `numbers_in`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from review_graph.core.citing import FINDING_ID
from review_graph.core.number_words import number_words


@dataclass(frozen=True, kw_only=True)
class Number:
    """A number, date or code of digits, as a text has it.

    Attributes:
        written: As it is written, in plain digits.
        value: Its value; None for a date, a time or a code of digits, which is one only as a whole.
        decimals: Digits behind the point.
        below: It is only a bound: `<5`, `fewer than 5`.
        word: It is written as a word.
    """

    written: str
    value: Decimal | None
    decimals: int = 0
    below: bool = False
    word: bool = False


_UNSEEN = ("Cf", "Mn", "Me", "Cc")
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789", strict=True))
_RAISED_RUN = re.compile(f"(?P<on>[^{''.join(_RAISED)}]?)(?P<digits>[{''.join(_RAISED)}]+)")
_NARROW = re.compile("(?<=[0-9])[\u2006\u2008\u2009\u200a\u202f]+(?=[0-9])")
_DASHES = str.maketrans(dict.fromkeys("\u2212\u2010\u2011\u2012\u2013\u2014\ufe58\ufe63\uff0d", "-"))

_SCALES = {"k": 1_000, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_ITEM = re.compile(r"^[ \t#]*(\d{1,2})[.)][ \t]", re.MULTILINE)
_BELOW = re.compile(
    r"(?:[<\u2264]=?|\b(?:fewer|less|lower|smaller|younger|not?\s+more)\s+than|\b(?:under|below|at\s+most|up\s+to))\s*$",
    re.IGNORECASE,
)
_BELOW_REACH = 24
_GROUPED = "[,'\u2019_\u00a0\u2007]"
_NUMBER = re.compile(
    rf"""
      (?P<skipped>
        (?<!\w){FINDING_ID}(?!\w)
      | (?<!\w)(?![nN]\d)(?:[^\W\d]*[A-Z_]|[^\W\d])\d[\d.]*(?<!\.)\w*)          # Q03, v2.1, TRT01A, HbA1c
    | (?P<whole>
        (?<!\d)\d{{4}}-(?:0[1-9]|1[0-2])                                        # ISO 8601, partial ones too
        (?:-\d\d(?:[T\ ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?(?![\d-])
      | (?<!\d)\d{{1,2}}:\d\d(?::\d\d)?(?!\d)                                   # a time
      | \d+(?:-\d+){{2,}} | \d+(?:\.\d+){{2,}})                                 # 01-701-1015, 2.1.3
    | (?P<sign>(?<![\w)\]%.])[-+])?
      (?P<digits>\d{{1,3}}(?:{_GROUPED}\d{{3}})+(?!{_GROUPED}?\d) | \d+ | (?=\.\d))
      (?P<fraction>\.\d+)?(?P<power>[eE][-+]?\d{{1,3}}(?!\d))?
      (?P<scale>[kK](?!\w) | \s+(?i:thousand|million|billion)\b)?
    """,
    re.VERBOSE,
)


def numbers_in(text: str) -> tuple[Number, ...]:
    """Return the numbers of a text, in its order.

    A hyphen between two numbers is a range, not a sign. ISO dates and times and codes of digits such as `01-701-1015`
    are read as a whole. An ordinal in digits is its number. A percentage is its number, never its fraction.

    Not read are identifiers that begin with a letter (`Q03`, `v2.1`, `TRT01A`; `week24` is no such one), the ids of
    findings, the numbers 1, 2, 3 … of a list at the beginning of lines, the words `one`, `first`, `half` and `twice`,
    and number words of other languages than English.
    """
    plain = _without_list_numbers(plain_digits(text))
    matches = [match for match in _NUMBER.finditer(plain) if match["skipped"] is None]
    inside = {place for match in matches for place in range(*match.span())}
    found = [(match.start(), _number(match)) for match in matches]
    found += [(start, number) for start, number in _worded(plain) if start not in inside]
    return tuple(number for _, number in sorted(found, key=lambda item: item[0]))


def plain_digits(text: str) -> str:
    """Return a text with its numbers in ASCII digits, as a reader sees them.

    Digits of other scripts become ours, what cannot be seen and narrow gaps between digits are closed, a power is set
    apart from the number that it stands on, and a fraction of one sign becomes a decimal.
    """
    seen = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in _UNSEEN)
    lowered = _RAISED_RUN.sub(_lowered, seen)
    return _NARROW.sub("", "".join(map(_in_ascii, lowered))).translate(_DASHES)


def _lowered(match: re.Match[str]) -> str:
    """A power or an index: a number of its own, but for that of a unit or a formula (`m²`, `CO₂`)."""
    if match["on"].isalpha():
        return match["on"]
    return f"{match['on']}{' ' if match['on'].isdigit() else ''}{''.join(map(_RAISED.__getitem__, match['digits']))}"


def _in_ascii(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category in ("No", "Nl"):
        return f" {Decimal(str(unicodedata.numeric(character))).normalize():f} "
    return unicodedata.normalize("NFKC", character) if category[0] in "LP" else character


def _without_list_numbers(plain: str) -> str:
    """A text with blanks for the numbers of its lists, each of which counts up from 1."""
    last = 0
    parts = list(plain)
    for match in _ITEM.finditer(plain):
        number = int(match[1])
        if number in (1, last + 1):
            last = number
            parts[match.start(1) : match.end(1)] = " " * len(match[1])
    return "".join(parts)


def _number(match: re.Match[str]) -> Number:
    if match["whole"] is not None:
        return Number(written=match["whole"].replace(" ", "T"), value=None)
    fraction, power = match["fraction"] or "", match["power"] or ""
    digits = re.sub(_GROUPED, "", match["digits"]) or "0"
    value = Decimal(f"{match['sign'] or ''}{digits}{fraction}{power}")
    return Number(
        written=match[0],
        value=value * _SCALES[match["scale"].strip().lower()] if match["scale"] else value,
        decimals=max(0, len(fraction) - 1),
        below=_is_bound(match.string, match.start()),
    )


def _worded(plain: str) -> Iterator[tuple[int, Number]]:
    for start, end, value in number_words(plain):
        yield start, Number(written=plain[start:end], value=Decimal(value), below=_is_bound(plain, start), word=True)


def _is_bound(plain: str, start: int) -> bool:
    return _BELOW.search(plain[max(0, start - _BELOW_REACH) : start]) is not None
