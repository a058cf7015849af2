"""What was disclosed and what was said: the same on both databases and in memory."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from checks.vocabulary import JSON
from review_graph.adapters.in_memory import MemoryLedgers, MemoryOfProcess
from review_graph.adapters.store import Place, SqlitePlace, place_of
from review_graph.adapters.store import migrations as migrations_module
from review_graph.adapters.store.facade import SqlStore
from review_graph.adapters.store.migrations import MIGRATIONS
from review_graph.adapters.store.schema import TURNS
from review_graph.errors import SetupError
from review_graph.ports import Ledgers, Memory
from review_graph.vocabulary import Disclosed, Turn
from tests.adapters.store.things import AT, ID, NOW, decision, entry, happened

TTL = dt.timedelta(minutes=60)
NASTY = "a\x00b \udc80 \u202e {x} 'q' \n"


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> dt.datetime:
        return self.now

    def on(self, minutes: float) -> None:
        self.now += dt.timedelta(minutes=minutes)


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture(params=["sqlite", "postgresql", "memory"])
def kept(
    request: pytest.FixtureRequest, tmp_path: Path, opened: Callable[..., SqlStore], hands: Hands
) -> tuple[Ledgers, Memory]:
    """A ledger and a memory of each kind."""
    if request.param == "memory":
        return MemoryLedgers(), MemoryOfProcess(hands, TTL)
    sqlite = request.param == "sqlite"
    store = opened(place_of(str(tmp_path / "r.sqlite") if sqlite else request.getfixturevalue("postgres")), hands)
    return store.ledgers(), store.memory(TTL)


@pytest.fixture
def ledgers(kept: tuple[Ledgers, Memory]) -> Ledgers:
    return kept[0]


@pytest.fixture
def memory(kept: tuple[Ledgers, Memory]) -> Memory:
    return kept[1]


def told(question: str = "q" * 64, *groups: Mapping[str, JSON], **more: Any) -> Disclosed:
    return Disclosed(**{"question": question, "fingerprint": "f" * 64, "groups": groups, "at": AT} | more)


def turn(question: str, at: dt.datetime = NOW, answer: str = "86") -> Turn:
    return Turn(question=question, answer=answer, at=at.isoformat())


def questions(memory: Memory, session: str = "ada") -> list[str]:
    return [each.question for each in memory.turns(session)]


def test_what_was_disclosed_comes_back_as_it_was_and_in_order(ledgers: Ledgers) -> None:
    entries = [
        told("1", {"sets": ["AAE=", "/w=="], "how": "shown", "depth": {"n": 1.5, "none": None, "yes": True}}),
        told("2", refused=True),
        told(NASTY, {NASTY: NASTY}),
    ]
    for seen, each in enumerate(entries):
        assert ledgers.disclosed("dm").seen == seen
        assert ledgers.disclose("dm", seen, each)
    assert ledgers.disclosed("dm").entries == tuple(entries)


def test_only_what_was_seen_last_can_be_added_to(ledgers: Ledgers) -> None:
    assert ledgers.disclose("dm", 0, told("1"))
    for seen in (0, 2, 7):
        assert not ledgers.disclose("dm", seen, told("late"))
    assert [each.question for each in ledgers.disclosed("dm").entries] == ["1"]
    assert ledgers.disclose("dm", 1, told("2"))


def test_each_dataset_has_its_own_ledger(ledgers: Ledgers) -> None:
    ledgers.disclose("dm", 0, told("1"))
    assert ledgers.disclose("DM", 0, told("2"))
    assert ledgers.disclosed("ae").entries == ()
    assert [each.question for each in ledgers.disclosed("dm").entries] == ["1"]


def test_one_of_many_that_disclose_at_once_wins_each_time(ledgers: Ledgers) -> None:
    def disclose(number: int) -> int:
        lost = 0
        while not ledgers.disclose("dm", ledgers.disclosed("dm").seen, told(str(number))):
            lost += 1
        return lost

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(disclose, range(24)))
    found = ledgers.disclosed("dm")
    assert found.seen == 24
    assert {each.question for each in found.entries} == {str(number) for number in range(24)}


def test_two_callers_with_stores_of_their_own_never_disclose_on_the_same_sight(
    place: Place, opened: Callable[..., SqlStore]
) -> None:
    both = [opened(place).ledgers(), opened(place).ledgers()]

    def disclose(number: int) -> bool:
        return both[number % 2].disclose("dm", 0, told(str(number)))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(disclose, range(16))) == 1
    assert [len(each.disclosed("dm").entries) for each in both] == [1, 1]


def test_units_are_kept_once_for_each_version_of_a_dataset(ledgers: Ledgers) -> None:
    assert ledgers.units("dm", "f") is None
    ledgers.keep_units("dm", "f", b"\x00\xff one")
    ledgers.keep_units("dm", "f", b"two")
    ledgers.keep_units("dm", "g", b"")
    found = [ledgers.units("dm", "f"), ledgers.units("dm", "g"), ledgers.units("ae", "f")]
    assert found == [b"\x00\xff one", b"", None]
    assert type(found[0]) is bytes


def test_turns_come_back_in_order_each_session_its_own(memory: Memory) -> None:
    for question in ("how many?", NASTY, "and women?"):
        memory.add("ada", turn(question, answer=NASTY))
    memory.add("bob", turn("mine"))
    assert memory.turns("ada") == tuple(turn(each, answer=NASTY) for each in ("how many?", NASTY, "and women?"))
    assert (questions(memory, "bob"), questions(memory, "eve")) == (["mine"], [])


def test_conversation_lives_on_from_its_last_turn_and_is_gone_at_once(memory: Memory, hands: Hands) -> None:
    memory.add("ada", turn("1"))
    hands.on(59)
    memory.add("ada", turn("2", hands.now))
    hands.on(59)
    assert questions(memory) == ["1", "2"]
    hands.on(1)
    assert questions(memory) == []
    memory.add("ada", turn("3", hands.now))
    assert questions(memory) == ["3"]


def test_forgotten_conversation_is_gone_and_no_other(memory: Memory) -> None:
    memory.add("ada", turn("1"))
    memory.add("bob", turn("2"))
    memory.forget("ada")
    memory.forget("nobody")
    assert (questions(memory), questions(memory, "bob")) == ([], ["2"])


def test_old_conversations_of_all_are_deleted_at_the_next_write(
    place: Place, opened: Callable[..., SqlStore], hands: Hands
) -> None:
    store = opened(place, hands)
    memory = store.memory(TTL)
    memory.add("ada", turn("1"))
    memory.add("ada", turn("2"))
    hands.on(60)
    memory.add("bob", turn("3", hands.now))
    with store._database.reading() as connection:
        assert connection.scalar(select(func.count()).select_from(TURNS)) == 1


def run(store: SqlStore, *statements: str) -> None:
    with store._database.writing() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def disarm(store: SqlStore, table: str) -> None:
    """What somebody with all rights could do."""
    if isinstance(store._database._place, SqlitePlace):
        run(store, *(f"DROP TRIGGER {table}_refuses_{act}" for act in ("update", "delete", "replace")))
    else:
        run(store, f"DROP TRIGGER {table}_refuses ON {table}")


@pytest.mark.parametrize("table", ["ledger", "ledger_units"])
def test_database_refuses_to_change_what_was_disclosed(store: SqlStore, table: str) -> None:
    ledgers = store.ledgers()
    ledgers.disclose("dm", 0, told("1"))
    ledgers.keep_units("dm", "f", b"one")
    ways = [[f"UPDATE {table} SET dataset = 'x'"], [f"DELETE FROM {table}"]]  # noqa: S608 - our own names
    if isinstance(store._database._place, SqlitePlace):
        ways += [[f"REPLACE INTO {table} SELECT * FROM {table}"]]  # noqa: S608 - our own names
    else:
        as_replica = ["SET session_replication_role = replica", f"DELETE FROM {table}"]  # noqa: S608 - our own names
        ways += [[f"TRUNCATE {table}"], as_replica]
    for way in ways:
        with pytest.raises(SetupError, match=f"recorded in {table} is never changed or deleted"):
            run(store, *way)
    assert (ledgers.disclosed("dm").entries, ledgers.units("dm", "f")) == ((told("1"),), b"one")


@pytest.mark.parametrize(
    "harm",
    ["DELETE FROM ledger WHERE number = 1", *(f"UPDATE ledger SET record = '{text}'" for text in ("{", "{}", "[]"))],  # noqa: S608 - our own text
)
def test_ledger_that_somebody_with_all_rights_harmed_tells_nothing(store: SqlStore, harm: str) -> None:
    for seen in range(2):
        store.ledgers().disclose("dm", seen, told(str(seen)))
    disarm(store, "ledger")
    run(store, harm)
    with pytest.raises(SetupError, match="entry 1 of what was disclosed of 'dm' is damaged or gone"):
        store.ledgers().disclosed("dm")


def test_database_of_version_1_is_taken_over_with_all_it_holds(
    place: Place, opened: Callable[..., SqlStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(migrations_module, "MIGRATIONS", MIGRATIONS[:1])
        before = opened(place)
        before.add(entry())
        found = before.get(ID)
        assert found is not None
        before.record(found, [decision()], audit=[happened()])
    store = opened(place)
    assert (store.decisions(ID), len(list(store.audit()))) == ((decision(),), 1)
    with pytest.raises(SetupError, match="recorded in decisions is never changed"):
        run(store, "DELETE FROM decisions")
    assert store.ledgers().disclose("dm", 0, told("1"))


def test_both_databases_hold_the_same_text(store: SqlStore) -> None:
    store.ledgers().disclose("dm", 0, told("ä", {"b": 1, "a": [1.5]}))
    with store._database.reading() as connection:
        text = connection.exec_driver_sql("SELECT record FROM ledger").scalar()
    assert json.loads(str(text)) == told("ä", {"b": 1, "a": [1.5]}).to_plain()
    assert str(text).startswith('{"at":"2026-03-04T05:06:07+00:00","fingerprint"')
