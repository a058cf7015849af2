"""One table in every format that something in Python can write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
import xlsxwriter

_JSON_TYPES: dict[pl.DataType, dict[str, str]] = {
    pl.String(): {"dataType": "string"},
    pl.Float64(): {"dataType": "double"},
    pl.Int64(): {"dataType": "integer"},
    pl.Date(): {"dataType": "date", "targetDataType": "integer", "displayFormat": "E8601DA."},
}


def _xpt(frame: pl.DataFrame, path: Path) -> None:
    formats = {name: "DATE9." for name, dtype in frame.schema.items() if dtype == pl.Date}
    days = pl.selectors.date().cast(pl.Int32) + 3653  # SAS counts from 1960, Polars from 1970
    columns = frame.with_columns(days).to_dict(as_series=False)
    pyreadstat.write_xport(pd.DataFrame(columns), path, file_format_version=8, variable_format=formats)


def _document(frame: pl.DataFrame) -> tuple[dict[str, Any], list[list[Any]]]:
    columns = [
        {"itemOID": f"IT.{name}", "name": name, "label": name} | _JSON_TYPES[dtype]
        for name, dtype in frame.schema.items()
    ]
    header = {"datasetJSONCreationDateTime": "2025-01-01T00:00:00", "datasetJSONVersion": "1.1.0", "name": "DM"}
    texts = frame.with_columns(pl.selectors.date().cast(pl.String))
    rows = [list(row) for row in texts.rows()]
    return {**header, "records": len(rows), "columns": columns}, rows


def _json(frame: pl.DataFrame, path: Path) -> None:
    header, rows = _document(frame)
    path.write_text(json.dumps({**header, "rows": rows}), encoding="utf-8")


def _ndjson(frame: pl.DataFrame, path: Path) -> None:
    header, rows = _document(frame)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in (header, *rows)), encoding="utf-8")


def _xlsx(frame: pl.DataFrame, path: Path) -> None:
    with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd", "strings_to_formulas": False}) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate([frame.columns, *frame.rows()]):
            for position, cell in enumerate(row):
                if cell is not None:
                    sheet.write(number, position, cell)


def _packed(codec: str, separator: str = ",") -> Callable[[pl.DataFrame, Path], None]:
    def write(frame: pl.DataFrame, path: Path) -> None:
        with pa.OSFile(str(path), "wb") as file, pa.CompressedOutputStream(file, codec) as stream:
            stream.write(frame.write_csv(separator=separator).encode())

    return write


WRITERS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    ".xpt": _xpt,
    ".json": _json,
    ".ndjson": _ndjson,
    ".csv": lambda frame, path: frame.write_csv(path),
    ".tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    ".csv.gz": _packed("gzip"),
    ".csv.zst": _packed("zstd"),
    ".tsv.gz": _packed("gzip", "\t"),
    ".tsv.zst": _packed("zstd", "\t"),
    ".parquet": lambda frame, path: frame.write_parquet(path),
    ".arrow": lambda frame, path: frame.write_ipc(path),
    ".feather": lambda frame, path: frame.write_ipc(path, compression="lz4"),
    ".ipc": lambda frame, path: frame.write_ipc(path, compression="zstd"),
    ".xlsx": _xlsx,
}


@pytest.fixture(scope="session")
def write_all() -> Callable[..., dict[str, Path]]:
    """Writes a table as `x` in the given formats, or in all, and says where by suffix."""

    def write(folder: Path, frame: pl.DataFrame, *suffixes: str) -> dict[str, Path]:
        paths = {suffix: folder / f"x{suffix}" for suffix in suffixes or WRITERS}
        for suffix, path in paths.items():
            WRITERS[suffix](frame, path)
        return paths

    return write
