"""The nodes that hold an answer against what was found, and close the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from review_graph.agent.acting import sources_of
from review_graph.agent.answering import run_line, utc
from review_graph.agent.context import RunContext, limits_of, over, spent_of
from review_graph.agent.events import Replaced
from review_graph.agent.prompts import CHANGED, UNCITED, WITHHELD, stopped, ungrounded_message
from review_graph.agent.rechecking import is_found_again
from review_graph.agent.state import InvestigationState
from review_graph.core.citing import cited, uncited
from review_graph.core.grounding import claims, supporting, unsupported
from review_graph.vocabulary import AnswerStatus, Citation, ErrorCode, Figure, Turn

Update = dict[str, Any]

_REMEMBERED = (AnswerStatus.ANSWERED, AnswerStatus.UNGROUNDED, AnswerStatus.REFUSED)
"""How a turn of a conversation ends; whatever else ends a run is not part of the talk."""


class Checking:
    """Nodes that check and close.

    Args:
        context: What the run works with.
    """

    def __init__(self, context: RunContext) -> None:
        self._with = context

    def check(self, state: InvestigationState) -> Update:
        """Let an answer pass only when each of its numbers and names was found, and is found again in time."""
        try:
            return self._checked(state)
        except TimeoutError:
            return over(AnswerStatus.TIME_LIMIT)

    def _checked(self, state: InvestigationState) -> Update:
        draft = state["draft"]
        if not draft:
            return {"status": AnswerStatus.FAILED.value, "error": ErrorCode.MODEL_ERROR.value}
        steps = [step for step in state["steps"] if step["ok"]]
        wrong = unsupported(draft, sources_of(state))
        if wrong and not state["second_chance"] and self._may_think(state):
            self._with.tell(Replaced(""))
            said = {"role": "assistant", "content": draft}
            back = {"role": "user", "content": ungrounded_message(wrong)}
            return {"messages": [*state["messages"], said, back], "second_chance": True, "draft": ""}
        if wrong:
            return _withheld(WITHHELD)
        own = Citation(kind="dataset", name=self._with.matter.review.dataset.name)
        returned = [own, *(Citation(kind=kind, name=name) for step in steps for kind, name in step["names"])]
        if uncited(draft, returned, self._with.known(state)):
            return _withheld(UNCITED)
        figures = self._figures(draft, state)
        update: Update = {"figures": [asdict(figure) for figure in figures]}
        if any(figure.recomputed is False for figure in figures):
            return update | _withheld(CHANGED)
        return update | {
            "status": AnswerStatus.ANSWERED.value,
            "text": draft,
            "citations": [asdict(citation) for citation in cited(draft, returned)],
        }

    def finish(self, state: InvestigationState) -> Update:
        """Say what the user is shown, remember it, and put the run down, however it ended."""
        status = AnswerStatus(state["status"])
        text = state.get("text") or stopped(status, state.get("error"))
        if text != state.get("draft"):
            self._with.tell(Replaced(text))
        now = self._with.now()
        if state["session"] and status in _REMEMBERED:
            self._with.memory.add(state["session"], Turn(question=state["question"], answer=text, at=utc(now)))
        self._with.log.write(run_line({**state, "text": text}, now))
        return {"text": text}

    def _may_think(self, state: InvestigationState) -> bool:
        return spent_of(state).calls < limits_of(state).steps and self._with.seconds_left(state) > 0

    def _figures(self, draft: str, state: InvestigationState) -> Sequence[Figure]:
        """Trace each number to the call it comes from, and make that call again."""
        again: dict[int, bool] = {}
        figures = []
        for number in claims(draft, sources_of(state)):
            places = [
                place
                for place, step in enumerate(state["steps"], start=1)
                if step["ok"] and supporting(number, step["figures"])
            ]
            if not places:
                figures.append(Figure(written=number.written))
                continue
            place = places[-1]
            if place not in again:
                again[place] = is_found_again(state, place, self._with)
            figures.append(Figure(written=number.written, call=place, recomputed=again[place]))
        return figures


def _withheld(text: str) -> Update:
    return {"status": AnswerStatus.UNGROUNDED.value, "text": text}
