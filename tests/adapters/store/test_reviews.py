"""Reviews are entered once, listed by what presses most, and move on only for whoever saw them as they are."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from checks.vocabulary import Severity
from review_graph.adapters.store import Place, facade
from review_graph.adapters.store.facade import SqlStore
from review_graph.errors import DecisionConflict, DecisionNotAllowed, ReviewNotFound
from review_graph.ports import Entry, ReviewFilter
from review_graph.vocabulary import Assignment, AuditAction, Problem, Status
from tests.adapters.store.things import AT, ID, entry, happened


def present(store: SqlStore, review_id: str = ID) -> Entry:
    found = store.get(review_id)
    assert found is not None
    return found


def test_review_comes_back_as_it_was(store: SqlStore, place: Place, opened: Callable[..., SqlStore]) -> None:
    problem = Problem(kind="input", message="'x'; DROP TABLE reviews; --")
    full = entry(severity=Severity.MINOR, graph_version=3, assignee="Ada", problem=problem, updated_at=AT)
    assert store.add(full)
    assert opened(place).get(ID) == full


def test_unknown_review_is_none(store: SqlStore) -> None:
    assert (store.get("dm-0"), store.latest("dm-0"), list(store.entries())) == (None, None, [])


def test_entering_again_changes_nothing_and_is_not_audited(store: SqlStore) -> None:
    started = happened(AuditAction.REVIEW_STARTED)
    assert store.add(entry(), audit=[started])
    assert not store.add(entry(created_at="2027-01-01T00:00:00+00:00"), audit=[started])
    assert present(store).created_at == "2026-01-01T00:00:00+00:00"
    assert [kept.action for kept in store.audit()] == [AuditAction.REVIEW_STARTED]


def test_latest_attempt_is_by_number_and_not_by_text(store: SqlStore) -> None:
    for attempt in (10, 2, 9, 1):
        store.add(entry(attempt=attempt))
    latest = store.latest(ID)
    assert latest is not None
    assert (latest.id, latest.attempt) == (f"{ID}-10", 10)


def test_text_that_a_database_cannot_hold_is_written_as_escapes(store: SqlStore) -> None:
    store.add(entry(name="d\x00m \udc80", problem=Problem(kind="input", message="\x00")))
    assert present(store).located.name == "d\\x00m \\udc80"
    assert present(store).problem == Problem(kind="input", message="\\x00")


def test_the_oldest_comes_first(store: SqlStore) -> None:
    days = {"B-1": ("minor", 1), "b-2": ("major", 3), "a-3": ("major", 2), "a-4": ("none", 1), "C-5": ("major", 2)}
    for identity, (severity, day) in days.items():
        store.add(entry(identity, severity=Severity(severity), created_at=f"2026-01-0{day}T00:00:00+00:00"))
    assert [kept.id for kept in store.entries()] == ["B-1", "a-4", "C-5", "a-3", "b-2"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 50])
def test_pages_follow_each_other_without_gap_or_repeat(store: SqlStore, limit: int) -> None:
    severities = list(Severity)
    for number in range(20):
        created_at = f"2026-01-0{1 + number % 4}T00:00:00+00:00"
        store.add(entry(f"dm-{number}", severity=severities[number % 3], created_at=created_at))
    pages: list[Entry] = []
    after = None
    while found := store.page(ReviewFilter(), after=after, limit=limit):
        assert len(found) <= limit
        pages += found
        after = found[-1]
    assert pages == list(store.entries())
    assert len(pages) == 20


def test_review_that_comes_between_two_pages_shifts_no_other(store: SqlStore) -> None:
    for number in (1, 3, 5):
        store.add(entry(f"dm-{number}", created_at=f"2026-01-0{number}T00:00:00+00:00"))
    first = store.page(ReviewFilter(), limit=2)
    store.add(entry("dm-0", created_at="2025-01-01T00:00:00+00:00"))
    assert [kept.id for kept in store.page(ReviewFilter(), after=first[-1], limit=2)] == ["dm-5"]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_review_that_moves_on_while_others_are_read_is_given_once(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(facade, "PAGE", size)
    for number in range(3):
        store.add(entry(f"dm-{number}", severity=Severity.MINOR, created_at=f"2026-01-0{1 + number}T00:00:00+00:00"))
    given = []
    for kept in store.entries():
        given.append(kept.id)
        for number in range(3):  # all rise and fall by turns
            moved, severity = present(store, f"dm-{number}"), (Severity.MAJOR, Severity.NONE)[len(given) % 2]
            to = Status.RUNNING if moved.status is Status.PAUSED else Status.PAUSED
            store.transition(moved, to, severity=severity)
    assert given == ["dm-0", "dm-1", "dm-2"]


@pytest.mark.parametrize("edit", ["status = 'nonsense'", "severity = ''"])
def test_row_that_says_what_no_review_can_be_fails_by_itself(store: SqlStore, edit: str) -> None:
    store.add(entry())
    store.add(entry("ae-1"))
    with store._database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE reviews SET {edit} WHERE id = '{ID}'")  # noqa: S608 - our own text
    edited = present(store)
    assert (edited.status, edited.severity) == (Status.FAILED, Severity.MAJOR)
    assert edited.problem is not None
    assert "row in the database was changed" in edited.problem.message
    assert {kept.id: kept.status for kept in store.entries()} == {ID: Status.FAILED, "ae-1": Status.RUNNING}


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        (ReviewFilter(), {"dm-1", "ae-1", "ae-2"}),
        (ReviewFilter(status=(Status.PAUSED,)), {"ae-1"}),
        (ReviewFilter(status=(Status.PAUSED, Status.FAILED)), {"ae-1", "ae-2"}),
        (ReviewFilter(severity=(Severity.MINOR, Severity.NONE)), {"dm-1"}),
        (ReviewFilter(dataset="ae"), {"ae-1", "ae-2"}),
        (ReviewFilter(assignee="Ada"), {"ae-1"}),
        (ReviewFilter(assignee=""), {"dm-1", "ae-2"}),
        (ReviewFilter(created_before="2026-01-02T00:00:00+00:00"), {"dm-1"}),
        (ReviewFilter(dataset="ae", status=(Status.RUNNING,)), set()),
        (ReviewFilter(dataset="' OR 1=1 --"), set()),
    ],
    ids=["all", "status", "statuses", "severities", "dataset", "assignee", "nobody's", "age", "both", "hostile"],
)
def test_filter(store: SqlStore, wanted: ReviewFilter, ids: set[str]) -> None:
    store.add(entry("dm-1", severity=Severity.MINOR))
    store.add(entry("ae-1", name="ae", status=Status.PAUSED, assignee="Ada", created_at="2026-01-02T00:00:00+00:00"))
    store.add(entry("ae-2", name="ae", status=Status.FAILED, created_at="2026-01-03T00:00:00+00:00"))
    assert {kept.id for kept in store.entries(wanted)} == ids


def test_transition_changes_what_it_names_and_is_audited_with_it(store: SqlStore) -> None:
    store.add(entry())
    paused = happened(AuditAction.REVIEW_PAUSED)
    moved = store.transition(present(store), Status.PAUSED, severity=Severity.MINOR, graph_version=4, audit=[paused])
    assert moved == present(store)
    assert (moved.status, moved.severity, moved.graph_version, moved.version, moved.updated_at) == (
        Status.PAUSED,
        Severity.MINOR,
        4,
        2,
        AT,
    )
    assert [kept.action for kept in store.audit(ID)] == [AuditAction.REVIEW_PAUSED]


def test_problem_is_kept_and_goes_with_the_next_transition(store: SqlStore) -> None:
    store.add(entry())
    problem = Problem(kind="input", message="gone")
    failed = store.transition(present(store), Status.FAILED, problem=problem)
    assert failed.problem == problem
    assert store.transition(failed, Status.RUNNING).problem is None


def test_whoever_saw_an_older_version_gets_a_conflict_and_changes_nothing(store: SqlStore, seen: Entry) -> None:
    store.transition(seen, Status.RUNNING)
    with pytest.raises(DecisionConflict, match=r"dm-0123456789 moved on .* it is running now"):
        store.transition(seen, Status.RUNNING, audit=[happened()])
    assert (present(store).version, list(store.audit())) == (3, [])


def test_illegal_transition_is_refused_and_changes_nothing(store: SqlStore) -> None:
    store.add(entry(status=Status.SUMMARISED))
    before = present(store)
    with pytest.raises(DecisionNotAllowed, match="summarised"):
        store.transition(before, Status.PAUSED, audit=[happened()])
    assert (present(store), list(store.audit())) == (before, [])


def test_transition_of_an_unknown_review_is_refused(store: SqlStore) -> None:
    with pytest.raises(ReviewNotFound, match="'dm-0123456789'"):
        store.transition(entry(), Status.PAUSED)


def test_assignment_changes_no_version(store: SqlStore, seen: Entry) -> None:
    store.assign(Assignment(review_id=ID, assignee="Ada", by="Bob", at=AT), audit=[happened(AuditAction.ASSIGNED)])
    assert (present(store).assignee, present(store).version) == ("Ada", seen.version)
    store.assign(Assignment(review_id=ID, assignee="", by="Bob", at=AT))
    assert present(store).assignee == ""
    with pytest.raises(ReviewNotFound):
        store.assign(Assignment(review_id="dm-0", assignee="Ada", by="Bob", at=AT))


def test_effect_is_given_out_once(store: SqlStore, place: Place, opened: Callable[..., SqlStore]) -> None:
    assert [store.once(ID, "escalate", 2), opened(place).once(ID, "escalate", 2)] == [True, False]
    assert all([store.once(ID, "escalate", 3), store.once(ID, "summarise", 2), store.once("dm-2", "escalate", 2)])


def test_time_is_the_clocks_in_utc(place: Place, opened: Callable[..., SqlStore]) -> None:
    east = dt.timezone(dt.timedelta(hours=5))
    store = opened(place, lambda: dt.datetime(2026, 1, 1, 2, tzinfo=east))
    store.add(entry())
    assert present(store).updated_at == "2025-12-31T21:00:00+00:00"


def test_threads_may_share_a_store(store: SqlStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda number: store.add(entry(f"dm-{number}")), range(16)))
    assert added == [True] * 16
    assert len(list(store.entries())) == 16


def test_previous_is_the_latest_other_review_of_the_dataset_that_was_judged(store: SqlStore) -> None:
    days = {"A-1": (1, "dm"), "A-2": (3, "dm"), "A-3": (2, "dm"), "A-4": (9, "ae"), "A-5": (8, "dm")}
    for identity, (day, name) in days.items():
        added = entry(identity, name=name, created_at=f"2026-01-0{day}T00:00:00+00:00")
        store.add(added)
        if identity != "A-5":  # still running
            store.transition(added, Status.PAUSED)
    assert store.previous(entry("A-9")) == store.get("A-2")
    assert store.previous(entry("A-2")) == store.get("A-3")
    assert store.previous(entry("A-9", name="lb")) is None
