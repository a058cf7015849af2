"""A20 and A18: the model of the settings, over the wire, and what becomes of every way in which it can go wrong."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Mapping
from typing import Any

import pytest

from checks.vocabulary import JSON
from review_graph import Settings
from review_graph.adapters.models.bounds import MAX_BYTES
from review_graph.adapters.models.openai import open_model
from review_graph.errors import ModelTrouble
from review_graph.ports import ChatModel
from review_graph.vocabulary import ErrorCode, Message
from tests.model_server import (
    ANSWER,
    CALL,
    KEY,
    LATE,
    MODEL,
    UNUSABLE,
    Handler,
    Local,
    calls_with,
    event,
    says,
    streamed,
)

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

ASK: tuple[Message, ...] = ({"role": "user", "content": "How many subjects got placebo?"},)
TOOL: Mapping[str, JSON] = {
    "name": "count_subjects",
    "description": "Counts subjects.",
    "parameters": {"type": "object", "properties": {"arm": {"type": "string"}}, "required": ["arm"]},
}
SECONDS = 0.4
PATIENCE_S = 10


def test_answer_comes_whole_with_its_tokens_and_dated_model(model: ChatModel, model_server: Local) -> None:
    model_server.will("answer")
    reply = model.reply(ASK, seconds=PATIENCE_S)
    assert (reply.text, reply.calls) == (ANSWER, ())
    assert (reply.tokens_in, reply.tokens_out, reply.model, model.name) == (120, 7, MODEL, MODEL)


def test_text_is_told_as_it_comes(model: ChatModel, model_server: Local) -> None:
    model_server.will("answer")
    told: list[str] = []
    reply = model.reply(ASK, seconds=PATIENCE_S, on_text=told.append)
    assert "".join(told) == reply.text == ANSWER
    assert len(told) > 2


def test_what_is_asked_is_bounded_and_says_what_it_must(model: ChatModel, model_server: Local) -> None:
    model_server.will("call")
    messages: list[Message] = [
        {"role": "system", "content": "Be brief."},
        *ASK,
        {
            "role": "assistant",
            "content": "Let me look.",
            "calls": [
                {"id": "a", "name": "count_subjects", "arguments": {"arm": "Placebo"}},
                {"id": "b", "name": "count_subjects", "broken": '{"arm": '},
            ],
        },
        {"role": "tool", "call_id": "a", "content": "86"},
        {"role": "tool", "call_id": "b", "content": "error: InvalidArguments: no JSON"},
    ]
    reply = model.reply(messages, [TOOL], seconds=PATIENCE_S)
    assert [(call.id, call.name, call.arguments) for call in reply.calls] == [
        ("call_a", "count_subjects", {"arm": "Placebo"})
    ]
    (request,) = model_server.requests
    assert (request.body["model"], request.body["temperature"], request.body["stream"]) == (MODEL, 0, True)
    assert request.body["stream_options"] == {"include_usage": True}
    assert request.body["tools"] == [{"type": "function", "function": dict(TOOL)}]
    roles = [message["role"] for message in request.body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool"]
    called = request.body["messages"][2]["tool_calls"]
    assert [(call["id"], call["function"]["arguments"]) for call in called] == [
        ("a", '{"arm": "Placebo"}'),
        ("b", '{"arm": '),
    ]
    assert request.headers["authorization"] == f"Bearer {KEY}"


def test_without_tools_none_are_told_of(model: ChatModel, model_server: Local) -> None:
    model_server.will("answer")
    model.reply(ASK, seconds=PATIENCE_S)
    assert not {"tools", "tool_choice", "functions"} & set(model_server.requests[0].body)


@pytest.mark.parametrize("name", UNUSABLE)
def test_every_misbehaviour_is_a_code_in_bounded_time_and_nothing_is_tried_again(
    model: ChatModel, model_server: Local, name: str
) -> None:
    model_server.will(name)
    with pytest.raises(ModelTrouble) as caught:
        model.reply(ASK, [TOOL], seconds=SECONDS if name in LATE else PATIENCE_S)
    assert caught.value.code is UNUSABLE[name][1]
    assert len(model_server.requests) == 1
    told = "".join(traceback.format_exception(caught.value))
    assert str(caught.value)
    for secret in (KEY, model_server.url, str(model_server.server_port), "Sign in"):
        assert secret not in told


def test_endpoint_that_is_not_there_is_unavailable(served: Settings) -> None:
    nobody = open_model(served.model_copy(update={"model_url": "http://127.0.0.1:9/v1"}))
    assert nobody is not None
    with pytest.raises(ModelTrouble, match="cannot be reached") as caught:
        nobody.reply(ASK, seconds=PATIENCE_S)
    assert caught.value.code is ErrorCode.MODEL_UNAVAILABLE


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_question_is_never_sent_on_to_another_host(model: ChatModel, model_server: Local, status: int) -> None:
    other = Local()
    thread = threading.Thread(target=other.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    other.will("answer")
    model_server.will(lambda handler, _: handler.whole(status, {}, Location=f"{other.url}/chat/completions"))
    try:
        with pytest.raises(ModelTrouble) as caught:
            model.reply(ASK, seconds=PATIENCE_S)
    finally:
        other.shutdown()
        other.server_close()
        thread.join()
    assert (caught.value.code, other.requests) == (ErrorCode.MODEL_UNAVAILABLE, [])


@pytest.mark.parametrize("name", ["slow drip", "signs of life only", "hang in the middle", "huge"])
def test_what_was_left_behind_ends_soon(model: ChatModel, model_server: Local, name: str) -> None:
    model_server.will(name)
    with pytest.raises(ModelTrouble):
        model.reply(ASK, seconds=SECONDS)
    left = [thread for thread in threading.enumerate() if thread.name == "review-graph model"]
    for thread in left:
        thread.join(timeout=PATIENCE_S)
    assert not any(thread.is_alive() for thread in left)


def test_no_more_is_taken_than_a_response_may_have(model: ChatModel, model_server: Local) -> None:
    sent = 0

    def page(handler: Handler, _: object) -> None:
        nonlocal sent
        handler.start()
        handler.send("data: ")
        while handler.wait(0):
            handler.send(b"x" * 1_000_000)
            sent += 1_000_000

    model_server.will(page)
    with pytest.raises(ModelTrouble):
        model.reply(ASK, seconds=PATIENCE_S)
    assert MAX_BYTES - 5_000_000 < sent < 3 * MAX_BYTES  # what the kernel holds in between is its own matter


def test_without_time_nothing_is_asked(model: ChatModel, model_server: Local) -> None:
    model_server.will("answer")
    with pytest.raises(ModelTrouble) as caught:
        model.reply(ASK, seconds=0)
    assert (caught.value.code, model_server.requests) == (ErrorCode.USAGE_LIMIT, [])


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ('{"arm": "Pla', None),
        ('{"arm": "Placebo"', None),
        ('["Placebo"]', None),
        ('"Placebo"', None),
        ('{"n": NaN}', None),
        ('{"n": Infinity}', None),
        ('{"arm": "\\ud800"}', None),
        ("[" * 100_000, None),
        ('{"n": ' + "9" * 5000 + "}", None),
        ("", {}),
        ("{}", {}),
        ('{"a": {"b": [1, 2.5, null, true]}}', {"a": {"b": [1, 2.5, None, True]}}),
    ],
    ids=[
        "cut",
        "not closed",
        "list",
        "text",
        "NaN",
        "infinity",
        "half a letter",
        "deep",
        "large",
        "none",
        "{}",
        "whole",
    ],
)
def test_arguments_are_what_was_written_or_broken_never_mended(
    model: ChatModel, model_server: Local, written: str, arguments: Any
) -> None:
    model_server.will(calls_with(written))
    (call,) = model.reply(ASK, [TOOL], seconds=PATIENCE_S).calls
    assert call.arguments == arguments
    assert call.broken == ("" if arguments is not None else written)


def test_each_call_has_an_id_of_its_own(model: ChatModel, model_server: Local) -> None:
    model_server.will(says("", [CALL, CALL | {"id": ""}, CALL, CALL | {"id": None}]))
    calls = model.reply(ASK, [TOOL], seconds=PATIENCE_S).calls
    assert [call.id for call in calls] == ["call_a", "call_2", "call_a_3", "call_4"]


def test_endpoint_that_repeats_itself_is_understood(model: ChatModel, model_server: Local) -> None:
    usages = [{"prompt_tokens": 9, "completion_tokens": n, "total_tokens": 9 + n} for n in (1, 2, 3)]
    model_server.will(streamed(*(event({"content": "86"}, "stop", usage=usage) for usage in usages)))
    reply = model.reply(ASK, seconds=PATIENCE_S)
    assert (reply.text, reply.model, reply.tokens_in, reply.tokens_out) == ("868686", MODEL, 9, 3)


def test_halves_of_letters_are_put_together(model: ChatModel, model_server: Local) -> None:
    model_server.will(streamed(event({"content": "a\ud83d"}), event({"content": "\ude00b\udc80"}), event({}, "stop")))
    told: list[str] = []
    reply = model.reply(ASK, seconds=PATIENCE_S, on_text=told.append)
    assert reply.text == "a\U0001f600b\ufffd"
    assert "".join(told).encode()


def test_trouble_of_whoever_listens_is_their_own(model: ChatModel, model_server: Local) -> None:
    def gone(_: str) -> None:
        raise BrokenPipeError

    model_server.will("answer")
    with pytest.raises(BrokenPipeError):
        model.reply(ASK, seconds=PATIENCE_S, on_text=gone)
