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
    """Whether there is a letter or a number to be seen in a text."""
    return any(character.isalnum() and character not in _UNSEEN for character in text)


def same_person(one: str, other: str) -> bool:
    """Whether two names mean one person.

    Case, accents, blanks, punctuation, the order of the words and whatever cannot be seen make no difference: to
    refuse two people of one name is better than to take one for two. Letters of other alphabets that look alike do.
    """
    words = _words(one), _words(other)
    return sorted(words[0]) == sorted(words[1]) or "".join(words[0]) == "".join(words[1])


_UNSEEN = frozenset("\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5")
"""Letters and symbols that are printed as nothing; other such characters are no letters."""


def _words(name: str) -> list[str]:
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    return "".join(_seen(character) for character in folded).split()


def _seen(character: str) -> str:
    """What a person sees of a character in a name: itself, a gap, or nothing."""
    if character in _UNSEEN or unicodedata.category(character) in ("Zs", "Zl", "Zp", "Cc"):
        return " "
    return character if character.isalnum() else " " if unicodedata.category(character)[0] == "P" else ""
