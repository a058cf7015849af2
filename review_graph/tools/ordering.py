"""In which order values are listed: visits as they follow each other, other text with its numbers by value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

NUMBERS_OF: Mapping[str, str] = {"AVISIT": "AVISITN", "VISIT": "VISITNUM"}
"""Columns of visits, and those that hold their numbers."""

_NUMBER = re.compile(r"((?<![0-9A-Za-z])-?[0-9]+(?:\.[0-9]+)?|[0-9]+)")


def natural(text: str) -> tuple[list[str | Decimal], str]:
    """Return what a text is sorted by: `Week 2` comes before `Week 12`, and `Day -1` before `Day 1`."""
    parts = _NUMBER.split(text)
    return [Decimal(part) if place % 2 else part for place, part in enumerate(parts)], text
