"""What another thread gives, until the time is up: a request that hangs cannot be stopped, only left behind."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")


class _Given(Generic[T]):
    """Something that was produced."""

    def __init__(self, thing: T) -> None:
        self.thing = thing


def within(seconds: float, produce: Callable[[], Generator[T, None, None]]) -> Iterator[T]:
    """Give what is produced, as it comes.

    The thread knows nothing of whoever waits for it: no callbacks, no tracing. Left behind, it ends with the next
    thing it produces, or by the time limit of the connection that it waits for; it keeps no process from ending.

    Args:
        seconds: How long all of it may take, from now to the last thing.
        produce: Called in the other thread.

    Raises:
        TimeoutError: The time is up.
        Exception: What the other thread raised.
    """
    end = time.monotonic() + seconds
    given: SimpleQueue[_Given[T] | Exception | None] = SimpleQueue()
    left_behind = threading.Event()
    threading.Thread(target=_work, args=(produce, given, left_behind), daemon=True, name="review-graph model").start()
    try:
        while (found := _next(given, end - time.monotonic())) is not None:
            yield found.thing
    finally:
        left_behind.set()


def _work(
    produce: Callable[[], Generator[T, None, None]],
    given: SimpleQueue[_Given[T] | Exception | None],
    left_behind: threading.Event,
) -> None:
    try:
        with closing(produce()) as things:
            for thing in things:
                if left_behind.is_set():
                    return
                given.put(_Given(thing))
    except Exception as error:  # noqa: BLE001 - raised where somebody waits for it
        given.put(error)
    else:
        given.put(None)


def _next(given: SimpleQueue[_Given[T] | Exception | None], seconds: float) -> _Given[T] | None:
    if seconds <= 0:
        raise TimeoutError
    try:
        found = given.get(timeout=seconds)
    except Empty:
        raise TimeoutError from None
    if isinstance(found, Exception):
        raise found
    return found
