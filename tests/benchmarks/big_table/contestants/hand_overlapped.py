"""Polars: key hash, sort, compare neighbours, recheck what agrees; all other checks stream beside it.

Only hashes and truth values are held: no text, no numbers.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl

from tests.benchmarks.big_table.contestants.polars_conditions import (
    LOOSE_HASH,
    alike,
    failing,
    fetch,
    first_rows,
    truly_alike,
    wrong_types,
)
from tests.benchmarks.big_table.work import Answer, Answers


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    frame = pl.scan_parquet(path)
    hashes = frame.select(hash=LOOSE_HASH).collect(engine="streaming").to_series()

    def repeated() -> Answer:
        positions = alike(hashes)
        return truly_alike(fetch(frame, positions)) if len(positions) else (0, [])

    with ThreadPoolExecutor(1) as beside:
        key = beside.submit(repeated)
        masks = frame.select(**failing()).collect(engine="streaming")
        answers = {mask.name: first_rows(mask) for mask in masks}
        return {"types": wrong_types(frame), "key": key.result(), **answers}
