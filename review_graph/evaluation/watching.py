"""A model that is watched: what it was shown each time, what it said, and what that cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from checks.vocabulary import JSON
from review_graph.core.spending import Spent, request_tokens
from review_graph.errors import ModelTrouble
from review_graph.ports import ChatModel
from review_graph.vocabulary import Message, ModelReply


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One call of a model.

    Attributes:
        messages: What it was shown.
        tools: Names of the tools that it was shown.
        reply: What it said; None when nothing that can be used came of it.
        trouble: What went wrong then.
        tokens_in: Tokens of the request; every message before is paid for again.
        tokens_out: Tokens of the reply.
    """

    messages: tuple[Message, ...]
    tools: tuple[str, ...]
    reply: ModelReply | None
    trouble: str = ""
    tokens_in: int
    tokens_out: int


class Watched:
    """Implements `ports.ChatModel` by another model, and keeps what passes.

    Args:
        model: The model that answers.

    Attributes:
        exchanges: What passed.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.exchanges: list[Exchange] = []

    @property
    def name(self) -> str:
        """Its name."""
        return self._model.name

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
        try:
            reply = self._model.reply(messages, tools, seconds=seconds, on_text=on_text)
        except ModelTrouble as trouble:
            self._keep(messages, tools, None, trouble.code.value)
            raise
        self._keep(messages, tools, reply)
        return reply

    def _keep(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, JSON]],
        reply: ModelReply | None,
        trouble: str = "",
    ) -> None:
        spent = Spent().with_reply(reply or ModelReply(text="", tokens_out=0), request_tokens(messages, tools))
        exchange = Exchange(
            messages=tuple(dict(message) for message in messages),
            tools=tuple(str(tool["function"]["name"]) for tool in tools),
            reply=reply,
            trouble=trouble,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
        )
        self.exchanges.append(exchange)
