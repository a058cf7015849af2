from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from review_graph.adapters.own_files import MARK
from review_graph.adapters.sources import ColumnarCache, files, fingerprint
from review_graph.adapters.sources.columnar import FRAMES_IN_MEMORY
from review_graph.errors import InputError, SetupError

if TYPE_CHECKING:
    from collections.abc import Callable

    from review_graph.ports import Decoded

CONTENT = "A;B;B;\n007;x;y;\nit\u2019s;x;y;\n".encode("cp1252")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "x.csv"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
def decodings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were decoded, as they are."""
    names: list[str] = []
    decode_as = files.decode_as

    def counted(known: object, path: Path) -> Decoded:
        names.append(path.name)
        return decode_as(known, path)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "decode_as", counted)
    return names


def plain(table: Decoded) -> tuple[object, ...]:
    return (table.frame.collect().to_dict(as_series=False), table.duplicate_columns, table.labels, table.notes)


@pytest.mark.parametrize("kept", ["folder", "memory"])
def test_the_second_time_is_the_first_without_decoding(
    tmp_path: Path, source: Path, decodings: list[str], kept: str
) -> None:
    cache = ColumnarCache(tmp_path / "deep" / "cache" if kept == "folder" else None)
    mark = fingerprint(source)
    tables = [files.decode(source), cache.open(source, mark), cache.open(source, mark)]
    assert plain(tables[0]) == plain(tables[1]) == plain(tables[2])
    assert plain(tables[0])[0] == {"A": ["007", "it\u2019s"], "": ["", ""]}
    assert tables[2].duplicate_columns == ("B",)
    assert len(tables[2].notes) == 3
    assert decodings == ["x.csv", "x.csv"]


def suffixes(folder: Path) -> list[str]:
    """Of the entries, without the mark of the folder."""
    return sorted(path.suffix for path in folder.iterdir() if path.name != MARK)


def test_an_entry_outlives_the_process_and_the_source(tmp_path: Path, source: Path, decodings: list[str]) -> None:
    mark = fingerprint(source)
    ColumnarCache(tmp_path / "cache").open(source, mark)
    copy = tmp_path / "copy.csv"
    source.rename(copy)
    ColumnarCache(tmp_path / "cache").open(copy, mark)
    assert decodings == ["x.csv"]
    assert suffixes(tmp_path / "cache") == [".json", ".parquet"]


def test_the_same_bytes_under_another_suffix_are_another_table(tmp_path: Path, source: Path) -> None:
    cache = ColumnarCache(tmp_path / "cache")
    mark = fingerprint(source)
    cache.open(source, mark)
    other = source.rename(source.with_suffix(".tsv"))
    assert cache.open(other, mark).notes[1] == "Fields are separated by semicolons, not by tabs."
    wrong = other.rename(other.with_suffix(".xpt"))
    with pytest.raises(InputError, match="holds text"):
        cache.open(wrong, mark)


def cut(entry: Path) -> None:
    entry.write_bytes(entry.read_bytes()[:-9])


def change_a_byte(entry: Path) -> None:
    content = bytearray(entry.read_bytes())
    content[10] ^= 1
    entry.write_bytes(content)


def forget_a_note(entry: Path) -> None:
    entry.write_text(json.dumps({"sha256": fingerprint(entry)}), encoding="utf-8")


@pytest.mark.parametrize(
    ("suffix", "damage"),
    [
        pytest.param(".parquet", cut, id="the table is cut"),
        pytest.param(".parquet", change_a_byte, id="one bit of the table is changed"),
        pytest.param(".parquet", Path.unlink, id="the table is gone"),
        pytest.param(".json", cut, id="the rest is cut"),
        pytest.param(".json", forget_a_note, id="the rest is of another time"),
        pytest.param(".json", Path.unlink, id="the rest is gone"),
    ],
)
def test_a_damaged_entry_is_made_anew(
    tmp_path: Path, source: Path, decodings: list[str], suffix: str, damage: Callable[[Path], None]
) -> None:
    cache = ColumnarCache(tmp_path / "cache")
    mark = fingerprint(source)
    first = plain(cache.open(source, mark))
    damage(next((tmp_path / "cache").glob(f"*{suffix}")))
    assert plain(cache.open(source, mark)) == first
    assert plain(cache.open(source, mark)) == first
    assert decodings == ["x.csv", "x.csv"]


@pytest.mark.parametrize("kept", ["folder", "memory"])
def test_many_at_once_get_the_same(tmp_path: Path, source: Path, kept: str) -> None:
    folder = tmp_path / "cache" if kept == "folder" else None
    mark = fingerprint(source)
    one = ColumnarCache(folder)
    caches = [one if folder is None else ColumnarCache(folder) for _ in range(16)]
    with ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(lambda cache: plain(cache.open(source, mark)), caches))
    assert all(table == plain(files.decode(source)) for table in tables)
    if folder is not None:
        assert suffixes(folder) == [".json", ".parquet"]


def test_memory_keeps_the_tables_used_last(tmp_path: Path, decodings: list[str]) -> None:
    cache = ColumnarCache(None)
    paths = [tmp_path / f"{number}.csv" for number in range(FRAMES_IN_MEMORY + 1)]
    for number, path in enumerate(paths):
        path.write_text(f"A\n{number}\n", encoding="utf-8")
    for path in [*paths[:-1], paths[0], paths[-1], paths[0], paths[1]]:
        cache.open(path, fingerprint(path))
    assert decodings == [path.name for path in [*paths, paths[1]]]


def test_parquet_is_scanned_where_it_lies(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pl.DataFrame({"A": [1]}).write_parquet(path)
    assert ColumnarCache(tmp_path / "cache").open(path, "any").frame.collect().to_dicts() == [{"A": 1}]
    assert not (tmp_path / "cache").exists()


def test_a_file_that_cannot_be_read_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("A,B\n1\n", encoding="utf-8")
    with pytest.raises(InputError, match="another number of fields"):
        ColumnarCache(tmp_path / "cache").open(path, "any")
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_cannot_be_made_is_a_matter_of_set_up(tmp_path: Path, source: Path) -> None:
    (tmp_path / "cache").write_text("in the way", encoding="utf-8")
    with pytest.raises(SetupError, match=r"the cache folder .*cache cannot be used \(.+\); make it writable"):
        ColumnarCache(tmp_path / "cache").open(source, fingerprint(source))


def test_a_full_drive_is_a_matter_of_set_up(tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: pl.LazyFrame, path: Path) -> None:
        path.write_bytes(b"PAR1")
        raise pl.exceptions.ComputeError("No space left on device (os error 28)")

    monkeypatch.setattr(pl.LazyFrame, "sink_parquet", full)
    with pytest.raises(SetupError, match="No space left on device") as refused:
        ColumnarCache(tmp_path / "cache").open(source, fingerprint(source))
    assert "\n" not in str(refused.value)
    assert suffixes(tmp_path / "cache") == []
