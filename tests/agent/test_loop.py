"""A1, A3, A4, A6: what the model sees, and what its calls come to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from langchain_core.messages import AIMessage, ToolMessage

from review_graph.vocabulary import AnswerStatus
from tests.agent.things import Desk, calls, divide, texts

At = Callable[..., Desk]


def test_the_model_sees_the_whole_conversation_each_time(desk: At) -> None:
    at = desk(divide("6 / 3"), divide("8 / 2"), "It is 2, and then 4.")
    answer = at.ask("What are 6 by 3 and 8 by 2?")
    assert (answer.status, answer.text) == (AnswerStatus.ANSWERED, "It is 2, and then 4.")
    assert [at.roles(call) for call in (1, 2, 3)] == [
        ["system", "human"],
        ["system", "human", "ai", "tool"],
        ["system", "human", "ai", "tool", "ai", "tool"],
    ]
    assert texts(at.model.asked[2])[1] == "What are 6 by 3 and 8 by 2?"
    assert at.model.asked[1] == at.model.asked[2][:4]


def test_each_call_of_one_reply_is_answered_under_its_id(desk: At) -> None:
    at = desk(calls(("calculate", {"expression": "1 + 1"}), ("calculate", {"expression": "2 + 3"})), "5")
    answer = at.ask()
    said, *observed = at.model.asked[1][2:]
    assert isinstance(said, AIMessage)
    assert [call["id"] for call in said.tool_calls] == [
        message.tool_call_id for message in observed if isinstance(message, ToolMessage)
    ]
    assert [step.step for step in answer.steps] == [1, 1]
    assert answer.figures[0].call == 2


def test_an_unknown_tool_is_answered_with_the_tools_there_are(desk: At) -> None:
    at = desk(calls(("drop_table", {})), "I cannot tell.")
    answer = at.ask()
    assert answer.status is AnswerStatus.ANSWERED
    told = texts(at.model.asked[1])[-1]
    assert told.startswith("error: ")
    assert "calculate" in told
    assert not answer.steps[0].ok


def test_broken_arguments_are_an_observation_and_the_model_goes_on(desk: At) -> None:
    at = desk(calls(("calculate", '{"expression": "1 +')), calls(("calculate", "[1]")), divide("4 / 2"), "2")
    answer = at.ask()
    assert answer.status is AnswerStatus.ANSWERED
    assert [step.result.split(":")[1].strip() for step in answer.steps[:2]] == ["InvalidJSON", "InvalidJSON"]


def test_arguments_of_the_wrong_shape_are_an_observation(desk: At) -> None:
    at = desk(calls(("calculate", {"expression": 4})), calls(("calculate", {"expression": "4", "more": 1})), "None.")
    answer = at.ask()
    assert [step.ok for step in answer.steps] == [False, False]
    assert answer.status is AnswerStatus.ANSWERED


def test_each_call_is_put_down_with_the_digest_of_what_was_told(desk: At) -> None:
    broken = calls(("calculate", "{"), ("drop_table", {}), ("calculate", {}), ("calculate", {"expression": "4711 + 2"}))
    at = desk(broken, calls(("export_summary", {"name": "a.csv"})), divide("6 / 3"), "2")
    answer = at.ask()
    assert [step.ok for step in answer.steps] == [False] * 5 + [True]
    expected = [hashlib.sha256(step.result.encode()).hexdigest() for step in answer.steps]
    assert [step.digest for step in answer.steps] == expected
    assert [line["digest"] for line in at.lines("call")] == expected


def test_the_same_call_again_gets_a_nudge(desk: At) -> None:
    at = desk(divide("6/3"), divide("9/3"), calls(("calculate", {"expression": " 6/3 ", "reasoning": "again"})), "2")
    answer = at.ask()
    assert answer.status is AnswerStatus.ANSWERED
    told = texts(at.model.asked[3])[-1]
    assert told.endswith("Use its result, or make another call.")
    assert "made this very call before" not in answer.steps[2].result


def test_three_times_running_is_stuck_before_the_third_runs(desk: At) -> None:
    at = desk(divide("6/3"), divide("6/3"), divide("6/3"), "2")
    answer = at.ask()
    assert answer.status is AnswerStatus.STUCK
    assert len(answer.steps) == 2
    assert len(at.lines("call")) == 2
    assert "2" not in answer.text


def test_of_very_many_calls_in_one_reply_those_beyond_are_left_out_and_said(desk: At) -> None:
    many = [("calculate", {"expression": f"{'6 + ' * number}6"}) for number in range(100)]
    at = desk(calls(*many), "Too many.")
    answer = at.ask()
    assert [step.ok for step in answer.steps] == [True] * 16
    observed = [str(message.text) for message in at.model.asked[1] if message.type == "tool"]
    assert len(observed) == 16
    assert observed[-1].endswith("Of 100 calls only the first 16 were made.")
    assert not any("only the first" in text for text in observed[:-1])


def test_arguments_that_no_tool_takes_are_cut_and_fill_nothing(desk: At) -> None:
    at = desk(
        calls(("calculate", {"expression": "6" * 90_000})), calls(("x" * 90_000, "{" * 90_000)), "No.", ask_tokens=10**6
    )
    answer = at.ask()
    assert [step.ok for step in answer.steps] == [False, False]
    assert "up to 4000 characters" in answer.steps[0].result
    size = sum(path.stat().st_size for path in at.folder.iterdir() if path.is_file())
    assert size < 2_000_000
    assert all(len(str(line)) < 2_000 for line in at.lines("call"))


def test_the_reasoning_is_kept_and_not_shown(desk: At) -> None:
    at = desk(calls(("calculate", {"expression": "1 + 1", "reasoning": "to see"})), "2")
    answer = at.ask()
    assert answer.steps[0].arguments["reasoning"] == "to see"
    assert at.lines("call")[0]["arguments"]["reasoning"] == "to see"
