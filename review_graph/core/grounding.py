"""Whether the numbers of an answer are found in what it stands on.

Only numbers are held against numbers: a right number in a wrong sentence is not noticed here. The docs say so, and the
figures are computed again from the data by the calls that gave them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import lru_cache

from checks.vocabulary import JSON
from review_graph.core.numerals import Number, claims_in, names_in, numbers_in, told_in

__all__ = ["Number", "claims", "numbers_in", "supporting", "unsupported"]

_MARK = re.compile(r"<[0-9]+")
"""All that is told of the count of a small group."""

_WAYS = (ROUND_HALF_UP, ROUND_HALF_EVEN)
_EXACT = Context(prec=60)
_SOURCES_KEPT = 256


def unsupported(text: str, sources: Iterable[str]) -> tuple[str, ...]:
    """Return the numbers of a text that no source supports, as they are written, each once.

    Args:
        text: Text for a person.
        sources: The question, and successful observations as canonical JSON.
    """
    known = tuple(sources)
    wanting = [number for number in claims(text, known) if not any(supporting(number, source) for source in known)]
    return tuple(dict.fromkeys(number.written for number in wanting))


def claims(text: str, sources: Iterable[str]) -> tuple[Number, ...]:
    """Return the numbers of a text that need support: all that `numerals.claims_in` reads.

    An identifier that stands in a source is a name (`TRT01A`); the digits of any other are a number (`TOTAL1234`).
    """
    return claims_in(text, frozenset[str]().union(*map(_names_of, sources)))


def supporting(number: Number, source: str) -> bool:
    """Whether some number of a source comes to this one when it is rounded to as many decimals, half up or half even.

    A source that is JSON is read as such: `[1,247]` holds no 1247. A date or code is supported by one that begins with
    it, a number word also by the length of a list. What stands in a source as `<5` supports only `fewer than 5`.
    """
    return any(_supports(told, number) for told in _told_by(source))


def _supports(told: Number, number: Number) -> bool:
    if told.value is None or number.value is None:
        same_kind = told.value is number.value and told.written.startswith(number.written)
        return same_kind and not told.written[len(number.written) :][:1].isdigit()
    if told.loose:
        return number.loose and (told.value, told.share) == (number.value, number.share)
    if (told.below and not number.below) or (told.word and not number.word):
        return False
    if number.share:
        return _is_share(told.value, number.value)
    return number.value in {told.value, *(_rounded(told.value, number.decimals, way) for way in _WAYS)}


def _is_share(told: Decimal, share: Decimal) -> bool:
    """Whether a part in words is what a source tells, as a fraction at two decimals or as a whole percentage."""
    return any(
        _rounded(told, decimals, way) == _rounded(scale * share, decimals, way)
        for scale, decimals in ((1, 2), (100, 0))
        for way in _WAYS
    )


def _rounded(value: Decimal, decimals: int, way: str) -> Decimal | None:
    """A value at so many decimals; None when it has more digits than any figure has."""
    try:
        return value.quantize(Decimal(1).scaleb(-decimals), way, _EXACT)
    except InvalidOperation:
        return None


@lru_cache(maxsize=_SOURCES_KEPT)
def _told_by(source: str) -> frozenset[Number]:
    return frozenset(number for part in _read(source) for number in _numbers_of(part))


@lru_cache(maxsize=_SOURCES_KEPT)
def _names_of(source: str) -> frozenset[str]:
    return frozenset(name for part in _read(source) if isinstance(part, str) for name in names_in(part))


def _read(source: str) -> Iterable[JSON]:
    """The parts of a source; a text is one part."""
    try:
        return _parts(json.loads(source, parse_int=Decimal, parse_float=Decimal, parse_constant=_no_number))
    except (ValueError, RecursionError):
        return (source,)


def _no_number(word: str) -> JSON:
    raise ValueError(word)


def _parts(plain: JSON) -> Iterator[JSON]:
    """A value of JSON data, and all that are in it; names too. A list in a list is a row: its cells and not it."""
    waiting = [plain]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, dict):
            waiting += [*part, *part.values()]
        elif isinstance(part, list):
            waiting += (cell for row in part for cell in (row if isinstance(row, list) else [row]))


def _numbers_of(part: JSON) -> Iterable[Number]:
    if isinstance(part, Decimal):
        return [Number(written=str(part), value=part)]
    if isinstance(part, str):
        return told_in(part) if _MARK.fullmatch(part) else _written_in(part)
    return [Number(written="", value=Decimal(len(part)), word=True)] if isinstance(part, list) else []


def _written_in(text: str) -> Iterator[Number]:
    """The numbers of a text, each as good as another."""
    return (replace(number, below=False, word=False) for number in told_in(text))
