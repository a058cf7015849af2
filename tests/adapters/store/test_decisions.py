"""Decisions are written once, one after another, together with all that goes with them."""

from __future__ import annotations

import math

import pytest
from sqlalchemy import select

from checks.vocabulary import Severity
from review_graph.adapters.store.facade import SqlStore
from review_graph.adapters.store.schema import DECISIONS
from review_graph.errors import DecisionConflict, ReviewNotFound
from review_graph.ports import Entry
from review_graph.vocabulary import Action, Decision, Status
from tests.adapters.store.things import ID, decision, draft, entry, happened, waiver


def everything(store: SqlStore) -> tuple[object, ...]:
    return store.get(ID), store.decisions(ID), store.waivers(), store.draft(ID, "Ada"), list(store.audit())


def test_decision_comes_back_as_it_was(store: SqlStore, seen: Entry) -> None:
    full = decision(
        action=Action.WAIVE,
        reason='\u202e"Ünïcode" \U0001f600',
        findings=("a", "b"),
        role="data manager",
        meaning="I accept",
        reason_code="expected",
        waiver="w-1",
        expires="2026-12-31",
        max_count=3,
    )
    store.record(seen, [full])
    assert store.decisions(ID) == (full,)


def test_decision_moves_the_version_and_the_severity(store: SqlStore, seen: Entry) -> None:
    moved = store.record(seen, [decision()], severity=Severity.MINOR)
    assert moved == store.get(ID)
    assert (moved.version, moved.severity, moved.status) == (seen.version + 1, Severity.MINOR, Status.PAUSED)
    assert store.record(moved, [decision(2)]).severity is Severity.MINOR  # a comment leaves it


def test_decisions_waivers_draft_and_audit_are_one_transaction(store: SqlStore, seen: Entry) -> None:
    store.save_draft(draft("Ada", "one", "two"))
    several = [decision(), decision(2, action=Action.COMMENT)]
    store.record(seen, several, waivers=[waiver()], draft_of="Ada", audit=[happened(), happened()])
    assert store.decisions(ID) == tuple(several)
    assert store.waivers() == (waiver(),)
    assert store.draft(ID, "Ada") is None
    assert [kept.number for kept in store.audit()] == [1, 2]


def test_what_cannot_be_audited_is_not_decided(store: SqlStore, seen: Entry) -> None:
    store.save_draft(draft("Ada", "one"))
    before = everything(store)
    unwritable = happened(detail={"share": math.nan})
    with pytest.raises(ValueError, match="JSON"):
        store.record(seen, [decision()], waivers=[waiver()], draft_of="Ada", audit=[happened(), unwritable])
    assert everything(store) == before


def test_loser_gets_the_first_decision_that_it_had_not_seen(store: SqlStore, seen: Entry) -> None:
    first = decision(by="Bob", reason="sent back")
    after = store.record(seen, [first])
    store.record(after, [decision(2, action=Action.COMMENT, reason="late")])
    before = everything(store)
    with pytest.raises(DecisionConflict, match=r"Bob recorded confirm at .*: sent back") as conflict:
        store.record(seen, [decision()], waivers=[waiver()], audit=[happened()])
    assert conflict.value.decision == first
    assert everything(store) == before


def test_review_that_moved_on_without_a_decision_is_a_conflict_as_well(store: SqlStore, seen: Entry) -> None:
    store.transition(seen, Status.RUNNING)
    with pytest.raises(DecisionConflict, match="it is running now") as conflict:
        store.record(seen, [decision()])
    assert conflict.value.decision is None
    assert store.decisions(ID) == ()


@pytest.mark.parametrize("numbers", [[2], [1, 3], [1, 1]], ids=["gap", "gap inside", "twice"])
def test_numbers_follow_each_other(store: SqlStore, seen: Entry, numbers: list[int]) -> None:
    with pytest.raises(DecisionConflict, match="has 0 decisions"):
        store.record(seen, [decision(number) for number in numbers])
    assert store.decisions(ID) == ()


def test_unknown_review_is_refused(store: SqlStore) -> None:
    with pytest.raises(ReviewNotFound):
        store.record(entry(), [decision()])


def test_decisions_of_reviews_are_apart(store: SqlStore, seen: Entry) -> None:
    store.add(entry("ae-1"))
    store.record(seen, [decision()])
    other = store.get("ae-1")
    assert other is not None
    store.record(other, [decision(by="Bob")])
    assert [kept.by for kept in (*store.decisions(ID), *store.decisions("ae-1"))] == ["Ada", "Bob"]


def test_digest_is_kept_beside_the_record(store: SqlStore, seen: Entry) -> None:
    store.record(seen, [decision()])
    with store._database.reading() as connection:
        assert connection.scalars(select(DECISIONS.c.digest)).all() == [decision().digest]


def test_order_is_by_number_and_not_by_text(store: SqlStore, seen: Entry) -> None:
    many = [decision(number) for number in range(1, 13)]
    store.record(seen, many)
    kept: tuple[Decision, ...] = store.decisions(ID)
    assert [each.number for each in kept] == list(range(1, 13))
