"""The same small table on every backend the checks run on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Data = Mapping[str, Sequence[Any]]


def polars_lazy(data: Data) -> pl.LazyFrame:
    return pl.DataFrame(data, strict=False).lazy()


def polars_eager(data: Data) -> pl.DataFrame:
    return pl.DataFrame(data, strict=False)


def pandas_numpy(data: Data) -> pd.DataFrame:
    return pd.DataFrame(dict(data))


def pandas_arrow(data: Data) -> pd.DataFrame:
    frame: pd.DataFrame = pyarrow_table(data).to_pandas(types_mapper=pd.ArrowDtype)
    return frame


def pyarrow_table(data: Data) -> pa.Table:
    return pa.table({name: pa.array(list(values)) for name, values in data.items()})


_DUCKDB = duckdb.connect()  # one connection for all: relations of two cannot be joined
_names = (f"handed_in_{number}" for number in count())


def duckdb_relation(data: Data) -> duckdb.DuckDBPyRelation:
    name = next(_names)
    _DUCKDB.register(name, pyarrow_table(data))
    return _DUCKDB.table(name)


BACKENDS: Mapping[str, Callable[[Data], object]] = {
    "polars-lazy": polars_lazy,
    "polars-eager": polars_eager,
    "pandas-numpy": pandas_numpy,
    "pandas-arrow": pandas_arrow,
    "pyarrow": pyarrow_table,
    "duckdb": duckdb_relation,
}


BY_VALUE = "-by-value"
"""With the different values of text columns counted first, as in a big table."""


BIG = "polars-lazy-as-if-big"
"""With the plans for big tables, but no column's values counted; one condition a pass, and rows fetched from afar."""

PARQUET = "parquet"
"""A file, of which is not read what its footer proves."""


DUCKDB_PARQUET = "duckdb-parquet"
"""A relation that reads a file, of whose values DuckDB believes what the file's statistics say."""


@pytest.fixture(params=[*BACKENDS, DUCKDB_PARQUET, f"polars-lazy{BY_VALUE}", f"duckdb{BY_VALUE}", BIG, PARQUET])
def on_backend(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[Data], object]:
    """Makes the same table on each backend in turn."""
    if request.param in BACKENDS:
        return BACKENDS[request.param]
    if request.param == DUCKDB_PARQUET:
        return lambda data: _duckdb_parquet(data, tmp_path)
    monkeypatch.setattr("checks.frame.BIG_ROWS", 0)
    if request.param.endswith(BY_VALUE):
        monkeypatch.setattr("checks.domains.MAX_SHARE", 1.0)
        return BACKENDS[request.param.removesuffix(BY_VALUE)]
    monkeypatch.setattr("checks.domains.MAX_SHARE", -1.0)
    monkeypatch.setattr("checks.domains.MAX_SHARE_LATER", -1.0)
    if request.param == PARQUET:
        monkeypatch.setattr("checks.extents.MIN_BYTES", 0)
        return lambda data: _parquet(data, tmp_path)
    monkeypatch.setattr("checks.passing.MASK_BYTES", 1)
    monkeypatch.setattr("checks.passing.NEAR_ROWS", 0)
    return polars_lazy


def _duckdb_parquet(data: Data, folder: Path) -> duckdb.DuckDBPyRelation:
    path = folder / f"{next(_names)}.parquet"
    pq.write_table(pyarrow_table(data), path)
    return _DUCKDB.read_parquet(str(path))


def _parquet(data: Data, folder: Path) -> Path:
    path = folder / f"{next(_names)}.parquet"
    frame = polars_eager(data)
    frame.write_parquet(path, row_group_size=2)
    return path
