"""Asks questions with known answers, each as if nobody had asked anything before, and says what came of it."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from langgraph.checkpoint.memory import InMemorySaver

from checks.vocabulary import JSON
from review_graph.adapters.in_memory import MemoryLedgers, MemoryOfProcess
from review_graph.agent.investigator import Investigator, Means
from review_graph.bootstrap import build
from review_graph.evaluation.judging import judge
from review_graph.evaluation.questions import Asked, Question
from review_graph.evaluation.results import Budget, Evaluation, Run
from review_graph.evaluation.truth import rows_of, true_figure
from review_graph.evaluation.watching import Watched
from review_graph.settings import Settings
from review_graph.tools.disclosing import disclosure_of
from review_graph.vocabulary import AnswerStatus, Limits, Prices

if TYPE_CHECKING:
    import polars as pl

    from review_graph.ports import ChatModel, Clock
    from review_graph.tools.matter import Matter

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
"""When recorded runs take place: the same input gives the same bytes."""

BUDGETS = tuple(range(1, 11))
"""Numbers of steps that are tried."""


def noon() -> dt.datetime:
    """Return the time of recorded runs."""
    return NOON


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What is evaluated.

    Attributes:
        model_for: Gives the model that a question is asked of.
        is_recorded: Whether it is the one of the recorded turns.
        has_gate: Whether a live model is asked first if a question belongs here; recorded ones know by themselves.
        limits: What one run may spend.
        prices: What it costs.
        clock: Gives the time.
    """

    model_for: Callable[[Question], ChatModel]
    is_recorded: bool = True
    has_gate: bool = True
    limits: Limits = field(default_factory=Limits)
    prices: Prices = field(default_factory=Prices)
    clock: Clock = noon


class Bench:
    """The datasets that are asked about, reviewed in a database that is thrown away.

    Args:
        datasets: The datasets, by name.
        smallest: Groups of fewer subjects are not told.

    A context manager; closing it deletes all of it.
    """

    def __init__(self, datasets: Mapping[str, Asked], *, smallest: int = 5) -> None:
        self._datasets = datasets
        self._smallest = smallest
        self._matters: dict[str, Matter] = {}
        self._rows: dict[str, pl.DataFrame] = {}
        with ExitStack() as opened:
            folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="review-graph-")))
            settings = _settings_in(folder)
            self._service = opened.enter_context(build(settings, clock=noon))
            self._opened = opened.pop_all()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Delete everything."""
        self._opened.close()

    def matter(self, name: str) -> Matter:
        """Return what is asked about, as if nothing had been told of it before.

        Raises:
            InputError: The dataset cannot be reviewed.
        """
        asked = self._datasets[name]
        if name not in self._matters:
            review = self._service.start(asked.path, asked.spec, name=name)
            self._matters[name] = self._service.asking.matter(review.id or "")
        matter = self._matters[name]
        disclosure = disclosure_of(matter.table, matter.review.dataset, MemoryLedgers(), k=self._smallest, clock=noon)
        hidden = frozenset(column.casefold() for column in asked.hidden)
        return replace(matter, disclosure=disclosure, hidden=hidden)

    def run(self, question: Question, trial: Trial) -> Run:
        """Ask one question."""
        watched, matter = Watched(trial.model_for(question)), self.matter(question.dataset)
        has_gate = question.recorded.gate if trial.is_recorded else trial.has_gate
        answer = _investigator(watched, trial, question, has_gate=has_gate).ask(question.ask, matter)
        if question.dataset not in self._rows:
            self._rows[question.dataset] = rows_of(matter.table)
        rows = self._rows[question.dataset]
        truth = tuple(true_figure(rows, known) for known in question.expected.figures)
        return Run(
            question=question,
            answer=answer,
            verdict=judge(answer, question.expected, truth, smallest=self._smallest),
            truth=truth,
            exchanges=tuple(watched.exchanges),
            prices=trial.prices,
            as_recorded=answer.status is question.recorded.status if trial.is_recorded else None,
        )


def evaluate(bench: Bench, questions: Sequence[Question], trial: Trial) -> Evaluation:
    """Ask all questions."""
    runs = tuple(bench.run(question, trial) for question in questions)
    name = next((run.answer.model for run in runs if run.answer.model), "")
    return Evaluation(model=name, limits=trial.limits, prices=trial.prices, runs=runs)


def budget_table(
    bench: Bench, questions: Sequence[Question], trial: Trial, budgets: Sequence[int] = BUDGETS
) -> tuple[Budget, ...]:
    """Return how many questions are answered with so many steps, and what they cost.

    Each is really asked again with each number of steps: a model is told when it may call tools no more, so a longer
    run that is cut is not the same as a shorter one.
    """
    found = []
    for steps in budgets:
        limited = replace(trial, limits=replace(trial.limits, steps=steps))
        runs = [bench.run(question, limited) for question in questions]
        answered = sum(run.answer.status is AnswerStatus.ANSWERED for run in runs)
        spent = sum(run.credits for run in runs)
        found.append(Budget(steps=steps, questions=len(runs), answered=answered, credits=spent))
    return tuple(found)


def _settings_in(folder: Path) -> Settings:
    """Settings of which none comes from the environment: a review of the bench calls no model."""
    return Settings.model_validate(
        {name: field.get_default() for name, field in Settings.model_fields.items()}
        | {"db": str(folder / "reviews.sqlite"), "out": folder / "out", "cache": folder / "cache", "user": "eval"}
    )


class _NoLog:
    """Implements `ports.AskLog`: an evaluation is no investigation of anybody's data, and is told by its own lines."""

    def write(self, line: Mapping[str, JSON]) -> None:
        """Keep nothing."""


def _investigator(model: ChatModel, trial: Trial, question: Question, *, has_gate: bool) -> Investigator:
    done: set[tuple[str, str, int]] = set()

    def once(run_id: str, act: str, number: int) -> bool:
        is_first = (run_id, act, number) not in done
        done.add((run_id, act, number))
        return is_first

    means = Means(
        model=model,
        checkpointer=InMemorySaver(),
        memory=MemoryOfProcess(trial.clock, dt.timedelta(0)),
        log=_NoLog(),
        once=once,
        clock=trial.clock,
        limits=trial.limits,
        prices=trial.prices,
        has_gate=has_gate,
        new_id=lambda: question.id,
    )
    return Investigator(means)
