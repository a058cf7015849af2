"""Names and words of people: what counts as a name, and when two names mean one person."""

from __future__ import annotations

import re
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

    Case, accents, strokes, blanks, punctuation, the order of words and letters and whatever cannot be seen make no
    difference: to refuse two people of one name is better than to take one for two. Letters of other alphabets that
    look alike do.
    """
    return _letters(one) == _letters(other)


_UNSEEN = frozenset("\u115f\u1160\u3164\uffa0\u2800\u17b4\u17b5")
"""Letters and symbols that are printed as nothing; other such characters are no letters."""


_LATIN = re.compile(
    r"LATIN (?:SMALL LETTER|SMALL LIGATURE|LETTER SMALL CAPITAL) (?:DOTLESS )?([A-Z]{1,2})(?: WITH .+)?"
)
"""How Unicode calls a letter that is one or two plain ones in another form: with a stroke, tied, without its dot."""

_OTHER_FORMS = {"ð": "d", "þ": "th", "ŋ": "n"}
"""Latin letters whose names do not tell which plain ones are written for them."""


def _letters(name: str) -> list[str]:
    """The plain letters and digits of a name, sorted."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    return sorted("".join(_plain(character) for character in folded if says_something(character)))


def _plain(letter: str) -> str:
    """A letter as it is written where there are no strokes and ligatures."""
    form = _LATIN.fullmatch(unicodedata.name(letter, ""))
    return form[1].lower() if form else _OTHER_FORMS.get(letter, letter)
