"""Several deciders at the same moment: exactly one wins, and the others learn what was decided."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from review_graph.adapters.store import Place, PostgresPlace
from review_graph.adapters.store.facade import SqlStore
from review_graph.core.chaining import verify
from review_graph.errors import DecisionConflict
from review_graph.ports import Entry
from review_graph.vocabulary import Decision, Status
from tests.adapters.store.things import decision, entry, happened

DECIDERS = 4


def waiting(store: SqlStore, number: int) -> Entry:
    store.add(entry(f"dm-{number}"))
    found = store.get(f"dm-{number}")
    assert found is not None
    return store.transition(found, Status.PAUSED)


def race(stores: Sequence[SqlStore], pool: ThreadPoolExecutor, number: int) -> None:
    seen, start = waiting(stores[0], number), threading.Barrier(DECIDERS)

    def decide(who: int) -> tuple[str, Decision | None]:
        store, mine = stores[who % len(stores)], decision(by=f"decider {who}")
        start.wait(timeout=60)
        try:
            store.record(seen, [mine], audit=[happened(review_id=seen.id, detail={"digest": mine.digest})])
        except DecisionConflict as conflict:
            return "lost", conflict.decision
        effects.append(store.once(seen.id, "escalate", 1))
        return "won", mine

    effects: list[bool] = []
    outcomes = list(pool.map(decide, range(DECIDERS)))
    (recorded,) = stores[0].decisions(seen.id)
    assert Counter(outcome for outcome, _ in outcomes) == {"won": 1, "lost": DECIDERS - 1}
    assert [decided for _, decided in outcomes] == [recorded] * DECIDERS
    assert effects == [True]


def races(place: Place, opened: Callable[..., SqlStore], times: int) -> None:
    stores = [opened(place), opened(place)]
    with ThreadPoolExecutor(DECIDERS) as pool:
        for number in range(times):
            race(stores, pool, number)
    entries = list(stores[0].audit())
    assert len(entries) == times
    assert verify(entries) is None


def test_one_decider_wins(place: Place, opened: Callable[..., SqlStore]) -> None:
    races(place, opened, 50)


@pytest.mark.slow
def test_one_decider_wins_a_thousand_times(place: Place, opened: Callable[..., SqlStore]) -> None:
    races(place, opened, 1000)


DECIDE = """
import datetime, sys
from review_graph.adapters.store import place_of
from review_graph.adapters.store.facade import SqlStore
from review_graph.errors import DecisionConflict
from review_graph.ports import ReviewFilter
from tests.adapters.store.things import decision, happened
store = SqlStore(place_of(sys.argv[1]), lambda: datetime.datetime.now(datetime.UTC))
seen = list(store.entries())
print("ready", flush=True)
sys.stdin.readline()
for review in seen:
    try:
        store.record(review, [decision(by=sys.argv[2])], audit=[happened(review_id=review.id)])
    except DecisionConflict as conflict:
        assert conflict.decision.by != sys.argv[2]
    else:
        print(review.id)
"""


def test_one_process_wins(place: Place, opened: Callable[..., SqlStore]) -> None:
    store, times = opened(place), 50
    for number in range(times):
        waiting(store, number)
    given = place.url if isinstance(place, PostgresPlace) else str(place.path)
    processes = [
        subprocess.Popen(  # noqa: S603 - our own
            [sys.executable, "-c", DECIDE, given, f"decider {who}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for who in range(DECIDERS)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    won: dict[str, str] = {}
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for who, process in enumerate(processes):
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        for review_id in out.split():
            assert won.setdefault(review_id, f"decider {who}") == f"decider {who}"
    assert len(won) == times
    assert {review_id: store.decisions(review_id)[0].by for review_id in won} == won
    assert verify(list(store.audit())) is None
