from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from review_graph.adapters.sources import find_tables

if TYPE_CHECKING:
    from pathlib import Path

FILES = ["b.csv", "a.XPT", "notes.md", ".hidden.csv", "sub/c.parquet", "sub/d.tsv", ".git/e.csv", "sub/x[1].csv"]


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "read.me").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


READABLE = ".arrow .csv .feather .ipc .json .ndjson .parquet .sas7bdat .tsv .xlsx .xpt"
ALL = ["data/a.XPT", "data/b.csv", "data/sub/c.parquet", "data/sub/d.tsv", "data/sub/x[1].csv"]


@pytest.mark.parametrize(
    ("arguments", "tables", "skipped"),
    [
        pytest.param(["data"], ALL, ["data/notes.md"], id="a folder"),
        pytest.param(["data/sub/", "data"], [*ALL[2:], *ALL[:2]], ["data/notes.md"], id="each file once"),
        pytest.param(["data/b.csv", "./data/../data/b.csv"], ["data/b.csv"], [], id="one file by two names"),
        pytest.param(["data/notes.md", "data"], ["data/notes.md", *ALL], [], id="a file named is taken as it is"),
        pytest.param(["data", "data/notes.md"], [*ALL, "data/notes.md"], [], id="a file named after it was skipped"),
        pytest.param(["data/.hidden.csv"], ["data/.hidden.csv"], [], id="a hidden file named"),
        pytest.param(["data/*.csv"], ["data/b.csv"], [], id="a pattern"),
        pytest.param(["data/**/*.[ct]sv"], ["data/b.csv", "data/sub/d.tsv", "data/sub/x[1].csv"], [], id="** and []"),
        pytest.param(["data/*"], ALL, ["data/notes.md"], id="a pattern that matches a folder"),
        pytest.param(["data/sub/x[1].csv"], ["data/sub/x[1].csv"], [], id="a file that looks like a pattern"),
        pytest.param([], [], [], id="nothing asked"),
    ],
)
def test_arguments_mean_files(arguments: list[str], tables: list[str], skipped: list[str]) -> None:
    found = find_tables(arguments)
    assert [path.as_posix() for path in found.tables] == tables
    assert [path.as_posix() for path in found.skipped] == skipped
    assert found.missing == ()


@pytest.mark.parametrize(
    ("argument", "line"),
    [
        pytest.param("gone.csv", "gone.csv does not exist; check the path and the spelling", id="no file"),
        pytest.param("*.xpt", f"*.xpt matches no file {READABLE}; check the pattern", id="no match"),
        pytest.param("none", f"none is a folder without a file {READABLE}; name another", id="no table"),
        pytest.param(
            "file://elsewhere/x.csv",
            "file://elsewhere/x.csv is an address on another machine; give file:///path, s3://… or https://…",
            id="a file of another machine",
        ),
        pytest.param("", "an empty path was given; name a file, a folder or a pattern", id="nothing"),
    ],
)
def test_an_argument_that_means_nothing_is_named_and_stops_nobody(argument: str, line: str) -> None:
    found = find_tables([argument, "data/b.csv"])
    assert found.missing == (line,)
    assert [path.as_posix() for path in found.tables] == ["data/b.csv"]


def test_an_absolute_pattern_is_expanded(tree: Path) -> None:
    assert find_tables([f"{tree}/data/*.csv"]).tables == (tree / "data/b.csv",)


def test_links_to_folders_are_not_followed(tree: Path) -> None:
    (tree / "data" / "loop").symlink_to(tree / "data", target_is_directory=True)
    assert [path.as_posix() for path in find_tables(["data"]).tables] == ALL


def test_a_folder_that_cannot_be_listed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def refuse(path: str | Path) -> object:
        if os.fspath(path).endswith("sub"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = find_tables(["data"])
    assert found.missing == ("data/sub cannot be listed (Permission denied); check its permissions",)
    assert [path.as_posix() for path in found.tables] == ALL[:2]


@pytest.mark.parametrize("end", ["/data/b.csv", "/data/*.csv", "/data/s%75b/../b.csv"])
def test_a_file_address_is_a_path(tree: Path, end: str) -> None:
    (found,) = find_tables([f"file://{tree}{end}"]).tables
    assert found.resolve() == tree / "data/b.csv"


def test_an_address_without_what_reads_it_is_named_and_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    found = find_tables(["s3://bucket/x.parquet", "data/b.csv"])
    needs = "reading s3://bucket/x.parquet needs a package that is not installed: pip install 'review-graph[remote]'"
    assert (found.missing, found.addresses) == ((needs,), ())
    assert [path.as_posix() for path in found.tables] == ["data/b.csv"]
