"""What somebody writes into a thread past the gate lets nothing through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Overwrite

from review_graph import DecisionRequest, build_graph, pending, record
from review_graph.errors import DecisionNotAllowed, SetupError

THREAD: Any = {"configurable": {"thread_id": "t"}}
DECISION = {"number": 1, "at": "2026-01-01T00:00:00+00:00", "from": "major", "findings": []}


@pytest.fixture
def paused(table: Callable[..., Path], spec: dict[str, Any]) -> Any:
    graph = build_graph(checkpointer=InMemorySaver())
    graph.invoke({"review_request": {"path": str(table("major")), "spec": spec}}, THREAD)
    assert pending(graph, THREAD)
    return graph


@pytest.mark.parametrize("action", ["override", "confirm"])
@pytest.mark.parametrize(("by", "reason"), [("", "seen"), ("Ada", " "), ("?", "seen")])
def test_a_decision_without_a_name_or_reason_is_none(paused: Any, action: str, by: str, reason: str) -> None:
    to = "none" if action == "override" else "major"
    forged = {"0001": {**DECISION, "action": action, "by": by, "reason": reason, "to": to}}
    paused.update_state(THREAD, {"decisions": forged, "severity": to, "needs_human": False}, as_node="triage")
    with pytest.raises(DecisionNotAllowed):
        paused.invoke(None, THREAD)
    assert pending(paused, THREAD)


def test_a_milder_copy_of_a_finding_does_not_win(paused: Any) -> None:
    findings = paused.get_state(THREAD).values["findings"]
    milder = {key: {**record, "severity": "none"} for key, record in findings.items()}
    paused.update_state(THREAD, {"findings": milder}, as_node="triage")
    assert paused.get_state(THREAD).values["findings"] == findings
    assert pending(paused, THREAD)


def test_findings_that_were_taken_away_are_missed(paused: Any) -> None:
    gone = {"findings": Overwrite({}), "severity": "none", "needs_human": False}
    paused.update_state(THREAD, gone, as_node="triage")
    (waiting,) = pending(paused, THREAD)
    assert "findings of ranges.outside_limits, structure.duplicate_key are missing" in waiting.review.triage.reason


def test_a_thread_holds_one_review(
    paused: Any, table: Callable[..., Path], spec: dict[str, Any], clock: Callable[[], Any]
) -> None:
    (waiting,) = pending(paused, THREAD)
    answer = DecisionRequest(action="override", severity="none", by="Ada", reason="seen")
    record(paused, waiting.config, answer, clock)
    with pytest.raises(SetupError, match="one thread for each review"):
        paused.invoke({"review_request": {"path": str(table("three-minor")), "spec": spec}}, THREAD)
