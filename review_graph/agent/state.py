"""The channels of an investigation: plain JSON data, so that a pause outlives the process and resets nothing."""

from __future__ import annotations

from typing import Any, TypedDict

from checks.vocabulary import JSON

AGENT_VERSION = 1
"""Raised when nodes, edges or channels change; a run that waits under another version is not gone on with."""


class InvestigationState(TypedDict, total=False):
    """What is known of one investigation.

    Attributes:
        version: `AGENT_VERSION` of whoever started it.
        run_id: Its id.
        review_id: The review it is about.
        fingerprint: The content that is asked about; the same after a pause, or it does not go on.
        question: The question.
        session: The conversation it belongs to; empty for none.
        window: The last turns of the conversation, as `Turn.to_plain`.
        admitted: Whether the question belongs here.
        messages: What the model is shown.
        steps: The calls of tools, as `Step.to_plain`, with the whole observation in `text`, what of it was found and is
            not only repeated in `figures`, and what it names in `names`. Those of step 0 were made by code, for what
            the question names.
        limits: What may be spent, as it was when the run was started.
        prices: What it costs, as it was then.
        spent: Calls of the model, tokens and time, as `Spent.to_plain`.
        approvals: What was decided on calls: `number` (steps before it), `digest`, `approved`, `by`.
        draft: The answer that is to be checked.
        second_chance: Whether an answer was sent back already.
        model: The model by its own account.
        text: What the user is shown.
        status: How it ended.
        error: What went wrong.
        figures: The numbers of the text, as plain data.
        citations: What the text names, as plain data.
    """

    version: int
    run_id: str
    review_id: str
    fingerprint: str
    question: str
    session: str
    window: list[dict[str, JSON]]
    admitted: bool
    messages: list[dict[str, Any]]
    steps: list[dict[str, Any]]
    limits: dict[str, Any]
    prices: dict[str, Any]
    spent: dict[str, Any]
    approvals: list[dict[str, JSON]]
    draft: str
    second_chance: bool
    model: str
    text: str
    status: str
    error: str | None
    figures: list[dict[str, JSON]]
    citations: list[dict[str, JSON]]
