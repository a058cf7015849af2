"""pandas, its Arrow types, by hand."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pandas as pd

from tests.benchmarks.big_table.work import AGE, AVAL, ISO_8601, KEY, SEX, SHOWN, TYPES, Answer, Answers

DTYPES = {
    "string": "large_string[pyarrow]",
    "integer": "int64[pyarrow]",
    "number": "double[pyarrow]",
    "date": "date32[day][pyarrow]",
}


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    table = pd.read_parquet(path, dtype_backend="pyarrow")
    failing = {
        "key": table.duplicated(list(KEY), keep=False),
        "USUBJID given": table["USUBJID"].isna(),
        "AVAL given": table["AVAL"].isna(),
        "AGE": ~table["AGE"].between(*AGE),
        "AVAL": ~table["AVAL"].between(*AVAL),
        "SEX": ~table["SEX"].isin(SEX),
        "LBDTC": ~table["LBDTC"].str.match(ISO_8601),
        "ADT": table["ADT"] > dt.datetime.now(dt.UTC).date(),
    }
    wrong = set(table.dtypes.astype(str).items()) ^ {(name, DTYPES[kind]) for name, kind in TYPES.items()}
    return {"types": (len(wrong), []), **{check: _first(mask) for check, mask in failing.items()}}


def _first(mask: pd.Series[bool]) -> Answer:
    rows = mask.fillna(value=False).to_numpy(dtype=bool).nonzero()[0]
    return len(rows), (rows[:SHOWN] + 1).tolist()
