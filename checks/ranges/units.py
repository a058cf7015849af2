"""Units as they stand beside values, and counts by parameter and unit in a message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checks.plain import name_text

_SHOWN = 4
"""Parameters a message counts one by one."""


def in_brackets(text: str) -> str:
    """What stands in the last brackets of a text that ends with them, other brackets within included; else the text."""
    stripped, depth = text.strip(), 0
    for place in range(len(stripped) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(stripped[place], 0)
        if depth == 0:
            return stripped[place + 1 : -1] if stripped.endswith(")") else stripped
    return stripped


def unit_in(rest: tuple[Any, ...]) -> str:
    """The unit that stands in what follows a parameter, if anything does."""
    return in_brackets(str(rest[0])) if rest and rest[0] is not None else ""


def most_first(count: tuple[str, str, int]) -> tuple[int, str, str]:
    """Sort the most rows first."""
    parameter, unit, rows = count
    return -rows, parameter, unit


def listed(counts: Sequence[tuple[str, str, int]]) -> str:
    """How many rows of each parameter, the most first; a cut list says of how many."""
    shown = [
        f"{rows:,} {name_text(parameter)}{f' in {name_text(unit)}' if unit else ''}"
        for parameter, unit, rows in counts[:_SHOWN]
    ]
    return ", ".join(shown) + (f", … {len(counts)} in all" if len(counts) > _SHOWN else "")
