"""The tables of README.md and docs/performance.md: written by the run that measured them, never by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
START, END = "<!-- begin: tests.benchmarks.big_table -->", "<!-- end: tests.benchmarks.big_table -->"

SHOWN: Final[Mapping[str, str]] = {
    "hand-overlapped": "the fastest plan found by hand (Polars)",
    "ours": "**review-graph, the checks**",
    "ours-review": "review-graph, the whole review: graph, checkpoints, drawings, all offending rows in files",
    "pandera-polars": "pandera on Polars",
    "patito": "patito (gives no rows)",
    "pointblank": "pointblank",
    "soda": "soda (gives no rows)",
    "pandas-hand": "a plan by hand in pandas",
    "great-expectations": "Great Expectations",
}
"""Who is in the README's table, and what they are called there."""

NAME, MEDIAN_S, TIMES_OURS, PEAK_MB = 0, 1, 4, 7
"""Places in a row of `tables.HEAD`."""


def short(rows: Sequence[Sequence[str]]) -> str:
    """Return the README's table.

    Args:
        rows: Rows as `tables.rows_of` makes them; those of contestants that were not measured may be missing.
    """
    by_name = {row[NAME]: row for row in rows}
    lines = ["| | s | x ours | peak MB |", "|---|---:|---:|---:|"]
    for name, label in SHOWN.items():
        if name in by_name:
            row = by_name[name]
            cells = [row[MEDIAN_S], row[TIMES_OURS], row[PEAK_MB]]
            lines.append(
                f"| {label} | " + " | ".join(f"**{cell}**" if name == "ours" else cell for cell in cells) + " |"
            )
    return "\n".join(lines)


def rows_in(markdown: str) -> list[list[str]]:
    """Return the rows of the only table of a text, without its head."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def part_of(page: Path) -> str:
    """Return what a page has between the marks."""
    return page.read_text(encoding="utf-8").partition(START)[2].partition(END)[0].strip()


def write(page: Path, table: str) -> None:
    """Put a table between the marks of a page."""
    before, start, rest = page.read_text(encoding="utf-8").partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        raise SystemExit(f"{page} has no place for the table: {START} … {END}")
    page.write_text(f"{before}{START}\n\n{table}\n\n{END}{after}", encoding="utf-8")
