"""Any model of LangChain behind our port, with the one that is scripted; and the script itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langsmith import utils as langsmith_utils
from pydantic import BaseModel, Field

from review_graph.adapters.models.langchain_model import LangChainModel
from review_graph.adapters.models.scripted import Call, Reply, ScriptedChatModel, ScriptExhausted
from review_graph.errors import ModelTrouble, SetupError
from review_graph.vocabulary import ErrorCode, Message, ModelCall, ModelReply

ASK: tuple[Message, ...] = ({"role": "user", "content": "How many?"},)
TOOL = {"name": "count", "description": "Counts.", "parameters": {"type": "object", "properties": {}}}
PATIENCE_S = 30


def asked_of(*turns: Any, **more: Any) -> tuple[ScriptedChatModel, LangChainModel]:
    scripted = ScriptedChatModel(turns=list(turns), **more)
    return scripted, LangChainModel(scripted, scripted.model)


def test_script_is_said_turn_by_turn_with_calls_and_usage() -> None:
    call = Reply(text="Let me count them.", calls=(Call(name="count", arguments={"arm": "Placebo"}),), tokens_in=9)
    scripted, model = asked_of(call, lambda messages: f"I was told {messages[-1].content}.", "Bye.")
    first = model.reply(ASK, [TOOL], seconds=PATIENCE_S)
    assert first == ModelReply(
        text="Let me count them.",
        calls=(ModelCall(id="call_1", name="count", arguments={"arm": "Placebo"}),),
        tokens_in=9,
        tokens_out=11,  # 18 characters and 5 + 18 of the call, by fours
        model="scripted-2026-01-01",
    )
    assert model.reply(ASK, seconds=PATIENCE_S).text == "I was told How many?."
    assert model.reply(ASK, seconds=PATIENCE_S).text == "Bye."
    assert [message.content for message in scripted.asked[0]] == ["How many?"]
    assert [[tool["function"]["name"] for tool in tools] for tools in scripted.shown] == [["count"], [], []]


def test_script_streams_in_pieces() -> None:
    _, model = asked_of("There are 86 subjects in all.")
    told: list[str] = []
    reply = model.reply(ASK, seconds=PATIENCE_S, on_text=told.append)
    assert told == ["There ar", "e 86 sub", "jects in", " all."]
    assert reply.text == "".join(told)


def test_ids_of_calls_are_fresh_and_the_same_in_every_run() -> None:
    def ids() -> list[str]:
        call = Call(name="count", arguments={})
        _, model = asked_of(Reply(calls=(call, call)), Reply(calls=(call,)))
        return [each.id for _ in range(2) for each in model.reply(ASK, [TOOL], seconds=PATIENCE_S).calls]

    assert ids() == ids() == ["call_1", "call_2", "call_3"]


def test_broken_arguments_are_kept_as_they_are() -> None:
    _, model = asked_of(Reply(calls=(Call(name="count", arguments='{"arm": "Pl'),)))
    (call,) = model.reply(ASK, [TOOL], seconds=PATIENCE_S).calls
    assert (call.arguments, call.broken) == (None, '{"arm": "Pl')


def test_script_that_is_at_its_end_says_so() -> None:
    scripted, model = asked_of("once")
    assert scripted.invoke("x").content == "once"
    with pytest.raises(ScriptExhausted, match="the script has 1 turns, and the model was asked once more"):
        scripted.invoke("x")
    with pytest.raises(ModelTrouble) as caught:
        model.reply(ASK, seconds=PATIENCE_S)
    assert caught.value.code is ErrorCode.GENERIC


def test_usage_is_told_only_where_it_is_known() -> None:
    _, model = asked_of("86", gives_usage=False)
    reply = model.reply(ASK, seconds=PATIENCE_S)
    assert (reply.tokens_in, reply.tokens_out) == (None, None)


class Counted(BaseModel):
    """How many there are."""

    n: int


def test_script_fills_in_a_structure() -> None:
    scripted = ScriptedChatModel(turns=[Reply(calls=(Call(name="Counted", arguments={"n": 86}),))])
    assert scripted.with_structured_output(Counted).invoke("How many?") == Counted(n=86)
    assert [tool["function"]["name"] for tool in scripted.shown[0]] == ["Counted"]


def test_script_is_read_from_plain_data() -> None:
    scripted = ScriptedChatModel.from_plain(
        [
            "86",
            {"calls": [{"name": "count", "arguments": {"arm": "x"}}, {"name": "count", "arguments": "{"}]},
            {"text": "cut", "ended": "length", "tokens_in": 1, "tokens_out": 2},
            {"error": "timeout"},
            {"error": "connection"},
        ],
        model="recorded-2026-02-02",
    )
    assert scripted.turns[:3] == [
        "86",
        Reply(calls=(Call(name="count", arguments={"arm": "x"}), Call(name="count", arguments="{"))),
        Reply(text="cut", ended="length", tokens_in=1, tokens_out=2),
    ]
    assert [type(turn) for turn in scripted.turns[3:]] == [TimeoutError, ConnectionError]
    assert LangChainModel(scripted, "x").reply(ASK, seconds=PATIENCE_S).model == "recorded-2026-02-02"


@pytest.mark.parametrize(
    "turn",
    [7, None, ["x"], {"txt": "x"}, {"error": "other"}, {"error": "timeout", "text": "x"}, {"calls": [{"name": "x"}]}],
)
def test_turn_that_is_none_is_refused_by_its_number(turn: Any) -> None:
    with pytest.raises(SetupError, match="turn 2 of a script is none: it is text, or has some of text, calls"):
        ScriptedChatModel.from_plain(["one", turn])


class HTTPError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__("said with k3y")
        self.status_code = status


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (TimeoutError("k3y"), ErrorCode.MODEL_UNAVAILABLE),
        (ConnectionResetError("k3y"), ErrorCode.MODEL_UNAVAILABLE),
        (OSError("k3y"), ErrorCode.MODEL_UNAVAILABLE),
        *((HTTPError(status), ErrorCode.MODEL_UNAVAILABLE) for status in (302, 401, 403, 404, 408, 429, 500, 529)),
        *((HTTPError(status), ErrorCode.MODEL_ERROR) for status in (400, 413, 422)),
        (KeyError("k3y"), ErrorCode.MODEL_ERROR),
        (TypeError("k3y"), ErrorCode.MODEL_ERROR),
        (ValueError("k3y"), ErrorCode.MODEL_ERROR),
        (ModelTrouble(ErrorCode.NOT_PERMITTED, "not allowed"), ErrorCode.NOT_PERMITTED),
        (RecursionError("k3y"), ErrorCode.GENERIC),
        (RuntimeError("k3y"), ErrorCode.GENERIC),
    ],
    ids=repr,
)
def test_every_exception_becomes_a_code_and_its_text_stays_behind(error: Exception, code: ErrorCode) -> None:
    _, model = asked_of(error)
    with pytest.raises(ModelTrouble) as caught:
        model.reply(ASK, seconds=PATIENCE_S)
    assert caught.value.code is code
    assert "k3y" not in str(caught.value)


@pytest.mark.parametrize("ended", ["length", "content_filter", "", "k3y"])
def test_reply_that_did_not_come_to_its_end_is_none(ended: str) -> None:
    _, model = asked_of(Reply(text="There are 8", ended=ended))
    with pytest.raises(ModelTrouble, match="broke off before its end") as caught:
        model.reply(ASK, seconds=PATIENCE_S)
    assert caught.value.code is ErrorCode.MODEL_ERROR
    assert "k3y" not in str(caught.value)


class Stubborn(BaseChatModel):
    """Hangs after its first piece until it is let go."""

    go: Any = Field(default_factory=threading.Event)

    @property
    def _llm_type(self) -> str:
        return "stubborn"

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        yield from ScriptedChatModel(turns=["86"])._stream(messages)
        self.go.wait(PATIENCE_S)


def test_library_that_hangs_is_left_behind() -> None:
    stubborn = Stubborn()
    try:
        with pytest.raises(ModelTrouble, match="did not answer in time") as caught:
            LangChainModel(stubborn, "x").reply(ASK, seconds=0.1)
    finally:
        stubborn.go.set()
    assert caught.value.code is ErrorCode.MODEL_UNAVAILABLE


class Whole(BaseChatModel):
    """Gives its reply as a whole."""

    message: AIMessage

    @property
    def _llm_type(self) -> str:
        return "whole"

    def _generate(
        self,
        messages: list[BaseMessage],  # noqa: ARG002 - LangChain's
        stop: list[str] | None = None,  # noqa: ARG002 - the same
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - the same
        **_: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.message)])


def test_model_that_cannot_stream_is_understood_as_well() -> None:
    message = AIMessage(
        [{"type": "text", "text": "Let me "}, {"type": "text", "text": "count."}],
        tool_calls=[tool_call(name="count", args={"arm": "x"}, id="a")],
        invalid_tool_calls=[invalid_tool_call(name="count", args="{", id="b", error=None)],
        response_metadata={"finish_reason": "tool_calls"},
    )
    reply = LangChainModel(Whole(message=message), "x").reply(ASK, seconds=PATIENCE_S)
    assert (reply.text, reply.model) == ("Let me count.", "")
    assert reply.calls == (
        ModelCall(id="a", name="count", arguments={"arm": "x"}),
        ModelCall(id="b", name="count", arguments=None, broken="{"),
    )


def forget_environment() -> None:
    vars(langsmith_utils)["get_env_var"].cache_clear()


def test_nothing_is_told_to_a_tracer_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", "http://127.0.0.1:9")
    forget_environment()
    seen: list[object] = []

    def look(_: list[BaseMessage]) -> str:
        seen.append(langsmith_utils.tracing_is_enabled())
        return "86"

    try:
        scripted, model = asked_of(look)
        assert langsmith_utils.tracing_is_enabled(), "the environment asks for it"
        model.reply(ASK, seconds=PATIENCE_S)
    finally:
        monkeypatch.undo()
        forget_environment()
    assert seen == [False]
    assert isinstance(scripted.asked[0][0], HumanMessage)
