"""Measurements by parameter and visit, on a made-up BDS table and on SDTM's layout."""

from __future__ import annotations

import polars as pl
import pytest

from review_graph.tools.toolbox import Toolbox
from review_graph.vocabulary import Citation
from tests.tools.matters import ADSL, bds, call, found, matter_of, trouble

ANALYSED = pl.col("ANL01FL") == "Y"


def test_parameters_and_visits_are_listed_in_order() -> None:
    answer = call(matter_of(bds(1), "advs"), "list_parameters")
    assert answer.data is not None
    assert answer.data["parameters"] == [
        {"parameter": "DIABP", "name": "Diastolic (mmHg)"},
        {"parameter": "SYSBP", "name": "Systolic (mmHg)"},
    ]
    assert answer.data["visits"] == ["Baseline", "Week 2", "Week 4"]
    assert answer.names == {
        Citation(kind="dataset", name="advs"),
        Citation(kind="parameter", name="DIABP"),
        Citation(kind="parameter", name="SYSBP"),
    }


def test_a_parameter_of_few_subjects_is_not_listed() -> None:
    data = bds(1)
    rare = pl.col("USUBJID").is_in(["MU-000", "MU-001"])
    data = data.with_columns(PARAMCD=pl.when(rare).then(pl.lit("RARE")).otherwise("PARAMCD"))
    assert "RARE" not in call(matter_of(data, "advs"), "list_parameters").text


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("visit", ["Baseline", "Week 2", None])
@pytest.mark.parametrize("code", ["SYSBP", "DIABP"])
def test_figures_are_those_of_the_data(seed: int, visit: str | None, code: str) -> None:
    data = bds(seed)
    answer = found(matter_of(data, "advs"), "parameter_summary", parameter=code.lower(), visit=visit)
    rows = data.filter(ANALYSED, pl.col("PARAMCD") == code, pl.col("AVAL").is_not_null())
    rows = rows if visit is None else rows.filter(pl.col("AVISIT") == visit)
    assert [line["arm"] for line in answer["by_arm"]] == ["High Dose", "Low Dose", "Placebo"]
    for line in answer["by_arm"]:
        values = rows.filter(pl.col("TRTA") == line["arm"])
        assert (line["n"], line["subjects"]) == (values.height, values["USUBJID"].n_unique())
        assert line["mean"] == pytest.approx(values["AVAL"].mean(), abs=0.000501)
        assert line["sd"] == pytest.approx(values["AVAL"].std(ddof=1), abs=0.000501)
    assert answer["records"] == "analysis records"
    assert answer["arm_column"] == "TRTA"


def test_the_filter_is_told() -> None:
    answer = found(matter_of(bds(1), "advs"), "parameter_summary", parameter="Systolic (mmHg)", visit="week 2")
    assert answer["filter"] == ["PARAMCD = 'SYSBP'", "AVISIT = 'Week 2'", "ANL01FL = 'Y'"]
    assert answer["parameter"] == "SYSBP"


def test_without_a_mark_all_records_count() -> None:
    data = bds(1).drop("ANL01FL")
    answer = found(matter_of(data, "advs"), "parameter_summary", parameter="SYSBP", visit="Baseline")
    here = (pl.col("PARAMCD") == "SYSBP") & (pl.col("AVISIT") == "Baseline")
    assert sum(line["n"] for line in answer["by_arm"]) == data.filter(here)["AVAL"].count()
    assert answer["records"] == "all records"


def test_an_unknown_parameter_is_told_those_that_there_are() -> None:
    told = trouble(matter_of(bds(1), "advs"), "parameter_summary", parameter="PULSE", visit="Baseline")
    assert told == "error: UnknownParameter: there is no parameter 'PULSE'; there are 'DIABP', 'SYSBP'"


def test_of_many_parameters_twenty_are_told_and_how_many_there_are() -> None:
    data = (
        bds(1).drop("PARAMCD").join(pl.DataFrame({"PARAMCD": [f"P{number:02d}" for number in range(30)]}), how="cross")
    )
    told = trouble(matter_of(data, "advs"), "parameter_summary", parameter="PULSE")
    assert told.count("'P") == 21
    assert told.endswith("'P19', … (30 in all)")


def test_a_parameter_without_records_at_a_visit_is_told_so() -> None:
    matter = matter_of(bds(1), "advs")
    told = trouble(matter, "parameter_summary", parameter="DIABP", visit="Week 4")
    assert told.startswith("error: NoRecords: no record has PARAMCD = 'DIABP' and AVISIT = 'Week 4'")
    assert told.endswith("DIABP has records at 'Baseline', 'Week 2'")
    unknown = trouble(matter, "parameter_summary", parameter="DIABP", visit="Week 99")
    assert unknown == "error: UnknownVisit: there is no visit 'Week 99'; there are 'Baseline', 'Week 2', 'Week 4'"


def test_an_arm_of_few_subjects_has_no_name_and_no_statistics() -> None:
    few = pl.col("USUBJID").is_in(["MU-000", "MU-001"])
    data = bds(1).with_columns(TRTA=pl.when(few).then(pl.lit("Compassionate")).otherwise("TRTA"))
    observation = call(matter_of(data, "advs"), "parameter_summary", parameter="SYSBP", visit="Baseline")
    assert "Compassionate" not in observation.text
    assert '"others":"1 other value, with fewer than 5 subjects"' in observation.text


def test_an_arm_with_few_values_is_told_as_such() -> None:
    data = bds(1).with_columns(
        AVAL=pl.when(pl.col("TRTA") != "Low Dose").then("AVAL").otherwise(pl.lit(None)),
        TRTA=pl.when(pl.col("USUBJID") == "MU-001").then(pl.lit("Placebo")).otherwise("TRTA"),
    )
    data = data.with_columns(
        AVAL=pl.when(pl.col("USUBJID") == "MU-004").then(99.0).otherwise("AVAL"), ANL01FL=pl.lit("Y")
    )
    answer = found(matter_of(data, "advs"), "parameter_summary", parameter="SYSBP", visit="Baseline")
    low = next(line for line in answer["by_arm"] if line["arm"] == "Low Dose")
    assert low == {"arm": "Low Dose", "n": "<5", "subjects": "<5", "mean": None, "sd": None}


def test_sdtm_measurements_are_asked_in_the_same_words() -> None:
    data = bds(1).rename({"PARAMCD": "VSTESTCD", "PARAM": "VSTEST", "AVISIT": "VISIT", "AVAL": "VSSTRESN"})
    data = data.drop("ANL01FL", "TRTA", "SAFFL")
    matter = matter_of(data, "vs")
    assert [line["parameter"] for line in found(matter, "list_parameters")["parameters"]] == ["DIABP", "SYSBP"]
    answer = found(matter, "parameter_summary", parameter="SYSBP", visit="Week 4")
    values = data.filter(pl.col("VSTESTCD") == "SYSBP", pl.col("VISIT") == "Week 4")["VSSTRESN"]
    (line,) = answer["by_arm"]
    assert (line["arm"], line["n"], answer["arm_column"]) == (None, values.count(), None)
    assert line["mean"] == pytest.approx(values.mean(), abs=0.000501)


def test_a_table_without_parameters_offers_neither() -> None:
    assert not {"list_parameters", "parameter_summary"} & set(Toolbox(matter_of(ADSL)).names)
