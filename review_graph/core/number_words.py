"""English number words: where they stand in a text, and what they are worth."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {word: value for value, word in enumerate(_SMALL)} | {word: 10 * n for n, word in enumerate(_TENS, start=2)}
_FACTORS = {"dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_WORD = "|".join([*_VALUES, *_FACTORS])
_RUN = re.compile(
    rf"\b(?:{_WORD})\b(?:(?:\s+|-|(?<=hundred)\s+and\s+|(?<=thousand)\s+and\s+)(?:{_WORD})\b)*", re.IGNORECASE
)


def number_words(text: str) -> Iterator[tuple[int, int, int]]:
    """Give start, end and value of each number that is written in words; `one` by itself is a pronoun too often."""
    for match in _RUN.finditer(text):
        words = [word for word in re.split(r"[\s-]+", match[0].lower()) if word != "and"]
        if words != ["one"]:
            yield match.start(), match.end(), _value(words)


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
