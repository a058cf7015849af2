"""Many datasets at once: each comes to its end once, whoever dies on the way."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from review_graph import Settings, Status, build
from review_graph.batch import DEATHS, Task, run_batch, workers_for
from review_graph.errors import SetupError

DATASETS = 12


@pytest.fixture
def tasks(tmp_path: Path, spec: dict[str, Any]) -> list[Task]:
    """Datasets of which every third has a number outside its limits."""
    made = []
    for number in range(DATASETS):
        path = tmp_path / f"t{number:02}.parquet"
        pl.DataFrame({"ID": [f"S-{number}"], "A": [99 if number % 3 == 0 else 1]}).write_parquet(path)
        made.append(Task(path=path, spec=spec))
    return made


def endings(tasks: list[Task], settings: Settings, **how: Any) -> dict[int, str]:
    return {index: review.triage.severity.value for index, review in run_batch(tasks, settings, **how)}


EXPECTED = {number: "minor" if number % 3 == 0 else "none" for number in range(DATASETS)}


def test_one_after_the_other(tasks: list[Task], settings: Settings) -> None:
    assert endings(tasks, settings) == EXPECTED


def test_in_processes(tasks: list[Task], settings: Settings) -> None:
    assert endings(tasks, settings, workers=2) == EXPECTED
    with build(settings) as service:
        assert len(service.list()) == DATASETS
    assert "POLARS_MAX_THREADS" not in os.environ


def test_in_any_executor_which_stays_open(tasks: list[Task], settings: Settings) -> None:
    with ThreadPoolExecutor(3) as pool:
        assert endings(tasks, settings, executor=pool) == EXPECTED
        assert pool.submit(int, "1").result() == 1


def test_a_bad_file_stops_no_other(tasks: list[Task], settings: Settings, tmp_path: Path) -> None:
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1")
    found = dict(run_batch([Task(path=broken), *tasks], settings, workers=2))
    assert found[0].status is Status.FAILED
    assert len(found) == DATASETS + 1
    assert {found[index + 1].triage.severity.value for index in range(DATASETS)} == {"minor", "none"}


def test_a_worker_that_is_killed_loses_nothing(tasks: list[Task], settings: Settings) -> None:
    found: dict[int, str] = {}
    for index, review in run_batch(tasks, settings, workers=2):
        if not found:
            for child in multiprocessing.active_children()[:1]:
                os.kill(child.pid or 0, signal.SIGKILL)
        found[index] = review.triage.severity.value
    assert found == EXPECTED


class Deadly(Executor):
    """Breaks whenever one of some datasets is submitted."""

    def __init__(self, deadly: set[str]) -> None:
        self.deadly = deadly

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if args[1].path.name in self.deadly:
            future.set_exception(BrokenExecutor("a process died"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_a_dataset_that_takes_its_workers_with_it_is_given_up(
    tasks: list[Task], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("review_graph.batch.ProcessPoolExecutor", lambda *_, **__: Deadly({"t04.parquet"}))
    found = dict(run_batch(tasks, settings, workers=1))
    assert len(found) == DATASETS
    problem = found[4].problem
    assert problem is not None
    assert f"died {DEATHS} times" in problem.message


def test_an_executor_of_the_caller_that_breaks_is_said(tasks: list[Task], settings: Settings) -> None:
    with pytest.raises(SetupError, match="the executor broke with"):
        list(run_batch(tasks, settings, executor=Deadly({"t00.parquet"})))


@pytest.mark.parametrize(
    ("datasets", "asked", "expected"), [(3, None, 0), (3, 2, 2), (1, 8, 1), (100, 0, 0), (100, 4, 4)]
)
def test_small_batches_need_no_workers(datasets: int, asked: int | None, expected: int) -> None:
    assert workers_for(datasets, asked) == expected
