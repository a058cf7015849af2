"""Files and frames as datasets: found, identified by their content, and refused when that has changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from checks import TableError
from review_graph.adapters.datasets import Datasets
from review_graph.adapters.sources.columnar import ColumnarCache
from review_graph.errors import InputError
from review_graph.ports import Located

DATA = {"ID": ["S-1", "S-2"], "A": [1, None]}


@pytest.fixture
def datasets(tmp_path: Path) -> Datasets:
    return Datasets(ColumnarCache(tmp_path / "cache"))


def rows(datasets: Datasets, located: Located) -> dict[str, list[Any]]:
    return datasets.open(located).frame.collect().to_dict(as_series=False)


def test_file_is_identified_by_its_bytes_and_addressed_absolutely(
    datasets: Datasets, table: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table("clean")
    monkeypatch.chdir(tmp_path)
    located = datasets.locate("clean.parquet")
    assert located == Located(name="clean", uri=str(path), fingerprint=hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.chdir("/")
    assert rows(datasets, located)["ID"] == ["S-1", "S-2", "S-3"]


@pytest.mark.parametrize(
    "uri", ["", "nowhere.parquet", ".", "a\x00b", "memory:", "memory:" + "0" * 64, "file://elsewhere/y.csv"]
)
def test_what_is_not_there_is_refused_in_one_line(
    datasets: Datasets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uri: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as refusal:
        datasets.locate(uri)
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize("kept_time", [True, False], ids=["same time of change", "another time of change"])
def test_file_that_changed_is_refused(datasets: Datasets, table: Callable[..., Path], kept_time: bool) -> None:
    path = table("clean")
    located = datasets.locate(str(path))
    before = path.stat()
    changed = table("minor", "other").read_bytes()
    path.write_bytes(changed + b"\0" * max(0, before.st_size - len(changed)))
    if kept_time:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(InputError, match="changed"):
        Datasets(ColumnarCache(None)).open(located)


def test_file_that_changed_under_the_same_datasets_is_refused(datasets: Datasets, table: Callable[..., Path]) -> None:
    path = table("clean")
    located = datasets.locate(str(path))
    path.write_bytes(table("major", "other").read_bytes())
    with pytest.raises(InputError, match="changed"):
        datasets.open(located)
    assert datasets.locate(str(path)).fingerprint != located.fingerprint


def test_file_that_was_only_touched_is_the_same(datasets: Datasets, table: Callable[..., Path]) -> None:
    path = table("clean")
    located = datasets.locate(str(path))
    os.utime(path, ns=(0, 0))
    assert rows(datasets, located)["A"] == [1, 2, 3]


def test_frame_in_hand_is_found_by_its_content(datasets: Datasets) -> None:
    held = datasets.hold(pl.DataFrame(DATA), "dm")
    assert held.uri == f"memory:{held.fingerprint}"
    assert rows(datasets, datasets.locate(held.uri)) == DATA


def test_lazy_frame_is_read_once(datasets: Datasets) -> None:
    reads: list[int] = []

    def read(frame: pl.DataFrame) -> pl.DataFrame:
        reads.append(1)
        return frame.with_columns(A=pl.Series([len(reads), None], dtype=pl.Int64))

    held = datasets.hold(pl.LazyFrame(DATA).map_batches(read, schema=pl.Schema({"ID": pl.String, "A": pl.Int64})), "dm")
    assert rows(datasets, held) == rows(datasets, held) == DATA
    assert reads == [1]


def test_frame_of_another_process_is_asked_for(datasets: Datasets) -> None:
    held = datasets.hold(pl.DataFrame(DATA), "dm")
    with pytest.raises(InputError, match="another process"):
        Datasets(ColumnarCache(None)).open(held)


def test_repeated_column_names_of_a_frame_are_kept_as_a_fact(datasets: Datasets) -> None:
    import pandas as pd

    frame = pd.DataFrame([[1, 2, 3]], columns=["A", "B", "B"])
    held = datasets.hold(frame, "dm")
    assert datasets.open(held).duplicate_columns == ("B",)
    assert rows(datasets, held) == {"A": [1]}


def test_what_is_no_table_is_refused(datasets: Datasets) -> None:
    with pytest.raises(TableError, match="hand in"):
        datasets.hold({"A": [1]}, "dm")
