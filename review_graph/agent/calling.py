"""The calls that a model asks for: bounded, one after the other, and what an approval of one is bound to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from checks.vocabulary import JSON, canonical, digest
from review_graph.agent.state import InvestigationState
from review_graph.vocabulary import ModelCall, ModelReply, Pending

MAX_CALLS = 16
"""Calls that one reply of the model may make; those beyond are left out, and the model is told."""

MAX_ARGUMENTS = 4_000
"""Characters of the arguments of a call. No tool takes so many; more would only fill the database."""

_KEPT = 200
"""Characters that are kept of what is too long."""


def said_of(reply: ModelReply) -> dict[str, Any]:
    """Return a reply that asks for calls as a message, with the calls that can be made and how many are left out."""
    calls = [_bounded(call).to_plain() for call in reply.calls[:MAX_CALLS]]
    beyond = len(reply.calls) - len(calls)
    said = {"role": "assistant", "content": reply.text, "calls": calls}
    return said | {"left_out": beyond} if beyond else said


def left_out(state: InvestigationState) -> list[str]:
    """Return what the model is told of calls that were left out, with the result of the last one that was made."""
    calls, answered = calls_of(state)
    beyond = next((m.get("left_out", 0) for m in reversed(state["messages"]) if m["role"] == "assistant"), 0)
    if not beyond or answered + 1 < len(calls):
        return []
    return [f"Of {len(calls) + beyond} calls only the first {len(calls)} were made."]


def calls_of(state: InvestigationState) -> tuple[list[ModelCall], int]:
    """Return the calls of the model's last message, and how many of them are answered.

    They are counted, not told apart by their ids: some endpoints give the same id twice.
    """
    answered = 0
    for message in reversed(state["messages"]):
        if message["role"] == "assistant":
            return [ModelCall.from_plain(call) for call in message.get("calls", ())], answered
        answered += message["role"] == "tool"
    return [], 0


def next_call(state: InvestigationState) -> ModelCall | None:
    """Return the first call of the model's last message that has no answer."""
    calls, answered = calls_of(state)
    return calls[answered] if answered < len(calls) else None


def call_digest(call: ModelCall) -> str:
    """Return what an approval is bound to: the tool and all its arguments but the reasoning."""
    return digest({"tool": call.name, "arguments": _bare(call.arguments or {})})


def pending_of(state: InvestigationState) -> Pending | None:
    """Return the call that is next, as a person is asked about it."""
    call = next_call(state)
    if call is None or call.arguments is None:
        return None
    return Pending(tool=call.name, arguments=_bare(call.arguments), digest=call_digest(call))


def plain_pending(state: InvestigationState) -> dict[str, JSON]:
    """Return the same as plain data; nothing where no call is next."""
    pending = pending_of(state)
    return {} if pending is None else asdict(pending)


def _bounded(call: ModelCall) -> ModelCall:
    """A call whose name and arguments are no longer than any tool takes; cut, the arguments are none."""
    name, broken = call.name[:_KEPT], call.broken[:_KEPT]
    written = "" if call.arguments is None else canonical(call.arguments)
    if len(written) > MAX_ARGUMENTS:
        return replace(call, name=name, arguments=None, broken=f"{written[:_KEPT]}…")
    return replace(call, name=name, broken=broken)


def _bare(arguments: Mapping[str, JSON]) -> dict[str, JSON]:
    return {name: value for name, value in arguments.items() if name != "reasoning"}
