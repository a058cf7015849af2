"""A dataset of our own with another seed: figures come from the data, and not from what was once recorded."""

from __future__ import annotations

import hashlib
import random
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from review_graph.evaluation.evaluating import Bench, Trial
from review_graph.evaluation.judging import Verdict
from review_graph.evaluation.questions import Asked, Question
from review_graph.vocabulary import AnswerStatus

SEEDS = (1, 20261130)
MakeQuestion = Callable[..., Question]


def _subjects(seed: int) -> list[dict[str, Any]]:
    chosen = random.Random(seed)  # noqa: S311 - reproducible data
    return [
        {
            "USUBJID": f"S-{number:03}",
            "AGE": chosen.randint(18, 90),
            "SEX": chosen.choice("FM"),
            "SAFFL": chosen.choice("YYYN"),
            "TRT01A": chosen.choice(["Active", "Control"]),
        }
        for number in range(chosen.randint(120, 180))
    ]


def _safe(rows: list[dict[str, Any]], **wanted: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["SAFFL"] == "Y" and all(row[name] == value for name, value in wanted.items())]


@pytest.fixture(params=SEEDS, ids=lambda seed: f"seed {seed}")
def rows(request: pytest.FixtureRequest, tmp_path: Path) -> list[dict[str, Any]]:
    """A dataset, and its file in the test's folder."""
    made = _subjects(request.param)
    pl.DataFrame(made).write_parquet(tmp_path / "adsl.parquet")
    return made


def test_figures_are_those_of_the_data(
    rows: list[dict[str, Any]], tmp_path: Path, question: MakeQuestion, trial: Trial
) -> None:
    ages = [row["AGE"] for row in _safe(rows, TRT01A="Active")]
    women = len(_safe(rows, TRT01A="Active", SEX="F"))
    mean, deviation = statistics.mean(ages), statistics.stdev(ages)
    arm = [{"column": "SAFFL", "op": "=", "value": "Y"}, {"column": "TRT01A", "op": "=", "value": "Active"}]
    asked = question(
        {"calls": [{"name": "demographics_summary", "arguments": {"arm": "active"}}]},
        f"{len(ages)} subjects, {women} women, mean age {mean:.1f} (SD {deviation:.2f}).",
        expected={
            "figures": [
                {"compute": "count", "where": arm},
                {"compute": "count", "where": [*arm, {"column": "SEX", "op": "=", "value": "F"}]},
                {"compute": "mean", "column": "AGE", "where": arm, "decimals": 1},
                {"compute": "sd", "column": "AGE", "where": arm, "decimals": 2},
            ]
        },
    )
    path = tmp_path / "adsl.parquet"
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    with Bench({"study": Asked(path=path)}) as bench:
        run = bench.run(asked, trial)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert run.truth == pytest.approx((len(ages), women, mean, deviation))
    assert (run.answer.status, run.verdict, run.as_recorded) == (AnswerStatus.ANSWERED, Verdict.RIGHT, True)


def test_an_answer_of_the_other_dataset_is_withheld(
    rows: list[dict[str, Any]], tmp_path: Path, question: MakeQuestion, trial: Trial
) -> None:
    counts = {seed: len(_safe(_subjects(seed))) for seed in SEEDS}
    assert len(set(counts.values())) == len(SEEDS)
    other = next(count for count in counts.values() if count != len(_safe(rows)))
    asked = question(
        {"calls": [{"name": "count_subjects", "arguments": {}}]},
        f"There are {other} subjects.",
        f"There are {other} subjects.",
    )
    with Bench({"study": Asked(path=tmp_path / "adsl.parquet")}) as bench:
        run = bench.run(asked, trial)
    assert (run.answer.status, run.verdict) == (AnswerStatus.UNGROUNDED, Verdict.NONE)
    assert str(other) not in run.answer.text


def test_a_true_number_in_a_wrong_place_is_wrong(
    rows: list[dict[str, Any]], tmp_path: Path, question: MakeQuestion, trial: Trial
) -> None:
    safe = len(_safe(rows))
    asked = question(
        {"calls": [{"name": "count_subjects", "arguments": {}}]}, f"The dataset has {safe} subjects.", status="answered"
    )
    with Bench({"study": Asked(path=tmp_path / "adsl.parquet")}) as bench:
        run = bench.run(asked, trial)
    assert (run.answer.status, run.verdict, run.is_fault) == (AnswerStatus.ANSWERED, Verdict.WRONG, True)
    assert run.truth == (len(rows),)


def test_a_run_that_ends_otherwise_than_recorded_is_a_fault(
    rows: list[dict[str, Any]], tmp_path: Path, question: MakeQuestion, trial: Trial
) -> None:
    assert rows
    asked = question("I cannot tell.", expected={"cannot": True}, status="stuck")
    with Bench({"study": Asked(path=tmp_path / "adsl.parquet")}) as bench:
        run = bench.run(asked, trial)
    assert (run.verdict, run.as_recorded, run.is_fault) == (Verdict.RIGHT, False, True)


def test_each_question_is_asked_as_if_nothing_had_been_told_before(
    rows: list[dict[str, Any]], tmp_path: Path, question: MakeQuestion, trial: Trial
) -> None:
    ages = [row["AGE"] for row in rows]
    few = next(age for age in range(50, 90) if 0 < ages.count(age) < 5)
    calls = [
        {"name": "count_rows", "arguments": {"filter": [{"column": "AGE", "op": ">=", "value": age}]}}
        for age in (few, few + 1)
    ]
    alone = [question({"calls": [call]}, "Done.", expected={"says": ["done"]}) for call in calls]
    both = question({"calls": calls}, "Done.", expected={"says": ["done"]})
    with Bench({"study": Asked(path=tmp_path / "adsl.parquet")}) as bench:
        told = [[step.result for step in bench.run(asked, trial).answer.steps] for asked in (*alone, both)]
    counts = [sum(age >= first for age in ages) for first in (few, few + 1)]
    assert all(f'"rows":{count},' in result for count, (result,) in zip(counts, told, strict=False))
    assert told[2][0] == told[0][0]
    assert told[2][1].startswith("error: NotAnswered")


def test_what_may_be_told_does_not_depend_on_the_environment(
    rows: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rows
    for name, value in {"SQL": "true", "SMALLEST_GROUP": "9", "HIDDEN_COLUMNS": "AGE"}.items():
        monkeypatch.setenv(f"REVIEW_GRAPH_{name}", value)
    with Bench({"study": Asked(path=tmp_path / "adsl.parquet", hidden=("Sex",))}) as bench:
        matter = bench.matter("study")
    assert (matter.can_query, matter.disclosure.k, matter.hidden) == (False, 5, frozenset({"sex"}))
