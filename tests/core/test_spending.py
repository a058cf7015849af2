"""What is spent, and when it is too much: always before it is spent."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_graph.core.spending import (
    Spent,
    cost_of,
    credits_of,
    estimated_tokens,
    next_stop,
    reply_tokens,
    request_tokens,
)
from review_graph.vocabulary import AnswerStatus, Limits, Message, ModelCall, ModelReply, Prices

CALL = ModelCall(id="c1", name="count_rows", arguments={"a": 1})
PRICES = Prices()


def _stop(spent: Spent | None = None, request: int = 10, now: float = 0.0, **limits: Any) -> AnswerStatus | None:
    return next_stop(spent or Spent(), Limits(**limits), PRICES, request=request, now=now)


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("é" * 8, 2)])
def test_a_token_is_four_characters(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


def test_a_request_counts_all_that_is_sent() -> None:
    call = {"id": "c1", "name": "f", "arguments": {}}
    messages: list[Message] = [
        {"role": "system", "content": "x" * 40},
        {"role": "assistant", "content": "", "calls": [call]},
        {"role": "tool", "content": "y" * 8, "call_id": "c1"},
    ]
    calls, tools = '[{"arguments":{},"id":"c1","name":"f"}]', '[{"name":"f"}]'
    assert request_tokens(messages) == estimated_tokens("x" * 48 + calls)
    assert request_tokens(messages, [{"name": "f"}]) == estimated_tokens("x" * 48 + calls + tools)


def test_input_grows_with_the_square_of_the_calls() -> None:
    message = {"role": "user", "content": "x" * 400}
    sizes = [request_tokens([message] * n) for n in range(1, 11)]
    assert sum(sizes) == 100 * 10 * 11 / 2


def test_a_reply_is_counted_by_what_it_says_or_by_its_characters() -> None:
    told = Spent().with_reply(ModelReply(text="x" * 40, tokens_in=7, tokens_out=3), request=99)
    assert told == Spent(calls=1, tokens_in=7, tokens_out=3)
    silent = told.with_reply(ModelReply(text="x" * 40), request=99)
    assert silent == Spent(calls=2, tokens_in=106, tokens_out=13, estimated=True)
    half = Spent().with_reply(ModelReply(text="", tokens_in=50), request=99)
    assert half == Spent(calls=1, tokens_in=50, estimated=True)


@pytest.mark.parametrize("told", [-1, 0, 1, 4, True, 10**30])
def test_what_cannot_be_so_is_not_believed(told: int) -> None:
    spent = Spent().with_reply(ModelReply(text="x" * 400, tokens_in=told, tokens_out=told), request=100)
    assert spent == Spent(calls=1, tokens_in=100, tokens_out=100, estimated=True)
    assert Spent().with_reply(ModelReply(text="x" * 400, tokens_in=5, tokens_out=5), request=100).tokens == 10


def test_calls_are_part_of_a_reply() -> None:
    written = '[{"arguments":{"a":1},"id":"c1","name":"count_rows"}]'
    assert reply_tokens(ModelReply(text="x", calls=(CALL,))) == estimated_tokens("x" + written)


def test_prices_are_for_a_thousand_tokens() -> None:
    assert credits_of(1000, 500, PRICES) == 2.0 + 4.0
    assert cost_of(Spent(tokens_in=1000, tokens_out=500), PRICES) == 0.006


def test_nothing_forbids_the_first_call() -> None:
    assert _stop() is None


@pytest.mark.parametrize(
    ("limits", "status"),
    [
        ({"steps": 0}, AnswerStatus.STEP_LIMIT),
        ({"tokens": 0}, AnswerStatus.TOKEN_LIMIT),
        ({"cost": 0.0}, AnswerStatus.COST_LIMIT),
        ({"seconds": 0.0}, AnswerStatus.TIME_LIMIT),
    ],
)
def test_a_budget_of_nothing_makes_no_call(limits: dict[str, Any], status: AnswerStatus) -> None:
    assert _stop(Spent().going(0.0), **limits) is status
    assert next_stop(Spent().going(0), Limits(**limits), Prices(tokens_in=0, tokens_out=0), request=0, now=0) is status


@pytest.mark.parametrize(
    ("spent", "limits", "allowed", "forbidden"),
    [
        (Spent(tokens_in=80, tokens_out=10), {"tokens": 100}, 10, 11),
        (Spent(tokens_in=1000, tokens_out=0), {"cost": 0.004}, 1000, 1001),
    ],
)
def test_a_request_that_would_break_a_limit_is_not_sent(
    spent: Spent, limits: dict[str, Any], allowed: int, forbidden: int
) -> None:
    assert _stop(spent, request=allowed, **limits) is None
    assert _stop(spent, request=forbidden, **limits) in {AnswerStatus.TOKEN_LIMIT, AnswerStatus.COST_LIMIT}


def test_steps_are_counted() -> None:
    assert _stop(Spent(calls=7), steps=8) is None
    assert _stop(Spent(calls=8), steps=8) is AnswerStatus.STEP_LIMIT


def test_time_runs_but_for_the_time_that_a_person_takes() -> None:
    spent = Spent().going(100.0)
    assert _stop(spent, now=189.9, seconds=90.0) is None
    assert _stop(spent, now=190.0, seconds=90.0) is AnswerStatus.TIME_LIMIT
    halted = spent.halted(130.0)
    assert halted.elapsed(9000.0) == 30.0
    assert halted.going(9000.0).elapsed(9010.0) == 40.0


def test_what_goes_on_is_not_begun_again() -> None:
    assert Spent().going(100.0).going(150.0).elapsed(160.0) == 60.0


def test_a_clock_that_was_set_back_takes_nothing_away() -> None:
    assert Spent(seconds=5.0).going(100.0).elapsed(50.0) == 5.0


def test_counters_outlive_the_process() -> None:
    spent = Spent(calls=2, tokens_in=5, tokens_out=6, estimated=True, seconds=1.5, since=7.25)
    assert Spent.from_plain(json.loads(json.dumps(spent.to_plain()))) == spent


@given(
    requests=st.lists(st.integers(0, 5000), max_size=30),
    steps=st.integers(0, 10),
    tokens=st.integers(0, 20_000),
    cost=st.floats(0, 0.05),
)
def test_requests_alone_never_break_a_limit(requests: list[int], steps: int, tokens: int, cost: float) -> None:
    limits, spent = Limits(steps=steps, tokens=tokens, cost=cost), Spent()
    for request in requests:
        if next_stop(spent, limits, PRICES, request=request, now=0.0) is not None:
            break
        spent = spent.with_reply(ModelReply(text="", tokens_in=request, tokens_out=0), request)
    assert spent.calls <= steps
    assert spent.tokens <= tokens
    assert cost_of(spent, PRICES) <= cost


def test_a_limit_that_is_broken_forbids_every_request() -> None:
    broken = replace(Spent(), tokens_out=200)
    assert _stop(broken, request=0, tokens=100) is AnswerStatus.TOKEN_LIMIT
    assert set(asdict(broken)) == set(broken.to_plain())
