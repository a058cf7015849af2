"""The tools over the real disclosure: what one tool told counts for all, and ordinary questions are still answered."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import Any

import polars as pl
import pytest

from review_graph.adapters.in_memory import MemoryLedgers
from review_graph.tools.clinical import BAND_ENDS, BAND_STARTS
from review_graph.tools.disclosing import REFUSED, disclosure_of
from review_graph.tools.toolbox import Toolbox
from tests.tools.matters import ADSL, K, found, matter_of

NOW = dt.datetime(2026, 3, 4, tzinfo=dt.UTC)
NOT_ANSWERED = f"error: NotAnswered: {REFUSED}"


def toolbox(ledgers: MemoryLedgers) -> Toolbox:
    return Toolbox(
        matter_of(
            ADSL,
            disclosure=lambda table, dataset: disclosure_of(table, dataset, ledgers, k=K, clock=lambda: NOW),
            can_query=True,
        )
    )


@pytest.fixture
def box() -> Toolbox:
    return toolbox(MemoryLedgers())


def older_than(age: float) -> dict[str, object]:
    return {"filter": [{"column": "AGE", "op": ">", "value": age}]}


def few_between() -> int:
    """An age in years that 1 to 4 subjects have, with enough of them below and above."""
    ages = pl.read_parquet(ADSL)["AGE"]
    enough = (age for age in range(50, 90) if min((ages <= age).sum(), (ages > age + 1).sum()) >= K)
    return next(age for age in enough if 0 < ages.is_between(age, age + 1, closed="right").sum() < K)


def test_free_limits_of_a_number_do_not_isolate_a_few(box: Toolbox) -> None:
    low = few_between()
    assert box.call("count_rows", older_than(low)).ok
    assert box.call("count_rows", older_than(low + 1)).text == NOT_ANSWERED


def test_what_one_tool_told_another_does_not_complete(box: Toolbox) -> None:
    assert box.call("sql", {"query": "SELECT COUNT(*) FROM adsl WHERE RACE <> 'ASIAN'"}).text == NOT_ANSWERED
    assert box.call("count_rows", {"filter": [{"column": "RACE", "op": "!=", "value": "asian"}]}).text == NOT_ANSWERED
    small = box.call("count_rows", {"filter": [{"column": "RACE", "op": "=", "value": "asian"}]})
    assert small.data is not None
    assert small.data["rows"] == "<5"


def test_two_callers_share_what_was_told() -> None:
    ledgers = MemoryLedgers()
    first, second = toolbox(ledgers), toolbox(ledgers)
    low = few_between()
    mean = {"query": f"SELECT AVG(AGE) FROM adsl WHERE AGE > {low}"}  # noqa: S608 - a test
    assert first.call("count_rows", older_than(low + 1)).ok
    assert second.call("sql", mean).text == NOT_ANSWERED
    assert second.call("count_rows", older_than(low + 1)) == first.call("count_rows", older_than(low + 1))


ARMS = ("Placebo", "Xanomeline High Dose", "Xanomeline Low Dose")
BANDS = [(low, high) for low, high in zip(BAND_STARTS, BAND_ENDS, strict=True) if low >= 40]
ORDINARY: list[dict[str, Any]] = [
    {},
    *({"arm": arm} for arm in ARMS),
    *({"sex": sex} for sex in "FM"),
    *({"age_min": low, "age_max": high} for low, high in BANDS),
    *({"arm": arm, "sex": sex} for arm, sex in itertools.product(ARMS, "FM")),
    *({"arm": "Placebo", "age_min": low, "age_max": high} for low, high in BANDS),
]


@pytest.mark.parametrize("order", [1, -1])
def test_ordinary_questions_are_answered(box: Toolbox, order: int) -> None:
    assert len(ORDINARY) == 20
    answered = [box.call("count_subjects", asked).ok for asked in ORDINARY[::order]]
    assert sum(answered) >= 18
    again = [box.call("count_subjects", asked) for asked in ORDINARY]
    assert [box.call("count_subjects", asked) for asked in ORDINARY] == again


@pytest.mark.parametrize("subjects", [1, 4])
def test_many_rows_of_a_few_subjects_are_a_small_group(subjects: int) -> None:
    data = pl.DataFrame(
        {
            "USUBJID": [f"S{row % subjects}" for row in range(40)],
            "AGE": [30.0] * 40,
            "TRTA": ["A"] * 40,
            "PARAMCD": ["SYSBP"] * 40,
            "AVISIT": ["Week 2"] * 40,
            "AVAL": [120.0] * 40,
        }
    )
    ledgers = MemoryLedgers()
    matter = matter_of(
        data,
        "vs",
        disclosure=lambda table, dataset: disclosure_of(table, dataset, ledgers, k=K, clock=lambda: NOW),
    )
    age = found(matter, "summarise_column", column="AGE")
    assert (age["n"], age["subjects"], age["mean"], age["sd"]) == ("<5", "<5", None, None)
    assert found(matter, "count_rows")["rows"] == "<5"
    assert found(matter, "parameter_summary", parameter="SYSBP")["by_arm"] == []
    listed = found(matter, "list_parameters")
    assert (listed["parameters"], listed["visits"]) == ([], [])


def test_what_was_told_when_rows_counted_as_subjects_is_not_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ledgers = MemoryLedgers()
    data = pl.DataFrame({"USUBJID": ["a", "b"] * 20})

    def told() -> Any:
        matter = matter_of(
            data,
            disclosure=lambda table, dataset: disclosure_of(table, dataset, ledgers, k=K, clock=lambda: NOW),
        )
        return found(matter, "count_rows")["rows"]

    with monkeypatch.context() as before:
        before.setattr("review_graph.tools.units.subject_column", lambda _: None)
        assert told() == 40
    assert told() == "<5"
