"""Waivers and drafts."""

from __future__ import annotations

import datetime as dt

import pytest

from review_graph.adapters.store import SqlitePlace
from review_graph.adapters.store.facade import SqlStore
from review_graph.core.chaining import verify_waivers
from review_graph.core.telling import told_of_waiver
from review_graph.errors import InvalidDecision, ReviewNotFound, SetupError
from review_graph.ports import Entry
from review_graph.vocabulary import AuditAction
from tests.adapters.store.things import AT, ID, draft, happened, waiver


def test_waiver_comes_back_as_it_was(store: SqlStore) -> None:
    full = waiver(key={"USUBJID": "S-1", "VISITNUM": 1.5, "AESEQ": None}, max_count=7, role="lead", findings=("f-1",))
    assert store.add_waiver(full, audit=[happened(AuditAction.WAIVER_ADDED)])
    assert store.waivers() == (full,)


def test_waiver_with_text_that_no_database_holds_is_what_the_trail_tells_of(store: SqlStore) -> None:
    odd = waiver(dataset="d\udc80m", key={"USUBJID": "S\x00\udc81"}, columns=("USUBJID", "\udc82"))
    made = told_of_waiver(AuditAction.WAIVER_ADDED, odd, by="Ada", at=AT, why="known")
    store.add_waiver(odd, audit=[made])
    assert store.standing_waivers("d\udc80m") == (odd,)
    assert verify_waivers(list(store.audit()), store.waivers()) is None
    assert store.edited() == ((), ())


def test_adding_again_changes_nothing_and_is_not_audited(store: SqlStore) -> None:
    assert store.add_waiver(waiver(), audit=[happened()])
    assert not store.add_waiver(waiver(reason="other"), audit=[happened()])
    assert store.waivers() == (waiver(),)
    assert len(list(store.audit())) == 1


def test_revoked_waiver_says_by_whom_when_and_why(store: SqlStore) -> None:
    store.add_waiver(waiver())
    revoked = store.revoke_waiver(waiver().id, by="Bob", reason="fixed", at=AT, audit=[happened()])
    assert (revoked.revoked_by, revoked.revoked_reason, revoked.revoked_at) == ("Bob", "fixed", AT)
    assert store.waivers() == (revoked,)
    with pytest.raises(InvalidDecision, match=f"was revoked already, by Bob at {AT[:10]}"):
        store.revoke_waiver(waiver().id, by="Eve", reason="again", at=AT, audit=[happened()])
    assert (store.waivers(), len(list(store.audit()))) == ((revoked,), 1)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE waivers SET expires_on = '2999-12-31'",
        "UPDATE waivers SET record = '{}'",
        "UPDATE waivers SET revoked_at = '2026-02-02', expires_on = '2999-12-31'",
        "UPDATE waivers SET revoked_at = '2026-02-02', record = replace(record, 'known', 'other')",
        "DELETE FROM waivers",
    ],
)
def test_database_refuses_to_change_a_waiver_but_for_taking_it_back(store: SqlStore, statement: str) -> None:
    store.add_waiver(waiver())
    with pytest.raises(SetupError, match="is never changed or deleted"), store._database.writing() as connection:
        connection.exec_driver_sql(statement)
    assert store.waivers() == (waiver(),)


def test_database_refuses_to_give_a_waiver_back_or_to_replace_it(store: SqlStore) -> None:
    store.add_waiver(waiver())
    revoked = store.revoke_waiver(waiver().id, by="Bob", reason="fixed", at=AT)
    anew = "INSERT OR REPLACE INTO waivers SELECT * FROM waivers"
    if not isinstance(store._database._place, SqlitePlace):
        anew = "TRUNCATE waivers"
    for statement in ("UPDATE waivers SET revoked_at = NULL", anew):
        with pytest.raises(SetupError, match="is never changed or deleted"), store._database.writing() as connection:
            connection.exec_driver_sql(statement)
    assert store.waivers() == (revoked,)


def test_unknown_waiver_cannot_be_revoked(store: SqlStore) -> None:
    with pytest.raises(InvalidDecision, match=r"no waiver has the id 'w-0'"):
        store.revoke_waiver("w-0", by="Bob", reason="fixed", at=AT)


@pytest.mark.parametrize(
    ("dataset", "day", "ids"),
    [
        (None, None, ["w-1", "w-2", "w-3", "w-4"]),
        ("dm", None, ["w-1", "w-3", "w-4"]),
        ("dm", "2026-12-31", ["w-1", "w-4"]),
        ("dm", "2027-01-01", ["w-4"]),
        ("DM", None, []),
        (None, "2026-01-01", ["w-1", "w-2", "w-4"]),
    ],
    ids=["all", "dataset", "last day", "day after", "case", "not revoked"],
)
def test_waivers_by_dataset_and_day(store: SqlStore, dataset: str | None, day: str | None, ids: list[str]) -> None:
    for number, more in enumerate(({}, {"dataset": "ae"}, {}, {"expires_on": "2027-06-30"}), start=1):
        store.add_waiver(waiver(f"w-{number}", created_at=f"2026-01-0{number}T00:00:00+00:00", **more))
    store.revoke_waiver("w-3", by="Bob", reason="fixed", at=AT)
    on = None if day is None else dt.date.fromisoformat(day)
    assert [kept.id for kept in store.waivers(dataset=dataset, active_on=on)] == ids


def test_drafts_are_one_an_author_and_the_last_one_stands(store: SqlStore, seen: Entry) -> None:
    assert seen.id == ID
    for each in (draft("Ada", "one"), draft("Bob", "other"), draft("Ada", "two", "three")):
        store.save_draft(each, audit=[happened(AuditAction.DRAFT_SAVED)])
    assert store.draft(ID, "Ada") == draft("Ada", "two", "three")
    assert store.draft(ID, "Bob") == draft("Bob", "other")
    assert len(list(store.audit())) == 3


def test_dropped_draft_is_gone_and_dropping_again_is_not_audited(store: SqlStore, seen: Entry) -> None:
    assert seen.id == ID
    store.save_draft(draft("Ada", "one"))
    assert store.drop_draft(ID, "Ada", audit=[happened()])
    assert not store.drop_draft(ID, "Ada", audit=[happened()])
    assert (store.draft(ID, "Ada"), len(list(store.audit()))) == (None, 1)


def test_draft_on_an_unknown_review_is_refused(store: SqlStore) -> None:
    with pytest.raises(ReviewNotFound):
        store.save_draft(draft("Ada", "one"))
