"""English number words: where they stand in a text, and what they are worth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple


class Worded(NamedTuple):
    """A number in words or letters.

    Attributes:
        text: The text.
        start: Where it begins in the text.
        end: Where it ends.
        value: What it is worth.
        is_loose: It claims a number in one place, and is a pronoun or a figure of speech in another.
        is_share: It is a part of a whole: one half.
    """

    text: str
    start: int
    end: int
    value: Decimal
    is_loose: bool = False
    is_share: bool = False

    @property
    def written(self) -> str:
        """The number as it is written."""
        return self.text[self.start : self.end]


_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TENS_VALUES = {word: 10 * n for n, word in enumerate(_TENS, start=2)} | {"eleventy": 110}
_VALUES = {word: value for value, word in enumerate(_SMALL)} | _TENS_VALUES
_VALUES |= {f"{ten}{unit}": value + n for ten, value in _TENS_VALUES.items() for n, unit in enumerate(_SMALL[1:10], 1)}
_SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000}
_FACTORS = {"dozen": 12, "hundred": 100} | _SCALES

_ORDINALS = {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
_ORDINALS |= {f"{word}th": _VALUES[word] for word in _SMALL[4:] if word not in ("five", "eight", "nine", "twelve")}
_ORDINALS |= {f"{ten[:-1]}ieth": value for ten, value in _TENS_VALUES.items()} | {"hundredth": 100, "thousandth": 1_000}
_PARTS = {word: value for word, value in _ORDINALS.items() if value > 2} | {"half": 2, "quarter": 4}
_TIMES = {"twice": 2, "thrice": 3} | {f"{word}fold": _VALUES[word] for word in _SMALL[2:]}


def _any_of(*words: str) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_WORD = _any_of(*_VALUES, *_FACTORS)
_THINGS = "time|visit|arm|group|dose|column|finding|question|option|possibility|party|record|value|one|day|week|year"
_SEPARATOR = r"(?:\s+|-|(?<=hundred)\s+and\s+|(?<=thousand)\s+and\s+)"
_RUN = re.compile(
    rf"""
    \b(?:
      (?P<whole>(?:{_WORD})\b(?:{_SEPARATOR}(?:{_WORD})\b)*)
      (?:{_SEPARATOR}(?P<last>{_any_of(*_ORDINALS, *_PARTS)}|halve)s?\b)?
    | an?\s+(?P<part>{_any_of(*_PARTS)})\b(?!\s+(?:{_THINGS})s?\b)
    | (?P<half>half)\b(?!-?\s?li[fv]e|-[a-z])
    | (?P<ordinal>{_any_of(*(word for word, value in _ORDINALS.items() if value > 3))})\b     # not `first` to `third`
    | (?P<times>{_any_of(*_TIMES)})\b
    | (?P<many>{_any_of(*_FACTORS)})s\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REACH = 24
_NOT_ONE = re.compile(r"\b(?:no|any|each|every|which|this|another|other|last|next|first|same)\s+$|-$", re.IGNORECASE)
_SOME_ONE = re.compile(r"\ban?\s+\w+\s+$", re.IGNORECASE)
_MANY = (
    "them|whom|subjects|patients|participants|people|persons|women|men|males|females|deaths|records|rows|events|cases"
)
_NONE_AFTER = re.compile(
    r"-[a-z]|['\u2019]s\b"
    r"|\s+(?:another|can|could|should|would|may|might|must|cannot|needs|or\s+more|by\s+one|at\s+a\s+time|that|which|who|possible|likely|such"
    r"|hand|thing|way|reason|point|caveat|example|possibility|explanation)\b"
    rf"|\s+of\b(?!\s+(?:\w+\s+){{0,2}}(?:{_MANY})\b)",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\s*(?:[.,;:!?)]|$)")
_HALVES_OF_TIME = re.compile(r"\b(?:first|second|latter|last|next)\s+$", re.IGNORECASE)


def number_words(text: str) -> Iterator[Worded]:
    """Give the numbers that are written in words: cardinals, ordinals from the fourth on, parts and multiples.

    `one` is loose, and none where it is a pronoun: `no one`, `this one`, `one can`, `one of the arms` (but one of the
    subjects, or of them, is one). Parts (`half`, `a third`, `two thirds`), multiples (`twice`, `threefold`) and
    `hundreds` are loose.
    """
    for match in _RUN.finditer(text.replace("_", " ")):
        worded = _run(match) if match["whole"] else _alone(match)
        if worded is not None:
            yield worded


def _run(match: re.Match[str]) -> Worded | None:
    words = [word for word in re.split(r"[\s-]+", match["whole"].lower()) if word != "and"]
    text, (start, end) = match.string, match.span("whole")
    last = (match["last"] or "").lower().replace("halve", "half")
    if last in _ORDINALS and _goes_on(words[-1], _ORDINALS[last]):
        return Worded(text, start, match.end(), Decimal(_value(words) + _ORDINALS[last]))
    if last in _PARTS:
        share = Decimal(_value(words)) / _PARTS[last]
        return Worded(text, start, match.end(), share, is_loose=True, is_share=True)
    if words != ["one"]:
        return Worded(text, start, end, Decimal(_value(words)))
    return Worded(text, start, end, Decimal(1), is_loose=True) if _counts(text, start, end) else None


def _goes_on(word: str, ordinal: int) -> bool:
    """Whether an ordinal is the last part of a number: twenty-first, one hundred and fifth."""
    if word in _TENS_VALUES:
        return ordinal < 10
    return word in _FACTORS and ordinal < _FACTORS[word]


def _counts(text: str, start: int, end: int) -> bool:
    """Whether `one` counts something."""
    before = text[max(0, start - _REACH) : start]
    if _NOT_ONE.search(before) or _NONE_AFTER.match(text, end):
        return False
    return not (_SOME_ONE.search(before) and _ENDS.match(text, end))


def _alone(match: re.Match[str]) -> Worded | None:
    text, (start, end) = match.string, match.span()
    if part := match["part"] or match["half"]:
        if match["half"] and _HALVES_OF_TIME.search(text[max(0, start - _REACH) : start]):
            return None
        return Worded(text, start, end, 1 / Decimal(_PARTS[part.lower()]), is_loose=True, is_share=True)
    if match["ordinal"]:
        return Worded(text, start, end, Decimal(_ORDINALS[match["ordinal"].lower()]))
    value = _TIMES[match["times"].lower()] if match["times"] else _FACTORS[match["many"].lower()]
    return Worded(text, start, end, Decimal(value), is_loose=True)


def _value(words: list[str]) -> int:
    total = current = 0
    for word in words:
        factor = _FACTORS.get(word)
        if factor is None:
            current += _VALUES[word]
        elif factor < 1_000:
            current = max(current, 1) * factor
        else:
            total, current = total + max(current, 1) * factor, 0
    return total + current
