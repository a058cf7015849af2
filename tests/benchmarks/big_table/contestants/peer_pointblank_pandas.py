"""pointblank on pandas: as on Polars."""

# mypy: disable-error-code="import-not-found,import-untyped,misc"
from __future__ import annotations

from pathlib import Path

import pandas as pd
import pointblank as pb

from tests.benchmarks.big_table.contestants.peer_pointblank import interrogate
from tests.benchmarks.big_table.work import TYPES, Answers

DTYPES = {"string": "str", "integer": "int64", "number": "float64", "date": "object"}
SCHEMA = pb.Schema(columns=[(name, DTYPES[kind]) for name, kind in TYPES.items()])


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    return interrogate(pd.read_parquet(path), SCHEMA)
