"""Attacks on one known subject by what is zero: all answers are the same whether or not the subject meets a condition.

Two worlds differ in that the subject and one of many others have changed a value, so that all counts of larger groups
are the same in both.
"""

from __future__ import annotations

import datetime as dt
import itertools
import random
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from review_graph.adapters.in_memory import MemoryLedgers
from review_graph.tools.disclosing import REFUSED, disclosure_of
from review_graph.tools.toolbox import Toolbox
from tests.tools.matters import ADSL, K, bds, matter_of
from tests.tools.test_tools_disclose import ARMS, BANDS

NOW = dt.datetime(2026, 3, 4, tzinfo=dt.UTC)
NOT_ANSWERED = f"error: NotAnswered: {REFUSED}"
Call = tuple[str, dict[str, Any]]


def box(data: pl.DataFrame, name: str = "adsl") -> Toolbox:
    ledgers = MemoryLedgers()
    return Toolbox(
        matter_of(
            data,
            name,
            disclosure=lambda table, dataset: disclosure_of(table, dataset, ledgers, k=K, clock=lambda: NOW),
            can_query=True,
        )
    )


def rows(*conditions: tuple[str, str, object]) -> Call:
    told = [dict(zip(("column", "op", "value"), each, strict=True)) for each in conditions]
    return "count_rows", {"filter": [{k: v for k, v in each.items() if v is not None} for each in told]}


def sql(where: str, groups: str = "", of: str = "COUNT(*)") -> Call:
    what = f"SELECT {groups}, {of}" if groups else f"SELECT {of}"
    return "sql", {"query": f"{what} FROM adsl WHERE {where}{f' GROUP BY {groups}' if groups else ''}"}


def told(data: pl.DataFrame, calls: Sequence[Call], name: str = "adsl") -> list[str]:
    asked = box(data, name)
    return [asked.call(*call).text for call in calls]


def worlds(
    data: pl.DataFrame, target: pl.Expr, among: pl.Expr | None = None, **values: tuple[object, object]
) -> list[pl.DataFrame]:
    """Two tables in which one of the target and one of the others, among some, have either of two values."""
    few = data.filter(target)["USUBJID"].unique(maintain_order=True).to_list()
    one, other = few[0], data.filter(True if among is None else among, ~pl.col("USUBJID").is_in(few))["USUBJID"][0]
    made = []
    for order in (1, -1):
        columns = []
        for column, pair in values.items():
            mine, theirs = pair[::order]
            change = pl.when(pl.col("USUBJID") == one).then(pl.lit(mine)).when(pl.col("USUBJID") == other)
            columns.append(change.then(pl.lit(theirs)).otherwise(column).alias(column))
        made.append(data.with_columns(columns))
    return made


def adsl() -> pl.DataFrame:
    data = pl.read_parquet(ADSL)
    return data.with_columns(
        MARKFL=pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.lit("Y")).otherwise(pl.lit("N")),
        RARE=pl.when(pl.col("RACE") == "ASIAN").then("AGE"),
    )


WOMAN = (pl.col("SITEID") == "701") & (pl.col("AGE") == 63) & (pl.col("SEX") == "F")
WOMAN_ROWS = (("SITEID", "=", "701"), ("AGE", "=", 63), ("SEX", "=", "F"))
WOMAN_SQL = "SITEID = '701' AND AGE = 63 AND SEX = 'F'"
FEW = pl.col("RACE") == "ASIAN"

OLD_ROWS = (("SITEID", "=", "711"), ("AGE", ">", 60))
OLD_SQL = "SITEID = '711' AND AGE > 60"

ATTACKS: dict[str, tuple[pl.Expr, list[Call]]] = {
    "by what is known of her": (
        WOMAN,
        [
            rows(*WOMAN_ROWS, ("MARKFL", "=", "Y")),
            rows(*WOMAN_ROWS, ("MARKFL", "!=", "Y")),
            rows(("AGE", ">=", 63), ("AGE", "<", 64), ("SITEID", "=", "701"), ("SEX", "!=", "M"), ("MARKFL", "=", "Y")),
            rows(("MARKFL", "=", "Y")),
        ],
    ),
    "in SQL": (
        WOMAN,
        [
            sql(f"{WOMAN_SQL} AND MARKFL = 'Y'"),
            sql(f"{WOMAN_SQL} AND NOT (MARKFL = 'Y')", of="AVG(AGE), COUNT(AGE)"),
            sql(f"NOT ({WOMAN_SQL} AND MARKFL = 'Y')"),
            sql(f"MARKFL = 'N' OR NOT ({WOMAN_SQL})"),
        ],
    ),
    "by groups": (
        WOMAN,
        [
            sql(WOMAN_SQL, "MARKFL"),
            sql("SITEID = '701' AND AGE = 63", "MARKFL, SEX"),
            sql(WOMAN_SQL, "SEX, MARKFL", of="COUNT(*), AVG(AGE)"),
            sql("RACE = 'ASIAN'", "MARKFL", of="COUNT(RARE), AVG(AGE)"),
        ],
    ),
    "by leaving the few out": (
        FEW,
        [
            rows(("MARKFL", "=", "Y")),
            rows(("RACE", "!=", "ASIAN"), ("MARKFL", "=", "Y")),
            rows(("RARE", "is null", None), ("MARKFL", "=", "Y")),
            sql("MARKFL = 'Y' AND RACE NOT IN ('ASIAN')"),
            sql("MARKFL = 'Y' AND RACE IN ('WHITE', 'BLACK OR AFRICAN AMERICAN', 'AMERICAN INDIAN OR ALASKA NATIVE')"),
            sql("RACE <> 'ASIAN'", "MARKFL"),
        ],
    ),
    "by a flag of a few": (
        pl.col("DTHFL") == "Y",
        [
            ("count_subjects", {"flags": [{"column": "DTHFL", "value": each}, {"column": "MARKFL", "value": flag}]})
            for each in "YN"
            for flag in "YN"
        ],
    ),
    "by values that only a few have": (
        FEW,
        [
            ("summarise_column", {"column": "RARE", "by": "MARKFL"}),
            ("summarise_column", {"column": "RARE"}),
            sql("AGE > 0", "MARKFL", of="AVG(RARE), COUNT(RARE)"),
        ],
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_zero_tells_of_a_known_subject(attack: str) -> None:
    target, calls = ATTACKS[attack]
    data = adsl()
    assert 0 < data.filter(target).height < K
    assert data.filter(pl.col("MARKFL") == "Y", target).height < K
    one, other = (told(world, calls) for world in worlds(data, target, MARKFL=("Y", "N")))
    assert one == other


@pytest.mark.parametrize(
    "call",
    [
        rows(*OLD_ROWS, ("SEX", "!=", "M"), ("MARKFL", "=", "Y")),
        sql(f"{OLD_SQL} AND NOT (SEX = 'M') AND MARKFL = 'Y'"),
        sql(f"{OLD_SQL} AND SEX NOT LIKE 'M' AND MARKFL = 'Y'", of="AVG(AGE)"),
        sql(f"{OLD_SQL} AND SEX NOT IN ('M', 'X') AND MARKFL = 'Y'"),
        sql(f"{OLD_SQL} AND COALESCE(SEX, 'M') = 'F' AND MARKFL = 'Y'"),
        sql(f"{OLD_SQL} AND SEX <> 'M'", "MARKFL"),
    ],
    ids=str,
)
@pytest.mark.parametrize("order", [1, -1])
def test_no_zero_tells_of_those_who_are_left_out_of_some(call: Call, order: int) -> None:
    """As many are left as there were, if nobody who is left out meets the rest."""
    old = (pl.col("SITEID") == "711") & (pl.col("AGE") > 60)
    data = adsl().with_columns(MARKFL=pl.when(old).then(pl.lit("Y")).otherwise("MARKFL"))
    few = old & (pl.col("SEX") == "M")
    assert 0 < data.filter(few).height < K <= data.filter(old, ~few).height - 1
    data = data.with_columns(MARKFL=pl.when(few).then(pl.lit("N")).otherwise("MARKFL"))
    calls = [rows(*OLD_ROWS, ("MARKFL", "=", "Y")), call][::order]
    one, other = (told(world, calls) for world in worlds(data, few, old, MARKFL=("Y", "N")))
    assert one == other
    assert NOT_ANSWERED in one


def test_no_zero_tells_of_a_subject_by_its_identifier() -> None:
    """Nor whether there is such a subject."""
    there, elsewhere = adsl()["USUBJID"][0], "01-701-9999"
    for name in (there, elsewhere):
        for call in (
            rows(("USUBJID", "=", name), ("AGE", ">=", 64)),
            rows(("USUBJID", "=", name)),
            rows(("SUBJID", "<", name)),
        ):
            (text,) = told(adsl(), [call])
            assert text.startswith("error: InvalidArguments: ")
            assert name not in text


def test_no_zero_tells_of_an_arm_of_few() -> None:
    few = pl.col("USUBJID").is_in(["01-701-1015", "01-701-1023", "01-701-1028"])
    data = adsl().with_columns(TRT01A=pl.when(few).then(pl.lit("Rare")).otherwise("TRT01A"), SAFFL=pl.lit("Y"))
    calls: list[Call] = [("count_subjects", {"arm": "Rare", "sex": sex}) for sex in "FM"]
    calls += [("count_subjects", {"arm": "Rare", "age_min": low, "age_max": high}) for low, high in BANDS]
    calls += [("demographics_summary", {"arm": "Rare"})]
    one, other = (told(world, calls) for world in worlds(data, few, SEX=("F", "M"), AGE=(63, 77)))
    assert one == other
    assert all('"subjects":"<5"' in text for text in one)


@pytest.mark.parametrize("visit", ["Baseline", "Week 2", "Week 4"])
def test_no_zero_tells_of_a_parameter_of_few(visit: str) -> None:
    """Not by n, nor by that there are no records."""
    few = pl.col("USUBJID").is_in(["MU-001", "MU-002"]) & (pl.col("PARAMCD") == "SYSBP")
    data = bds(1).with_columns(PARAMCD=pl.when(few).then(pl.lit("RARE")).otherwise("PARAMCD"), ANL01FL=pl.lit("Y"))
    here = (pl.col("PARAMCD") == "RARE") & (pl.col("AVISIT") == "Week 2")
    calls: list[Call] = [("parameter_summary", {"parameter": "RARE", "visit": visit})]
    texts = told(data, calls, "advs") + told(data.filter(~here), calls, "advs")
    assert texts[0] == texts[1]
    assert '"n":"<5"' in texts[0]


def test_zero_is_told_of_groups_that_are_not_small() -> None:
    data = adsl().with_columns(AGE=pl.when(pl.col("SEX") == "F").then(pl.lit(70.0)).otherwise("AGE"))
    women = ("SEX", "=", "F")
    (text, again) = told(data, [rows(women, ("AGE", "<", 65)), sql("SEX = 'F' AND AGE < 65")])
    assert '"rows":0' in text
    assert '"rows":[[0]]' in again


def test_the_answer_of_a_small_group_is_that_of_all_that_hold_its_conditions() -> None:
    """However many there are: nothing is added to what is known, so nothing later is refused for it."""
    asked = box(adsl())
    calls = [rows(*WOMAN_ROWS, ("TRTDURD", op, days)) for op, days in itertools.product(("<", ">="), range(0, 200, 20))]
    counts = [(asked.call(*call).data or {})["rows"] for call in calls]
    assert counts == ["<5"] * len(calls)
    assert asked.call(*rows(("SEX", "=", "F"))).ok


def asked_as_rows() -> list[Call]:
    """Counts by arm, sex and band of age, with conditions of the caller's own."""
    arms = [(), *((("TRT01A", "=", arm),) for arm in ARMS)]
    sexes = [(), *((("SEX", "=", sex),) for sex in "FM")]
    ages = [(), *((("AGE", ">=", low), ("AGE", "<=", high)) for low, high in BANDS)]
    return [rows(*arm, *sex, *age) for arm, sex, age in itertools.product(arms, sexes, ages)]


@pytest.mark.parametrize("seed", range(5))
def test_ordinary_questions_are_answered_with_free_conditions(seed: int) -> None:
    """At least 18 of 20, drawn at random from the 60 that there are, in any order."""
    asked = box(adsl())
    chosen = random.Random(seed).sample(asked_as_rows(), 20)  # noqa: S311 - a test
    assert sum(asked.call(*call).ok for call in chosen) >= 18
