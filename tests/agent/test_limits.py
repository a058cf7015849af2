"""A2, A5: what may be spent is looked at before it is spent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from review_graph.adapters.models.scripted import Reply
from review_graph.vocabulary import AnswerStatus, ErrorCode
from tests.agent.things import ALLOW, Desk, calls, divide, texts, then

At = Callable[..., Desk]


@pytest.mark.parametrize(
    ("limit", "status"),
    [
        ({"ask_steps": 0}, AnswerStatus.STEP_LIMIT),
        ({"ask_tokens": 0}, AnswerStatus.TOKEN_LIMIT),
        ({"ask_cost": 0.0}, AnswerStatus.COST_LIMIT),
        ({"ask_seconds": 0.0}, AnswerStatus.TIME_LIMIT),
    ],
)
@pytest.mark.parametrize("gate", [True, False])
def test_a_limit_of_zero_makes_no_call(desk: At, limit: dict[str, Any], status: AnswerStatus, *, gate: bool) -> None:
    at = desk(ALLOW, "never", **limit, ask_gate=gate)
    answer = at.ask()
    assert (answer.status, answer.error) == (status, ErrorCode.USAGE_LIMIT)
    assert (at.model.asked, answer.model_calls, answer.cost) == ([], 0, 0.0)
    assert at.lines("run")[0]["status"] == status.value


def test_steps_are_calls_of_the_model(desk: At) -> None:
    at = desk(divide("1+1"), divide("1+2"), divide("1+3"), "4", ask_steps=3)
    answer = at.ask()
    assert (answer.status, answer.model_calls) == (AnswerStatus.STEP_LIMIT, 3)


def test_in_its_last_step_the_model_sees_no_tools(desk: At) -> None:
    at = desk(divide("1+1"), "It is 2.", ask_steps=2)
    assert at.ask().status is AnswerStatus.ANSWERED
    assert "calculate" in at.shown(1)
    assert at.shown(2) == []
    assert "No more tools" in texts(at.model.asked[1])[-1]


def test_tokens_are_counted_as_the_model_says(desk: At) -> None:
    at = desk(calls(("calculate", {"expression": "1+1"}), tokens_in=9_900, tokens_out=50), "2", ask_tokens=10_000)
    answer = at.ask()
    assert answer.status is AnswerStatus.TOKEN_LIMIT
    assert (answer.tokens_in, answer.tokens_out, answer.tokens_estimated) == (9_900, 50, False)


def test_tokens_of_a_model_that_says_nothing_are_estimated(desk: At) -> None:
    at = desk("Nothing can be said.")
    at.model.gives_usage = False
    answer = at.ask()
    assert answer.tokens_estimated
    assert answer.tokens_out == 5
    assert answer.tokens_in > 0


def test_cost_is_the_price_of_the_tokens(desk: At) -> None:
    spent = calls(("calculate", {"expression": "1+1"}), tokens_in=40_000, tokens_out=10_000)
    at = desk(spent, "2", ask_cost=0.16, ask_tokens=1_000_000)
    answer = at.ask()
    assert answer.status is AnswerStatus.COST_LIMIT
    assert answer.cost == pytest.approx(0.16)


def test_time_is_up_while_the_model_thinks(desk: At) -> None:
    at = desk()
    at.model.turns = [then(lambda: at.hands.go_on(seconds=91), divide("1+1")), "2"]
    answer = at.ask()
    assert (answer.status, answer.steps) == (AnswerStatus.TIME_LIMIT, ())
    assert answer.elapsed == 91


def test_the_gate_is_paid_for_and_is_no_step(desk: At) -> None:
    gate = Reply(text=ALLOW, tokens_in=100, tokens_out=5)
    at = desk(gate, Reply(text="Nothing.", tokens_in=200, tokens_out=7), ask_gate=True, ask_steps=1)
    answer = at.ask()
    assert (answer.status, answer.model_calls) == (AnswerStatus.ANSWERED, 1)
    assert (answer.tokens_in, answer.tokens_out) == (300, 12)
    assert at.shown(1) == []


@pytest.mark.parametrize("told", [0, 1, True, -1_000_000_000, 10**30])
def test_what_cannot_be_so_is_not_believed_of_tokens(desk: At, told: int) -> None:
    at = desk(calls(("calculate", {"expression": "6 / 3"}), tokens_in=told, tokens_out=told), "2", ask_tokens=100_000)
    answer = at.ask()
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.tokens_estimated
    assert 0 < answer.tokens_in < 100_000
    assert answer.cost > 0
