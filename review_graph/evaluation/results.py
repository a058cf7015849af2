"""What an evaluation came to: a line a run, the table of budgets, and two of them beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from checks.vocabulary import JSON
from review_graph.core.spending import credits_of
from review_graph.evaluation.judging import Verdict
from review_graph.evaluation.questions import Question
from review_graph.evaluation.watching import Exchange
from review_graph.vocabulary import Answer, AnswerStatus, Limits, Prices


@dataclass(frozen=True, kw_only=True)
class Run:
    """One question that was asked.

    Attributes:
        question: The question.
        answer: What was answered.
        verdict: Whether that is right.
        truth: What the figures of a right answer are.
        exchanges: The calls of the model.
        prices: What they cost.
        as_recorded: Whether it ended as it did when it was recorded; None with another model.
    """

    question: Question
    answer: Answer
    verdict: Verdict
    truth: tuple[float, ...]
    exchanges: tuple[Exchange, ...]
    prices: Prices
    as_recorded: bool | None

    @property
    def credits(self) -> float:
        """What the run cost."""
        return credits_of(self.answer.tokens_in, self.answer.tokens_out, self.prices)

    @property
    def is_fault(self) -> bool:
        """Whether it did not end as it should: right, or as it was recorded where turns were recorded."""
        return self.verdict is not Verdict.RIGHT if self.as_recorded is None else self._strays

    @property
    def _strays(self) -> bool:
        return self.as_recorded is False or self.verdict is Verdict.WRONG

    @property
    def is_grounded(self) -> bool:
        """Whether there is an answer with figures, each of which was found, and found again in the data."""
        figures = self.answer.figures
        is_found = bool(figures) and all(figure.recomputed is not False for figure in figures)
        return self.answer.status is AnswerStatus.ANSWERED and is_found

    def to_plain(self) -> dict[str, JSON]:
        """Return the line of the run as plain JSON data."""
        answer = self.answer
        return {
            "question": self.question.id,
            "dataset": self.question.dataset,
            "status": answer.status.value,
            "error": None if answer.error is None else answer.error.value,
            "verdict": self.verdict.value,
            "as_recorded": self.as_recorded,
            "calls": answer.model_calls,
            "tokens_in": answer.tokens_in,
            "tokens_out": answer.tokens_out,
            "tokens_estimated": answer.tokens_estimated,
            "credits": round(self.credits, 3),
            "tools": [step.tool for step in answer.steps],
            "answer": answer.text,
        }


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What so many steps come to.

    Attributes:
        steps: Calls of the model that a run may make.
        questions: Questions that were asked.
        answered: Those that were answered.
        credits: What all of them cost.
    """

    steps: int
    questions: int
    answered: int
    credits: float


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What a model made of the questions.

    Attributes:
        model: The model by its own account.
        limits: What one run might spend.
        prices: What it cost.
        runs: The runs, in the order of the questions.
        budgets: The same with fewer or more steps; empty when that was not tried.
    """

    model: str
    limits: Limits
    prices: Prices
    runs: tuple[Run, ...]
    budgets: tuple[Budget, ...] = ()

    @property
    def recommended(self) -> int | None:
        """The smallest number of steps that answers the most."""
        best = max((budget.answered for budget in self.budgets), default=0)
        return next((budget.steps for budget in self.budgets if best and budget.answered == best), None)

    @property
    def has_faults(self) -> bool:
        """Whether a run did not end as it should."""
        return any(run.is_fault for run in self.runs)

    def summary(self) -> dict[str, JSON]:
        """Return the counts by which two evaluations are compared."""
        statuses = [run.answer.status for run in self.runs]
        verdicts = [run.verdict for run in self.runs]
        return {
            "model": self.model,
            "questions": len(self.runs),
            "answered": statuses.count(AnswerStatus.ANSWERED),
            "grounded": sum(run.is_grounded for run in self.runs),
            "ungrounded": statuses.count(AnswerStatus.UNGROUNDED),
            "right": verdicts.count(Verdict.RIGHT),
            "wrong": verdicts.count(Verdict.WRONG),
            "tokens": sum(run.answer.tokens_in + run.answer.tokens_out for run in self.runs),
            "credits": round(sum(run.credits for run in self.runs), 3),
        }

    def to_plain(self) -> dict[str, JSON]:
        """Return all of it as plain JSON data."""
        return {
            **self.summary(),
            "limits": asdict(self.limits),
            "prices": asdict(self.prices),
            "runs": [run.to_plain() for run in self.runs],
            "budgets": [asdict(budget) | {"credits": round(budget.credits, 3)} for budget in self.budgets],
            "recommended_steps": self.recommended,
        }


COMPARED = ("questions", "answered", "grounded", "ungrounded", "right", "wrong", "tokens", "credits")
"""What two evaluations are compared by."""


def differing(one: Mapping[str, JSON], other: Mapping[str, JSON]) -> list[tuple[str, str, str]]:
    """Return the questions that ended differently in two evaluations, and how: id, then one, then the other."""
    ends = [
        {run["question"]: f"{run['status']}, {run['verdict']}" for run in evaluation["runs"]}
        for evaluation in (one, other)
    ]
    names = dict.fromkeys([*ends[0], *ends[1]])
    told = [(name, ends[0].get(name, "not asked"), ends[1].get(name, "not asked")) for name in names]
    return [line for line in told if line[1] != line[2]]
