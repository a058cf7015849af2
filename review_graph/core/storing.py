"""Text as the store can keep it."""

from __future__ import annotations


def storable(text: str) -> str:
    """Return text with NUL and lone surrogates written as escapes: PostgreSQL refuses the one, drivers the other."""
    return text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode()
