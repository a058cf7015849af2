"""Rows and entries that were edited or added past the store are named, and have no effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checks.vocabulary import canonical
from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.core.chaining import FaultKind
from tests.flow.conftest import Built
from tests.flow.things import KEY, ids, run, unguarded

Ask = Callable[..., DecisionRequest]
Table = Callable[..., Path]
Plain = dict[str, Any]


@pytest.fixture
def service(kept: Settings, built: Built) -> ReviewService:
    return built(kept)


@pytest.fixture
def paused(service: ReviewService, table: Table, spec: Plain) -> Review:
    return service.start(table("major"), spec | {"policy": {"majorAt": 1}})


ROWS = {
    "uri": ("UPDATE reviews SET uri = '/elsewhere'", FaultKind.REVIEW, "another uri than entry 1 tells of"),
    "fingerprint": ("UPDATE reviews SET fingerprint = '00'", FaultKind.REVIEW, "another fingerprint than entry 1"),
    "status": (
        "UPDATE reviews SET status = 'failed'",
        FaultKind.REVIEW,
        "has the status 'failed', and the trail tells",
    ),
    "assignee": ("UPDATE reviews SET assignee = 'Eve'", FaultKind.REVIEW, "has the assignee 'Eve', and the trail"),
    "review": ("DELETE FROM reviews", FaultKind.REVIEW, "of entry 1, is gone"),
    "key": (
        """UPDATE decisions SET record = replace(record, '{"action"', '{"Forged":true,"action"')""",
        FaultKind.DECISION,
        "decision 1 of review",
    ),
    "blank": ("UPDATE decisions SET record = record || ' '", FaultKind.DECISION, "its row was edited"),
    "digest": ("UPDATE decisions SET digest = 'x'", FaultKind.DECISION, "its row was edited"),
    "last day": ("UPDATE waivers SET expires_on = '2999-12-31'", FaultKind.WAIVER, "its row was edited"),
}


@pytest.mark.parametrize(("statement", "kind", "says"), ROWS.values(), ids=[*ROWS])
def test_row_that_was_edited_is_named(
    kept: Settings, service: ReviewService, paused: Review, ask: Ask, statement: str, kind: FaultKind, says: str
) -> None:
    waive = ask("waive", findings=ids(paused, KEY), expires="2099-12-31", reason_code="expected")
    service.decide(paused.id or "", waive)
    assert service.trail.verify() is None
    unguarded(kept, "decisions", "waivers")
    run(kept, statement)
    fault = service.trail.verify()
    assert fault is not None
    assert (fault.kind, says in fault.message) == (kind, True), fault.message


def test_severity_that_was_edited_is_named(kept: Settings, service: ReviewService, paused: Review) -> None:
    assert service.trail.verify() is None
    run(kept, f"UPDATE reviews SET severity = 'none' WHERE id = '{paused.id}'")  # noqa: S608 - our own
    fault = service.trail.verify()
    assert fault is not None
    assert "has the severity 'none', and the trail tells of 'major'" in fault.message


def test_entry_outside_of_the_chain_has_no_effect_and_is_named(
    kept: Settings, service: ReviewService, paused: Review, table: Table, spec: Plain, ask: Ask
) -> None:
    waive = ask("waive", findings=ids(paused, KEY), expires="2099-12-31", reason_code="expected")
    service.decide(paused.id or "", waive)
    (waiver,) = service.waivers.list()
    plain = waiver.to_plain() | {"id": "w-000000000000", "findings": []}
    detail = canonical({"waiver": plain, "why": "known"})
    run(
        kept,
        "INSERT INTO waivers (id, dataset, created_at, expires_on, record) VALUES "  # noqa: S608 - our own
        f"('w-000000000000', '{waiver.dataset}', '{waiver.created_at}', '2099-12-31', '{canonical(plain)}')",
    )
    service.waivers.revoke(waiver.id, by="Ada", reason="not any more")
    for number in (-3, 0):
        run(
            kept,
            "INSERT INTO audit (number, at, actor, role, action, subject, detail, previous, hash) VALUES "  # noqa: S608 - our own
            f"({number}, '2026-01-01T00:00:00+00:00', 'Eve', '', 'waiver_added', '{{}}', '{detail}', '', '')",
        )
    assert service.start(table("major"), spec, fresh=True).status is Status.PAUSED
    fault = service.trail.verify()
    assert fault is not None
    assert (fault.number, fault.message) == (-3, "entry -3 was added past the gate: the trail begins with entry 1")
