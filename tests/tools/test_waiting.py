"""Work that may take so long and no longer."""

from __future__ import annotations

import threading

import polars as pl
import pytest

from review_graph.tools.waiting import within


@pytest.mark.parametrize("seconds", [60, 1e300])
def test_what_is_done_in_time_is_given(seconds: float) -> None:
    assert within(seconds, lambda: 7) == 7


@pytest.mark.parametrize("trouble", [ValueError("7"), pl.exceptions.PanicException("7")])
def test_what_goes_wrong_is_raised_where_somebody_waits(trouble: BaseException) -> None:
    def work() -> None:
        raise trouble

    with pytest.raises(type(trouble), match="7"):
        within(60, work)


def test_what_takes_longer_is_left_to_itself() -> None:
    go_on, done = threading.Event(), threading.Event()

    def work() -> None:
        go_on.wait(60)
        done.set()

    with pytest.raises(TimeoutError):
        within(0.05, work)
    assert not done.is_set()
    go_on.set()
    assert done.wait(60)


def test_without_time_nothing_is_begun() -> None:
    begun: list[int] = []
    with pytest.raises(TimeoutError):
        within(0, lambda: begun.append(1))
    assert begun == []
