"""How a file is refused: one line that names it, says what was found and what to do next."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from review_graph.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

QUOTED_CHARACTERS = 200
"""Of a library's own message, which may run over many lines."""


def refusal(path: Path, found: str, advice: str) -> InputError:
    """Return the error for a file that cannot be read as a table.

    Args:
        path: The file.
        found: What is the matter, as the rest of a sentence that begins with the file's name.
        advice: What to do next.
    """
    return InputError(f"{shown(path)} {found}; {advice}")


def shown(path: Path | str) -> str:
    """Return a path as text that can be printed on one line, whatever bytes its name has."""
    from checks.plain import visible  # with the checks come Polars and more, which listing files does not need

    return visible(os.fsencode(path).decode("utf-8", "backslashreplace"))


def one_line(text: object, limit: int | None = QUOTED_CHARACTERS) -> str:
    """Return text without line breaks, cut after `limit` characters."""
    joined = " ".join(str(text).split("\n")).replace("\r", " ").strip()
    return joined if limit is None or len(joined) <= limit else f"{joined[:limit]}…"


def cause(error: OSError) -> str:
    """Return the operating system's reason in its own words."""
    return one_line(error.strerror or error)
