"""Ours: `checks.review_table` on a scan, with a spec that states the eight checks."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from checks import review_table
from tests.benchmarks.big_table.contestants.our_spec import as_answers, make_spec
from tests.benchmarks.big_table.work import Answers


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    return as_answers(review_table(pl.scan_parquet(path), make_spec()).findings)
