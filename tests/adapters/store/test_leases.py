"""Who may work on a review: one at a time, and another one when the holder died or stopped answering."""

from __future__ import annotations

import datetime as dt
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint

from review_graph.adapters.checkpoints import open_checkpoints
from review_graph.adapters.store import Place, PostgresPlace
from review_graph.adapters.store.facade import SqlStore
from review_graph.adapters.store.processes import is_gone, new_holder
from review_graph.errors import LeaseLost, ReviewNotFound
from review_graph.ports import Entry
from review_graph.vocabulary import Status
from tests.adapters.store.things import ID, NOW, decision, entry, happened


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> dt.datetime:
        return self.now

    def go_on(self, seconds: float) -> None:
        self.now += dt.timedelta(seconds=seconds)


def utc() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def given(place: Place) -> str:
    return place.url if isinstance(place, PostgresPlace) else str(place.path)


@pytest.mark.parametrize("hands", ["the same", "other"])
def test_review_is_held_by_one_at_a_time(
    place: Place, opened: Callable[..., SqlStore], hands: str, seen: Entry
) -> None:
    store = opened(place, wait_s=0.05)
    other = store if hands == "the same" else opened(place, wait_s=0.05)
    store.add(entry("ae-1"))
    with store.claim(seen.id) as mine, other.claim(seen.id) as theirs, other.claim("ae-1") as another:
        assert mine is not None
        assert theirs is None
        assert another is not None
        assert mine.holder != another.holder
    with other.claim(seen.id) as theirs:
        assert theirs is not None


def test_unknown_review_cannot_be_claimed(store: SqlStore) -> None:
    with pytest.raises(ReviewNotFound), store.claim("dm-0"):
        pass


def test_claim_waits_for_the_holder(place: Place, opened: Callable[..., SqlStore], seen: Entry) -> None:
    store, held, let_go, order = opened(place), threading.Event(), threading.Event(), []

    def hold() -> None:
        with store.claim(seen.id) as lease:
            assert lease is not None
            held.set()
            let_go.wait(timeout=30)
            order.append("first")

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(timeout=30)
    threading.Timer(0.1, let_go.set).start()
    with opened(place).claim(seen.id) as lease:
        order.append("second")
        assert lease is not None
    holder.join()
    assert order == ["first", "second"]


def test_claim_is_let_go_when_the_work_fails(place: Place, opened: Callable[..., SqlStore], seen: Entry) -> None:
    store = opened(place, wait_s=0)
    with pytest.raises(ZeroDivisionError), store.claim(seen.id):
        raise ZeroDivisionError
    with store.claim(seen.id) as lease:
        assert lease is not None


@pytest.mark.parametrize("slept_s", [0, 40, 61])
def test_who_slept_while_another_one_took_over_writes_no_checkpoint(
    place: Place, opened: Callable[..., SqlStore], seen: Entry, slept_s: int
) -> None:
    clock = Hands()
    store, other = opened(place, clock, wait_s=0), opened(place, clock, wait_s=0)
    saver = open_checkpoints(place)
    with store.claim(seen.id), closing(saver):
        clock.go_on(slept_s)  # no heart beats meanwhile
        is_taken = other._leases._taken(seen.id, "another")
        assert is_taken is (slept_s > 60)
        for review_id in (seen.id, "of no review"):
            address: RunnableConfig = {"configurable": {"thread_id": review_id, "checkpoint_ns": ""}}
            writes: RunnableConfig = {"configurable": {**address["configurable"], "checkpoint_id": "1"}}
            if is_taken and review_id == seen.id:
                with pytest.raises(LeaseLost, match=f"{ID} was taken over"):
                    saver.put(address, empty_checkpoint(), {}, {})
                with pytest.raises(LeaseLost, match=f"{ID} was taken over"):
                    saver.put_writes(writes, [("a", 1)], "t")
                assert saver.get_tuple(address) is None
            else:
                saver.put(address, empty_checkpoint(), {}, {})
                saver.put_writes(writes, [("a", 1)], "t")
                assert saver.get_tuple(address) is not None


def test_lease_that_ran_out_is_taken_over_and_its_holder_learns_so(
    place: Place, opened: Callable[..., SqlStore], seen: Entry
) -> None:
    clock = Hands()
    store, other = opened(place, clock, wait_s=0), opened(place, clock, wait_s=0)
    with store.claim(seen.id) as lease:
        assert lease is not None
        clock.go_on(59)
        with other.claim(seen.id) as early:
            assert early is None
        clock.go_on(1)
        with other.claim(seen.id) as taken:
            assert taken is not None
            taken.demand()
            with pytest.raises(LeaseLost, match=f"{ID} was taken over"):
                lease.demand()
            with pytest.raises(LeaseLost):
                store.transition(seen, Status.RUNNING, lease=lease, audit=[happened()])
            with pytest.raises(LeaseLost):
                store.record(seen, [decision()], lease=lease, audit=[happened()])
            assert (store.get(ID), store.decisions(ID), list(store.audit())) == (seen, (), [])
            assert other.transition(seen, Status.RUNNING, lease=taken).version == seen.version + 1


def test_lease_by_a_clock_that_was_ahead_runs_out_as_any_other(
    place: Place, opened: Callable[..., SqlStore], seen: Entry
) -> None:
    clock, ahead = Hands(), Hands()
    ahead.go_on(86_400)
    other = opened(place, clock, wait_s=0)
    with opened(place, ahead).claim(seen.id, "worker on another machine") as lease:
        assert lease is not None
        for seconds in (0, 59):
            clock.go_on(seconds)
            with other.claim(seen.id) as early:
                assert early is None
        clock.go_on(1)
        with other.claim(seen.id) as taken:
            assert taken is not None
            with pytest.raises(LeaseLost):
                lease.demand()


def test_holder_that_lost_its_lease_does_not_free_the_next_ones(
    place: Place, opened: Callable[..., SqlStore], seen: Entry
) -> None:
    clock = Hands()
    store, other = opened(place, clock, wait_s=0), opened(place, clock, wait_s=0)
    first, second = store.claim(seen.id), other.claim(seen.id)
    first.__enter__()
    clock.go_on(61)
    lease = second.__enter__()
    first.__exit__(None, None, None)
    assert lease is not None
    lease.demand()
    second.__exit__(None, None, None)


def test_holder_that_answers_in_time_prolongs_its_lease(
    place: Place, opened: Callable[..., SqlStore], seen: Entry
) -> None:
    clock = Hands()
    store, other = opened(place, clock, wait_s=0), opened(place, clock, wait_s=0)
    with store.claim(seen.id) as lease:
        assert lease is not None
        for _ in range(3):
            clock.go_on(50)
            lease.demand()
            with other.claim(seen.id) as theirs:
                assert theirs is None


def test_holder_that_nobody_replaced_goes_on_even_when_late(
    place: Place, opened: Callable[..., SqlStore], seen: Entry
) -> None:
    clock = Hands()
    store = opened(place, clock)
    with store.claim(seen.id) as lease:
        clock.go_on(600)
        assert store.transition(seen, Status.RUNNING, lease=lease).status is Status.RUNNING


def test_heart_beats_while_the_work_goes_on(place: Place, opened: Callable[..., SqlStore], seen: Entry) -> None:
    store = opened(place, utc, lease_s=0.6)
    beaten, renewed = threading.Event(), store._leases.renewed
    beats: list[bool] = []

    def renew(review_id: str, holder: str) -> bool:
        beats.append(renewed(review_id, holder))
        if len(beats) == 3:
            beaten.set()
        return beats[-1]

    store._leases.renewed = renew  # type: ignore[method-assign]
    with store.claim(seen.id) as lease:
        assert lease is not None
        assert beaten.wait(timeout=60)
    assert all(beats)
    assert not [thread for thread in threading.enumerate() if thread.name == f"lease of {ID}"]


HOLD = """
import datetime, sys, time
from review_graph.adapters.store import place_of
from review_graph.adapters.store.facade import SqlStore
store = SqlStore(place_of(sys.argv[1]), lambda: datetime.datetime.now(datetime.UTC), lease_s=float(sys.argv[2]))
with store.claim(sys.argv[3], *sys.argv[4:]) as lease:
    print(lease.holder, flush=True)
    time.sleep(600)
"""


@contextmanager
def holding(place: Place, lease_s: float, *holder: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that has claimed the review."""
    command = [sys.executable, "-c", HOLD, given(place), str(lease_s), ID, *holder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        assert process.stdout is not None
        try:
            assert process.stdout.readline().strip()
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("holder", [(), ("worker on another machine",)], ids=["known dead", "only silent"])
def test_killed_holder_is_replaced(
    place: Place, opened: Callable[..., SqlStore], seen: Entry, holder: tuple[str, ...]
) -> None:
    # Of a process of this machine it is seen that it died, long before its lease has run out.
    lease_s = 1.5 if holder else 3600
    with holding(place, lease_s, *holder) as process:
        with opened(place, utc, wait_s=0).claim(seen.id) as theirs:
            assert theirs is None
        process.send_signal(signal.SIGKILL)
        with opened(place, utc, wait_s=60).claim(seen.id) as mine:
            assert mine is not None


def test_stopped_holder_is_replaced_and_learns_so(place: Place, opened: Callable[..., SqlStore], seen: Entry) -> None:
    with holding(place, 1.5) as process:
        process.send_signal(signal.SIGSTOP)
        with opened(place, utc, wait_s=60).claim(seen.id) as mine:
            assert mine is not None
            process.send_signal(signal.SIGCONT)
            mine.demand()


def test_living_process_is_not_gone_and_neither_is_what_cannot_be_told() -> None:
    place = new_holder().rpartition("/")[0].partition("@")[2]
    for holder in (
        new_holder(),
        new_holder("4194305"),
        new_holder("4194305.1@elsewhere"),
        new_holder("1.@" + place),
        new_holder("x.1@" + place),
        new_holder(""),
        "",
    ):
        assert not is_gone(holder)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process started")
def test_dead_process_is_gone_also_when_its_number_was_given_away() -> None:
    process, _, place = new_holder().rpartition("/")[0].partition("@")
    assert is_gone(new_holder(f"4194304999.1@{place}")) or is_gone(new_holder(f"4194303.1@{place}"))
    assert is_gone(new_holder(f"{process.partition('.')[0]}.1@{place}"))
