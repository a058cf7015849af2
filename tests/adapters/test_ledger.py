"""The list of reviews, and the lock of whoever works on one."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from review_graph.adapters import ledger as ledger_module
from review_graph.adapters.ledger import SqliteLedger
from review_graph.errors import SetupError
from review_graph.ports import Entry, Located
from review_graph.vocabulary import Problem


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "reviews.sqlite"


@pytest.fixture
def ledger(path: Path) -> SqliteLedger:
    return SqliteLedger(path)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "CLAIM_WAIT_S", 0.05)


def entry(identity: str = "dm-0123456789", attempt: int = 1, created_at: str = "2026-01-01T00:00:00+00:00") -> Entry:
    located = Located(name="dm", uri="/data/dm.xpt", fingerprint="f" * 64)
    full = identity if attempt == 1 else f"{identity}-{attempt}"
    return Entry(id=full, located=located, spec_digest="s" * 64, attempt=attempt, created_at=created_at)


def test_entry_comes_back_as_it_was(ledger: SqliteLedger, path: Path) -> None:
    ledger.add(entry())
    assert ledger.get("dm-0123456789") == entry()
    assert SqliteLedger(path).get("dm-0123456789") == entry()


def test_unknown_review_is_none(ledger: SqliteLedger) -> None:
    assert (ledger.get("dm-0"), ledger.latest("dm-0"), list(ledger.entries())) == (None, None, [])


def test_entering_again_changes_nothing(ledger: SqliteLedger) -> None:
    ledger.add(entry())
    ledger.note_problem("dm-0123456789", Problem(kind="input", message="gone"))
    ledger.add(entry(created_at="2027-01-01T00:00:00+00:00"))
    (kept,) = ledger.entries()
    assert (kept.created_at, kept.problem) == ("2026-01-01T00:00:00+00:00", Problem(kind="input", message="gone"))


def test_latest_attempt_is_by_number_and_not_by_text(ledger: SqliteLedger) -> None:
    for attempt in (10, 2, 9, 1):
        ledger.add(entry(attempt=attempt))
    latest = ledger.latest("dm-0123456789")
    assert latest is not None
    assert (latest.id, latest.attempt) == ("dm-0123456789-10", 10)


def test_reviews_are_listed_oldest_first(ledger: SqliteLedger) -> None:
    ledger.add(entry("b-1", created_at="2026-01-02T00:00:00+00:00"))
    ledger.add(entry("c-1", created_at="2026-01-01T00:00:00+00:00"))
    ledger.add(entry("a-1", created_at="2026-01-02T00:00:00+00:00"))
    assert [kept.id for kept in ledger.entries()] == ["c-1", "a-1", "b-1"]


def test_problem_is_kept_and_cleared(ledger: SqliteLedger) -> None:
    ledger.add(entry())
    problem = Problem(kind="input", message="'x'; DROP TABLE reviews; --")
    ledger.note_problem("dm-0123456789", problem)
    kept = ledger.get("dm-0123456789")
    assert kept is not None
    assert kept.problem == problem
    ledger.note_problem("dm-0123456789", None)
    assert ledger.get("dm-0123456789") == entry()


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("hands", ["the same", "other"])
def test_review_is_held_by_one_at_a_time(ledger: SqliteLedger, path: Path, hands: str) -> None:
    other = ledger if hands == "the same" else SqliteLedger(path)
    with ledger.claim("dm-1") as mine, other.claim("dm-1") as theirs, other.claim("ae-1") as another:
        assert (mine, theirs, another) == (True, False, True)
    with other.claim("dm-1") as theirs:
        assert theirs


def test_claim_waits_for_the_holder(ledger: SqliteLedger, path: Path) -> None:
    held, seconds = threading.Event(), 0.3

    def hold() -> None:
        with ledger.claim("dm-1"):
            held.set()
            time.sleep(seconds)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(timeout=10)
    begun = time.monotonic()
    with SqliteLedger(path).claim("dm-1") as mine:
        assert mine
        assert time.monotonic() - begun > seconds / 3
    holder.join()


@pytest.mark.usefixtures("impatient")
def test_claim_is_let_go_when_the_work_fails(ledger: SqliteLedger) -> None:
    with pytest.raises(ZeroDivisionError), ledger.claim("dm-1"):
        raise ZeroDivisionError
    with ledger.claim("dm-1") as mine:
        assert mine


DIE_HOLDING = """
import os, signal, sys
from pathlib import Path
from review_graph.adapters.ledger import SqliteLedger
with SqliteLedger(Path(sys.argv[1])).claim("dm-1") as mine:
    assert mine
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.usefixtures("impatient")
def test_claim_is_let_go_when_its_holder_dies(ledger: SqliteLedger, path: Path, elsewhere: Callable[..., Any]) -> None:
    assert elsewhere("-c", DIE_HOLDING, str(path)).returncode < 0
    with ledger.claim("dm-1") as mine:
        assert mine


def test_threads_may_share_a_ledger(ledger: SqliteLedger) -> None:
    def add(number: int) -> None:
        ledger.add(entry(f"dm-{number}"))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(ledger.entries())) == 16


def test_database_that_fails_later_is_said_in_one_line(ledger: SqliteLedger, path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("DROP TABLE reviews")
    connection.close()
    with pytest.raises(SetupError, match=r"cannot use the database .*reviews") as refusal:
        ledger.get("dm-1")
    assert "\n" not in str(refusal.value)
