"""The nodes that ask the model: the scope gate before an investigation, and each of its steps."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from checks.vocabulary import JSON
from review_graph.agent.acting import call_line
from review_graph.agent.answering import answered_step
from review_graph.agent.calling import said_of
from review_graph.agent.context import RunContext, limits_of, over, prices_of, spent_of
from review_graph.agent.events import Wrote, nobody
from review_graph.agent.looking import looked_up
from review_graph.agent.prompts import (
    GATE,
    LAST,
    NOT_HERE,
    OUT_OF_SCOPE,
    POLITE,
    gate_message,
    system_message,
)
from review_graph.agent.state import InvestigationState
from review_graph.core.citing import named_in
from review_graph.core.grounding import unsupported
from review_graph.core.spending import next_stop, request_tokens
from review_graph.errors import ModelTrouble
from review_graph.vocabulary import AnswerStatus, ErrorCode, Message, ModelReply, Turn

Update = dict[str, Any]
_log = logging.getLogger("review_graph")


class Thinking:
    """Nodes that ask the model.

    Args:
        context: What the run works with.
    """

    def __init__(self, context: RunContext) -> None:
        self._with = context

    def look_up(self, state: InvestigationState) -> Update:
        """Look up what the question names; where it does not exist, nothing else is asked."""
        try:
            steps = looked_up(state, self._with)
        except TimeoutError:
            return over(AnswerStatus.TIME_LIMIT)
        if steps is None:
            return {"status": AnswerStatus.REFUSED.value, "text": NOT_HERE}
        for step in steps:
            self._with.log.write(call_line(state, answered_step(step)))
        system = system_message(self._with.matter, [step["text"] for step in steps if step["ok"]])
        messages: list[Message] = [{"role": "system", "content": system}]
        for turn in window_of(state):
            messages.append({"role": "user", "content": turn.question})
            messages.append({"role": "assistant", "content": turn.answer})
        messages.append({"role": "user", "content": state["question"]})
        return {"steps": steps, "messages": messages}

    def gate(self, state: InvestigationState) -> Update:
        """Ask whether the question belongs here. What cannot be understood is a no."""
        if not self._with.has_gate:
            return {"admitted": True}
        reply, update = self._ask(
            state,
            [
                {"role": "system", "content": GATE},
                {"role": "user", "content": gate_message(state["question"], window_of(state))},
            ],
        )
        return update if reply is None else update | {"admitted": _allows(reply.text)}

    def decline(self, state: InvestigationState) -> Update:
        """Let a model that sees no tools say politely that the question does not belong here."""
        messages = [{"role": "system", "content": POLITE}, {"role": "user", "content": state["question"]}]
        reply, update = self._ask(state, messages)
        said = "" if reply is None else reply.text.strip()
        is_sound = said and not unsupported(said, [state["question"]]) and not named_in(said, ())
        refused = {"status": AnswerStatus.REFUSED.value, "text": said if is_sound else OUT_OF_SCOPE, "error": None}
        return update | refused

    def think(self, state: InvestigationState) -> Update:
        """Ask the model for its next calls or its answer: one step."""
        messages, tools = list(state["messages"]), self._with.toolbox.schemas()
        if spent_of(state).calls + 1 >= limits_of(state).steps:  # what it may not call it does not see
            tools, messages = (), [*messages, *([{"role": "system", "content": LAST}] if state["steps"] else [])]
        reply, update = self._ask(state, messages, tools, is_step=True)
        if reply is None:
            return update
        if not reply.calls:
            return update | {"draft": reply.text.strip()}
        if not tools:
            return update | over(AnswerStatus.STEP_LIMIT)
        return update | {"messages": [*state["messages"], said_of(reply)], "draft": ""}

    def _ask(
        self,
        state: InvestigationState,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, JSON]] = (),
        *,
        is_step: bool = False,
    ) -> tuple[ModelReply | None, Update]:
        """Ask the model, if there is something left to spend; what was spent is put down either way."""
        before, limits, request = spent_of(state), limits_of(state), request_tokens(messages, tools)
        stop = next_stop(before, limits, prices_of(state), request=request, now=self._with.now())
        if stop is not None:
            return None, over(stop)
        tell = self._with.tell if is_step else nobody
        update: Update = {"model": self._with.model.name}
        reply = None
        try:
            reply = self._with.model.reply(
                messages,
                tools,
                seconds=min(limits.request_seconds, self._with.seconds_left(state)),
                on_text=lambda text: tell(Wrote(text)),
            )
        except ModelTrouble as trouble:
            _log.warning("run %s: %s: %s", state["run_id"], trouble.code.value, trouble)
            update |= _failed(trouble.code)
            if self._with.seconds_left(state) <= 0:
                update |= over(AnswerStatus.TIME_LIMIT)
        else:
            update |= {"model": reply.model or self._with.model.name}
        spent = before.with_reply(reply or ModelReply(text=""), request)
        if not is_step:  # the gate is no step of the investigation
            spent = replace(spent, calls=before.calls)
        return reply, update | {"spent": spent.to_plain()}


def window_of(state: InvestigationState) -> list[Turn]:
    """Return the last turns of the conversation."""
    return [Turn.from_plain(turn) for turn in state["window"]]


def _failed(code: ErrorCode) -> Update:
    return {"status": AnswerStatus.FAILED.value, "error": code.value}


def _allows(text: str) -> bool:
    try:
        said = json.loads(text.strip().removeprefix("```json").removesuffix("```"))
    except ValueError:
        return False
    return isinstance(said, dict) and said.get("allow") is True
