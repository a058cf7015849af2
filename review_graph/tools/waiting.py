"""Waiting for work no longer than it may take: what runs in another thread cannot be stopped, only left to itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from checks.frame import CRASH

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T]) -> T:
    """Return what some work gives. Left to itself it goes on to its end, but keeps no process from ending.

    Args:
        seconds: How long it may take; with none left it is not begun.
        work: The work; done in another thread.

    Raises:
        TimeoutError: It took longer.
        Exception: What the work raised.
    """
    if seconds <= 0:
        raise TimeoutError
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except CRASH as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True, name="review-graph tool").start()
    return done.result(min(seconds, threading.TIMEOUT_MAX))
