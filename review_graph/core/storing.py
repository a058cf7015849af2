"""Text, and what holds text, as the store can keep it."""

from __future__ import annotations

from collections.abc import Mapping

from checks.vocabulary import JSON


def storable(text: str) -> str:
    """Return text with NUL and lone surrogates written as escapes: PostgreSQL refuses the one, drivers the other."""
    return text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode()


def storable_plain(plain: JSON) -> JSON:
    """Return plain JSON data with all its text storable."""
    if isinstance(plain, str):
        return storable(plain)
    if isinstance(plain, Mapping):
        return {storable(name): storable_plain(value) for name, value in plain.items()}
    return [storable_plain(item) for item in plain] if isinstance(plain, list | tuple) else plain
