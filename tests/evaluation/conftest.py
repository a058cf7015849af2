"""What tests of evaluations share: the shipped questions, asked once of their recorded turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from review_graph.evaluation.evaluating import Bench, Trial, evaluate
from review_graph.evaluation.questions import Question, QuestionSet, load_questions
from review_graph.evaluation.recorded import recorded_model
from review_graph.evaluation.results import Evaluation, Run

SHIPPED = Path(__file__).parents[2] / "data" / "questions" / "questions.yaml"

TRIAL = Trial(model_for=recorded_model)


@pytest.fixture(scope="session")
def shipped() -> QuestionSet:
    """The questions that are shipped."""
    return load_questions(SHIPPED)


@pytest.fixture(scope="session")
def trial() -> Trial:
    """The recorded turns, with the limits and prices that hold when nothing is set."""
    return TRIAL


@pytest.fixture(scope="session")
def bench(shipped: QuestionSet) -> Iterator[Bench]:
    """The datasets that they are about."""
    with Bench(shipped.datasets) as opened:
        yield opened


@pytest.fixture(scope="session")
def evaluation(shipped: QuestionSet, bench: Bench) -> Evaluation:
    """What came of them."""
    return evaluate(bench, shipped.questions, TRIAL)


@pytest.fixture(scope="session")
def run_of(evaluation: Evaluation) -> Callable[[str], Run]:
    """Returns the run of a shipped question."""
    runs = {run.question.id: run for run in evaluation.runs}
    return lambda name: runs[name]


@pytest.fixture
def question() -> Callable[..., Question]:
    """Makes a question about the dataset `study` that is in order but for what a test says."""

    def make(*turns: Any, **fields: Any) -> Question:
        plain = {
            "id": "Q1",
            "dataset": "study",
            "ask": "How many subjects are there?",
            "expected": {"figures": [{"compute": "count"}]},
            "recorded": {"turns": list(turns), "status": fields.pop("status", "answered")},
        }
        return Question.model_validate(plain | fields)

    return make
