"""Polars: one streaming pass gives key hashes and truth values; then sort, compare neighbours, recheck what agrees."""

from __future__ import annotations

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
from tests.benchmarks.big_table.work import Answers


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    frame = pl.scan_parquet(path)
    found = frame.select(hash=LOOSE_HASH, **failing()).collect(engine="streaming")
    answers = {mask.name: first_rows(mask) for mask in found.iter_columns() if mask.name != "hash"}
    positions = alike(found["hash"])
    key = truly_alike(fetch(frame, positions)) if len(positions) else (0, [])
    return {"types": wrong_types(frame), "key": key, **answers}
