"""Names and words of people: what counts as a name, and when two names mean one person."""

from __future__ import annotations

import unicodedata

from checks.plain import quote
from review_graph.errors import InvalidDecision

MAX_NAME = 100
MAX_REASON = 2000
"""Characters of a person's name, role or meaning, and of a reason."""


def one_line(text: object, what: str, limit: int) -> str:
    """Return text without outer blanks.

    Raises:
        InvalidDecision: It says nothing, is longer than the limit, or has control characters in it.
    """
    if not isinstance(text, str) or not says_something(text):
        raise InvalidDecision(f"a decision needs {what}; found {quote(text)}")
    cleaned = text.strip()
    if not all(character.isprintable() for character in cleaned):
        raise InvalidDecision(f"{what} must be one line without control characters; found {quote(text)}")
    if len(cleaned) > limit:
        raise InvalidDecision(f"{what} may have {limit} characters; found {len(cleaned)}")
    return cleaned


def says_something(text: str) -> bool:
    """Whether there is a letter or a number in a text."""
    return any(character.isalnum() for character in text)


def same_person(one: str, other: str) -> bool:
    """Whether two names mean one person: case, blanks and the way letters are encoded make no difference."""
    return _known_as(one) == _known_as(other)


def _known_as(name: str) -> str:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join("".join(c if c.isprintable() else " " for c in folded).split())
