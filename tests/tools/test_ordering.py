"""Values are listed in an order that a reader expects, and that tells nothing of a few."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_graph.adapters.in_memory import MemoryLedgers
from review_graph.tools.disclosing import Group
from review_graph.tools.ordering import natural
from tests.tools.attacking import disclosure
from tests.tools.matters import bds, found, matter_of, trouble

VISITS = {"Baseline": "Screening", "Week 2": "Week 12", "Week 4": "Week 2"}
"""Other names for the visits of the made-up table."""

NUMBERS = {"Screening": 12.0, "Week 2": 1.0, "Week 12": 2.0}


def renamed(numbers: dict[str, float] | None = None, column: str = "AVISITN") -> pl.DataFrame:
    data = bds(1).with_columns(pl.col("AVISIT").replace(VISITS))
    numbered = pl.col("AVISIT").replace_strict(numbers or {}, default=None, return_dtype=pl.Float64)
    return data if numbers is None else data.with_columns(numbered.alias(column))


def visits(data: pl.DataFrame, name: str = "advs", **options: Any) -> list[str]:
    return list(found(matter_of(data, name, **options), "list_parameters")["visits"])


@pytest.mark.parametrize(
    "texts",
    [
        ["Week 2", "Week 12"],
        ["Baseline", "Week -2", "Week -1", "Week 1", "Week 10"],
        ["2 mg", "10 mg"],
        ["Visit 3.11", "Visit 3.2", "Visit 12"],
        ["2014-01-02", "2014-01-10", "2014-11-01"],
        ["", "a", "a1", "a2b", "a2c", "a10"],
        ["Week 02", "Week 2"],
    ],
)
def test_numbers_in_text_count_by_their_value(texts: list[str]) -> None:
    for order in itertools.permutations(texts):
        assert sorted(order, key=natural) == texts


@given(st.text() | st.text("a 1-.0"), st.text() | st.text("a 1-.0"))
def test_any_two_texts_have_an_order(one: str, other: str) -> None:
    assert (natural(one) < natural(other)) + (natural(other) < natural(one)) == (one != other)


def test_visits_without_numbers_are_in_the_order_of_their_names() -> None:
    assert visits(renamed()) == ["Screening", "Week 2", "Week 12"]


def test_visits_are_in_the_order_of_their_numbers() -> None:
    assert visits(renamed(NUMBERS)) == ["Week 2", "Week 12", "Screening"]
    sdtm = {"PARAMCD": "VSTESTCD", "PARAM": "VSTEST", "AVISIT": "VISIT", "AVAL": "VSSTRESN", "AVISITN": "VISITNUM"}
    assert visits(renamed(NUMBERS).rename(sdtm), "vs") == ["Week 2", "Week 12", "Screening"]


def test_rows_on_another_engine_are_listed_in_the_same_order() -> None:
    with duckdb.connect() as connection:
        relation: Any = connection.from_arrow(renamed(NUMBERS).to_arrow())
        assert visits(relation) == ["Week 2", "Week 12", "Screening"]


def test_hidden_numbers_order_nothing() -> None:
    assert visits(renamed(NUMBERS), hidden=frozenset({"avisitn"})) == ["Screening", "Week 2", "Week 12"]


def test_a_visit_without_a_number_is_last() -> None:
    assert visits(renamed({"Week 12": 2.0})) == ["Week 12", "Screening", "Week 2"]


def test_what_a_few_have_orders_nothing() -> None:
    data, few = renamed(NUMBERS), pl.col("USUBJID").is_in(["MU-000", "MU-001", "MU-002", "MU-003"])
    changed = data.with_columns(AVISITN=pl.when(few, pl.col("AVISIT") == "Screening").then(0).otherwise("AVISITN"))
    assert changed["AVISITN"].min() == 0
    assert visits(changed) == visits(data)


def test_all_who_list_visits_list_them_so() -> None:
    matter = matter_of(renamed(NUMBERS), "advs")
    groups = found(matter, "summarise_column", column="AVAL", by="AVISIT")["groups"]
    assert [group["value"] for group in groups] == ["Week 2", "Week 12", "Screening"]
    unknown = trouble(matter, "parameter_summary", parameter="SYSBP", visit="Week 7")
    assert unknown.endswith("there are 'Week 2', 'Week 12', 'Screening'")
    nowhere = trouble(matter, "parameter_summary", parameter="DIABP", visit="Week 2")
    assert nowhere.endswith("DIABP has records at 'Week 12', 'Screening'")


def test_groups_in_another_order_are_another_question() -> None:
    """A ledger says what was told of a group by its place: an older version may have put them in another order."""
    data = pl.DataFrame({"USUBJID": [f"S{number}" for number in range(20)], "X": ["a"] * 3 + ["b"] * 17})
    small, large = (Group(label=(value,), rows=(data["X"] == value).to_numpy()) for value in "ab")
    asked = disclosure(data, MemoryLedgers(), lambda: dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    for order in ([small, large], [large, small]):
        marks = {one.label: one.mark for one in asked.tell({"by": "X"}, order)}
        assert marks[("a",)] == "<5"
