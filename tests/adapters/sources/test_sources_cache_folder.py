"""The columnar cache stays within its bound, and can be listed and cleared."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from review_graph.adapters.own_files import MARK
from review_graph.adapters.sources import CacheEntry, ColumnarCache, cache_folder, clear, entries, fingerprint
from review_graph.adapters.sources.cache_folder import GRACE_S, Bound, copies_in, trim

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["a.csv", "b.csv", "c.csv"]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Three entries: `a` was used last three hours ago, `b` two, `c` one."""
    folder = tmp_path / "cache"
    for hours, name in enumerate(reversed(NAMES), start=1):
        (tmp_path / name).write_text(f"A\n{name}\n", encoding="utf-8")
        use(tmp_path, name)
        age(folder, name, 3600 * hours)
    return folder


def use(folder: Path, name: str, max_bytes: int | None = None) -> None:
    path = folder / name
    opened = ColumnarCache(folder / "cache", max_bytes=max_bytes).open(path, fingerprint(path))
    assert opened.frame.collect().to_dicts() == [{"A": name}]


def age(folder: Path, name: str, seconds: float) -> None:
    (entry,) = [entry for entry in entries(folder) if entry.source == name]
    for path in (entry.path, entry.path.with_suffix(".json")):
        os.utime(path, (time.time() - seconds,) * 2)


def sources(folder: Path) -> list[str]:
    return [entry.source for entry in entries(folder)]


def size_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir() if path.name != MARK)


def test_entries_are_listed_with_the_last_used_first(tmp_path: Path, cache: Path) -> None:
    assert sources(cache) == ["c.csv", "b.csv", "a.csv"]
    assert sum(entry.size_bytes for entry in entries(cache)) == size_bytes(cache)
    assert entries(cache)[0].used_at_s == pytest.approx(time.time() - 3600, abs=60)
    use(tmp_path, "a.csv")
    assert sources(cache) == ["a.csv", "c.csv", "b.csv"]


def test_the_least_recently_used_go_first(tmp_path: Path, cache: Path) -> None:
    use(tmp_path, "a.csv")
    age(cache, "a.csv", GRACE_S + 60)
    gone = trim(cache, size_bytes(cache) - 1)
    assert [entry.source for entry in gone] == ["b.csv"]
    assert sources(cache) == ["a.csv", "c.csv"]


@pytest.mark.parametrize(
    ("max_bytes", "left"),
    [
        pytest.param(None, ["d.csv", "c.csv", "b.csv", "a.csv"], id="no bound"),
        pytest.param(10**9, ["d.csv", "c.csv", "b.csv", "a.csv"], id="room enough"),
        pytest.param(0, ["d.csv"], id="no room but for what is in use"),
    ],
)
def test_the_bound_holds_whenever_something_is_added(
    tmp_path: Path, cache: Path, max_bytes: int | None, left: list[str]
) -> None:
    (tmp_path / "d.csv").write_text("A\nd.csv\n", encoding="utf-8")
    use(tmp_path, "d.csv", max_bytes)
    assert sources(cache) == left


def test_what_was_used_just_now_stays(cache: Path) -> None:
    for name in NAMES:
        age(cache, name, GRACE_S - 60)
    assert trim(cache, 0) == []
    assert sorted(sources(cache)) == NAMES


def test_what_a_killed_process_left_goes_too(cache: Path) -> None:
    left = cache / ".abc.parquet"
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    assert entries(cache)[-1].source == ""
    assert [entry.path for entry in trim(cache, size_bytes(cache) - 1)] == [left]


def test_clearing_leaves_an_empty_folder_of_ours(tmp_path: Path, cache: Path) -> None:
    (cache / "not ours.txt").touch()
    assert [entry.source for entry in clear(cache)] == ["c.csv", "b.csv", "a.csv"]
    assert sorted(path.name for path in cache.iterdir()) == [MARK, "not ours.txt"]
    assert entries(cache) == []
    use(tmp_path, "a.csv")
    assert sources(cache) == ["a.csv"]


def test_a_folder_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert entries(tmp_path / "none") == []
    assert clear(tmp_path / "none") == []


def test_an_evicted_table_is_decoded_again(tmp_path: Path, cache: Path) -> None:
    trim(cache, 0)
    assert entries(cache) == []
    for name in NAMES:
        use(tmp_path, name)


@pytest.fixture
def fetched(cache: Path) -> Path:
    """A copy of something elsewhere, used half an hour ago, and what a kill left of another."""
    copies = copies_in(cache)
    copy = copies / ("0" * 64) / "dm.csv"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(b"A\n1\n")
    (copies / MARK).touch()
    (copies / ".half").write_bytes(b"A")
    os.utime(copy, (time.time() - 1800, 0))
    os.utime(copies / ".half", (0, 0))
    return copy


def test_copies_of_what_was_fetched_are_listed_and_go_by_when_they_were_read(cache: Path, fetched: Path) -> None:
    assert sources(cache) == ["dm.csv", *reversed(NAMES), ""]
    copy = entries(cache)[0]
    assert (copy.path, copy.size_bytes) == (fetched, 4)
    assert [entry.source for entry in trim(cache, 5)] == ["", "a.csv", "b.csv", "c.csv"]
    assert trim(cache, 4) == []
    assert [entry.source for entry in trim(cache, 3)] == ["dm.csv"]
    assert not fetched.parent.exists()


def test_copy_that_is_in_use_stays(cache: Path, fetched: Path) -> None:
    os.utime(fetched, (time.time(), 0))
    trim(cache, 0)
    assert sources(cache) == ["dm.csv"]


def test_clearing_takes_the_copies_too(cache: Path, fetched: Path) -> None:
    twin = fetched.with_name("sdtm dm.csv")
    twin.write_bytes(fetched.read_bytes())
    assert len(clear(cache)) == 6
    assert entries(cache) == []
    assert not fetched.parent.exists()


def test_the_whole_folder_is_looked_at_now_and_then_and_not_at_each_addition(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Path] = []

    def counted(folder: Path) -> list[CacheEntry]:
        looks.append(folder)
        return entries(folder)

    monkeypatch.setattr(cache_folder, "entries", counted)
    bound = Bound(cache, 160_000)
    for _ in range(50):
        bound.added(1_000)
    assert len(looks) == 5
    assert sorted(sources(cache)) == NAMES


def test_room_is_made_when_the_bound_is_passed(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "d.csv").write_text("A\nd.csv\n", encoding="utf-8")
    bound = size_bytes(cache)
    use(tmp_path, "d.csv", bound)
    assert sources(cache) == ["d.csv", "c.csv"]
    assert size_bytes(cache) <= bound - bound // 8
