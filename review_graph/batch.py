"""Many datasets, several at once: a pool of workers, each with a service of its own on the same database.

Durability is the checkpoints' and never the pool's: a worker that dies is replaced and its review goes on
from its last step; whatever ends the batch, the same call goes on with what is missing.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing import connection, get_context, parent_process
from pathlib import Path

from review_graph.bootstrap import build
from review_graph.core.addresses import shown_address
from review_graph.errors import SetupError
from review_graph.service import ReviewService
from review_graph.settings import Settings
from review_graph.starting import GivenSpec, not_started
from review_graph.vocabulary import Review

IN_FLIGHT = 2
"""Datasets handed to the pool for each worker: one at work and one waiting, so that none is idle."""

DEATHS = 2
"""Workers a dataset may take with it, the last time alone in the pool, before it is given up."""

POLARS_THREADS = "POLARS_MAX_THREADS"

SMALL_BATCH = 8
"""Datasets below which starting workers (a second each) takes longer than they save."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """One dataset of a batch, as it travels to a worker.

    Attributes:
        path: The file, or the address of an object elsewhere.
        spec: What is expected; a built-in spec when None.
        references: Where other datasets are to which the spec may refer, by name.
        fresh: Whether to start another review of what was reviewed before.
    """

    path: Path | str
    spec: GivenSpec = None
    references: Mapping[str, Path | str] = field(default_factory=dict)
    fresh: bool = False


def workers_for(datasets: int, asked: int | None = None) -> int:
    """Return how many workers a batch gets: those asked for, else one a processor, or none for a small batch."""
    if asked is not None:
        return min(asked, datasets)
    return 0 if datasets < SMALL_BATCH else min(os.cpu_count() or 1, datasets)


def run_batch(
    tasks: Sequence[Task], settings: Settings, *, workers: int = 0, executor: Executor | None = None
) -> Iterator[tuple[int, Review]]:
    """Review datasets, yielding each review with the position of its task as soon as it ends or pauses.

    Args:
        tasks: What to review. One that cannot be reviewed gives a failed review and stops no other.
        settings: Where reviews are kept; the same for all workers.
        workers: Processes to start; 0 reviews here, one after the other.
        executor: Any pool of `concurrent.futures`, used instead of processes of our own and left open.

    Raises:
        SetupError: The database or a folder cannot be used, or the executor that was handed in broke.
    """
    if executor is None and not workers:
        with build(settings) as service:
            yield from ((index, _review(service, task)) for index, task in enumerate(tasks))
        return
    batch = _Batch(tasks, settings, in_flight=IN_FLIGHT * max(workers, 1))
    while batch.waiting:
        with _pool(executor, workers) as pool:
            yield from batch.drain(pool)
        if batch.waiting and executor is not None:
            left = len(batch.waiting)
            raise SetupError(f"the executor broke with {left} datasets to go; the same call goes on with them")


class _Batch:
    """What is left to do, and which datasets have seen a worker die."""

    def __init__(self, tasks: Sequence[Task], settings: Settings, *, in_flight: int) -> None:
        self.waiting = deque(range(len(tasks)))
        self._tasks = tasks
        self._settings = settings
        self._in_flight = in_flight
        self._deaths = [0] * len(tasks)
        self._running: dict[Future[Review], int] = {}

    def drain(self, pool: Executor) -> Iterator[tuple[int, Review]]:
        """Work off what waits until nothing does, or until the pool breaks; what was in it then waits again.

        When a worker dies, all that was in the pool is under suspicion and goes through alone the next time,
        so that nothing is given up for having been beside the culprit.
        """
        broken = False
        while (self.waiting and not broken) or self._running:
            broken = broken or not self._fill(pool)
            done, _ = wait(self._running, return_when=FIRST_COMPLETED)
            lost = []
            for future in done:
                index = self._running.pop(future)
                try:
                    yield index, future.result()
                except BrokenExecutor:
                    broken = True
                    lost.append(index)
            for index in sorted(lost, reverse=True):
                self._deaths[index] += 1
                if self._deaths[index] < DEATHS:
                    self.waiting.appendleft(index)
                else:
                    yield index, _given_up(self._tasks[index])

    def _fill(self, pool: Executor) -> bool:
        """Hand over as much as may be at work at once; False when the pool takes nothing any more."""
        while self.waiting:
            suspected = self._deaths[self.waiting[0]] or any(self._deaths[i] for i in self._running.values())
            if len(self._running) >= (1 if suspected else self._in_flight):
                break
            try:
                future = pool.submit(review_in_worker, self._settings, self._tasks[self.waiting[0]])
            except BrokenExecutor:
                return False
            self._running[future] = self.waiting.popleft()
        return True


def _given_up(task: Task) -> Review:
    place = shown_address(str(task.path))
    error = ChildProcessError(f"the worker that reviewed {place} died {DEATHS} times; is there memory enough?")
    return not_started(str(task.path), None, error)


def review_in_worker(settings: Settings, task: Task) -> Review:
    """Review one dataset in whatever process or thread this is; the service is kept for the next one."""
    return _review(_service(settings, os.getpid(), threading.get_ident()), task)


@lru_cache(maxsize=8)
def _service(settings: Settings, process: int, thread: int) -> ReviewService:
    """One service for each process and thread: after a fork, and between threads, nothing is shared."""
    del process, thread
    return build(settings)


def _review(service: ReviewService, task: Task) -> Review:
    return service.start(task.path, task.spec, references=task.references, fresh=task.fresh)


@contextmanager
def _pool(executor: Executor | None, workers: int) -> Iterator[Executor]:
    """The pool that was handed in, or one of our own, whose processes end with it whatever happens."""
    if executor is not None:
        yield executor
        return
    # Workers share the processors, so each takes its part of them and not all. Polars reads this when it starts.
    preset = POLARS_THREADS in os.environ
    if not preset:
        os.environ[POLARS_THREADS] = str(max(1, (os.cpu_count() or 1) // workers))
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_start_worker)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        if not preset:
            del os.environ[POLARS_THREADS]


def _start_worker() -> None:
    """Leave Ctrl+C to the parent, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_die_with, args=(parent.sentinel,), daemon=True).start()


def _die_with(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)
