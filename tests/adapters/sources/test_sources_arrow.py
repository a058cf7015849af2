from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl
import pyarrow as pa
import pytest

from review_graph.adapters.sources import ColumnarCache, decode
from review_graph.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

Compression = Literal["uncompressed", "zstd", "lz4"]
FRAME = pl.DataFrame({"B": [2, None], "": ["x", ""], "A": [1.5, float("nan")]})


@pytest.mark.parametrize("suffix", ["arrow", "feather", "ipc"])
@pytest.mark.parametrize("compression", ["uncompressed", "zstd", "lz4"])
def test_types_and_order_are_those_of_the_file(tmp_path: Path, suffix: str, compression: Compression) -> None:
    path = tmp_path / f"a[1].{suffix}"
    FRAME.write_ipc(path, compression=compression)
    assert decode(path).frame.collect().equals(FRAME)


def test_it_is_scanned_where_it_lies(tmp_path: Path) -> None:
    FRAME.write_ipc(tmp_path / "x.arrow")
    assert ColumnarCache(tmp_path / "cache").open(tmp_path / "x.arrow", "any").frame.collect().equals(FRAME)
    assert not (tmp_path / "cache").exists()


def test_columns_of_one_name_are_left_out_and_named(tmp_path: Path) -> None:
    table = pa.table([[1], ["a"], [2], [3.0]], names=["A", "", "A", "B"])
    with pa.OSFile(str(tmp_path / "x.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    read = decode(tmp_path / "x.arrow")
    assert read.duplicate_columns == ("A",)
    assert read.frame.collect().to_dicts() == [{"": "a", "B": 3.0}]


def written(table: pa.Table, *, stream: bool = False) -> bytes:
    sink = pa.BufferOutputStream()
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


WHOLE = written(pa.table({"A": list(range(100)), "B": ["x"] * 100}))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        pytest.param(WHOLE[:-1], "is a truncated or damaged Arrow IPC file", id="last byte lost"),
        pytest.param(WHOLE[: len(WHOLE) // 2], "is a truncated or damaged Arrow IPC file", id="half lost"),
        pytest.param(WHOLE[:8], "is a truncated or damaged Arrow IPC file", id="the first bytes only"),
        pytest.param(written(pa.table({})), "has no columns", id="no columns"),
        pytest.param(written(pa.table([[1], [2]], names=["A", "A"])), "whose name occurs only once", id="one name"),
        pytest.param(written(pa.table({"A": [1]}), stream=True), "holds an Arrow IPC stream", id="a stream"),
        pytest.param(b"FEA1" + b"\0" * 40, "holds a Feather file of version 1", id="Feather 1"),
    ],
)
def test_what_is_no_whole_file_is_refused_in_one_line(tmp_path: Path, content: bytes, found: str) -> None:
    path = tmp_path / "x.arrow"
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        decode(path)
    assert str(refused.value).startswith(f"{path} ")
    assert found in str(refused.value)
    assert str(refused.value).isprintable()
