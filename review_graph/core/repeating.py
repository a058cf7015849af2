"""Whether a call was made before: by what it asks, not by how that is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from checks.vocabulary import JSON, canonical
from review_graph.vocabulary import ModelCall

STUCK = 3
"""So many times running is the same call once too often; it is not made any more."""

_ASIDE = "reasoning"


def call_key(call: ModelCall) -> str:
    """Return what two calls that ask the same have in common.

    Names and text count in any case and without outer and repeated blanks, lists in any order, whole numbers as whole
    numbers; `reasoning` and what is null do not count. Arguments that cannot be read are compared as they are written.
    """
    if call.arguments is None:
        return canonical([_folded(call.name), call.broken])
    asked = {name: value for name, value in call.arguments.items() if _folded(name) != _ASIDE}
    return canonical([_folded(call.name), _plain(asked)])


def times_running(made: Sequence[str], key: str) -> int:
    """Return how often a call is made in a row, this time among them.

    Args:
        made: Keys of the calls that were made, in order.
        key: Key of the call that is to be made.
    """
    times = 1
    for earlier in reversed(made):
        if earlier != key:
            break
        times += 1
    return times


def is_stuck(made: Sequence[str], key: str) -> bool:
    """Whether a call would be the third of its kind in a row."""
    return times_running(made, key) >= STUCK


def is_repeat(made: Sequence[str], key: str) -> bool:
    """Whether the same was asked before, however long ago."""
    return key in made


def _plain(value: JSON) -> JSON:
    if isinstance(value, str):
        return _folded(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {_folded(name): _plain(part) for name, part in value.items() if part is not None}
    if isinstance(value, Sequence):
        return sorted(map(_plain, value), key=canonical)
    return value


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
