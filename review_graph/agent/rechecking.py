"""A call is made again: what the state says it found has to be found once more in the data."""

from __future__ import annotations

from review_graph.agent.context import RunContext
from review_graph.agent.state import InvestigationState


def is_found_again(state: InvestigationState, place: int, context: RunContext) -> bool:
    """Make a call of a run again. Its words are compared: a digest in the state may not be that of the text beside it.

    Args:
        state: The run.
        place: Place of the call among its steps, from 1.
        context: What the run works with.

    Raises:
        TimeoutError: The time of the run is up.
    """
    step = state["steps"][place - 1]
    if context.toolbox.needs_approval(step["tool"]):
        return True  # it has an effect, and is not made again for its figures: they come from other calls
    again = context.call(state, step["tool"], step["arguments"])
    is_same = (again.text, again.figures) == (str(step["text"]), str(step["figures"]))
    line = {"kind": "check", "run_id": state["run_id"], "call": place, "digest": again.digest, "same": is_same}
    context.log.write(line)
    return is_same
