"""The nodes that call tools: one call a step of the graph, so that a crash repeats one at most; and the approval."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from langgraph.types import interrupt

from checks.plain import quote
from checks.vocabulary import JSON
from review_graph.agent.calling import (
    MAX_ARGUMENTS,
    call_digest,
    left_out,
    next_call,
    plain_pending,
)
from review_graph.agent.context import RunContext, over, spent_of
from review_graph.agent.events import Called, Calls
from review_graph.agent.prompts import NUDGE, REJECTED
from review_graph.agent.rechecking import is_found_again
from review_graph.agent.state import InvestigationState
from review_graph.core.founding import calculation_fault, is_idle_percentage
from review_graph.core.repeating import call_key, is_repeat, is_stuck
from review_graph.tools.calculating import Calculate
from review_graph.tools.toolbox import Observation, failed
from review_graph.vocabulary import SHOWN_RESULT, AnswerStatus, ModelCall, Step

Update = dict[str, Any]

CHANGED_SINCE = "error: Changed: results of this run are not found again in the data, so they are not written"

ALREADY_DONE = "error: AlreadyDone: this very call was begun before and is not made twice"

TOO_LATE = "error: TooLate: the time of the run was up before the tool was done"


class Acting:
    """Nodes that call tools.

    Args:
        context: What the run works with.
    """

    def __init__(self, context: RunContext) -> None:
        self._with = context

    def act(self, state: InvestigationState) -> Update:
        """Make the next call that the model asked for and that has no answer yet."""
        call = next_call(state)
        if call is None:
            return {}
        if self._with.seconds_left(state) <= 0:
            return over(AnswerStatus.TIME_LIMIT)
        made, key = [step["key"] for step in state["steps"]], call_key(call)
        if is_stuck(made, key):
            return {"status": AnswerStatus.STUCK.value}
        allowed = approval_of(state, call) if self._with.toolbox.needs_approval(call.name) else None
        self._with.tell(Calls(call.name, call.arguments or {}))
        late: Update = {}
        try:
            observation = self._observed(state, call, allowed)
        except TimeoutError:
            observation, late = failed(TOO_LATE), over(AnswerStatus.TIME_LIMIT)
        step = step_of(spent_of(state).calls, call, observation, allowed)
        self._with.log.write(call_line(state, step))
        self._with.tell(Called(step))
        notes = [NUDGE] if is_repeat(made, key) else []
        content = "\n".join([observation.text, *notes, *left_out(state)])
        message = {"role": "tool", "content": content, "call_id": call.id}
        return {
            "messages": [*state["messages"], message],
            "steps": [*state["steps"], kept_step(step, call, observation)],
            **late,
        }

    def pause(self, state: InvestigationState) -> Update:
        """Stop the clock of the run: what waits is not held against its time."""
        return {"spent": spent_of(state).halted(self._with.now()).to_plain()}

    def approve(self, state: InvestigationState) -> Update:
        """Wait for a person. What comes before `interrupt` runs again on resuming, so nothing has an effect there."""
        said = interrupt(plain_pending(state))
        decided = {
            "number": len(state["steps"]),
            "digest": str(said["digest"]),
            "approved": said["approved"] is True,
            "by": str(said["by"]),
        }
        return {
            "approvals": [*state["approvals"], decided],
            "spent": spent_of(state).going(self._with.now()).to_plain(),
        }

    def _observed(self, state: InvestigationState, call: ModelCall, allowed: bool | None) -> Observation:  # noqa: FBT001
        if call.arguments is None:
            return failed(
                f"error: InvalidJSON: the arguments of {quote(call.name)} are no JSON object of up to "
                f"{MAX_ARGUMENTS} characters"
            )
        if allowed is False:
            return failed(REJECTED)
        if allowed and not self._with.once(state["run_id"], f"call {call_digest(call)}", len(state["steps"])):
            return failed(ALREADY_DONE)
        if fault := fault_of_calculation(state, call):
            return failed(f"error: UnknownNumber: {fault}")
        shown = shown_figures(state, self._with) if allowed else []
        if shown is None:
            return failed(CHANGED_SINCE)
        return self._with.call(state, call.name, call.arguments, shown)


def call_line(state: InvestigationState, step: Step) -> dict[str, Any]:
    """Return the line of the account that tells of a call."""
    plain = {name: value for name, value in step.to_plain().items() if name != "result"}
    about = {name: state[name] for name in ("run_id", "review_id", "fingerprint")}
    return {"kind": "call", **about, **plain}


def approval_of(state: InvestigationState, call: ModelCall) -> bool:
    """Whether a person allowed this very call; what nobody said anything on is not allowed."""
    said = [each for each in state["approvals"] if each["number"] == len(state["steps"])]
    return [(each["approved"], each["digest"]) for each in said] == [(True, call_digest(call))]


def is_undecided(state: InvestigationState) -> bool:
    """Whether nobody has said yet whether the next call may be made."""
    return len(state["steps"]) not in {each["number"] for each in state["approvals"]}


def fault_of_calculation(state: InvestigationState, call: ModelCall) -> str | None:
    """Return what is wrong with the numbers of a calculation: what is made of numbers from nowhere is from nowhere."""
    expression = (call.arguments or {}).get("expression")
    if call.name != Calculate.name or not isinstance(expression, str):
        return None
    return calculation_fault(expression, _founding(state))


def _founding(state: InvestigationState) -> list[str]:
    """What numbers of a calculation may come from: 100 of `100 * 86 / 86` is said, and not calculated with."""
    known = [state["question"]]
    for step in state["steps"]:
        is_calculated = step["ok"] and step["tool"] == Calculate.name
        if step["ok"] and not (is_calculated and is_idle_percentage(step["arguments"]["expression"], known)):
            known.append(step["figures"])
    return known


def sources_of(state: InvestigationState) -> list[str]:
    """Return what numbers may come from: the question, and what successful calls found, without what they repeat."""
    return [state["question"], *(step["figures"] for step in state["steps"] if step["ok"])]


def shown_figures(state: InvestigationState, context: RunContext) -> list[Mapping[str, JSON]] | None:
    """Return what the successful calls of the run found, for an export; None where some is not found again."""
    places = [place for place, step in enumerate(state["steps"], start=1) if step["ok"]]
    if not all(is_found_again(state, place, context) for place in places):
        return None
    return [json.loads(state["steps"][place - 1]["figures"]) for place in places]


def step_of(number: int, call: ModelCall, observation: Observation, approved: bool | None = None) -> Step:  # noqa: FBT001
    """Return what is put down of a call."""
    return Step(
        step=number,
        tool=call.name,
        arguments=call.arguments if call.arguments is not None else {"broken": call.broken},
        approved=approved,
        ok=observation.ok,
        result=observation.text[:SHOWN_RESULT],
        rows=observation.rows,
        digest=observation.digest,
    )


def kept_step(step: Step, call: ModelCall, observation: Observation) -> dict[str, Any]:
    """Return a step as the state keeps it: with all it told, its figures and names, and what it is compared by."""
    names = sorted([name.kind, name.name] for name in observation.names)
    told = {"text": observation.text, "figures": observation.figures, "names": names, "key": call_key(call)}
    return step.to_plain() | told
