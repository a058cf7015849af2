"""A folder of Parquet parts is one dataset when it says so, and a folder of datasets otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from review_graph.adapters.sources import ColumnarCache, decode, find_tables, fingerprint, name_of
from review_graph.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write(folder: Path, parts: Mapping[str, pl.DataFrame | None]) -> Path:
    for name, frame in parts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if frame is None:
            path.touch()
        else:
            frame.write_parquet(path)
    return folder


ONE, TWO = pl.DataFrame({"A": [1, 2]}), pl.DataFrame({"A": [3]})
HIVE = {"site=007/p.parquet": ONE, "site=__HIVE_DEFAULT_PARTITION__/p.parquet": TWO}


@pytest.mark.parametrize(
    ("name", "parts", "tables"),
    [
        pytest.param("lb.parquet", {"b.parquet": TWO, "a.parquet": ONE}, ["lb.parquet"], id="by its name"),
        pytest.param("lb", {"a.parquet": ONE, "_SUCCESS": None}, ["lb"], id="by _SUCCESS"),
        pytest.param("lb", {"a.parquet": ONE, "_metadata": TWO}, ["lb"], id="by _metadata"),
        pytest.param("lb", HIVE, ["lb"], id="by partitions"),
        pytest.param("lb", {"a.parquet": ONE, "b.parquet": TWO}, ["lb/a.parquet", "lb/b.parquet"], id="datasets"),
        pytest.param("lb.parquet", {"a.parquet": ONE, "b.csv": None}, ["lb.parquet/a.parquet", "lb.parquet/b.csv"],
                     id="not only parts"),
        pytest.param("lb", {**HIVE, "dm.parquet": ONE}, ["lb/dm.parquet", *(f"lb/{name}" for name in HIVE)],
                     id="datasets beside partitions"),
        pytest.param("lb", {"k=1/a.csv": None}, ["lb/k=1/a.csv"], id="partitions of something else"),
    ],
)  # fmt: skip
def test_a_folder_is_a_dataset_when_it_says_so(
    tmp_path: Path, name: str, parts: dict[str, pl.DataFrame | None], tables: list[str]
) -> None:
    write(tmp_path / "data" / name, parts)
    for argument in (tmp_path / "data", tmp_path / "data" / name, f"{tmp_path}/data/*"):
        found = find_tables([str(argument)])
        assert [path.relative_to(tmp_path / "data").as_posix() for path in found.tables] == tables
        assert found.skipped == ()
        assert found.missing == ()


def test_rows_are_in_the_order_of_their_parts_and_partitions_are_text(tmp_path: Path) -> None:
    folder = write(tmp_path / "up=1" / "lb[1].parquet", {**HIVE, "site=010/p.parquet": TWO, "_SUCCESS": None})
    table = decode(folder)
    assert table.frame.collect().rows() == [(1, "007"), (2, "007"), (3, "010"), (3, None)]
    assert table.frame.collect_schema() == {"A": pl.Int64, "site": pl.String}
    assert table.notes == ("The table has 3 parts; its rows are in the order of their names.",)
    assert name_of(folder) == "lb[1]"


def test_it_is_scanned_where_it_lies(tmp_path: Path) -> None:
    folder = write(tmp_path / "lb.parquet", {"a.parquet": ONE, "b.parquet": TWO})
    opened = ColumnarCache(tmp_path / "cache").open(folder, fingerprint(folder))
    assert opened.frame.collect()["A"].to_list() == [1, 2, 3]
    assert not (tmp_path / "cache").exists()


def test_the_fingerprint_is_that_of_names_and_contents(tmp_path: Path) -> None:
    first = fingerprint(write(tmp_path / "1.parquet", {"a.parquet": ONE, "b.parquet": TWO}))
    assert fingerprint(write(tmp_path / "2.parquet", {"a.parquet": ONE, "b.parquet": TWO, "_SUCCESS": None})) == first
    others = [{"a.parquet": TWO, "b.parquet": ONE}, {"a.parquet": ONE}, {"a.parquet": ONE, "c.parquet": TWO}]
    marks = {fingerprint(write(tmp_path / f"o{number}.parquet", parts)) for number, parts in enumerate(others)}
    assert len(marks | {first}) == 4


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        pytest.param(
            {"a.parquet": ONE, "b.parquet": pl.DataFrame({"B": [1]})}, "their columns differ (A, B)", id="names"
        ),
        pytest.param(
            {"a.parquet": ONE, "b.parquet": pl.DataFrame({"A": ["x"]})}, "their columns differ (A)", id="types"
        ),
        pytest.param({"a.parquet": ONE, "k=1/b.parquet": ONE}, "their order or their folders", id="levels"),
        pytest.param({"a.parquet": ONE, "b.parquet": None}, "is a truncated Parquet file", id="a part is empty"),
    ],
)
def test_a_part_that_does_not_fit_is_named(tmp_path: Path, parts: dict[str, pl.DataFrame | None], found: str) -> None:
    folder = write(tmp_path / "lb.parquet", parts)
    with pytest.raises(InputError) as refused:
        decode(folder)
    assert found in str(refused.value)
    assert "b.parquet" in str(refused.value)
    assert str(refused.value).isprintable()
