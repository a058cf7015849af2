"""H4: of two reviewers who decide at once one wins; the other is shown what was decided; escalate runs once."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status, build
from review_graph.errors import DecisionConflict, DecisionNotAllowed
from review_graph.nodes import Nodes
from review_graph.vocabulary import AuditAction
from tests.flow.conftest import Built
from tests.flow.things import Forks, many, outcomes, told

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


class Races:
    """Many races of two on one database; what is asked for alternates.

    Args:
        kept: The database.
        path: A dataset of which each review is major.
        spec: Its spec.
    """

    def __init__(self, kept: Settings, path: Path, spec: dict[str, Any], built: Built) -> None:
        self.kept = kept
        self.deciders = [built(kept), built(kept)]
        self._path = path
        self._spec = spec

    def waiting(self, number: int) -> str:
        review = self.deciders[0].start(self._path, self._spec, name=f"race-{number}")
        assert (review.status, review.decisions) == (Status.PAUSED, ())
        return review.id or ""

    @staticmethod
    def asked(ask: Ask, number: int) -> tuple[DecisionRequest, DecisionRequest]:
        other = ask("override", by="Bob") if number % 4 == 3 else ask("confirm", by="Bob")
        return ask("confirm", by="Ada"), other

    def demand_one_winner(self, identity: str, conflicts: Sequence[Any], escalated: int) -> None:
        review = self.deciders[0].get(identity)
        (decision,) = review.decisions
        assert conflicts == [decision.to_plain()]
        confirmed = decision.action.value == "confirm"
        assert review.status is (Status.ESCALATED if confirmed else Status.SUMMARISED)
        assert escalated == confirmed
        assert [told(self.deciders[0], review, act) for act in (AuditAction.DECIDED, AuditAction.REVIEW_FINISHED)] == [
            1,
            1,
        ]


def threads_race(races: Races, ask: Ask, times: int, escalated: Counter[str]) -> None:
    start = threading.Barrier(2, timeout=60)

    def decide(service: ReviewService, identity: str, request: DecisionRequest) -> Review | DecisionConflict:
        start.wait()
        try:
            return service.decide(identity, request)
        except DecisionConflict as conflict:
            return conflict

    with ThreadPoolExecutor(2) as pool:
        for number in range(times):
            identity, requests = races.waiting(number), races.asked(ask, number)
            answers = list(pool.map(decide, races.deciders, [identity] * 2, requests))
            conflicts = [answer.decision for answer in answers if isinstance(answer, DecisionConflict)]
            (lost_to,) = conflicts
            assert lost_to is not None
            loser = requests[[isinstance(answer, Review) for answer in answers].index(False)]
            assert lost_to.by != loser.by
            races.demand_one_winner(identity, [lost_to.to_plain()], escalated[identity])
    assert races.deciders[0].trail.verify() is None


def processes_race(races: Races, ask: Ask, times: int, forks: Forks, marks: Path, to: Path) -> None:
    waiting = [races.waiting(number) for number in range(times)]
    asked = [races.asked(ask, number) for number in range(times)]
    acts = [[["decide", name, asked[n][who].to_plain()] for n, name in enumerate(waiting)] for who in (0, 1)]
    numbers = [forks.begin(races.kept, each, to) for each in acts]
    assert [forks.end(number) for number in numbers] == [0, 0]
    came_to = outcomes(to)
    assert Counter(outcome[0] for outcome in came_to) == {"decide": times, "refused": times}
    escalated = Counter(marks.read_text(encoding="utf-8").split())
    for identity in waiting:
        conflicts = [outcome[3] for outcome in came_to if outcome[0] == "refused" and outcome[1] == identity]
        races.demand_one_winner(identity, conflicts, escalated[identity])
    assert races.deciders[0].trail.verify() is None


@pytest.fixture
def escalated(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often escalate ran in this process, by review."""
    ran: Counter[str] = Counter()
    escalate = Nodes.escalate

    @wraps(escalate)
    def counted(self: Nodes, state: Any) -> Any:
        ran[state["review_id"]] += 1
        return escalate(self, state)

    monkeypatch.setattr(Nodes, "escalate", counted)
    return ran


@pytest.fixture
def races(
    escalated: Counter[str], kept: Settings, built: Built, table: Callable[..., Path], spec: dict[str, Any]
) -> Races:
    assert not escalated  # it counts before a service is built
    return Races(kept, table("major"), spec, built)


TIMES = [pytest.param(20, id="20 times"), pytest.param(many(75, 600), id="many times", marks=pytest.mark.slow)]
"""By hand 1 000 races on each of the two databases: 600 of threads and 400 of processes."""


@pytest.mark.parametrize("times", TIMES)
def test_one_of_two_threads_wins_each_time(races: Races, ask: Ask, times: int, escalated: Counter[str]) -> None:
    threads_race(races, ask, times, escalated)


@pytest.mark.parametrize(
    "times", [pytest.param(20, id="20 times"), pytest.param(many(50, 400), id="many times", marks=pytest.mark.slow)]
)
def test_one_of_two_processes_wins_each_time(
    races: Races, ask: Ask, times: int, forks: Forks, marks: Path, tmp_path: Path
) -> None:
    processes_race(races, ask, times, forks, marks, tmp_path / "outcomes.txt")
