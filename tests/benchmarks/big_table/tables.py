"""What was measured, as a table for the terminal and one for the docs."""

from __future__ import annotations

import datetime as dt
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.benchmarks.big_table.measuring import Record

HEAD = ("", "median s", "best s", "x floor", "x ours", "CPU s", "process s", "peak MB", "rows given", "version")


def rows_of(records: Sequence[Record]) -> list[tuple[str, ...]]:
    """One row a contestant; the floor is the best plan by hand of this run."""
    floor = min(
        (time for r in records if r.ready.contestant.kind == "hand" and (time := r.median_s) is not None), default=None
    )
    ours = next((r.median_s for r in records if r.ready.contestant.name == "ours"), None)
    return [_row(record, floor, ours) for record in records]


def _row(record: Record, floor: float | None, ours: float | None) -> tuple[str, ...]:
    contestant, time = record.ready.contestant, record.median_s
    if time is None:
        word = record.troubles[0].partition(",")[0] if record.troubles else "-"
        return (contestant.name, word, *[""] * 6, contestant.rows, record.ready.version)
    return (
        contestant.name,
        f"{time:.2f}",
        f"{min(record.wall_s):.2f}",
        "" if floor is None else f"{time / floor:.2f}",
        "" if ours is None else f"{time / ours:.2f}",
        f"{median(record.cpu_s):.2f}",
        f"{median(record.process_s):.2f}",
        f"{max(record.peak_mb):.0f}",
        contestant.rows,
        record.ready.version,
    )


def plain(records: Sequence[Record]) -> str:
    """Return the table for a terminal."""
    table = [HEAD, *rows_of(records)]
    widths = [max(len(row[column]) for row in table) for column in range(len(HEAD))]
    last = len(HEAD) - 2
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 or column >= last else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    )


def markdown(records: Sequence[Record], title: str) -> str:
    """Return the table for the docs, with date and machine."""
    lines = [
        f"{title}. {dt.datetime.now(dt.UTC).date()}, {machine()}.",
        "",
        "| " + " | ".join(HEAD) + " |",
        "|---|" + "---:|" * (len(HEAD) - 3) + "---|---|",
        *("| " + " | ".join(row) + " |" for row in rows_of(records)),
    ]
    return "\n".join(lines)


def machine() -> str:
    """Processor, cores that may be used, memory, system and interpreter."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    name = model or platform.processor() or platform.machine()
    return f"{name}, {cores} cores, {platform.system()}, Python {platform.python_version()}"


def load() -> str:
    """How busy the machine is: processes that wanted to run, over 1, 5 and 15 minutes."""
    return " ".join(f"{number:.2f}" for number in os.getloadavg())
