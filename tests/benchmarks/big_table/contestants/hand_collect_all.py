"""Polars: lazy plans for counts, first rows and keys grouped by their hash, in one streaming `collect_all`."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tests.benchmarks.big_table.contestants.polars_conditions import failing, truly_alike, wrong_types
from tests.benchmarks.big_table.work import KEY, SHOWN, Answers


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    frame = pl.scan_parquet(path)
    types = wrong_types(frame)  # first: after `collect_all` the scan's schema has the row index of the other plans
    rows = frame.with_row_index("at")
    conditions = failing()
    counts = frame.select(**{check: condition.sum() for check, condition in conditions.items()})
    first = [rows.filter(condition).select("at").head(SHOWN) for condition in conditions.values()]
    keyed = rows.select("at", *KEY, hash=pl.struct(KEY).hash())
    repeated = keyed.group_by("hash").len().filter(pl.col("len") > 1)
    alike = keyed.join(repeated, on="hash", how="semi").select("at", *KEY)
    counted, same, *numbers = pl.collect_all([counts, alike, *first], engine="streaming")
    answers = {
        check: (counted[check].item(), (found["at"].sort() + 1).to_list())
        for check, found in zip(conditions, numbers, strict=True)
    }
    return {"types": types, "key": truly_alike(same), **answers}
