"""A2: the time of a run holds while a tool works, too."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from review_graph.agent.events import Approval
from review_graph.tools.toolbox import Observation, Toolbox
from review_graph.vocabulary import AnswerStatus, ErrorCode
from tests.agent.things import Desk, calls, divide, then
from tests.tools.matters import bds

At = Callable[..., Desk]
Hang = Callable[[int], None]

LITTLE = 0.3
"""Seconds that are left when a tool hangs."""


@pytest.fixture
def hang(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hang]:
    """Lets one call of a tool hang, by its number; it gives its result after the test, or after much too long."""
    over, made, real = threading.Event(), list[str](), Toolbox.call

    def at(number: int) -> None:
        def call(self: Toolbox, name: str, arguments: dict[str, Any], **more: Any) -> Observation:
            made.append(name)
            if len(made) == number:
                over.wait(60)
            return real(self, name, arguments, **more)

        monkeypatch.setattr(Toolbox, "call", call)

    yield at
    over.set()


def test_a_tool_that_hangs_ends_the_run_when_its_time_is_up(desk: At, hang: Hang) -> None:
    at = desk()
    at.model.turns = [then(lambda: at.hands.go_on(seconds=90 - LITTLE), divide("6/3")), "2"]
    hang(1)
    answer = at.ask()
    assert (answer.status, answer.error) == (AnswerStatus.TIME_LIMIT, ErrorCode.USAGE_LIMIT)
    assert answer.text == "The investigation stopped: its time was up."
    assert [(step.tool, step.ok) for step in answer.steps] == [("calculate", False)]
    assert answer.steps[0].result.startswith("error: TooLate: ")
    assert [line["tool"] for line in at.lines("call")] == ["calculate"]
    assert at.lines("run")[0]["status"] == "time_limit"


def test_an_answer_that_is_not_found_again_in_time_is_not_shown(desk: At, hang: Hang) -> None:
    at = desk()
    at.model.turns = [divide("6/3"), then(lambda: at.hands.go_on(seconds=90 - LITTLE), "It is 2.")]
    hang(2)
    answer = at.ask()
    assert (answer.status, answer.error) == (AnswerStatus.TIME_LIMIT, ErrorCode.USAGE_LIMIT)
    assert "2" not in answer.text


def test_the_lookup_of_what_a_question_names_takes_no_longer(desk: At, hang: Hang, tmp_path: Path) -> None:
    bds(1).write_parquet(tmp_path / "advs.parquet")
    at = desk("never", data=tmp_path / "advs.parquet", ask_seconds=LITTLE)
    hang(1)
    assert at.ask("What is the mean of SYSBP?").status is AnswerStatus.TIME_LIMIT
    assert at.model.asked == []


def test_a_call_with_an_effect_is_not_left_half_done(desk: At, monkeypatch: pytest.MonkeyPatch) -> None:
    real, where = Toolbox.call, dict[str, bool]()

    def call(self: Toolbox, name: str, arguments: dict[str, Any], **more: Any) -> Observation:
        where[name] = threading.current_thread() is threading.main_thread()
        return real(self, name, arguments, **more)

    monkeypatch.setattr(Toolbox, "call", call)
    at = desk(divide("6/3"), calls(("export_summary", {"name": "figures.csv"})), "It is written.")
    answer = at.ask(approver=lambda _: Approval(approved=True, by="Ada"))
    assert answer.status is AnswerStatus.ANSWERED
    assert where == {"calculate": False, "export_summary": True}
