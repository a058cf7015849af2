"""What a run came to, as its answer and as the line that accounts for it."""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import Any

from review_graph.agent.context import prices_of, spent_of
from review_graph.agent.state import InvestigationState
from review_graph.core.spending import cost_of
from review_graph.vocabulary import Answer, AnswerStatus, Citation, ErrorCode, Figure, Pending, Step

_KEPT_BESIDE = ("text", "figures", "names", "key")
"""What the state keeps of a step and an answer does not carry."""


def answer_of(state: InvestigationState, pending: Pending | None, now: float) -> Answer:
    """Return the answer of a run that ended, or waits."""
    spent, error = spent_of(state), state.get("error")
    return Answer(
        run_id=state["run_id"],
        review_id=state["review_id"],
        question=state["question"],
        text=state.get("text", ""),
        status=AnswerStatus(state.get("status", AnswerStatus.WAITING.value)),
        error=ErrorCode(error) if error else None,
        steps=tuple(answered_step(step) for step in state["steps"]),
        figures=tuple(Figure(**figure) for figure in state.get("figures", ())),
        citations=tuple(Citation(**citation) for citation in state.get("citations", ())),
        model_calls=spent.calls,
        tokens_in=spent.tokens_in,
        tokens_out=spent.tokens_out,
        tokens_estimated=spent.estimated,
        cost=cost_of(spent, prices_of(state)),
        elapsed=spent.elapsed(now),
        model=state.get("model", ""),
        pending=pending,
    )


def run_line(state: InvestigationState, now: float) -> dict[str, Any]:
    """Return the line of the account that closes a run: digests of the words, and counts."""
    spent = spent_of(state)
    return {
        "kind": "run",
        "run_id": state["run_id"],
        "review_id": state["review_id"],
        "at": utc(now),
        "question": _sha256(state["question"]),
        "answer": _sha256(state.get("text", "")),
        "steps": spent.calls,
        "tools": [step["tool"] for step in state["steps"]],
        "approvals": state["approvals"],
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "tokens_estimated": spent.estimated,
        "cost": round(cost_of(spent, prices_of(state)), 6),
        "elapsed": round(spent.elapsed(now), 2),
        "status": state.get("status", AnswerStatus.WAITING.value),
        "error": state.get("error"),
        "model": state.get("model", ""),
    }


def utc(now: float) -> str:
    """Return a time in seconds since 1970 as ISO 8601 in UTC."""
    return dt.datetime.fromtimestamp(now, dt.UTC).isoformat(timespec="seconds")


def answered_step(kept: dict[str, Any]) -> Step:
    """Return a step of the state as an answer carries it."""
    return Step.from_plain({name: value for name, value in kept.items() if name not in _KEPT_BESIDE})


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
