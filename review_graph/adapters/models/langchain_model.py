"""Any chat model of LangChain behind our port."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.runnables import Runnable, RunnableConfig

from checks.vocabulary import JSON
from review_graph.adapters.models.deadline import within
from review_graph.adapters.models.hearing import Hearing
from review_graph.adapters.models.trouble import trouble_of
from review_graph.errors import ModelTrouble
from review_graph.untraced import untraced
from review_graph.vocabulary import ErrorCode, Message, ModelCall, ModelReply


def no_options(seconds: float) -> Mapping[str, Any]:  # noqa: ARG001 - for models that take none
    """Pass nothing more to the model."""
    return {}


class LangChainModel:
    """Implements `ports.ChatModel`. Nothing is tried again, and nothing is told to a tracer.

    Args:
        model: The model.
        name: Its name, with its date.
        options: What is passed with a request that may take so many seconds.
    """

    def __init__(
        self, model: BaseChatModel, name: str, *, options: Callable[[float], Mapping[str, Any]] = no_options
    ) -> None:
        self._model = model
        self._name = name
        self._options = options

    @property
    def name(self) -> str:
        """Its name as it is asked for."""
        return self._name

    def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, JSON]] = (),
        *,
        seconds: float,
        on_text: Callable[[str], None] | None = None,
    ) -> ModelReply:
        """Answer a conversation, once.

        Raises:
            ModelTrouble: It gave no answer that can be used.
        """
        if seconds <= 0:
            raise ModelTrouble(ErrorCode.USAGE_LIMIT, "no time is left to ask the model")
        hearing = Hearing()
        for text in self._heard(hearing, [_message(each) for each in messages], tools, seconds):
            if text and on_text is not None:
                on_text(text)
        try:
            return hearing.reply()
        except Exception as error:  # noqa: BLE001 - pieces that do not fit together
            raise trouble_of(error) from None

    def _heard(
        self, hearing: Hearing, messages: list[BaseMessage], tools: Sequence[Mapping[str, JSON]], seconds: float
    ) -> Iterator[str]:
        """The text of the reply, piece by piece. Only what happens in here is the model's fault."""
        try:
            asked: Runnable[LanguageModelInput, AIMessage] = (
                self._model.bind_tools([dict(tool) for tool in tools]) if tools else self._model
            )
            for piece in within(seconds, lambda: _pieces(asked, messages, self._options(seconds))):
                yield hearing.take(piece)
        except Exception as error:  # noqa: BLE001 - each becomes a code; what it says is not passed on
            raise trouble_of(error) from None


def _pieces(
    asked: Runnable[LanguageModelInput, AIMessage], messages: list[BaseMessage], options: Mapping[str, Any]
) -> Generator[AIMessage, None, None]:
    with untraced():
        yield from asked.stream(messages, RunnableConfig(callbacks=[]), **options)


def _message(plain: Message) -> BaseMessage:
    content = plain["content"]
    role = plain["role"]
    if role == "system":
        return SystemMessage(content)
    if role == "user":
        return HumanMessage(content)
    if role == "tool":
        return ToolMessage(content, tool_call_id=plain["call_id"])
    if role == "assistant":
        return _said(content, [ModelCall.from_plain(call) for call in plain.get("calls") or ()])
    raise ValueError(f"no message has the role {role!r}")


def _said(content: str, calls: Sequence[ModelCall]) -> AIMessage:
    return AIMessage(
        content,
        tool_calls=[
            tool_call(name=call.name, args=dict(call.arguments), id=call.id)
            for call in calls
            if call.arguments is not None
        ],
        invalid_tool_calls=[
            invalid_tool_call(name=call.name, args=call.broken, id=call.id) for call in calls if call.arguments is None
        ],
    )
