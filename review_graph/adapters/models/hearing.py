"""A reply from the pieces in which it comes. What is not whole is no reply."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Literal

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.ai import add_ai_message_chunks

from checks.vocabulary import JSON, canonical
from review_graph.errors import ModelTrouble
from review_graph.vocabulary import ErrorCode, ModelCall, ModelReply

MAX_CHARACTERS = 400_000
"""Of one reply, arguments of calls included; more is no answer to any question."""

WHOLE = {"stop", "tool_calls", "function_call"}
"""Reasons to end that a whole reply gives; `length` and `content_filter` are none of them."""


class Hearing:
    """Gathers one reply."""

    def __init__(self) -> None:
        self._pieces: list[AIMessage] = []
        self._characters = 0

    def take(self, piece: object) -> str:
        """Take one more piece, and return its text.

        Raises:
            ModelTrouble: It is none of a reply, or the reply becomes too long.
        """
        if not isinstance(piece, AIMessage):
            raise _unusable("it is not written in the role of the assistant")
        text = str(piece.text)
        asked = piece.tool_call_chunks if isinstance(piece, AIMessageChunk) else []
        self._characters += len(text) + sum(len(call["args"] or "") for call in asked)
        if self._characters > MAX_CHARACTERS:
            raise _unusable(f"it has more than {MAX_CHARACTERS:,} characters")
        self._pieces.append(piece)
        return sound(text)

    def reply(self) -> ModelReply:
        """Return the whole.

        Raises:
            ModelTrouble: It is not whole, or says nothing.
        """
        ended = self._last("finish_reason")
        if ended not in WHOLE:
            known = ended if ended in ("length", "content_filter") else "another reason" if ended else "no reason given"
            raise _unusable(f"it broke off before its end: {known}")
        calls = tuple(self._calls())
        text = sound("".join(str(piece.text) for piece in self._pieces))
        if not calls and (ended != "stop" or not text.strip()):
            raise _unusable("it neither answers nor calls a tool")
        return ModelReply(
            text=text,
            calls=calls,
            tokens_in=self._tokens("input_tokens"),
            tokens_out=self._tokens("output_tokens"),
            model=sound(self._last("model_name")),
        )

    def _last(self, name: str) -> str:
        """What was said last: put together, the pieces of an endpoint that repeats itself would read `stopstop`."""
        said = (piece.response_metadata.get(name) for piece in reversed(self._pieces))
        return next((each for each in said if isinstance(each, str) and each), "")

    def _tokens(self, name: Literal["input_tokens", "output_tokens"]) -> int | None:
        """Some endpoints count on in each piece, so what was said is never added up."""
        usages = [piece.usage_metadata for piece in self._pieces if piece.usage_metadata]
        return max((usage[name] for usage in usages), default=None)

    def _calls(self) -> Iterable[ModelCall]:
        seen: set[str] = set()
        for number, (name, arguments, given) in enumerate(self._asked(), start=1):
            identity = sound(given or "") or f"call_{number}"
            if identity in seen:  # each call is answered by its id
                identity = f"{identity}_{number}"
            seen.add(identity)
            plain = _arguments(arguments)
            broken = "" if plain is not None else sound(arguments)
            yield ModelCall(id=identity, name=sound(name or ""), arguments=plain, broken=broken)

    def _asked(self) -> Iterable[tuple[str | None, str, str | None]]:
        """Name, arguments as they are written and id of each call.

        LangChain would mend arguments that are cut, and run a call that nobody wrote.
        """
        chunks = [
            AIMessageChunk(content="", tool_call_chunks=piece.tool_call_chunks)
            for piece in self._pieces
            if isinstance(piece, AIMessageChunk) and piece.tool_call_chunks
        ]
        if chunks:
            for written in add_ai_message_chunks(*chunks).tool_call_chunks:
                yield written["name"], written["args"] or "", written["id"]
        for piece in self._pieces:
            if not isinstance(piece, AIMessageChunk):
                for read in piece.tool_calls:
                    yield read["name"], json.dumps(read["args"]), read["id"]
                for unread in piece.invalid_tool_calls:
                    yield unread["name"], unread["args"] or "", unread["id"]


def sound(text: str) -> str:
    """Return text with halves of letters put together, or written as the sign for what is none."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _arguments(written: str) -> dict[str, JSON] | None:
    """Arguments as they were meant to be: a JSON object and nothing else, or nothing at all for no arguments."""
    try:
        plain = json.loads(written or "{}", parse_constant=_none_such)
        canonical(plain).encode()
    except (ValueError, RecursionError):
        return None
    return plain if isinstance(plain, dict) else None


def _none_such(word: str) -> JSON:
    raise ValueError(word)


def _unusable(why: str) -> ModelTrouble:
    return ModelTrouble(ErrorCode.MODEL_ERROR, f"the reply of the model cannot be used: {why}")
