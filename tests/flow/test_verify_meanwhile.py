"""`audit verify` while others work, and where an entry or a row says what none can: faults are named, none made up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.core.chaining import FaultKind
from review_graph.errors import DecisionNotAllowed
from tests.flow.conftest import Built
from tests.flow.things import KEY, ids, run, unguarded

Ask = Callable[..., DecisionRequest]
READS = ("last_audit", "waivers", "entries", "decisions", "audit", "edited", "dossier")
"""What verifying reads, one after the other."""


@pytest.fixture
def service(kept: Settings, built: Built) -> ReviewService:
    return built(kept)


@pytest.fixture
def waived(service: ReviewService, table: Callable[..., Path], spec: dict[str, Any], ask: Ask) -> Review:
    """A review whose finding was waived, beside one that waits."""
    service.start(table("major", "other"), spec)
    paused = service.start(table("major"), spec)
    return service.decide(paused.id or "", ask("waive", findings=ids(paused, KEY), expires="2099-12-31"))


@pytest.mark.parametrize("place", READS)
@pytest.mark.parametrize("what", ["revoked", "decided", "started", "assigned"])
def test_what_is_done_meanwhile_is_no_fault(
    service: ReviewService,
    acting: ReviewService,
    waived: Review,
    table: Callable[..., Path],
    spec: dict[str, Any],
    ask: Ask,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    what: str,
) -> None:
    (other,) = (review for review in service.list() if review.id != waived.id)
    acts: dict[str, Callable[[], object]] = {
        "revoked": lambda: acting.waivers.revoke(acting.waivers.list()[0].id, by="Bob", reason="over"),
        "decided": lambda: acting.decide(other.id or "", ask("override")),
        "started": lambda: acting.start(table("minor"), spec),
        "assigned": lambda: acting.assign(other.id or "", "Bob", by="Ada"),
    }
    store, done = service.trail._store, list[str]()
    read = getattr(store, place)

    def reading(*arguments: Any, **named: Any) -> Any:
        if not done:
            done.append(place)
            acts[what]()
        return read(*arguments, **named)

    monkeypatch.setattr(store, place, reading)
    assert service.trail.verify() is None
    monkeypatch.undo()
    assert service.trail.verify() is None


def test_entry_that_says_what_none_can_is_named(kept: Settings, service: ReviewService, waived: Review) -> None:
    assert service.trail.verify() is None
    unguarded(kept, "audit")
    run(kept, "UPDATE audit SET action = 'approved by the king' WHERE number = 2")
    fault = service.trail.verify()
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.CHANGED, 2)
    assert service.get(waived.id or "").decisions == waived.decisions


@pytest.mark.parametrize("edit", ["status = 'nonsense'", "severity = ''"])
def test_row_that_says_what_none_can_is_named_and_keeps_nobody_from_the_others(
    kept: Settings, service: ReviewService, waived: Review, ask: Ask, edit: str
) -> None:
    run(kept, f"UPDATE reviews SET {edit} WHERE id = '{waived.id}'")  # noqa: S608 - our own
    fault = service.trail.verify()
    assert fault is not None
    assert (fault.kind, str(waived.id) in fault.message) == (FaultKind.REVIEW, True)
    failed = service.get(waived.id or "")
    assert (failed.status, {review.id for review in service.list()} >= {waived.id}) == (Status.FAILED, True)
    with pytest.raises(DecisionNotAllowed, match="row in the database was changed"):
        service.decide(waived.id or "", ask("override"))
    (other,) = (review for review in service.list() if review.id != waived.id)
    assert service.decide(other.id or "", ask("confirm")).status is Status.ESCALATED


def test_one_removed_entry_keeps_nobody_from_new_reviews(
    kept: Settings, service: ReviewService, waived: Review, table: Callable[..., Path], spec: dict[str, Any], ask: Ask
) -> None:
    assert waived.decisions
    unguarded(kept, "audit")
    run(kept, "DELETE FROM audit WHERE number = 2")
    fresh = service.start(table("major", "third"), spec)
    assert (fresh.status, fresh.problem) == (Status.PAUSED, None)
    assert service.decide(fresh.id or "", ask("confirm")).status is Status.ESCALATED
    fault = service.trail.verify()
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.REMOVED, 2)
