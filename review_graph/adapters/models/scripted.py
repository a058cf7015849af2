"""A chat model that says what was written down for it: for tests, and for questions whose turns were recorded."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields
from typing import Any, Self

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.output_parsers.openai_tools import make_invalid_tool_call, parse_tool_call
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field, PrivateAttr

from checks.vocabulary import JSON
from review_graph.errors import SetupError

PIECE = 8
"""Characters of one piece of a reply."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of a tool.

    Attributes:
        name: The tool.
        arguments: Plain data, or text that stands for them as it is, broken or not.
    """

    name: str
    arguments: Mapping[str, JSON] | str

    @property
    def written(self) -> str:
        """The arguments as a model writes them."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(dict(self.arguments))


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One reply.

    Attributes:
        text: Its text.
        calls: The tools that it calls.
        tokens_in: Tokens of the request; a quarter of its characters when not given.
        tokens_out: Tokens of the reply; the same.
        ended: Why it ends, as an endpoint says; empty for one that breaks off.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    tokens_in: int | None = None
    tokens_out: int | None = None
    ended: str | None = None


ScriptedTurn = str | Reply | Exception | Callable[[list[BaseMessage]], "str | Reply | Exception"]


class ScriptExhausted(Exception):  # noqa: N818 - says what happened
    """The model was asked more often than turns were written down for it."""


class ScriptedChatModel(BaseChatModel):
    """Says one turn after the other, whatever it is asked.

    Attributes:
        turns: What it says: text, replies, exceptions that it raises, and functions from the messages to one of these.
        model: Its name.
        gives_usage: Whether it says how many tokens were used.
        asked: The messages that it was shown, each time.
        shown: The tools that it was shown, each time.
    """

    turns: list[ScriptedTurn] = Field(default_factory=list)
    model: str = "scripted-2026-01-01"
    gives_usage: bool = True
    asked: list[list[BaseMessage]] = Field(default_factory=list)
    shown: list[list[dict[str, Any]]] = Field(default_factory=list)
    _calls: int = PrivateAttr(default=0)

    @classmethod
    def from_plain(cls, turns: Sequence[JSON], **more: Any) -> Self:  # noqa: ANN401 - fields of the model
        """Return a model from recorded turns.

        Args:
            turns: Each is text, or has `text`, `calls` (each with `name` and `arguments`, which may be text),
                `tokens_in`, `tokens_out`, `ended`; or it has only `error`: `timeout` or `connection`.
            more: Further fields.

        Raises:
            SetupError: A turn is none of these.
        """
        return cls(turns=[_turn(number, turn) for number, turn in enumerate(turns, start=1)], **more)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self,
        tools: Sequence[Any],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Show it tools; it calls what its script says."""
        shown = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(tools=shown, tool_choice=tool_choice, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - LangChain's
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's
    ) -> Iterator[ChatGenerationChunk]:
        for piece in self._pieces(self._next(messages, kwargs), messages):
            chunk = ChatGenerationChunk(message=piece)
            if run_manager:
                run_manager.on_llm_new_token(str(piece.text), chunk=chunk)
            yield chunk

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - LangChain's
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - the same
        **kwargs: Any,  # noqa: ANN401 - LangChain's
    ) -> ChatResult:
        reply = self._next(messages, kwargs)
        ending = self._ending(reply, messages)
        read, unread = [], []
        for call in reply.calls:  # put together from pieces, LangChain would mend arguments that are cut
            asked = {"id": self._new_id(), "function": {"name": call.name, "arguments": call.written}}
            try:
                read.append(parse_tool_call(asked, return_id=True))
            except OutputParserException:
                unread.append(make_invalid_tool_call(asked, None))
        message = AIMessage(
            reply.text,
            tool_calls=read,
            invalid_tool_calls=unread,
            usage_metadata=ending.usage_metadata,
            response_metadata=ending.response_metadata,
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _next(self, messages: list[BaseMessage], options: Mapping[str, Any]) -> Reply:
        number = len(self.asked)
        self.asked.append(deepcopy(messages))
        self.shown.append(list(options.get("tools") or ()))
        if number >= len(self.turns):
            raise ScriptExhausted(f"the script has {len(self.turns)} turns, and the model was asked once more")
        turn = self.turns[number]
        said = turn(messages) if callable(turn) else turn
        if isinstance(said, Exception):
            raise said
        return Reply(text=said) if isinstance(said, str) else said

    def _pieces(self, reply: Reply, messages: list[BaseMessage]) -> Iterator[AIMessageChunk]:
        for start in range(0, len(reply.text), PIECE):
            yield AIMessageChunk(content=reply.text[start : start + PIECE])
        for index, call in enumerate(reply.calls):
            yield from self._called(index, call)
        yield self._ending(reply, messages)

    def _called(self, index: int, call: Call) -> Iterator[AIMessageChunk]:
        first = tool_call_chunk(name=call.name, args="", id=self._new_id(), index=index)
        written = call.written
        rest = [
            tool_call_chunk(name=None, args=written[start : start + PIECE], id=None, index=index)
            for start in range(0, len(written), PIECE)
        ]
        for chunk in (first, *rest):
            yield AIMessageChunk(content="", tool_call_chunks=[chunk])

    def _new_id(self) -> str:
        self._calls += 1
        return f"call_{self._calls}"

    def _ending(self, reply: Reply, messages: list[BaseMessage]) -> AIMessageChunk:
        ended = reply.ended if reply.ended is not None else "tool_calls" if reply.calls else "stop"
        metadata = {"finish_reason": ended, "model_name": self.model} if ended else {}
        usage = None
        if self.gives_usage:
            said = len(reply.text) + sum(len(call.name) + len(call.written) for call in reply.calls)
            into, out = reply.tokens_in, reply.tokens_out
            into = math.ceil(sum(len(str(each.text)) for each in messages) / 4) if into is None else into
            out = math.ceil(said / 4) if out is None else out
            usage = UsageMetadata(input_tokens=into, output_tokens=out, total_tokens=into + out)
        return AIMessageChunk(content="", response_metadata=metadata, usage_metadata=usage)


_ERRORS: Mapping[str, Callable[[], Exception]] = {"timeout": TimeoutError, "connection": ConnectionError}
_KNOWN = tuple(part.name for part in fields(Reply))


def _turn(number: int, plain: JSON) -> ScriptedTurn:
    if isinstance(plain, str):
        return plain
    try:
        if set(plain) == {"error"}:
            return _ERRORS[plain["error"]]()
        return Reply(**{**plain, "calls": tuple(Call(**call) for call in plain.get("calls", ()))})
    except (AttributeError, KeyError, TypeError):
        raise SetupError(
            f"turn {number} of a script is none: it is text, or has some of {', '.join(_KNOWN)}, or only error: "
            f"{' or '.join(sorted(_ERRORS))}"
        ) from None
