"""The numbers of a text, however they are written.

A reader must be able to trust each number that she sees. So whatever looks like a number on paper is read as one:
digits of any script, digits with something unseen between them, and English number words. What is left out is listed
at `claims_in`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal

from review_graph.core.citing import FINDING_ID
from review_graph.core.letter_numerals import CHINESE_ZERO, as_digits, chinese_numerals, roman_numerals
from review_graph.core.look_alikes import LOOK_ALIKES
from review_graph.core.number_words import Worded, number_words


@dataclass(frozen=True, kw_only=True)
class Number:
    """A number, date or code of digits, as a text has it.

    Attributes:
        written: As it is written, in plain digits.
        value: Its value; None for a date, a time or a code of digits, which is one only as a whole.
        decimals: Digits behind the point.
        below: It is only a bound: `<5`, `fewer than 5`.
        word: It is written as a word.
        loose: It may be none: `one`, `half`, `XII`. It has to be supported, and supports no other number.
        share: It is a part of a whole, so that its percentage is as good: `half`.
    """

    written: str
    value: Decimal | None
    decimals: int = 0
    below: bool = False
    word: bool = False
    loose: bool = False
    share: bool = False


_UNSEEN = ("Cf", "Mn", "Me", "Cc")
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789", strict=True))
_RAISED_RUN = re.compile(f"(?P<on>[^{''.join(_RAISED)}]?)(?P<digits>[{''.join(_RAISED)}]+)")
_OF_A_LETTER = frozenset("²³₀₁₂₃₄₅₆₇₈₉")
_PICTURES = str.maketrans({"\U0001f51f": " 10 ", "\U0001f4af": " 100 "})
_EMPHASIS = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_NARROW = re.compile("(?<=[0-9])[\u2006\u2008\u2009\u200a\u202f]+(?=[0-9])")

_SCALES = {"k": 1_000, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000}
_ITEM = re.compile(r"^[ \t#]*(\d{1,2})[.)][ \t]+(?=[^\s])", re.MULTILINE)
_BELOW = re.compile(
    r"(?:[<\u2264]=?|\b(?:fewer|less|lower|smaller|younger|not?\s+more)\s+than|\b(?:under|below|at\s+most|up\s+to))\s*$",
    re.IGNORECASE,
)
_BELOW_REACH = 24
_GROUPED = "[,'\u2019_\u00a0\u2007]"
_DIGITS = rf"""
      (?P<whole>
        (?<!\d)\d{{4}}-(?:0[1-9]|1[0-2])                                        # ISO 8601, partial ones too
        (?:-\d\d(?:[T\ ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?(?![\d-])
      | (?<!\d)\d{{1,2}}:\d\d(?::\d\d)?(?!\d)                                   # a time
      | \d+(?:-\d+){{2,}} | \d+(?:\.\d+){{2,}})                                 # 01-701-1015, 2.1.3
    | (?P<sign>(?<![\w)\]%.])[-+])?
      (?P<digits>\d{{1,3}}(?:{_GROUPED}\d{{3}})+(?!{_GROUPED}?\d) | \d+ | (?=\.\d))
      (?P<fraction>\.\d+)?(?P<power>[eE][-+]?\d{{1,3}}(?!\d))?
      (?P<scale>[kK](?!\w) | \s+(?i:{"|".join(word for word in _SCALES if word != "k")})\b)?
"""
_NUMBER = re.compile(_DIGITS, re.VERBOSE)
_FINDING = rf"(?<!\w){FINDING_ID}(?!\w)"
_IDENTIFIER = r"(?<!\w)(?![nN]\d)(?:[^\W\d]*[A-Z_]|[^\W\d])\d[\d.]*(?<!\.)\w*"
"""`Q03`, `v2.1`, `TRT01A`, `HbA1c`."""

_SKIPPED = re.compile(rf"(?P<finding>{_FINDING})|{_IDENTIFIER}")
_NUMBER_OR_SKIPPED = re.compile(rf"(?P<skipped>{_FINDING} | {_IDENTIFIER}) | {_DIGITS}", re.VERBOSE)
_NAME = re.compile(r"(?<!\w)[^\W\d]+\d(?:\w|\.(?=\d))*")
_TOKEN = re.compile(r"\w+")
_ALONE = re.compile(r"(?<![\w.])\w+\b(?!\.\w)")
_HIDING = "w"
"""A letter that is no numeral and looks like no digit."""


def numbers_in(text: str) -> tuple[Number, ...]:
    """Return what is a number whoever reads it, in the order of the text.

    A hyphen between two numbers is a range, not a sign. ISO dates and times and codes of digits such as `01-701-1015`
    are read as a whole. An ordinal is its number. A percentage is its number, never its fraction. Digits of
    identifiers that begin with a letter (`Q03`, `v2.1`, `TRT01A`; `week24` is no such one) are none, and nothing is
    loose.
    """
    return tuple(number for number in told_in(text) if not number.loose)


def told_in(text: str) -> tuple[Number, ...]:
    """Return the same with the loose words: all that a source tells."""
    plain = _without_list_numbers(plain_digits(text))
    digits = [match for match in _NUMBER_OR_SKIPPED.finditer(plain) if match["skipped"] is None]
    return _in_order(digits, [*number_words(plain), *chinese_numerals(plain)])


def claims_in(text: str, names: Collection[str] = ()) -> tuple[Number, ...]:
    """Return all that a reader may take for a number, in the order of the text.

    The digits of an identifier are a number here, unless it is one of the names. So are Roman numerals of three
    letters and more, Chinese ones, letters that stand for digits (`l00`), and the loose words: `one subject`, `half`,
    `a third`, `two thirds`, `a quarter`, `twice`, `threefold`, `hundreds`.

    Not read are the ids of findings; the numbers 1, 2, 3 … of a list of several lines; a power or index of one digit
    on a letter (`m²`, `CO₂`); `one` as a pronoun (`one of the arms`, `no one`, `one can`); `first`, `second` and
    `third` as places, `once`, `double`, `a couple`, `no`, `none`, `all` and `most`; number words of other languages.

    Args:
        text: Text for a person.
        names: Identifiers as `names_in` gives them: those of the data are no numbers.
    """
    plain = _without_list_numbers(plain_digits(text))
    plain = _SKIPPED.sub(lambda match: _hidden(match, names), plain)
    plain = _ALONE.sub(lambda match: match[0] if match[0].casefold() in names else as_digits(match[0]), plain)
    known = {place for name in _NAME.finditer(plain) if name[0].casefold() in names for place in range(*name.span())}
    digits = [match for match in _NUMBER.finditer(plain) if not {match.start(), match.end() - 1} <= known]
    roman = (each for each in roman_numerals(plain) if each.written.casefold() not in names)
    return _in_order(digits, [*number_words(plain), *chinese_numerals(plain), *roman])


def names_in(text: str) -> frozenset[str]:
    """Return the words and identifiers of a text, in lower case."""
    plain = plain_digits(text)
    names = {match[0] for form in (_SKIPPED, _NAME) for match in form.finditer(plain)}
    return frozenset(name.casefold() for name in names.union(_TOKEN.findall(_NAME.sub(" ", plain))))


def _hidden(match: re.Match[str], names: Collection[str]) -> str:
    is_name = match["finding"] or match[0].casefold() in names
    return _HIDING * len(match[0]) if is_name else match[0]


def plain_digits(text: str) -> str:
    """Return a text with its numbers in ASCII digits, as a reader sees them.

    Digits of other scripts become ours, and look-alike letters too; what cannot be seen, accents, emphasis by `_` and
    narrow gaps between digits are gone; a power is set apart from the number that it stands on, and a fraction of one
    sign becomes a decimal.
    """
    seen = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in _UNSEEN)
    lowered = _RAISED_RUN.sub(_lowered, seen.translate(_PICTURES))
    plain = _NARROW.sub("", "".join(map(_in_ascii, lowered))).translate(LOOK_ALIKES)
    return _EMPHASIS.sub(lambda match: " " * len(match[0]), plain)


def _lowered(match: re.Match[str]) -> str:
    """A power or an index: a number of its own, but for that of a unit or a formula (`m²`, `CO₂`)."""
    on, digits = match["on"], match["digits"]
    if on.isalpha() and digits in _OF_A_LETTER:
        return on
    return f"{on}{' ' if on.isalnum() else ''}{''.join(map(_RAISED.__getitem__, digits))}"


def _in_ascii(character: str) -> str:
    if character.isascii() or character == CHINESE_ZERO:
        return character
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category in ("No", "Nl"):
        return f" {Decimal(str(unicodedata.numeric(character))).normalize():f} "
    if category[0] == "L":
        parts = unicodedata.normalize("NFKD", character)
        return "".join(part for part in parts if unicodedata.category(part) != "Mn")
    plain = unicodedata.normalize("NFKC", character)
    if category[0] == "P":
        return plain
    return f" {plain} " if any(map(str.isdigit, plain)) else character


def _without_list_numbers(plain: str) -> str:
    """A text with blanks for the numbers of its lists: those that count up from 1, at least to 2."""
    parts, last = list(plain), 0
    listed: set[re.Match[str]] = set()
    begun: re.Match[str] | None = None
    for match in _ITEM.finditer(plain):
        number = int(match[1])
        if number == 1:
            begun, last = match, 1
        elif begun is not None and number == last + 1:
            listed |= {begun, match}
            last = number
    for match in listed:
        parts[match.start(1) : match.end(1)] = " " * len(match[1])
    return "".join(parts)


def _in_order(digits: list[re.Match[str]], words: list[Worded]) -> tuple[Number, ...]:
    inside = {place for match in digits for place in range(*match.span())}
    found = [(match.start(), _number(match)) for match in digits]
    found += [(each.start, _worded(each)) for each in words if each.start not in inside]
    return tuple(number for _, number in sorted(found, key=lambda item: item[0]))


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


def _worded(found: Worded) -> Number:
    return Number(
        written=found.written,
        value=found.value,
        below=_is_bound(found.text, found.start),
        word=not found.is_loose,
        loose=found.is_loose,
        share=found.is_share,
    )


def _is_bound(plain: str, start: int) -> bool:
    return _BELOW.search(plain[max(0, start - _BELOW_REACH) : start]) is not None
