"""The shipped questions: each recorded run ends as it was recorded, each answer is true, and limits are well chosen."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from review_graph.evaluation.evaluating import Bench, Trial, budget_table, evaluate
from review_graph.evaluation.judging import Verdict
from review_graph.evaluation.questions import QuestionSet
from review_graph.evaluation.results import Evaluation, Run
from review_graph.vocabulary import AnswerStatus, ErrorCode, Limits

RunOf = Callable[[str], Run]
ANSWERED = {"Q01": 2, "Q02": 2, "Q03": 3, "Q04": 3, "Q05": 3, "Q06": 4, "Q07": 4}
"""Those of the reference that are answered, and the calls of the model that they take."""


def _reference(evaluation: Evaluation) -> list[Run]:
    return [run for run in evaluation.runs if run.question.reference]


def test_there_are_enough_of_them(shipped: QuestionSet) -> None:
    assert len(shipped.questions) >= 25
    assert {question.dataset for question in shipped.questions} == set(shipped.datasets)


def test_each_ends_as_it_was_recorded_and_nothing_that_is_shown_is_wrong(evaluation: Evaluation) -> None:
    assert [run.question.id for run in evaluation.runs if run.is_fault] == []
    assert not evaluation.has_faults
    shown = [run for run in evaluation.runs if run.answer.status.value == run.question.expected.ends]
    assert {run.verdict for run in shown} == {Verdict.RIGHT}


def test_every_number_of_an_answer_was_found_and_found_again(evaluation: Evaluation) -> None:
    figures = [figure for run in evaluation.runs for figure in run.answer.figures]
    assert len(figures) > 30
    assert all(figure.recomputed is not False for figure in figures)
    assert {figure.written for figure in figures if figure.call is None} == {"90"}, "which is the question's"


def test_statuses_of_the_reference(evaluation: Evaluation) -> None:
    statuses = Counter(run.answer.status for run in _reference(evaluation))
    assert statuses == {
        AnswerStatus.ANSWERED: 7,
        AnswerStatus.UNGROUNDED: 1,
        AnswerStatus.STUCK: 1,
        AnswerStatus.STEP_LIMIT: 1,
    }
    calls = {run.question.id: run.answer.model_calls for run in _reference(evaluation)}
    assert {name: calls[name] for name in ANSWERED} == ANSWERED


def test_reference_shape(shipped: QuestionSet, bench: Bench, trial: Trial, evaluation: Evaluation) -> None:
    chosen = [question for question in shipped.questions if question.reference]
    assert len(chosen) == 10
    budgets = budget_table(bench, chosen, trial)
    assert [budget.answered for budget in budgets] == [0, 2, 5, 7, 7, 7, 7, 7, 7, 7]
    assert replace(evaluation, budgets=budgets).recommended == 4
    spent = [budget.credits for budget in budgets]
    assert spent == sorted(spent)
    at_eight = sum(run.credits for run in _reference(evaluation))
    assert budgets[7].credits == pytest.approx(at_eight)


def test_ending_at_the_first_error_would_leave_three(evaluation: Evaluation) -> None:
    answered = [run for run in _reference(evaluation) if run.answer.status is AnswerStatus.ANSWERED]
    assert sum(all(step.ok for step in run.answer.steps) for run in answered) == 3


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Q03", "error: InvalidJSON: "),
        ("Q04", "error: UnknownName: there is no column 'BRTHDTC'; the columns are 'STUDYID', 'USUBJID', 'SITEID', "),
        ("Q06", "error: UnknownName: there is no arm 'low dose'; there are 'Placebo', 'Screen Failure', "),
        ("Q07", "error: UnknownTool: there is no tool 'largest_value'; the tools are calculate, count_rows, "),
    ],
)
def test_a_run_recovers_from_an_error(run_of: RunOf, name: str, said: str) -> None:
    run = run_of(name)
    assert run.answer.steps[0].result.startswith(said)
    assert not run.answer.steps[0].ok
    assert run.answer.status is AnswerStatus.ANSWERED


def test_a_hidden_column_is_nowhere_in_what_the_model_was_told(run_of: RunOf) -> None:
    told = [message["content"] for message in run_of("Q04").exchanges[-1].messages if message["role"] == "tool"]
    assert told[0].partition(";")[0] == "error: UnknownName: there is no column 'BRTHDTC'"
    assert told[0].count("BRTHDTC") == 1
    assert not {"'SUBJID'", "'BRTHDTC'"} & set(told[0].partition(";")[2].replace(",", "").split())
    assert '"column":"AGE"' in told[1]


def test_an_ungrounded_answer_is_given_one_chance_and_then_withheld(run_of: RunOf) -> None:
    run = run_of("Q08")
    sent_back = run.exchanges[2].messages[-1]
    assert (sent_back["role"], '["13"]' in sent_back["content"]) == ("user", True)
    assert not {"11", "13"} & set(run.answer.text.split())
    assert run.answer.figures == ()
    assert run_of("Q25").answer.text == "143 women are in the safety population."


def test_the_same_call_is_not_made_a_third_time(run_of: RunOf) -> None:
    run = run_of("Q09")
    assert len(run.answer.steps) == 2
    assert len(run.exchanges) == 3


def test_a_run_without_end_stops_at_its_last_step(run_of: RunOf) -> None:
    run = run_of("Q10")
    assert run.answer.model_calls == len(run.exchanges) == Limits().steps
    assert [bool(exchange.tools) for exchange in run.exchanges] == [True] * 7 + [False]
    assert run.answer.error is ErrorCode.USAGE_LIMIT


@pytest.mark.parametrize(("name", "calls"), [("Q18", 0), ("Q19", 2)])
def test_a_refused_question_sees_no_tool(run_of: RunOf, name: str, calls: int) -> None:
    run = run_of(name)
    assert [exchange.tools for exchange in run.exchanges] == [()] * calls
    assert (run.answer.status, run.answer.steps) == (AnswerStatus.REFUSED, ())


def test_each_call_pays_for_every_message_before_it(evaluation: Evaluation) -> None:
    for run in evaluation.runs:
        assert run.answer.tokens_in == sum(exchange.tokens_in for exchange in run.exchanges)
        assert run.answer.tokens_out == sum(exchange.tokens_out for exchange in run.exchanges)
        assert run.credits == pytest.approx(run.answer.tokens_in * 0.002 + run.answer.tokens_out * 0.008)
    sizes = [exchange.tokens_in for exchange in next(r for r in evaluation.runs if r.question.id == "Q06").exchanges]
    assert sizes == sorted(sizes)


def test_a_limit_of_credits_stands_beside_that_of_steps(shipped: QuestionSet, bench: Bench, trial: Trial) -> None:
    chosen = [question for question in shipped.questions if question.id in ("Q01", "Q06")]
    cheap = replace(trial, limits=Limits(cost=0.009))  # 9 credits
    runs = evaluate(bench, chosen, cheap).runs
    assert [run.answer.status for run in runs] == [AnswerStatus.ANSWERED, AnswerStatus.COST_LIMIT]
    assert all(run.credits <= 9 for run in runs)


def test_the_same_bytes_twice_and_no_dataset_is_touched(
    shipped: QuestionSet, bench: Bench, trial: Trial, evaluation: Evaluation
) -> None:
    for first in evaluation.runs:
        path = shipped.datasets[first.question.dataset].path
        before = hashlib.sha256(path.read_bytes()).hexdigest()
        again = bench.run(first.question, trial)
        assert hashlib.sha256(path.read_bytes()).hexdigest() == before
        assert again.answer == first.answer
        assert [exchange.messages for exchange in again.exchanges] == [e.messages for e in first.exchanges]
