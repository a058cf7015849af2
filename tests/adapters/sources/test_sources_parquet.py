from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from review_graph.adapters.sources import decode
from review_graph.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


def test_types_and_order_are_those_of_the_file(tmp_path: Path) -> None:
    frame = pl.DataFrame({"B": [2, None], "": ["x", ""], "A": [1.5, float("nan")]})
    path = tmp_path / "study=1" / "x.parquet"
    path.parent.mkdir()
    frame.write_parquet(path)
    table = decode(path)
    assert table.frame.collect().equals(frame)
    assert table.duplicate_columns == ()


def test_columns_of_one_name_are_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table([[1], ["a"], [2], [3.0]], names=["A", "", "A", "B"]), path)
    table = decode(path)
    assert table.duplicate_columns == ("A",)
    assert table.frame.collect().to_dicts() == [{"": "a", "B": 3.0}]


def test_no_rows_are_a_table(tmp_path: Path) -> None:
    pl.DataFrame(schema={"A": pl.Int64}).write_parquet(tmp_path / "x.parquet")
    assert decode(tmp_path / "x.parquet").frame.collect().schema == {"A": pl.Int64}


def whole() -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"A": list(range(100)), "B": ["x"] * 100}), sink)
    return bytes(sink.getvalue())


@pytest.mark.parametrize(
    ("content", "found"),
    [
        pytest.param(whole()[:-1], "is a truncated Parquet file: its footer is missing", id="last byte lost"),
        pytest.param(whole()[: len(whole()) // 2], "is a truncated Parquet file", id="half lost"),
        pytest.param(b"PAR1", "is a truncated Parquet file", id="the first bytes only"),
        pytest.param(b"PAR1\x15\x04PAR1", "is a truncated Parquet file", id="nothing between the ends"),
        pytest.param(whole()[:-8] + b"\xff\xff\xff\x7fPAR1", "is a damaged Parquet file", id="length of the footer"),
        pytest.param(whole()[:-60] + b"\xff" * 52 + whole()[-8:], "is a damaged Parquet file", id="footer"),
        pytest.param(b"PARE\x15\x04" + b"\x00" * 20 + b"PARE", "is an encrypted Parquet file", id="encrypted"),
    ],
)
def test_a_file_that_is_not_whole_is_refused_when_opened(tmp_path: Path, content: bytes, found: str) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        decode(path)
    assert str(refused.value).startswith(f"{path} {found}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("table", "found"),
    [
        pytest.param(pa.table({}), "has no columns", id="no columns"),
        pytest.param(
            pa.table([[1], [2]], names=["A", "A"]), "has no column whose name occurs only once", id="one name"
        ),
    ],
)
def test_a_table_without_usable_columns_is_refused(tmp_path: Path, table: pa.Table, found: str) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(table, path)
    with pytest.raises(InputError, match=found):
        decode(path)


def test_damage_beside_two_columns_of_one_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table([[1], [2], ["text" * 50]], names=["A", "A", "B"]), path, compression="gzip")
    content = bytearray(path.read_bytes())
    content[4:-700] = b"\xff" * len(content[4:-700])
    path.write_bytes(content)
    with pytest.raises(InputError, match="is a damaged Parquet file"):
        decode(path)
