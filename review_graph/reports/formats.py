"""The formats by name: the table of contents of this package."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from review_graph.core.reporting import report
from review_graph.reports.html import html
from review_graph.reports.junit import junit
from review_graph.reports.machine import json_text, ndjson
from review_graph.reports.offending import OpenRows, offending_csv, offending_parquet
from review_graph.reports.sarif import sarif
from review_graph.reports.xlsx import xlsx
from review_graph.vocabulary import Review


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What a report is to be made of."""

    reviews: Sequence[Review]
    skipped: Sequence[str]
    alone: bool
    open_rows: OpenRows


_WRITERS: Mapping[str, Callable[[_Asked], bytes]] = {
    "json": lambda asked: json_text(asked.reviews, asked.skipped, alone=asked.alone).encode(),
    "ndjson": lambda asked: ndjson(asked.reviews, asked.skipped).encode(),
    "md": lambda asked: "\n".join(report(review) for review in asked.reviews).encode(errors="backslashreplace"),
    "html": lambda asked: html(asked.reviews).encode(),
    "junit": lambda asked: junit(asked.reviews),
    "sarif": lambda asked: sarif(asked.reviews).encode(),
    "xlsx": lambda asked: xlsx(asked.reviews),
    "csv": lambda asked: offending_csv(asked.reviews, asked.open_rows).encode(),
    "parquet": lambda asked: offending_parquet(asked.reviews, asked.open_rows),
}

NAMES = tuple(_WRITERS)
"""Names of the formats that can be written into a file."""

BINARY = frozenset({"xlsx", "parquet"})
"""Formats that are no text and not for a terminal."""


def rendered(
    name: str,
    reviews: Sequence[Review],
    *,
    open_rows: OpenRows,
    skipped: Sequence[str] = (),
    alone: bool = False,
) -> bytes:
    """Return a report; text is in UTF-8.

    Args:
        name: One of `NAMES`.
        reviews: What it is about, in the order in which it shall be told.
        open_rows: Reads a file of offending rows; only `csv` and `parquet` ask for it.
        skipped: Files that are not tables and were left out.
        alone: Whether it is about one review as such and not about a run over datasets; only `json` differs.
    """
    return _WRITERS[name](_Asked(reviews=reviews, skipped=skipped, alone=alone, open_rows=open_rows))
