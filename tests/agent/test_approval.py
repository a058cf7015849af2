"""A13, T8: a call with an effect is made when a person allowed this very call, and then once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from review_graph.adapters.store.facade import SqlStore
from review_graph.agent.events import Approval
from review_graph.errors import DecisionConflict, InputError, InvalidDecision, ReviewNotFound
from review_graph.vocabulary import Answer, AnswerStatus, AuditAction, Pending
from tests.agent.things import Desk, calls, divide, texts, then

At = Callable[..., Desk]

EXPORT = calls(("export_summary", {"name": "figures.csv"}))
YES = Approval(approved=True, by="Ada")


def exported(at: Desk) -> list[str]:
    return sorted(path.read_text() for path in at.settings.out_path.rglob("exports/*.csv"))


def waiting(at: Desk) -> tuple[Answer, Pending]:
    answer = at.ask(wait=True)
    assert answer.status is AnswerStatus.WAITING
    assert answer.pending is not None
    return answer, answer.pending


def test_without_an_approver_it_is_rejected(desk: At) -> None:
    at = desk(divide("6/3"), EXPORT, "It was not written.")
    answer = at.ask()
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.steps[1].approved is False
    assert texts(at.model.asked[2])[-1] == "error: Rejected: Rejected by the operator"
    assert exported(at) == []


def test_an_approver_is_asked_about_the_very_call(desk: At) -> None:
    at = desk(divide("6/3"), EXPORT, "It is written.")
    asked: list[Pending] = []

    def approver(pending: Pending) -> Approval:
        asked.append(pending)
        return YES

    answer = at.ask(approver=approver)
    assert [(each.tool, each.arguments) for each in asked] == [("export_summary", {"name": "figures.csv"})]
    assert answer.steps[1].approved is True
    assert exported(at) == ["result,figure,value\n1,value,2\n"]
    assert at.lines("run")[-1]["approvals"] == [{"number": 1, "digest": asked[0].digest, "approved": True, "by": "Ada"}]


def test_no_is_no(desk: At) -> None:
    at = desk(divide("6/3"), EXPORT, "It was not written.")
    answer = at.ask(approver=lambda _: Approval(approved=False, by="Ada"))
    assert answer.steps[1].approved is False
    assert exported(at) == []


def test_tools_without_an_effect_need_no_approval(desk: At) -> None:
    answer = desk(divide("6/3"), "2").ask()
    assert answer.steps[0].approved is None


def test_a_call_waits_for_another_process(desk: At) -> None:
    answer, pending = waiting(desk(divide("6/3"), EXPORT, "never"))
    at = desk("It is written.")
    assert at.service.asking.pending(at.id, answer.run_id) == pending
    after = at.service.asking.settle(at.id, answer.run_id, YES, of=pending.digest)
    assert after.status is AnswerStatus.ANSWERED
    assert [step.tool for step in after.steps] == ["calculate", "export_summary"]
    assert len(exported(at)) == 1
    told = [entry for entry in at.service.trail.entries(at.id) if entry.action is AuditAction.ASKED]
    assert [(entry.actor, entry.detail["status"], entry.detail["approved"]) for entry in told][1] == (
        "Ada",
        "answered",
        ["export_summary"],
    )


def test_waiting_resets_no_budget_and_costs_no_time(desk: At) -> None:
    first = desk(divide("6/3"), EXPORT, "never", ask_steps=3, ask_seconds=90)
    first.hands.go_on(seconds=50)
    answer, pending = waiting(first)
    at = desk(divide("9/3"), "never", ask_steps=99, ask_seconds=9_999)
    at.hands.go_on(days=2)
    after = at.service.asking.settle(at.id, answer.run_id, YES, of=pending.digest)
    assert (after.status, after.model_calls) == (AnswerStatus.STEP_LIMIT, 3)
    assert after.elapsed < 90


def test_time_that_was_spent_before_the_pause_stays_spent(desk: At) -> None:
    first = desk()
    first.model.turns = [then(lambda: first.hands.go_on(seconds=80), EXPORT), "never"]
    answer, pending = waiting(first)
    at = desk(ask_seconds=90)
    at.model.turns = [then(lambda: at.hands.go_on(seconds=20), divide("9/3")), "never"]
    after = at.service.asking.settle(at.id, answer.run_id, YES, of=pending.digest)
    assert (after.status, after.elapsed) == (AnswerStatus.TIME_LIMIT, 100)


def test_an_approval_is_for_the_call_that_was_looked_at(desk: At) -> None:
    at = desk(divide("6/3"), EXPORT, "never")
    answer, _ = waiting(at)
    with pytest.raises(DecisionConflict, match="not the one"):
        at.service.asking.settle(at.id, answer.run_id, YES, of="0" * 64)
    assert exported(at) == []


def test_a_call_that_was_changed_in_the_database_is_not_made(desk: At) -> None:
    at = desk(divide("6/3"), EXPORT, "It was not written.")
    answer, pending = waiting(at)
    at.service.close()
    at.rewrite(b"figures.csv", b"another.csv")
    later = desk("It was not written.")
    with pytest.raises(DecisionConflict):
        later.service.asking.settle(later.id, answer.run_id, YES, of=pending.digest)
    assert exported(later) == []


def test_each_call_needs_an_approval_of_its_own(desk: At) -> None:
    at = desk(divide("6/3"), EXPORT, calls(("export_summary", {"name": "other.csv"})), "One is written.")
    said = iter([YES, Approval(approved=False, by="Ada")])
    answer = at.ask("Can 6 by 3 be one that is written?", approver=lambda _: next(said))
    assert [step.approved for step in answer.steps] == [None, True, False]
    assert len(exported(at)) == 1


def test_a_run_goes_on_once(desk: At) -> None:
    at = desk(divide("6/3"), EXPORT, "It is written.")
    answer, pending = waiting(at)
    at.service.asking.settle(at.id, answer.run_id, YES, of=pending.digest)
    with pytest.raises(ReviewNotFound, match="no investigation waits"):
        at.service.asking.settle(at.id, answer.run_id, YES, of=pending.digest)


def test_of_two_who_settle_at_once_one_is_too_late(desk: At, monkeypatch: pytest.MonkeyPatch) -> None:
    quicker: list[Callable[[], object]] = []
    real = SqlStore.once

    def once(self: SqlStore, *arguments: Any) -> bool:
        if quicker:
            quicker.pop()()
        return real(self, *arguments)

    monkeypatch.setattr(SqlStore, "once", once)
    at = desk(divide("6/3"), EXPORT, "It is written.")
    answer, pending = waiting(at)
    quicker.append(lambda: at.service.asking.settle(at.id, answer.run_id, YES, of=pending.digest))
    with pytest.raises(DecisionConflict, match="already"):
        at.service.asking.settle(at.id, answer.run_id, YES, of=pending.digest)
    assert len(exported(at)) == 1


@pytest.mark.parametrize("name", ["", "  ", "a\nb"])
def test_an_approval_needs_a_name(desk: At, name: str) -> None:
    at = desk(divide("6/3"), EXPORT, "never")
    answer, pending = waiting(at)
    with pytest.raises(InvalidDecision):
        at.service.asking.settle(at.id, answer.run_id, Approval(approved=True, by=name), of=pending.digest)
    assert at.service.asking.pending(at.id, answer.run_id) == pending


def test_a_call_that_was_begun_before_a_crash_is_not_made_twice(desk: At) -> None:
    at = desk(divide("6/3"), EXPORT, "It may be written.")
    answer, pending = waiting(at)
    assert at.service._store.once(answer.run_id, f"call {pending.digest}", 1)
    after = at.service.asking.settle(at.id, answer.run_id, YES, of=pending.digest)
    assert after.steps[1].result.startswith("error: AlreadyDone")
    assert exported(at) == []


def test_a_run_of_another_review_is_not_gone_on_with(desk: At) -> None:
    at = desk(divide("6/3"), EXPORT, "never")
    answer, pending = waiting(at)
    other = at.service.start(at.data, fresh=True)
    with pytest.raises(InputError, match="another dataset"):
        at.service.asking.settle(other.id or "", answer.run_id, YES, of=pending.digest)


def test_a_result_that_was_changed_in_the_database_is_not_shown(desk: At) -> None:
    at = desk(calls(("count_subjects", {"arm": "Placebo"})), EXPORT, "never")
    answer, pending = waiting(at)
    at.service.close()
    at.rewrite(b'"subjects":86', b'"subjects":47')
    later = desk("There are 47.")
    after = later.service.asking.settle(later.id, answer.run_id, YES, of=pending.digest)
    assert after.status is AnswerStatus.UNGROUNDED
    assert "47" not in after.text


def test_a_result_that_was_changed_in_the_database_is_not_written(desk: At) -> None:
    at = desk(calls(("count_subjects", {"arm": "Placebo"})), EXPORT, "never")
    answer, pending = waiting(at)
    at.service.close()
    at.rewrite(b'"subjects":86', b'"subjects":47')
    later = desk("It was not written.")
    after = later.service.asking.settle(later.id, answer.run_id, YES, of=pending.digest)
    assert after.steps[-1].result.startswith("error: Changed: ")
    assert exported(later) == []


def test_a_process_that_died_with_an_approval_blocks_it_for_a_time_only(desk: At) -> None:
    at = desk(divide("6/3"), EXPORT, "It is written.")
    answer, pending = waiting(at)
    at.service.asking._opened()._claim({"run_id": answer.run_id, "steps": [{}], "limits": {"seconds": 90.0}})  # type: ignore[union-attr]
    with pytest.raises(DecisionConflict, match="150 seconds at the latest"):
        at.service.asking.settle(at.id, answer.run_id, YES, of=pending.digest)
    at.hands.go_on(seconds=151)
    after = at.service.asking.settle(at.id, answer.run_id, YES, of=pending.digest)
    assert after.status is AnswerStatus.ANSWERED
    assert len(exported(at)) == 1


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 101])
def test_whoever_asks_or_is_asked_needs_a_name(desk: At, name: str) -> None:
    at = desk(divide("6/3"), EXPORT, "never")
    with pytest.raises(InvalidDecision):
        at.ask(by=name)
    assert at.model.asked == []
    with pytest.raises(InvalidDecision):
        at.ask(approver=lambda _: Approval(approved=True, by=name))
    assert exported(at) == []


def test_the_dataset_in_hand_may_always_be_named(desk: At) -> None:
    assert desk("I cannot tell that from [dataset:adsl].").ask().status is AnswerStatus.ANSWERED
