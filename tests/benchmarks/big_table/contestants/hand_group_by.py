"""Polars, as one writes it at first: streaming, and the key grouped by its four columns."""

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
    keyed = rows.select("at", *KEY)
    repeated = keyed.group_by(KEY).len().filter(pl.col("len") > 1)
    alike = keyed.join(repeated, on=KEY, how="semi")
    counted, same, *numbers = pl.collect_all([counts, alike, *first], engine="streaming")
    answers = {
        check: (counted[check].item(), (found["at"].sort() + 1).to_list())
        for check, found in zip(conditions, numbers, strict=True)
    }
    return {"types": types, "key": truly_alike(same), **answers}
