"""A batch whose parent or worker is killed outright: nothing is lost or doubled, and the same command ends it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from checks import load_spec
from review_graph import Review, Settings, Status, build
from review_graph.adapters.datasets import Datasets
from review_graph.adapters.sources.columnar import ColumnarCache
from review_graph.adapters.store import open_store, place_of
from review_graph.gate import system_clock
from review_graph.ports import Entry

pytestmark = pytest.mark.slow

DATASETS = 36
ENOUGH = 6
"""Reviews that are finished before anything is killed."""

LIMIT_S = 60
TIMES = ("created_at", "today")
PAUSED_EXIT = 3
DONE = (Status.SUMMARISED, Status.PAUSED)

SPEC = {
    "name": "subjects",
    "primaryKey": ["ID"],
    "fields": [{"name": "ID", "type": "string"}, {"name": "A", "type": "integer", "constraints": {"maximum": 10}}],
}
KINDS: tuple[Mapping[str, Any], ...] = (
    {"ID": ["S-1", "S-2", "S-3"], "A": [1, 2, 3]},  # clean
    {"ID": ["S-1", "S-2", "S-3"], "A": [1, 2, 33]},  # minor
    {"ID": ["S-1", "S-2", "S-2"], "A": [1, 2, 33]},  # major: pauses
)


@dataclass
class Batch:
    """The real command on one folder of datasets, with a database of its own."""

    folder: Path
    database: str
    _begun: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def settings(self) -> Settings:
        return Settings(db=str(self.folder / self.database / "reviews.sqlite"))

    def begin(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [
                *(sys.executable, "-m", "review_graph", "run", "datasets", "--spec", "spec.json"),
                *("--workers", "2", "--format", "json", "--db", f"{self.database}/reviews.sqlite"),
            ],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._begun.append(process)
        return process

    def end(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        """Wait for a run that ends by itself, and return its JSON without times, places and trail."""
        out, err = process.communicate(timeout=LIMIT_S)
        assert process.returncode == PAUSED_EXIT, err
        assert "Traceback" not in err
        plain: dict[str, Any] = json.loads(out.replace(f"/{self.database}/", "/database/"))
        for review in plain["reviews"]:
            assert all(review.pop(key) for key in (*TIMES, "anchor"))
        return plain

    def reviews(self) -> dict[str, Review]:
        with build(self.settings) as service:
            return {review.id: review for review in service.list() if review.id}

    def finished(self) -> dict[str, Review]:
        return {identity: review for identity, review in self.reviews().items() if review.status in DONE}

    def steps(self) -> dict[str, list[str]]:
        """The checkpoints of each review: a step that is run again leaves another one."""
        with sqlite3.connect(self.settings.db_path) as connection:
            rows = connection.execute("SELECT thread_id, checkpoint_id FROM checkpoints ORDER BY 1, 2").fetchall()
        return {identity: [step for thread, step in rows if thread == identity] for identity, _ in rows}

    def is_sound(self) -> bool:
        with sqlite3.connect(self.settings.db_path) as connection:
            return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]

    def stop(self) -> None:
        for process in self._begun:
            if process.poll() is None:
                process.kill()
            for stream in filter(None, (process.stdout, process.stderr)):
                stream.close()  # not read to its end, which a worker left behind could hold open
            process.wait()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("batch")
    (made / "datasets").mkdir()
    (made / "spec.json").write_text(json.dumps(SPEC))
    for number in range(DATASETS):
        kind = KINDS[number % len(KINDS)]
        frame = pl.DataFrame({"ID": [f"{number}-{identity}" for identity in kind["ID"]], "A": kind["A"]})
        frame.write_parquet(made / "datasets" / f"t{number:02}.parquet")
    return made


@pytest.fixture(scope="module")
def undisturbed(folder: Path) -> dict[str, Any]:
    batch = Batch(folder, "undisturbed")
    plain = batch.end(batch.begin())
    assert len({review["id"] for review in plain["reviews"]}) == DATASETS
    assert {review["severity"] for review in plain["reviews"]} == {"none", "minor", "major"}
    return plain


@pytest.fixture
def batch(folder: Path, request: pytest.FixtureRequest) -> Iterator[Batch]:
    made = Batch(folder, request.node.name)
    yield made
    made.stop()


def until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.01)
    pytest.fail("it did not happen in time")


def told(process: int | str, what: str) -> str:
    """What Linux says of a process; nothing once it is gone."""
    try:
        return Path(f"/proc/{process}/{what}").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def processes_below(parent: int) -> list[int]:
    return [int(child) for child in told(parent, f"task/{parent}/children").split()]


def workers_of(parent: int) -> list[int]:
    return [child for child in processes_below(parent) if "spawn_main" in told(child, "cmdline")]


def is_gone(process: int) -> bool:
    return told(process, "stat").rpartition(")")[2].split()[:1] in ([], ["Z"])  # Z: ended, and nobody asked how


needs_proc = pytest.mark.skipif(
    not Path(f"/proc/self/task/{os.getpid()}/children").exists(), reason="finds the workers in Linux's /proc"
)


@contextmanager
def held(batch: Batch, identity: str) -> Iterator[None]:
    """Somebody else holds a review that has not begun."""
    store = open_store(place_of(batch.settings.db), system_clock)
    path = batch.folder / "datasets" / f"{identity.rpartition('-')[0]}.parquet"
    located, spec = Datasets(ColumnarCache(None)).locate(str(path)), load_spec(batch.folder / "spec.json")
    created_at = system_clock().isoformat(timespec="seconds")
    store.add(Entry(id=identity, located=located, spec_digest=spec.digest, attempt=1, created_at=created_at))
    with store.claim(identity) as mine:
        assert mine
        yield
    store.close()


@needs_proc
def test_parent_killed_in_the_middle_loses_nothing_and_the_same_command_does_the_rest(
    batch: Batch, undisturbed: dict[str, Any]
) -> None:
    last = undisturbed["reviews"][-1]["id"]
    # Somebody else holds the last review, so that the run cannot be over before it is killed.
    with held(batch, last):
        process = batch.begin()
        until(lambda: len(batch.finished()) >= ENOUGH)
        below = processes_below(process.pid)
        assert len(workers_of(process.pid)) == 2
        process.kill()
        assert process.wait(LIMIT_S) == -signal.SIGKILL
        until(lambda: all(map(is_gone, below)))

    assert batch.is_sound()
    kept, steps = batch.finished(), batch.steps()
    reports = {review.report: Path(review.report).stat().st_mtime_ns for review in kept.values() if review.report}
    assert ENOUGH <= len(kept) < DATASETS
    assert last not in kept

    assert batch.end(batch.begin()) == undisturbed
    assert batch.is_sound()
    assert len(batch.reviews()) == DATASETS
    now = batch.reviews()
    assert {identity: now[identity] for identity in kept} == kept
    assert {identity: batch.steps()[identity] for identity in kept} == {identity: steps[identity] for identity in kept}
    assert {report: Path(report).stat().st_mtime_ns for report in reports} == reports


@needs_proc
def test_worker_killed_in_the_middle_is_replaced_and_the_run_ends_as_ever(
    batch: Batch, undisturbed: dict[str, Any]
) -> None:
    last = undisturbed["reviews"][-1]["id"]
    with held(batch, last):
        process = batch.begin()
        until(lambda: len(batch.finished()) >= ENOUGH)
        before = workers_of(process.pid)
        os.kill(before[0], signal.SIGKILL)
        until(lambda: set(workers_of(process.pid)) - set(before))

    assert batch.end(process) == undisturbed
    assert batch.is_sound()
    assert len(batch.reviews()) == DATASETS
