"""Which columns may be the key of a dataset: the fewest that tell its records apart, identifiers first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from math import prod

import narwhals as nw

from checks.drafts.profile import ColumnProfile
from checks.examination import Examination

MAX_COLUMNS = 12
"""Columns that are looked at, the most plausible first."""

MAX_PARTS = 5
MAX_TESTS = 400
"""Combinations that are counted; a search that ends here says that it found none."""

SAMPLE_ROWS = 20_000
"""Rows at the start of the table in which a combination must hold before the whole table is looked at."""

MAX_TEXT = 64
"""Characters beyond which text is no part of a key."""

_IDENTIFIER = re.compile(
    r"(?:^|.*[_\W])(?:id|uuid|key|code|number|no|nr)|.*[a-z]I[dD]|[A-Z0-9]{2,}(?:ID|SEQ)", re.DOTALL
)
_WORDS = re.compile(r"(?:^|.*[_\W])(?:id|uuid|key|code|number|no|nr)", re.DOTALL | re.IGNORECASE)
_SPELLED = frozenset({"PAID", "VALID", "LIQUID", "SOLID", "AVOID", "INVALID", "RAPID", "FLUID", "COVID", "ACID"})
_PART = re.compile(
    r"[A-Z0-9]+(?:CD|NUM|DTC|DTM?|ADY)|.*(?:visit|date|time|day|site|subject|patient|param).*", re.IGNORECASE
)
_MEASURED = re.compile(r"AVALC?|BASEC?|CHG|PCHG|..?(?:ORRES|STRESC|STRESN|ORNRLO|ORNRHI|STNRLO|STNRHI)|R2.*")


def is_identifier(name: str) -> bool:
    """Tell by its name whether a column identifies subjects, sites or records, as USUBJID, LBSEQ and `site_id` do."""
    return name.upper() not in _SPELLED and bool(_IDENTIFIER.fullmatch(name) or _WORDS.fullmatch(name))


def candidate_key(examination: Examination, profiles: Sequence[ColumnProfile]) -> tuple[str, ...]:
    """Return the smallest plausible set of columns whose values together occur once, or nothing.

    Values that differ only in case and outer blanks count as equal.

    Args:
        examination: The dataset held against what is known of its columns so far.
        profiles: What the columns hold.
    """
    ranked = sorted(
        (_rank(item, place), item) for place, item in enumerate(profiles) if _plausible(item)
    )  # ranks differ in their last part, the place
    candidates = [item for _, item in ranked][:MAX_COLUMNS]
    if not candidates:
        return ()
    frame = examination.table.frame.select(**{item.name: _folded(examination, item.name) for item in candidates})
    sample = frame.head(SAMPLE_ROWS).collect(backend="polars")
    for names in islice(_combinations(candidates), MAX_TESTS):
        if sample.select(*names).is_duplicated().any():
            continue
        rows = candidates[0].rows
        if (
            rows <= SAMPLE_ROWS
            or frame.select(*names).unique().select(nw.len()).collect(backend="polars").item() == rows
        ):
            return names
    return ()


def _combinations(candidates: Sequence[ColumnProfile]) -> Iterator[tuple[str, ...]]:
    """Sets of columns from small to large, in each size the more plausible first, that have enough values at all."""
    for size in range(1, MAX_PARTS + 1):
        for chosen in combinations(candidates, size):
            if prod(item.distinct for item in chosen) < chosen[0].rows:
                continue
            if size == 1 or is_identifier(chosen[0].name) or _PART.fullmatch(chosen[0].name):
                yield tuple(item.name for item in chosen)


def _plausible(item: ColumnProfile) -> bool:
    """Complete, with different values, short, and not a measurement."""
    if item.present < item.rows or item.distinct < 2 or _MEASURED.fullmatch(item.name):
        return False
    if item.kind == "number":
        return item.all_are("whole")
    if item.kind == "text":
        return item.counts["longest"] <= MAX_TEXT
    return item.kind in ("date", "datetime")


def _rank(item: ColumnProfile, place: int) -> tuple[int, int]:
    """Identifiers, then codes, visits and dates, then other text, then other numbers; each from left to right."""
    if is_identifier(item.name):
        return 0, place
    if _PART.fullmatch(item.name):
        return 1, place
    return (2 if item.kind == "text" else 3), place


def _folded(examination: Examination, name: str) -> nw.Expr:
    column = examination.column(name)
    return column.stripped.str.to_lowercase() if column.kind == "text" else column.value
