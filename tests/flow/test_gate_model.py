"""Random lives of one review against a plain model of the rules, with crashes at random points.

The model knows nothing of the code: three findings, what each decision and waiver does to them, and when a human
is needed. After each step the store, the thread and the trail have to agree with it.
"""

from __future__ import annotations

import datetime as dt
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status, build
from review_graph.errors import GateError
from review_graph.state import decisions_of
from review_graph.vocabulary import Action, Decision, Waiver
from tests.conftest import SPEC
from tests.flow.model import Crash, Model, crashing
from tests.flow.things import KEY, RANGE, Hands, many

DATA: Mapping[str, Any] = {"ID": ["S-1", "S-2", "S-2"], "A": [1, 2, 33], "B": [1, 2, 33]}
PEOPLE = ("Ada", "Bob", "Cyd")
CRASHES = ("record", "transition", "append", "take_up", "invoke")


Moment = tuple[dt.date, dict[str, tuple[str, dt.date, bool]]]
"""A day, and the waivers of that day: what a review that ended then has to agree with for ever."""


class Life(RuleBasedStateMachine):
    """One dataset that is run, decided on, waived and crashed over and over."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="life"))
        self.path = self.folder / "t.parquet"
        pl.DataFrame(DATA).write_parquet(self.path)
        self.hands = Hands()
        self.spec: dict[str, Any] = {}
        self.major_at = 0
        self.service: ReviewService = self.built()
        self.review: Review
        self.names: dict[str, str] = {}
        self.models: dict[str, Model] = {}
        self.waivers: dict[str, tuple[str, dt.date, bool]] = {}
        self.ended: dict[str, Review] = {}
        self.recorded: dict[str, tuple[Decision, ...]] = {}
        self.half_done: dict[str, list[Moment]] = {}

    def built(self) -> ReviewService:
        return build(Settings(db=str(self.folder / "r.sqlite")), clock=self.hands)

    def teardown(self) -> None:
        self.service.close()
        shutil.rmtree(self.folder)

    @property
    def today(self) -> dt.date:
        return self.hands.now.date()

    @property
    def model(self) -> Model:
        return self.models[self.review.id or ""]

    @property
    def own(self) -> dict[int, str]:
        return {decision.number: decision.waiver for decision in self.review.decisions if decision.waiver}

    def waivers_of_own(self) -> dict[str, tuple[str, dt.date, bool]]:
        return {waiver: self.waivers[waiver] for waiver in self.own.values()}

    @initialize(major_at=st.sampled_from([2, 3]))
    def first_run(self, major_at: int) -> None:
        self.major_at = major_at
        self.spec = {**SPEC, "policy": {"majorAt": major_at}}
        self.run(fresh=False)

    @rule(fresh=st.booleans())
    def run(self, fresh: bool) -> None:
        self.hands.go_on(seconds=1)
        review = self.service.start(self.path, self.spec, fresh=fresh)
        self.settle(review, went_on=True)
        # What ended is found again only while the waivers of today would not change what it came to.
        assert {finding.id for finding in review.open_findings} == {
            self.names[name] for name in self.model.open(self.today, self.own)
        }

    @rule()
    def resume(self) -> None:
        self.settle(self.service.resume(self.review.id or ""), went_on=True)

    @rule(days=st.integers(1, 12))
    def time_passes(self, days: int) -> None:
        self.hands.go_on(days=days)

    @rule(finding=st.sampled_from(["key", "a", "b"]), days=st.integers(0, 20), by=st.sampled_from(PEOPLE))
    def waive_for_all_runs(self, finding: str, days: int, by: str) -> None:
        self.hands.go_on(seconds=1)
        last = self.today + dt.timedelta(days=days)
        column = {"key": "ID", "a": "A", "b": "B"}[finding]
        waiver = self.service.waivers.add(
            Waiver(
                id="",
                created_at="",
                dataset="t",
                author=by,
                reason="known",
                code=KEY if finding == "key" else RANGE,
                columns=(column,),
                reason_code="expected",
                expires_on=last.isoformat(),
            )
        )
        self.waivers[waiver.id] = (finding, last, False)

    @precondition(lambda self: any(not revoked for _, _, revoked in self.waivers.values()))
    @rule(data=st.data(), by=st.sampled_from(PEOPLE))
    def revoke(self, data: st.DataObject, by: str) -> None:
        identity = data.draw(st.sampled_from([name for name, (_, _, revoked) in self.waivers.items() if not revoked]))
        self.service.waivers.revoke(identity, by=by, reason="not any more")
        self.waivers[identity] = (*self.waivers[identity][:2], True)

    @precondition(lambda self: not self.review.status.is_final)
    @rule(
        action=st.sampled_from([*Action]),
        findings=st.sets(st.sampled_from(["key", "a", "b"]), min_size=1),
        severity=st.sampled_from(["none", "minor"]),
        days=st.integers(0, 20),
        by=st.sampled_from(PEOPLE),
    )
    def decide(self, action: Action, findings: set[str], severity: str, days: int, by: str) -> None:
        self.hands.go_on(seconds=1)
        self.asked(action, findings, severity, days, by)

    @rule(action=st.sampled_from([Action.COMMENT, Action.CONFIRM, Action.DISMISS]), by=st.sampled_from(PEOPLE))
    def decide_whatever_it_came_to(self, action: Action, by: str) -> None:
        self.hands.go_on(seconds=1)
        self.asked(action, {"key"}, "minor", 0, by)

    @rule(
        where=st.sampled_from(CRASHES),
        times=st.integers(1, 3),
        when=st.sampled_from(["before", "after"]),
        what=st.sampled_from(["run", "confirm", "override", "dismiss", "waive"]),
        findings=st.sets(st.sampled_from(["key", "a", "b"]), min_size=1),
    )
    def crash(self, where: str, times: int, when: str, what: str, findings: set[str]) -> None:
        self.hands.go_on(seconds=1)
        with crashing(where, times, when):
            try:
                if what == "run":
                    self.service.start(self.path, self.spec, fresh=times == 3)
                else:
                    self.asked(Action(what), findings, "minor", 5, "Ada")
            except Crash:
                for review in self.service.list():
                    if review.id not in self.ended:
                        self.half_done.setdefault(review.id or "", [])
        self.service.close()
        self.service = self.built()
        self.learn_waivers()
        for moments in self.half_done.values():  # it may have ended now, and nobody been told
            moments.append((self.today, dict(self.waivers)))
        self.settle(self.service.get(self.review.id or ""))

    def asked(self, action: Action, findings: set[str], severity: str, days: int, by: str) -> None:
        named = action in (Action.DISMISS, Action.WAIVE, Action.REOPEN)
        chosen = sorted(findings)[:1] if action is Action.WAIVE else sorted(findings)
        request = DecisionRequest(
            action=action.value,
            by=by,
            reason=f"as {severity}",
            severity=severity if action is Action.OVERRIDE else None,
            findings=tuple(self.names[name] for name in chosen) if named else (),
            reason_code="expected" if action in (Action.DISMISS, Action.WAIVE) else None,
            expires=(self.today + dt.timedelta(days=days)).isoformat() if action is Action.WAIVE else None,
            approves=1 if action is Action.APPROVE else None,
        )
        identity = self.review.id or ""
        try:
            after = self.service.decide(identity, request)
        except GateError:
            assert len(self.service.get(identity).decisions) == len(self.recorded.get(identity, ()))
            self.settle(self.service.get(identity))
            return
        self.learn_waivers()
        self.settle(after, went_on=after.status is not Status.RUNNING)
        assert (after.decisions[-1].action, after.decisions[-1].by) == (action, by)

    def learn_waivers(self) -> None:
        """Waivers that decisions made; a crash may have kept one from being acknowledged."""
        findings = {identity: name for name, identity in self.names.items()}
        for waiver in self.service.waivers.list():
            if waiver.id not in self.waivers:
                (identity,) = waiver.findings
                self.waivers[waiver.id] = (findings[identity], dt.date.fromisoformat(waiver.expires_on), False)

    def settle(self, review: Review, *, went_on: bool = False) -> None:
        """Hold a review against the model, more strictly when it was gone on with."""
        self.review = review
        identity = review.id or ""
        moments = [(self.today, self.waivers), *self.half_done.get(identity, [])]
        if went_on:
            self.half_done.pop(identity, None)
        if not self.names:
            by_column = {item.finding.columns: item.finding.id for item in review.findings}
            self.names = {"key": by_column["ID",], "a": by_column["A",], "b": by_column["B",]}
        known = self.recorded.get(identity, ())
        assert review.decisions[: len(known)] == known  # never changed, never lost
        self.recorded[identity] = review.decisions
        if identity in self.half_done and not review.status.is_final:
            return
        if identity in self.ended:
            was = self.ended[identity]
            assert (review.status, review.triage, review.findings) == (was.status, was.triage, was.findings)
            return
        shown = {finding: name for name, finding in self.names.items()}
        plain = [
            (d.action.value, d.reason.removeprefix("as "), tuple(shown[finding] for finding in d.findings))
            for d in review.decisions
        ]
        self.models[identity] = Model(self.major_at, decisions=plain, waivers=self.waivers)
        open_now = {shown[finding.id] for finding in review.open_findings}
        # One that a waiver relieved is final only when it is gone on with.
        status = review.status.value if went_on or review.triage.needs_human else None
        assert (review.triage.severity.value, open_now, status) in [
            (
                model.severity(day, self.own),
                model.open(day, self.own),
                status and model.status(day, self.own),
            )
            for day, waivers in moments
            for model in [Model(self.major_at, plain, {**self.waivers_of_own(), **waivers})]
        ]
        if review.status.is_final:
            self.ended[identity] = review

    @invariant()
    def what_needed_a_human_is_final_only_by_a_named_person(self) -> None:
        for review in self.ended.values():
            excused = [item for item in review.findings if item.status.value != "open"]
            if len(review.findings) == 3 and not review.decisions:
                assert excused
                assert all(waiver.author in PEOPLE and waiver.reason for item in excused for waiver in item.waivers)
            assert all(decision.by in PEOPLE and decision.reason for decision in review.decisions)
            assert review.status is not Status.ESCALATED or any(
                decision.action is Action.CONFIRM for decision in review.decisions
            )

    @invariant()
    def the_trail_is_whole_and_store_and_thread_agree(self) -> None:
        assert self.service.trail.verify() is None
        for review in self.service.list():
            assert review.problem is None
            if review.id in self.half_done:
                continue
            kept = self.service._store.get(review.id or "")
            assert kept is not None
            assert kept.status is review.status
            held = decisions_of(self.service._advancing.look(kept.id).kept.values)
            assert {decision.number for decision in held} <= {decision.number for decision in review.decisions}
            if not review.status.is_final:
                assert held == review.decisions


def live(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        Life, settings=hypothesis_settings(max_examples=examples, stateful_step_count=steps, deadline=None)
    )


def test_a_life_keeps_to_the_rules() -> None:
    live(8, 12)


@pytest.mark.slow
def test_many_lives_keep_to_the_rules() -> None:
    live(many(60, 150), 30)
