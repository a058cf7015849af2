"""Polars: the columns read into memory, then the same steps as the overlapped plan."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl

from tests.benchmarks.big_table.contestants.polars_conditions import (
    COLUMNS,
    LOOSE_HASH,
    alike,
    failing,
    first_rows,
    truly_alike,
    wrong_types,
)
from tests.benchmarks.big_table.work import KEY, Answer, Answers


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    table = pl.read_parquet(path, columns=COLUMNS)
    hashes = table.select(LOOSE_HASH).to_series()

    def repeated() -> Answer:
        positions = alike(hashes)
        return truly_alike(table.select(KEY)[positions].with_columns(at=positions)) if len(positions) else (0, [])

    with ThreadPoolExecutor(1) as beside:
        key = beside.submit(repeated)
        answers = {mask.name: first_rows(mask) for mask in table.select(**failing())}
        return {"types": wrong_types(pl.scan_parquet(path)), "key": key.result(), **answers}
