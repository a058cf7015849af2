"""What can happen to a SQLite file: nothing half-written, nothing silently lost, and one line that says what to do."""

from __future__ import annotations

import os
import random
import re
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from review_graph.adapters import sqlite
from review_graph.adapters.store import SqlitePlace, place_of
from review_graph.adapters.store.facade import SqlStore
from review_graph.core.chaining import verify
from review_graph.errors import SetupError
from tests.adapters.store.things import ID, entry, happened
from tests.disks import mount, small_disk

TELLS = r"cannot use the database .*reviews\.sqlite"


def fill(store: SqlStore) -> tuple[list[str], str]:
    """Enter reviews until the store refuses: those that it acknowledged, and what it says."""
    kept: list[str] = []
    while len(kept) < 2000:
        identity = f"dm-{len(kept)}"
        try:
            store.add(entry(identity), audit=[happened(review_id=identity, detail={"why": "x" * 5000})])
        except SetupError as refusal:
            return kept, str(refusal)
        kept.append(identity)
    pytest.fail("it was never full")


def demand_whole(store: SqlStore, kept: list[str]) -> None:
    entries = list(store.audit())
    assert {review.id for review in store.entries()} == set(kept)
    assert [each.review_id for each in entries] == kept
    assert verify(entries) is None


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB."""
    with small_disk(tmp_path / "disk", 1, "a file that may not grow, and chmod, stand for it") as folder:
        yield folder


def test_full_disk(disk: Path, opened: Callable[..., SqlStore]) -> None:
    place = place_of(str(disk / "reviews.sqlite"))
    store = opened(place)
    kept, said = fill(store)
    assert kept
    assert re.fullmatch(TELLS + ": database or disk is full; .*", said)
    demand_whole(store, kept)
    assert mount(disk, "remount,size=4m")
    store.add(entry("dm-later"), audit=[happened(review_id="dm-later")])
    demand_whole(opened(place), [*kept, "dm-later"])


FILL = """
import resource, sys
from pathlib import Path
from review_graph.adapters.store import place_of
from review_graph.adapters.store.facade import SqlStore
from tests.adapters.store.test_sqlite_trouble import fill
from tests.adapters.store.things import NOW
store = SqlStore(place_of(sys.argv[1]), lambda: NOW)
resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
kept, said = fill(store)
print(said, *kept, sep="\\n")
"""


def test_full_disk_by_limit(sqlite_place: SqlitePlace, opened: Callable[..., SqlStore]) -> None:
    done = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-c", FILL, str(sqlite_place.path)], capture_output=True, text=True, check=True, timeout=60
    )
    said, *kept = done.stdout.splitlines()
    assert kept
    assert re.fullmatch(TELLS + ": .*", said)
    demand_whole(opened(sqlite_place), kept)


def test_disk_that_became_read_only(disk: Path, opened: Callable[..., SqlStore]) -> None:
    place = place_of(str(disk / "reviews.sqlite"))
    store = opened(place)
    store.add(entry())
    store.close()
    assert mount(disk, "remount,ro")
    with pytest.raises(SetupError, match=TELLS) as refusal:
        opened(place).add(entry("dm-2"))
    assert "\n" not in str(refusal.value)
    assert mount(disk, "remount,rw")
    assert [review.id for review in opened(place).entries()] == [ID]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to anything; test_disk_that_became_read_only covers it")
def test_file_that_may_not_be_written(sqlite_place: SqlitePlace, opened: Callable[..., SqlStore]) -> None:
    store = opened(sqlite_place)
    store.close()
    sqlite_place.path.chmod(0o400)
    with pytest.raises(SetupError, match=TELLS):
        opened(sqlite_place).add(entry())


@pytest.mark.parametrize("act", ["read", "write", "claim"])
@pytest.mark.parametrize("fate", ["deleted", "replaced"])
def test_database_that_was_deleted_or_replaced_is_missed_at_once(
    sqlite_place: SqlitePlace, opened: Callable[..., SqlStore], fate: str, act: str
) -> None:
    store = opened(sqlite_place)
    store.add(entry())
    sqlite_place.path.unlink()
    if fate == "replaced":
        other = opened(place_of(str(sqlite_place.path.with_name("other.sqlite"))))
        other.close()
        sqlite_place.path.with_name("other.sqlite").rename(sqlite_place.path)
    acts: dict[str, Callable[[], object]] = {
        "read": lambda: store.get(ID),
        "write": lambda: store.add(entry("dm-2")),
        "claim": lambda: ExitStack().enter_context(store.claim(ID)),
    }
    with pytest.raises(SetupError, match=r"reviews\.sqlite was deleted or replaced while it was in use"):
        acts[act]()
    assert sqlite_place.path.exists() == (fate == "replaced")  # and no empty one was put in its place


def test_working_in_another_folder_changes_nothing(
    tmp_path: Path, opened: Callable[..., SqlStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = opened(place_of("reviews.sqlite"))
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    with store._database.reading():  # so that one more connection has to be opened
        assert store.add(entry())
    assert not list((tmp_path / "other").iterdir())


def test_what_went_into_a_file_deleted_meanwhile_is_not_acknowledged(
    sqlite_place: SqlitePlace, opened: Callable[..., SqlStore]
) -> None:
    store = opened(sqlite_place)
    with pytest.raises(SetupError, match="was deleted or replaced"), store._database.writing():
        sqlite_place.path.unlink()


def test_database_that_is_locked_for_too_long(
    sqlite_place: SqlitePlace, opened: Callable[..., SqlStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_S", 0.05)
    store = opened(sqlite_place)
    with closing(sqlite3.connect(sqlite_place.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(SetupError, match=f"{TELLS}: database is locked"):
            store.add(entry())
        assert store.get(ID) is None  # readers go on
        other.execute("ROLLBACK")
    assert store.add(entry())


def test_thread_that_writes_for_too_long(
    sqlite_place: SqlitePlace, opened: Callable[..., SqlStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_S", 0.05)
    store = opened(sqlite_place)
    with store._database.writing(), pytest.raises(SetupError, match="another thread has it locked"):
        store.add(entry())
    assert store.add(entry())


LOOK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
print(connection.execute("SELECT count(*) FROM reviews").fetchone()[0])
connection.close()
"""


def test_opening_a_second_time_drops_no_lock_of_the_first(
    sqlite_place: SqlitePlace, opened: Callable[..., SqlStore]
) -> None:
    store, log = opened(sqlite_place), sqlite_place.path.with_name("reviews.sqlite-wal")
    opened(sqlite_place).close()
    store.add(entry())
    command = [sys.executable, "-c", LOOK, str(sqlite_place.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    assert done.stdout == "1\n"
    assert log.exists()  # whoever takes itself for the last user deletes the log on leaving


def test_database_is_its_owners_alone(sqlite_place: SqlitePlace, opened: Callable[..., SqlStore]) -> None:
    opened(sqlite_place).add(entry())
    files = list(sqlite_place.path.parent.glob("reviews.sqlite*"))
    assert len(files) >= 2  # the log as well
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_database_that_lost_a_table_is_said_in_one_line(
    sqlite_place: SqlitePlace, opened: Callable[..., SqlStore]
) -> None:
    store = opened(sqlite_place)
    with closing(sqlite3.connect(sqlite_place.path)) as connection, connection:
        connection.execute("DROP TABLE reviews")
    with pytest.raises(SetupError, match=f"{TELLS}: no such table: reviews") as refusal:
        store.get(ID)
    assert "\n" not in str(refusal.value)


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "reviews.sqlite").write_bytes(b"SUBJID,AGE\n" * 100)
    (tmp_path / "folder").mkdir()
    for name in ("reviews.sqlite", "folder", "reviews.sqlite/below.sqlite"):
        with pytest.raises(SetupError) as refusal:
            SqlStore(place_of(str(tmp_path / name)), lambda: pytest.fail("nothing to date"))
        assert name in str(refusal.value)
        assert "\n" not in str(refusal.value)
    assert (tmp_path / "reviews.sqlite").read_bytes() == b"SUBJID,AGE\n" * 100


WRITE = """
import datetime, sys
from review_graph.adapters.store import place_of
from review_graph.adapters.store.facade import SqlStore
from review_graph.vocabulary import Status
from tests.adapters.store.things import decision, entry, happened
store = SqlStore(place_of(sys.argv[1]), lambda: datetime.datetime.now(datetime.UTC))
print("ready", flush=True)
for number in range(int(sys.argv[3])):
    identity = f"dm-{sys.argv[2]}{number}"
    store.add(entry(identity), audit=[happened(review_id=identity)])
    with store.claim(identity) as lease:
        seen = store.transition(store.get(identity), Status.PAUSED, lease=lease)
        store.record(seen, [decision()], lease=lease, audit=[happened(review_id=identity)])
"""


def writer(place: SqlitePlace, name: str, times: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITE, str(place.path), name, str(times)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # noqa: S603 - our own


def test_eight_processes_write_to_one_file(sqlite_place: SqlitePlace, opened: Callable[..., SqlStore]) -> None:
    times = 20
    writers = [writer(sqlite_place, name, times) for name in "abcdefgh"]
    for each in writers:
        _, said = each.communicate(timeout=180)
        assert (each.returncode, said) == (0, "")
    store = opened(sqlite_place)
    entries = list(store.audit())
    assert len(list(store.entries())) == 8 * times
    assert len(entries) == 2 * 8 * times
    assert verify(entries) is None


def test_killed_writer_leaves_nothing_half_written(sqlite_place: SqlitePlace, opened: Callable[..., SqlStore]) -> None:
    store, chance = opened(sqlite_place), random.Random(7)  # noqa: S311 - a moment is no secret
    for round_ in range(4):
        with writer(sqlite_place, f"{round_}x", 100_000) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(chance.uniform(0.02, 0.2))
            process.kill()
        entries = list(store.audit())
        assert entries
        assert verify(entries) is None
        decided = sum(len(store.decisions(review.id)) for review in store.entries())
        assert len(entries) == len(list(store.entries())) + decided
