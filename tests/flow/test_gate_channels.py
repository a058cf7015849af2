"""Whatever a thread, a row or an entry says that decides something is held against what was recorded of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from checks import Severity
from checks.vocabulary import canonical, digest
from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.core.chaining import FaultKind
from review_graph.errors import DecisionConflict, DecisionNotAllowed, InvalidDecision
from review_graph.state import decision_values
from review_graph.vocabulary import Action, AuditAction, Decision, Waiver
from tests.flow.conftest import Built
from tests.flow.model import Crash, crashing
from tests.flow.things import KEY, Hands, forged_waivers, on_one_database, run, thread_of, told

Ask = Callable[..., DecisionRequest]
Table = Callable[..., Path]
Plain = dict[str, Any]


AS_STARTED = "is not what the review was started for"
AS_TOLD = "are not those that the audit trail was told of"


@pytest.fixture
def service(kept: Settings, built: Built) -> ReviewService:
    return built(kept)


@pytest.fixture
def paused(service: ReviewService, table: Table, spec: Plain) -> Review:
    return service.start(table("major"), spec | {"policy": {"majorAt": 1}})


@pytest.fixture
def by_policy(service: ReviewService, table: Table, spec: Plain) -> Review:
    """A review that waits because its spec wants a human for a single minor finding."""
    return service.start(table("minor"), spec | {"policy": {"majorAt": 1}})


def lenient(values: Plain) -> Plain:
    return {"spec": {**values["spec"], "policy": {**values["spec"]["policy"], "majorAt": 50}}}


def dataset(**changed: object) -> Callable[[Plain], Plain]:
    return lambda values: {"dataset": {**values["dataset"], **changed}}


STARTED: Mapping[str, Callable[[Plain], Plain]] = {
    "policy": lenient,
    "name": dataset(name="other"),
    "fingerprint": dataset(fingerprint="0" * 64),
    "review_id": lambda _: {"review_id": "other-0123456789"},
}
TOLD: Mapping[str, Callable[[Plain], Plain]] = {
    "uri": dataset(uri="/elsewhere/other.csv"),
    "rows": dataset(rows=1),
    "today": lambda _: {"today": "1999-12-31"},
    "previous": lambda _: {"previous": {"id": "other", "same_spec": True, "findings": []}},
}
CHANNELS = [(change, AS_STARTED) for change in STARTED.values()] + [(change, AS_TOLD) for change in TOLD.values()]


@on_one_database
@pytest.mark.parametrize("go_on", [False, True], ids=["written", "and gone on with"])
@pytest.mark.parametrize(("change", "says"), CHANNELS, ids=[*STARTED, *TOLD])
def test_channel_that_was_changed_makes_the_review_fail(
    service: ReviewService,
    graph: Any,
    by_policy: Review,
    ask: Ask,
    change: Callable[[Plain], Plain],
    says: str,
    go_on: bool,
) -> None:
    identity, thread = by_policy.id or "", thread_of(by_policy)
    graph.update_state(thread, change(graph.get_state(thread).values), as_node="triage")
    if go_on and graph.get_state(thread).next == ("summarise",):
        graph.invoke(None, thread)
    with pytest.raises(DecisionNotAllowed):
        service.decide(identity, ask("confirm"))
    for review in (service.get(identity), service.resume(identity)):
        assert review.status is Status.FAILED
        assert review.problem is not None
        assert says in review.problem.message
    assert told(service, by_policy, AuditAction.REVIEW_FINISHED) == told(service, by_policy, AuditAction.DECIDED) == 0


def test_spec_is_held_against_the_trail_when_its_row_was_changed_too(
    kept: Settings, service: ReviewService, graph: Any, by_policy: Review
) -> None:
    thread = thread_of(by_policy)
    forged = lenient(graph.get_state(thread).values)
    graph.update_state(thread, forged, as_node="triage")
    run(kept, f"UPDATE reviews SET spec_digest = '{digest(forged['spec'])}'")  # noqa: S608 - our own
    assert service.resume(by_policy.id or "").status is Status.FAILED
    fault = service.trail.verify()
    assert fault is not None
    assert (fault.kind, "another spec_digest than entry" in fault.message) == (FaultKind.REVIEW, True)


@on_one_database
def test_preview_of_a_review_that_was_written_to_is_refused(
    service: ReviewService, graph: Any, paused: Review, ask: Ask
) -> None:
    thread = thread_of(paused)
    graph.update_state(thread, dataset(name="other")(graph.get_state(thread).values), as_node="triage")
    with pytest.raises(DecisionNotAllowed, match=AS_STARTED):
        service.preview(paused.id or "", ask("override", severity="none"))


@on_one_database
@pytest.mark.parametrize("status", ["paused", "running", "failed"])
def test_forged_waivers_end_no_review_whatever_its_row_says(
    kept: Settings, service: ReviewService, graph: Any, paused: Review, status: str
) -> None:
    waivers = forged_waivers(paused)
    thread, today = thread_of(paused), paused.today
    graph.update_state(thread, {"waivers": {"on": today, "waivers": waivers}}, as_node="triage")
    graph.invoke(None, thread)
    run(kept, f"UPDATE reviews SET status = '{status}'")  # noqa: S608 - our own
    for review in (service.get(paused.id or ""), service.resume(paused.id or "")):
        assert review.status is Status.FAILED
    assert told(service, paused, AuditAction.REVIEW_FINISHED) == 0


@pytest.mark.parametrize("since", ["it was revoked", "it ended"])
def test_review_that_a_waiver_let_pass_before_its_process_died_stays_as_it_ended(
    kept: Settings,
    built: Built,
    hands: Hands,
    paused: Review,
    service: ReviewService,
    table: Table,
    spec: Plain,
    since: str,
) -> None:
    asked = Waiver(
        id="", created_at="", dataset=paused.dataset.name, author="Ada", reason="known", code=KEY,
        reason_code="expected", expires_on="2026-12-31",
    )  # fmt: skip
    waiver = service.waivers.add(asked)
    with crashing("transition", 1, "before"), pytest.raises(Crash):
        service.start(table("major"), spec, fresh=True)
    hands.go_on(seconds=1)
    later = built(kept)
    if since == "it was revoked":
        later.waivers.revoke(waiver.id, by="Bob", reason="not any more")
    else:
        hands.go_on(days=400)
    (begun,) = (review for review in later.list() if review.id != paused.id)
    ended = later.resume(begun.id or "")
    assert (ended.status, ended.problem) == (Status.SUMMARISED, None)
    assert told(later, ended, AuditAction.REVIEW_FINISHED) == 1


@on_one_database
@pytest.mark.parametrize("action", ["override", "confirm"])
def test_decision_in_thread_and_table_that_the_trail_does_not_tell_of_does_not_count(
    kept: Settings, service: ReviewService, graph: Any, paused: Review, action: str
) -> None:
    decision = Decision(
        number=1,
        action=Action(action),
        by="Eve",
        at="2026-01-01T00:00:00+00:00",
        reason="fine",
        severity_from=Severity.MAJOR,
        severity_to=Severity.MINOR if action == "override" else Severity.MAJOR,
    )
    thread = thread_of(paused)
    graph.update_state(thread, decision_values(decision), as_node="triage")
    graph.invoke(None, thread)
    record = canonical(decision.to_plain())
    run(kept, f"INSERT INTO decisions VALUES ('{paused.id}', 1, '{record}', '{decision.digest}')")  # noqa: S608 - our own
    for review in (service.get(paused.id or ""), service.resume(paused.id or "")):
        assert review.status is Status.FAILED
    assert told(service, paused, AuditAction.REVIEW_FINISHED) == 0


@on_one_database
def test_report_and_narrative_that_were_changed_after_the_end_are_flagged(
    service: ReviewService, graph: Any, paused: Review, ask: Ask
) -> None:
    identity, thread = paused.id or "", thread_of(paused)
    assert service.decide(identity, ask("confirm")).status is Status.ESCALATED
    review = graph.get_state(thread).values["review"]
    forged = {**review, "report": "/elsewhere/report.md", "narrative": {"text": "All is well", "model": "x"}}
    graph.update_state(thread, {"review": forged}, as_node="escalate")
    found = service.get(identity)
    assert found.status is Status.FAILED
    assert found.problem is not None
    assert AS_TOLD in found.problem.message


def test_draft_that_was_changed_in_the_database_is_not_submitted(
    kept: Settings, service: ReviewService, paused: Review, ask: Ask
) -> None:
    identity = paused.id or ""
    service.save_draft(identity, "Ada", [ask("comment")])
    ((record,),) = run(kept, "SELECT record FROM drafts")
    forged = record.replace('"action":"comment"', '"action":"override"').replace('"severity":null', '"severity":"none"')
    assert forged != record
    run(kept, f"UPDATE drafts SET record = '{forged}'")  # noqa: S608 - our own
    with pytest.raises(InvalidDecision, match="is not what Ada saved"):
        service.submit_draft(identity, "Ada")
    service.drop_draft(identity, "Ada")
    row = f"INSERT INTO drafts VALUES ('{identity}', 'Ada', '2026-01-01', '{record}')"  # noqa: S608 - our own
    run(kept, row)  # what was dropped does not come back either
    with pytest.raises(InvalidDecision, match="is not what Ada saved"):
        service.submit_draft(identity, "Ada")
    assert service.get(identity).decisions == ()


def test_conflict_names_the_decision_that_settled_it(service: ReviewService, paused: Review, ask: Ask) -> None:
    identity = paused.id or ""
    service.decide(identity, ask("confirm"))
    service.decide(identity, ask("comment", by="Bob", reason="a note of later"))
    with pytest.raises(DecisionConflict, match="Ada recorded confirm") as refusal:
        service.decide(identity, ask("override", severity="none", by="Cyd"))
    assert refusal.value.decision is not None
    assert (refusal.value.decision.by, "a note of later" in str(refusal.value)) == ("Ada", False)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("where", ["append", "take_up"])
def test_decision_is_told_as_applied_once_wherever_its_process_dies(
    kept: Settings, service: ReviewService, built: Built, paused: Review, ask: Ask, where: str, when: str
) -> None:
    identity = paused.id or ""
    with crashing(where, 1, when), pytest.raises(Crash):
        service.decide(identity, ask("override", severity="none"))
    later = built(kept)
    ended = later.resume(identity)
    assert (ended.status, len(ended.decisions)) == (Status.SUMMARISED, 1)
    assert told(later, ended, AuditAction.DECISION_APPLIED) == 1
    assert later.trail.verify() is None


def test_comment_on_a_review_that_ended_untold_tells_of_its_end_first(
    kept: Settings, service: ReviewService, built: Built, paused: Review, ask: Ask
) -> None:
    identity = paused.id or ""
    with crashing("transition", 2, "before"), pytest.raises(Crash):
        service.decide(identity, ask("confirm"))
    later = built(kept)
    assert later.decide(identity, ask("comment", by="Bob")).status is Status.ESCALATED
    acts = [entry.action for entry in later.trail.entries(identity)]
    assert acts[-2:] == [AuditAction.REVIEW_FINISHED, AuditAction.DECIDED]
