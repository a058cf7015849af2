"""Which objects an address means: one, a folder, a pattern; and what is said of what gives no table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from review_graph.adapters.sources import find_tables

fsspec = pytest.importorskip("fsspec", reason="needs the extra [remote]")

READABLE = ".arrow .csv .feather .ipc .json .ndjson .parquet .sas7bdat .tsv .xlsx .xpt"
DATASET_JSON = b'{"datasetJSONCreationDateTime": "2025-01-01T00:00:00", "datasetJSONVersion": "1.1.0"}'
OBJECTS = {
    "b.csv": b"A\n1\n",
    "a.XPT": b"HEADER",
    "notes.md": b"#",
    "no-suffix": b"A\n1\n",
    ".hidden/c.csv": b"A\n1\n",
    "sub/d.tsv": b"A\n1\n",
    "sub/e.csv.gz": b"\x1f\x8b",
    "sub/.f.csv": b"A\n1\n",
    "json/g.json": DATASET_JSON,
    "json/spec.json": b'{"fields": []}',
    "parts/adlb.parquet/part-0.parquet": b"PAR1",
    "parts/adlb.parquet/part-1.parquet": b"PAR1",
    "parts/marked/part-0.parquet": b"PAR1",
    "parts/marked/_SUCCESS": b"",
    "parts/by/site=1/x.parquet": b"PAR1",
    "parts/plain/x.parquet": b"PAR1",
}
SKIPPED = ["json/spec.json", "no-suffix", "notes.md"]


@pytest.fixture(autouse=True)
def store() -> Iterator[None]:
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    for name, content in OBJECTS.items():
        system.pipe_file(f"memory://study/{name}", content)
    yield
    system.store.clear()


def at(*names: str) -> tuple[str, ...]:
    return tuple(f"memory://study/{name}" for name in names)


def in_parts(name: str) -> str:
    what = "is one dataset in many Parquet parts, and those are not read from an address"
    return f"memory://study/{name} {what}; copy the folder to a local drive and name it there"


@pytest.mark.parametrize(
    ("end", "tables", "skipped"),
    [
        pytest.param("b.csv", ["b.csv"], [], id="an object"),
        pytest.param("gone.csv", ["gone.csv"], [], id="an object that is not there is found missing later"),
        pytest.param("no-suffix", ["no-suffix"], [], id="an object named is taken as it is"),
        pytest.param("sub/", ["sub/d.tsv", "sub/e.csv.gz"], [], id="a folder"),
        pytest.param("sub", ["sub/d.tsv", "sub/e.csv.gz"], [], id="a folder without its slash"),
        pytest.param("json/", ["json/g.json"], ["json/spec.json"], id="a common suffix"),
        pytest.param("*.csv", ["b.csv"], [], id="a pattern"),
        pytest.param("**/*.[ct]sv", ["b.csv", "sub/d.tsv"], [], id="** and []"),
        pytest.param("s*", ["sub/d.tsv", "sub/e.csv.gz"], [], id="a pattern that matches a folder"),
        pytest.param("[ab]*", ["a.XPT", "b.csv"], [], id="a set"),
        pytest.param("parts/plain/", ["parts/plain/x.parquet"], [], id="Parquet that is no part"),
    ],
)
def test_address_means_objects(end: str, tables: list[str], skipped: list[str]) -> None:
    found = find_tables(at(end))
    assert found.missing == ()
    assert (found.addresses, found.skipped_addresses) == (at(*tables), at(*skipped))
    assert (found.tables, found.skipped) == ((), ())


def test_folder_gives_what_is_below_and_names_each_dataset_in_parts_once() -> None:
    found = find_tables(at(""))
    below = ["a.XPT", "b.csv", "json/g.json", "parts/plain/x.parquet", "sub/d.tsv", "sub/e.csv.gz"]
    assert found.addresses == at(*below)
    assert found.skipped_addresses == at(*SKIPPED)
    assert found.missing == tuple(map(in_parts, ["parts/adlb.parquet", "parts/by", "parts/marked"]))


@pytest.mark.parametrize("end", ["parts/adlb.parquet/", "parts/adlb.parquet/*", "parts/by/", "parts/by/site=*/"])
def test_dataset_in_parts_is_not_taken_for_many(end: str) -> None:
    found = find_tables(at(end))
    assert found.addresses == ()
    assert found.missing == (in_parts("/".join(end.split("/")[:2])),)


@pytest.mark.parametrize(
    ("end", "line"),
    [
        ("*.xpt", f"memory://study/*.xpt matches no file {READABLE}; check the pattern"),
        ("nothing/", f"memory://study/nothing/ is a folder without a file {READABLE}; name another"),
    ],
)
def test_address_that_means_nothing_is_named_and_stops_nobody(end: str, line: str) -> None:
    found = find_tables([*at(end), *at("b.csv")])
    assert found.missing == (line,)
    assert found.addresses == at("b.csv")


def test_each_object_once_and_files_beside_them(tmp_path: Path) -> None:
    path = tmp_path / "dm.csv"
    path.write_text("A\n1\n", encoding="utf-8")
    found = find_tables([*at("b.csv", "*.csv"), f"file://{path}", *at("b.csv")])
    assert (found.tables, found.addresses, found.missing) == ((path,), at("b.csv"), ())


@pytest.mark.parametrize(
    ("address", "line"),
    [
        (
            "nothing://x/*.csv",
            "nothing://x/*.csv is of no kind that can be read; give s3://, gs://, abfs:// or https://",
        ),
        ("s3://k3y:p4ss@bucket/*", "s3://…@bucket/* was given with a key in front of it; set the key up as the"),
        ("file://elsewhere/dm.csv", "is an address on another machine; give file:///path, s3://… or https://…"),
    ],
)
def test_what_is_wrong_with_an_address_is_one_line_without_secrets(address: str, line: str) -> None:
    (said,) = find_tables([address]).missing
    assert line in said
    assert "p4ss" not in said
