"""What was written past the gate, into rows or into a thread, has no effect, and the review or the trail says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.types import Overwrite

from checks.vocabulary import canonical
from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.core.chaining import FaultKind
from review_graph.errors import DecisionNotAllowed, InvalidDecision
from review_graph.vocabulary import AuditAction
from tests.flow.conftest import Built
from tests.flow.things import KEY, forged_waivers, ids, on_one_database, run, told, unguarded

Ask = Callable[..., DecisionRequest]
Sql = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def service(kept: Settings, built: Built) -> ReviewService:
    return built(kept)


def forged(action: str, review: Review) -> dict[str, Any]:
    by = {"action": action, "by": "Eve", "reason": "all is well", "number": 1, "at": "2026-01-01T00:00:00+00:00"}
    findings = list(ids(review, KEY)) if action == "dismiss" else []
    return {"decisions": {"0001": {**by, "from": "major", "to": "minor", "findings": findings}}}


@pytest.fixture
def paused(service: ReviewService, table: Callable[..., Path], spec: dict[str, Any]) -> Review:
    return service.start(table("major"), spec)


def test_decision_put_into_the_database_is_not_taken_up(
    kept: Settings, service: ReviewService, paused: Review, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    plain = forged("override", paused)["decisions"]["0001"] | {"to": "none"}
    run(kept, f"INSERT INTO decisions VALUES ('{paused.id}', 1, '{canonical(plain)}', 'x')")  # noqa: S608 - our own
    for review in (service.start(table("major"), spec), service.resume(paused.id or ""), service.get(paused.id or "")):
        assert (review.status, review.triage.severity.value) == (Status.FAILED, "major")
    fault = service.trail.verify()
    assert fault is not None
    assert fault.message.startswith(f"decision 1 of review {paused.id} is in no entry")


def test_waivers_that_were_edited_added_and_removed_are_named(
    kept: Settings, service: ReviewService, paused: Review, ask: Ask
) -> None:
    (finding,) = ids(paused, KEY)
    waive = ask("waive", findings=(finding,), expires="2099-12-31", reason_code="expected")
    service.decide(paused.id or "", waive)
    (waiver,) = service.waivers.list()
    assert service.trail.verify() is None
    unguarded(kept, "waivers")
    for forged_id, says in ((waiver.id, "it was edited"), ("w-000000000000", "is in no entry")):
        plain = waiver.to_plain() | {"id": forged_id, "expires_on": "2999-12-31"}
        run(kept, f"DELETE FROM waivers WHERE id = '{forged_id}'")  # noqa: S608 - our own
        at = waiver.created_at
        run(
            kept,
            "INSERT INTO waivers (id, dataset, created_at, expires_on, record) VALUES "  # noqa: S608 - our own
            f"('{forged_id}', '{waiver.dataset}', '{at}', '2999-12-31', '{canonical(plain)}')",
        )
        fault = service.trail.verify()
        assert fault is not None
        assert fault.kind is FaultKind.WAIVER
        assert says in fault.message
        run(kept, f"DELETE FROM waivers WHERE id = '{forged_id}'")  # noqa: S608 - our own
        gone = service.trail.verify()
        assert gone is not None
        assert f"waiver {waiver.id}, of entry" in gone.message


@on_one_database
@pytest.mark.parametrize("go_on", [False, True], ids=["written", "and gone on with"])
@pytest.mark.parametrize("action", ["confirm", "override", "dismiss"])
def test_decision_written_past_the_gate_makes_the_review_fail(
    service: ReviewService,
    graph: Any,
    paused: Review,
    ask: Ask,
    table: Callable[..., Path],
    spec: dict[str, Any],
    action: str,
    go_on: bool,
) -> None:
    thread: Any = {"configurable": {"thread_id": paused.id}}
    graph.update_state(thread, forged(action, paused), as_node="triage")
    if go_on:
        graph.invoke(None, thread)
    for review in (service.get(paused.id or ""), service.resume(paused.id or ""), *service.list()):
        assert review.status is Status.FAILED
        assert review.problem is not None
        assert "holds a decision that nobody recorded" in review.problem.message
    with pytest.raises(DecisionNotAllowed):
        service.decide(paused.id or "", ask("confirm"))
    assert told(service, paused, AuditAction.REVIEW_FINISHED) == 0
    assert service.trail.verify() is None
    again = service.start(table("major"), spec, fresh=True)
    assert (again.status, again.decisions) == (Status.PAUSED, ())


@on_one_database
def test_forged_decision_that_lets_nothing_pass_makes_the_review_fail_too(
    service: ReviewService, graph: Any, table: Callable[..., Path], spec: dict[str, Any], ask: Ask
) -> None:
    paused = service.start(table("major"), spec | {"policy": {"majorAt": 1}})
    thread: Any = {"configurable": {"thread_id": paused.id}}
    graph.update_state(thread, forged("dismiss", paused), as_node="triage")
    assert service.get(paused.id or "").status is Status.FAILED
    with pytest.raises(DecisionNotAllowed, match=r"the review is failed: .* nobody recorded"):
        service.decide(paused.id or "", ask("override", severity="none"))
    assert told(service, paused, AuditAction.DECIDED) == 0


def test_waiver_put_into_the_database_does_not_hold(
    kept: Settings, service: ReviewService, paused: Review, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    (key,) = [item.finding for item in paused.findings if item.finding.code == KEY]
    plain: dict[str, Any] = {
        "id": "w-000000000000",
        "dataset": paused.dataset.name,
        "code": key.code,
        "columns": list(key.columns),
        "key": {},
        "findings": [],
        "author": "Ada",
        "role": "",
        "reason": "known",
        "reason_code": "expected",
        "created_at": "2026-01-01T00:00:00+00:00",
        "expires_on": "2099-12-31",
        "max_count": None,
        "revoked_at": None,
        "revoked_by": None,
        "revoked_reason": None,
    }
    run(
        kept,
        "INSERT INTO waivers (id, dataset, created_at, expires_on, record) VALUES "  # noqa: S608 - our own
        f"('{plain['id']}', '{plain['dataset']}', '2026-01-01', '2099-12-31', '{canonical(plain)}')",
    )
    assert service.start(table("major"), spec).status is Status.PAUSED
    assert service.start(table("major"), spec, fresh=True).status is Status.PAUSED
    fault = service.trail.verify()
    assert fault is not None
    assert "waiver w-000000000000 is in no entry" in fault.message


@on_one_database
@pytest.mark.parametrize("go_on", [False, True], ids=["written", "and gone on with"])
def test_findings_that_were_made_milder_make_the_review_fail(
    service: ReviewService, graph: Any, paused: Review, ask: Ask, go_on: bool
) -> None:
    thread: Any = {"configurable": {"thread_id": paused.id}}
    milder = {
        identity: finding | {"severity": "minor"}
        for identity, finding in graph.get_state(thread).values["findings"].items()
    }
    graph.update_state(thread, {"findings": Overwrite(milder)}, as_node="triage")
    if go_on:
        graph.invoke(None, thread)
    for review in (service.get(paused.id or ""), service.resume(paused.id or "")):
        assert review.status is Status.FAILED
        assert review.problem is not None
        assert "are not those that the audit trail was told of" in review.problem.message
    with pytest.raises(DecisionNotAllowed):
        service.decide(paused.id or "", ask("confirm"))


@on_one_database
@pytest.mark.parametrize("go_on", [False, True], ids=["written", "and gone on with"])
def test_waivers_written_into_the_thread_do_not_hold(
    service: ReviewService, graph: Any, paused: Review, go_on: bool
) -> None:
    thread: Any = {"configurable": {"thread_id": paused.id}}
    waivers = forged_waivers(paused)
    graph.update_state(thread, {"waivers": {"on": "2026-01-01", "waivers": waivers}}, as_node="triage")
    if go_on:
        graph.invoke(None, thread)
    review = service.resume(paused.id or "")
    assert review.status is (Status.FAILED if go_on else Status.PAUSED)
    assert service.get(paused.id or "").status is review.status


@on_one_database
def test_decision_of_a_thread_is_not_adopted_because_the_version_was_taken_away(
    kept: Settings, service: ReviewService, graph: Any, paused: Review
) -> None:
    thread: Any = {"configurable": {"thread_id": paused.id}}
    graph.update_state(thread, forged("override", paused), as_node="triage")
    run(kept, "UPDATE reviews SET graph_version = NULL")
    assert service.resume(paused.id or "").status is Status.FAILED
    assert told(service, paused, AuditAction.DECIDED) == 0


def test_draft_with_somebody_elses_decision_is_refused(
    kept: Settings, service: ReviewService, paused: Review, ask: Ask
) -> None:
    service.save_draft(paused.id or "", "Ada", [ask("comment")])
    (record,) = run(kept, "SELECT record FROM drafts")[0]
    run(kept, f"UPDATE drafts SET record = '{record.replace('Ada', 'Bob')}'")  # noqa: S608 - our own
    with pytest.raises(InvalidDecision):
        service.submit_draft(paused.id or "", "Ada")
    assert service.get(paused.id or "").decisions == ()
