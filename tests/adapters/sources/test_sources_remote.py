"""Objects elsewhere: fetched once, identified by their content, and kept for as long as a review may need them."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from review_graph.adapters.datasets import Datasets
from review_graph.adapters.own_files import MARK
from review_graph.adapters.sources import ColumnarCache
from review_graph.adapters.sources.cache_folder import copies_in, entries
from review_graph.errors import InputError, SetupError
from review_graph.ports import Located

fsspec = pytest.importorskip("fsspec", reason="needs the extra [remote]")

CSV = b"ID,A\nS-1,1\nS-2,2\n"
OTHER = b"ID,A\nS-1,1\nS-2,3\n"
ADDRESS = "memory://study/dm.csv"


@pytest.fixture
def store() -> Iterator[Any]:
    """A store with one object."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    system.pipe_file(ADDRESS, CSV)
    yield system
    system.store.clear()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def datasets(cache: Path) -> Datasets:
    return Datasets(ColumnarCache(cache))


@pytest.fixture
def fetched(store: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The objects in the order in which they were fetched."""
    names: list[str] = []
    get_file = type(store).get_file

    def counted(self: Any, name: str, *arguments: Any, **named: Any) -> Any:
        names.append(name)
        return get_file(self, name, *arguments, **named)

    monkeypatch.setattr(type(store), "get_file", counted)
    return names


def rows(datasets: Datasets, located: Located) -> list[dict[str, Any]]:
    return datasets.open(located).frame.collect().to_dicts()


def files(cache: Path) -> list[str]:
    found = (path.relative_to(copies_in(cache)) for path in copies_in(cache).rglob("*"))
    return sorted(path.as_posix() for path in found if path.name != MARK and "." in path.name)


def test_object_is_identified_by_its_bytes_and_keeps_its_address(store: Any, datasets: Datasets) -> None:
    digest = hashlib.sha256(CSV).hexdigest()
    located = datasets.locate(ADDRESS)
    assert located == Located(name="dm", uri=ADDRESS, fingerprint=digest)
    assert rows(datasets, located) == [{"ID": "S-1", "A": "1"}, {"ID": "S-2", "A": "2"}]
    parquet = io.BytesIO()
    pl.DataFrame({"A": [1, 2]}).write_parquet(parquet)
    store.pipe_file("memory://study/ADSL.PARQUET", parquet.getvalue())
    adsl = datasets.locate("memory://study/ADSL.PARQUET")
    assert (adsl.name, rows(datasets, adsl)) == ("ADSL", [{"A": 1}, {"A": 2}])


def test_object_that_is_what_it_was_is_fetched_once(datasets: Datasets, fetched: list[str]) -> None:
    located = datasets.locate(ADDRESS)
    rows(datasets, located)
    assert datasets.locate(ADDRESS) == located
    rows(datasets, located)
    assert len(fetched) == 1


def test_object_that_is_another_is_fetched_again(store: Any, datasets: Datasets, fetched: list[str]) -> None:
    located = datasets.locate(ADDRESS)
    store.pipe_file(ADDRESS, OTHER)
    now = datasets.locate(ADDRESS)
    assert now.fingerprint == hashlib.sha256(OTHER).hexdigest()
    assert rows(datasets, now)[1] == {"ID": "S-2", "A": "3"}
    assert rows(datasets, located)[1] == {"ID": "S-2", "A": "2"}  # of its review, which may be waiting
    assert len(fetched) == 2


def test_review_goes_on_with_the_copy_when_the_object_is_gone(store: Any, cache: Path, datasets: Datasets) -> None:
    located = datasets.locate(ADDRESS)
    store.rm_file(ADDRESS)
    later = Datasets(ColumnarCache(cache))
    assert len(rows(later, located)) == 2


def spoil(cache: Path) -> None:
    """Take from the cache what was fetched, and what was made of it."""
    for entry in entries(cache):
        entry.path.unlink()


def damage(cache: Path) -> None:
    (copies_in(cache) / hashlib.sha256(CSV).hexdigest() / "dm.csv").write_bytes(OTHER)


@pytest.mark.parametrize("lose", [spoil, damage])
def test_lost_copy_is_fetched_again(
    cache: Path, datasets: Datasets, fetched: list[str], lose: Callable[[Path], None]
) -> None:
    located = datasets.locate(ADDRESS)
    lose(cache)
    assert len(rows(Datasets(ColumnarCache(cache)), located)) == 2
    assert len(fetched) == 2


def test_object_that_changed_after_its_copy_was_lost_is_refused(store: Any, cache: Path, datasets: Datasets) -> None:
    located = datasets.locate(ADDRESS)
    spoil(cache)
    store.pipe_file(ADDRESS, OTHER)
    with pytest.raises(InputError, match=r"^memory://study/dm.csv was changed after its review started: run it again"):
        Datasets(ColumnarCache(cache)).open(located)


def test_object_that_changes_while_it_is_fetched_is_refused(
    store: Any, datasets: Datasets, monkeypatch: pytest.MonkeyPatch
) -> None:
    get_file = type(store).get_file

    def overtaken(self: Any, *arguments: Any, **named: Any) -> None:
        get_file(self, *arguments, **named)
        store.pipe_file(ADDRESS, OTHER)

    monkeypatch.setattr(type(store), "get_file", overtaken)
    with pytest.raises(InputError, match="changed while it was fetched; try again"):
        datasets.locate(ADDRESS)


def test_same_content_under_two_names_keeps_both(store: Any, cache: Path, datasets: Datasets) -> None:
    store.pipe_file("memory://study/sdtm%20dm.csv", CSV)
    located = [datasets.locate(address) for address in (ADDRESS, "memory://study/sdtm%20dm.csv")]
    assert [each.name for each in located] == ["dm", "sdtm dm"]
    assert files(cache) == [f"{located[0].fingerprint}/dm.csv", f"{located[0].fingerprint}/sdtm dm.csv"]


@pytest.mark.parametrize("end", ["..", ".", "a%2F..%2F..%2Fb.csv", "%00.csv", "x" * 300 + ".csv"])
def test_name_of_an_object_leads_nowhere_else(store: Any, cache: Path, datasets: Datasets, end: str) -> None:
    store.store[f"/study/{end}"] = store.store.pop("/study/dm.csv")
    store._strip_protocol = lambda path: path.removeprefix("memory:/")
    try:
        located = datasets.locate(f"memory://study/{end}")
    finally:
        del store._strip_protocol
    (copy,) = [path for path in copies_in(cache).rglob("*") if path.is_file() and path.name != MARK]
    assert copy.parent == copies_in(cache) / located.fingerprint
    assert copy.read_bytes() == CSV


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("memory://study/gone.csv", "memory://study/gone.csv does not exist; check the address and its spelling"),
        (
            "memory://study",
            "memory://study is a folder, and one that holds a dataset in Parquet parts is not read from an address;",
        ),
        ("zip://a.csv::memory://b.zip", "is a chain of addresses (::), which is not read; copy the file to a local"),
        (
            "nothing://x/y.csv",
            "nothing://x/y.csv is of no kind that can be read; give s3://, gs://, abfs:// or https://",
        ),
        (
            "s3://k3y:p4ss@bucket/x.csv",
            "s3://…@bucket/x.csv was given with a key in front of it; set the key up as the",
        ),
        (
            "memory://study/dm.csv?…",
            "has to be fetched again, and what stands as … was not kept because it may be secret",
        ),
    ],
)
def test_address_that_gives_nothing_is_refused_in_one_line(
    store: Any, cache: Path, datasets: Datasets, address: str, line: str
) -> None:
    with pytest.raises(InputError) as refusal:
        datasets.locate(address)
    assert line in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert files(cache) == []
    assert store.exists(ADDRESS)


def test_object_larger_than_the_cache_is_refused_and_nothing_is_left(store: Any, cache: Path) -> None:
    small = Datasets(ColumnarCache(cache, max_bytes=len(CSV) - 1))
    with pytest.raises(InputError, match="holds 17 bytes or more, and the cache may hold 16; raise REVIEW_GRAPH"):
        small.locate(ADDRESS)
    assert files(cache) == []
    assert Datasets(ColumnarCache(cache, max_bytes=len(CSV))).locate(ADDRESS).name == "dm"
    assert store.exists(ADDRESS)


def test_reader_names_the_address_and_not_the_copy(store: Any, cache: Path, datasets: Datasets) -> None:
    store.pipe_file("memory://study/dm.parquet", b"PAR1 and no end")
    located = datasets.locate("memory://study/dm.parquet")
    with pytest.raises(InputError) as refusal:
        datasets.open(located)
    assert str(refusal.value).startswith("memory://study/dm.parquet ")
    assert str(cache) not in str(refusal.value)


def test_without_a_cache_folder_copies_go_with_the_datasets(store: Any) -> None:
    datasets = Datasets(ColumnarCache(None))
    located = datasets.locate(ADDRESS)
    assert len(rows(datasets, located)) == 2
    folder = datasets._remote._folder()
    assert folder.is_dir()
    del datasets
    assert not folder.exists()
    assert store.exists(ADDRESS)


def test_cache_that_cannot_be_written_is_a_matter_of_set_up(store: Any, tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"")
    with pytest.raises(SetupError, match=r"the cache folder .*taken cannot be used \(Not a directory\)"):
        Datasets(ColumnarCache(tmp_path / "taken")).locate(ADDRESS)
    assert store.exists(ADDRESS)


def test_missing_fsspec_is_said_with_what_to_install(datasets: Datasets, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(SetupError) as refusal:
        datasets.locate("https://ada:p4ss@host/dm.csv?t0ken")
    assert str(refusal.value) == (
        "reading https://…@host/dm.csv?… needs a package that is not installed: pip install 'review-graph[remote]'"
    )


@pytest.mark.parametrize(
    ("address", "install"),
    [
        ("gs://bucket/dm.csv", "pip install gcsfs"),
        ("s3://bucket/dm.csv", "pip install 'review-graph[remote]'"),
        ("https://host/dm.csv", "pip install 'review-graph[remote]'"),
        ("dropbox://dm.csv", "install the package that fsspec names for it"),
    ],
)
def test_missing_package_of_a_store_is_said_with_what_to_install(
    datasets: Datasets, monkeypatch: pytest.MonkeyPatch, address: str, install: str
) -> None:
    def refuse(protocol: str) -> None:
        raise ImportError(protocol)

    monkeypatch.setattr(fsspec, "get_filesystem_class", refuse)
    with pytest.raises(SetupError) as refusal:
        datasets.locate(address)
    assert str(refusal.value) == f"reading {address} needs a package that is not installed: {install}"


def test_file_address_is_the_file(datasets: Datasets, tmp_path: Path) -> None:
    path = tmp_path / "my dm.csv"
    path.write_bytes(CSV)
    located = datasets.locate(f"file://{str(path).replace(' ', '%20')}")
    assert (located.name, located.uri) == ("my dm", str(path))
    assert len(rows(datasets, located)) == 2
