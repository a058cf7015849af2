"""Subjects counted and summarised, held against the same figures computed straight from the data."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from review_graph.tools.clinical import BAND_ENDS, BAND_STARTS
from review_graph.tools.subjects import CountArguments, CountSubjects
from review_graph.tools.tool import InvalidArguments
from review_graph.tools.toolbox import Toolbox
from tests.tools.matters import ADSL, bds, call, found, matter_of, trouble

SAFE = pl.col("SAFFL") == "Y"


def adsl() -> pl.DataFrame:
    return pl.read_parquet(ADSL)


def other_adsl() -> pl.DataFrame:
    """The same columns in another hand: one row a subject of the made-up study."""
    return bds(7, subjects=90).unique("USUBJID", keep="first", maintain_order=True).rename({"TRTA": "TRT01A"})


@pytest.mark.parametrize("data", [adsl(), other_adsl()], ids=["shipped", "made up"])
@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ({}, SAFE),
        ({"arm": " placebo "}, SAFE & (pl.col("TRT01A") == "Placebo")),
        ({"sex": "f"}, SAFE & (pl.col("SEX") == "F")),
        ({"age_min": 65}, SAFE & (pl.col("AGE") >= 65)),
        ({"age_max": 64}, SAFE & (pl.col("AGE") < 65)),
        ({"age_min": 65, "age_max": 74, "sex": "M"}, SAFE & pl.col("AGE").is_between(65, 74) & (pl.col("SEX") == "M")),
        ({"flags": [{"column": "saffl", "value": "N"}]}, SAFE & (pl.col("SAFFL") != "Y")),
        ({"flags": [{"column": "SAFFL", "value": "Y"}]}, SAFE),
    ],
    ids=str,
)
def test_subjects_are_those_that_the_data_has(data: pl.DataFrame, asked: dict[str, Any], rows: pl.Expr) -> None:
    answer = found(matter_of(data), "count_subjects", **asked)
    expected = data.filter(rows)["USUBJID"].n_unique()
    assert answer["subjects"] == (expected if expected == 0 or expected >= 5 else "<5")
    assert answer["population"] == "safety population"
    assert answer["filter"][0] == "SAFFL = 'Y'"


def test_a_filter_is_told_in_the_words_of_the_data() -> None:
    asked = {"arm": "PLACEBO", "sex": "f", "age_min": 65, "age_max": 74, "flags": [{"column": "dthfl", "value": "N"}]}
    answer = found(matter_of(ADSL), "count_subjects", **asked)
    assert answer["filter"] == [
        "SAFFL = 'Y'",
        "TRT01A = 'Placebo'",
        "SEX = 'F'",
        "65 <= AGE <= 74",
        "DTHFL = 'N' or missing",
    ]


def test_few_subjects_are_not_counted() -> None:
    assert found(matter_of(ADSL), "count_subjects", flags=[{"column": "DTHFL", "value": "Y"}])["subjects"] == "<5"


def test_without_a_flag_all_subjects_are_the_population() -> None:
    answer = found(matter_of(adsl().drop("SAFFL")), "count_subjects")
    assert (answer["population"], answer["subjects"], answer["filter"]) == ("all subjects in the dataset", 306, [])


def test_subjects_with_several_rows_count_once() -> None:
    data = bds(3)
    assert found(matter_of(data, "advs"), "count_subjects")["subjects"] == data.filter(SAFE)["USUBJID"].n_unique()


def test_an_unknown_arm_is_told_those_that_there_are() -> None:
    told = trouble(matter_of(ADSL), "count_subjects", arm="Verum")
    assert told == (
        "error: UnknownName: there is no arm 'Verum'; there are "
        "'Placebo', 'Screen Failure', 'Xanomeline High Dose', 'Xanomeline Low Dose'"
    )


def test_an_arm_of_few_subjects_is_not_among_those_that_are_told() -> None:
    data = adsl().with_columns(TRT01A=pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("Secret")).otherwise("TRT01A"))
    matter = matter_of(data)
    assert "Secret" not in trouble(matter, "count_subjects", arm="Verum")
    assert found(matter, "count_subjects", arm="secret")["subjects"] == "<5"


@pytest.mark.parametrize(
    "ages",
    [(1, 64), (18, 65), (40, 39), (65, 17), (-1, None), (None, 121), (18, 200), (17, None)],
    ids=str,
)
def test_ages_lie_on_fixed_bands(ages: tuple[int | None, int | None]) -> None:
    told = trouble(matter_of(ADSL), "count_subjects", age_min=ages[0], age_max=ages[1])
    assert told.startswith("error: InvalidArguments: ages are asked for in bands of whole years: 0-17, 18-39, ")
    assert all(str(edge) in told for edge in (*BAND_STARTS, *BAND_ENDS))


def test_the_bands_hold_each_age_once() -> None:
    data = other_adsl().with_columns(AGE=pl.int_range(pl.len()).mod(121) + pl.lit(0.5))
    matter = matter_of(data.filter(SAFE))
    counts = [
        found(matter, "count_subjects", age_min=low, age_max=high)["subjects"]
        for low, high in zip(BAND_STARTS, BAND_ENDS, strict=True)
    ]
    assert sum(counts) == data.filter(SAFE).height


def test_a_limit_is_held_again_inside_the_tool() -> None:
    with pytest.raises(InvalidArguments, match="bands"):
        CountSubjects().answer(CountArguments.model_construct(age_min=66), matter_of(ADSL))


@pytest.mark.parametrize("data", [adsl(), other_adsl()], ids=["shipped", "made up"])
@pytest.mark.parametrize("arm", [None, "Placebo"])
def test_demographics_are_those_of_the_data(data: pl.DataFrame, arm: str | None) -> None:
    answer = found(matter_of(data), "demographics_summary", arm=arm)
    rows = data.filter(SAFE if arm is None else SAFE & (pl.col("TRT01A") == arm))
    assert answer["subjects"] == rows.height
    assert answer["age"] == {
        "subjects": rows["AGE"].count(),
        "mean": pytest.approx(rows["AGE"].mean(), abs=0.0501),
        "sd": pytest.approx(rows["AGE"].std(ddof=1), abs=0.00501),
    }
    by_sex = {line["sex"]: line["subjects"] for line in answer["by_sex"]}
    assert by_sex == dict(rows.group_by("SEX").len().rows())
    assert "others" not in answer


def test_the_demographics_of_the_shipped_placebo_arm() -> None:
    answer = found(matter_of(ADSL), "demographics_summary", arm="placebo")
    assert answer["age"] == {"subjects": 86, "mean": 75.2, "sd": 8.59}
    assert answer["by_sex"] == [{"sex": "F", "subjects": 53}, {"sex": "M", "subjects": 33}]


def test_a_subject_with_several_rows_is_averaged_once() -> None:
    data = bds(3)
    firsts = data.filter(SAFE).unique("USUBJID", keep="first", maintain_order=True)
    answer = found(matter_of(data, "advs"), "demographics_summary")
    assert answer["age"]["subjects"] == firsts.height
    assert answer["age"]["mean"] == pytest.approx(firsts["AGE"].mean(), abs=0.0501)


def test_statistics_of_few_subjects_are_withheld() -> None:
    data = adsl().with_columns(AGE=pl.when(pl.int_range(pl.len()) % 100 == 0).then("AGE"))
    answer = found(matter_of(data), "demographics_summary")
    assert answer["age"] == {"subjects": "<5", "mean": None, "sd": None}


def test_a_rare_sex_is_told_of_without_its_name() -> None:
    data = adsl().with_columns(SEX=pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("UNDIFF")).otherwise("SEX"))
    observation = call(matter_of(data), "demographics_summary")
    assert "UNDIFF" not in observation.text
    assert '"others":"1 other value, with fewer than 5 subjects"' in observation.text


@pytest.mark.parametrize(
    ("dropped", "missing"),
    [(["USUBJID", "SUBJID"], "count_subjects"), (["AGE"], "demographics_summary"), (["SEX"], "demographics_summary")],
)
def test_they_are_offered_only_where_the_table_has_what_they_ask(dropped: list[str], missing: str) -> None:
    assert missing in Toolbox(matter_of(ADSL)).names
    assert missing not in Toolbox(matter_of(adsl().drop(dropped))).names
