"""H4: of two reviewers who decide at once one wins; the other is shown what was decided; escalate runs once."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status, build
from review_graph.errors import DecisionConflict, DecisionNotAllowed
from review_graph.nodes import Nodes

Ask = Callable[..., DecisionRequest]

DECIDERS = 4


@pytest.fixture
def escalations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each time escalate ran; it takes its time."""
    runs: list[str] = []
    escalate = Nodes.escalate

    @wraps(escalate)  # LangGraph reads the signature
    def slow(*arguments: Any, **named: Any) -> Any:
        runs.append("escalate")
        time.sleep(0.3)
        return escalate(*arguments, **named)

    monkeypatch.setattr(Nodes, "escalate", slow)
    return runs


@pytest.fixture
def paused(escalations: list[str], service: ReviewService, table: Callable[..., Path], spec: dict[str, Any]) -> Review:
    review = service.start(table("major"), spec)
    assert escalations == []
    return review


@pytest.mark.parametrize("services", ["one service", "a service each"])
def test_one_of_many_threads_wins(
    paused: Review, settings: Settings, escalations: list[str], ask: Ask, services: str
) -> None:
    shared = build(settings)
    together = threading.Barrier(DECIDERS, timeout=20)

    def decide(number: int) -> Review | DecisionConflict | DecisionNotAllowed:
        mine = shared if services == "one service" else build(settings)
        together.wait()
        try:
            return mine.decide(paused.id or "", ask("confirm", by=f"Reviewer {number}"))
        except (DecisionConflict, DecisionNotAllowed) as refusal:
            return refusal

    with ThreadPoolExecutor(DECIDERS) as pool:
        answers = list(pool.map(decide, range(DECIDERS)))
    (won,) = [answer for answer in answers if isinstance(answer, Review)]
    refusals = [str(answer) for answer in answers if not isinstance(answer, Review)]
    assert (won.status, len(won.decisions)) == (Status.ESCALATED, 1)
    assert [f"{won.decisions[0].by} recorded confirm" in text for text in refusals] == [True] * (DECIDERS - 1), refusals
    assert escalations == ["escalate"]
    assert shared.get(paused.id or "").decisions == won.decisions


DECIDE = """
import json, sys
from review_graph import DecisionRequest, Settings, build
from review_graph.errors import GateError
service = build(Settings(db=sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
try:
    review = service.decide(sys.argv[2], DecisionRequest(action=sys.argv[4], by=sys.argv[3], reason="r",
                            severity="minor" if sys.argv[4] == "override" else None))
    print(json.dumps(["won", review.status.value, len(review.decisions)]))
except GateError as refusal:
    print(json.dumps([type(refusal).__name__, str(refusal)]))
"""


def test_one_of_two_processes_wins(
    service: ReviewService, table: Callable[..., Path], spec: dict[str, Any], settings: Settings
) -> None:
    paused = service.start(table("major"), spec)
    names = {"Ada": "confirm", "Bob": "override"}
    processes = {
        name: subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", DECIDE, settings.db, paused.id or "", name, action],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name, action in names.items()
    }
    for process in processes.values():
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes.values():
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    answers = {name: json.loads(process.communicate(timeout=30)[0]) for name, process in processes.items()}
    (winner,) = [name for name, answer in answers.items() if answer[0] == "won"]
    (loser,) = set(names) - {winner}
    assert answers[winner] == ["won", "escalated" if winner == "Ada" else "summarised", 1]
    assert answers[loser][0] in ("DecisionConflict", "DecisionNotAllowed")
    assert f"{winner} recorded {names[winner]}" in answers[loser][1]
    assert [decision.by for decision in service.get(paused.id or "").decisions] == [winner]


def test_two_runs_of_the_same_file_at_once_make_one_review(
    settings: Settings, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    path = table("major")
    services = [build(settings) for _ in range(DECIDERS)]
    together = threading.Barrier(DECIDERS, timeout=20)

    def start(service: ReviewService) -> Review:
        together.wait()
        return service.start(path, spec)

    with ThreadPoolExecutor(DECIDERS) as pool:
        reviews = list(pool.map(start, services))
    assert len({review.id for review in reviews}) == 1
    (kept,) = services[0].list()
    assert (kept.status, len(kept.findings)) == (Status.PAUSED, 2)
