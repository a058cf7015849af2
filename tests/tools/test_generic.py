"""Questions that any table answers, held against the same figures computed straight from the data."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import replace
from typing import Any, cast

import duckdb
import polars as pl
import pytest

from checks import adopt
from checks.spec import Spec
from checks.vocabulary import digest
from review_graph.tools.disclosing import Disclosure
from tests.tools.matters import ADSL, ROOT, Permissive, bds, call, found, matter_of, trouble

SITES = ROOT / "data" / "sites.csv"


def condition(column: str, op: str, value: object = None) -> dict[str, object]:
    return {"column": column, "op": op} | ({} if value is None else {"value": value})


def adsl() -> pl.DataFrame:
    return pl.read_parquet(ADSL)


@pytest.mark.parametrize(
    ("conditions", "rows"),
    [
        ([], pl.lit(value=True)),
        ([condition("sex", "=", "f")], pl.col("SEX") == "F"),
        ([condition("SEX", "!=", "F"), condition("AGE", ">=", 65)], (pl.col("SEX") != "F") & (pl.col("AGE") >= 65)),
        ([condition("AGE", "<", 64.5)], pl.col("AGE") < 64.5),
        ([condition("DTHFL", "is null")], pl.col("DTHFL").is_null()),
        ([condition("EOSSTT", "is not null")], pl.col("EOSSTT").is_not_null()),
        ([condition("TRTDURD", ">", 100)], pl.col("TRTDURD") > 100),
        ([condition("RFSTDTC", "<=", "2013-06-30")], pl.col("RFSTDTC") <= "2013-06-30"),
        ([condition("TRTSDT", ">", "2013-06-30")], pl.col("TRTSDT") > dt.datetime(2013, 6, 30)),  # noqa: DTZ001
        ([condition("SITEID", "=", 701)], pl.col("SITEID") == "701"),
    ],
    ids=str,
)
def test_rows_are_those_that_the_data_has(conditions: list[dict[str, object]], rows: pl.Expr) -> None:
    answer = found(matter_of(ADSL), "count_rows", filter=conditions)
    expected = adsl().filter(rows).height
    assert expected >= 5
    assert (answer["rows"], answer["subjects"]) == (expected, expected)


def test_rows_and_subjects_are_told_apart() -> None:
    data = bds(5)
    answer = found(matter_of(data, "advs"), "count_rows", filter=[condition("AVISIT", "=", "Week 2")])
    rows = data.filter(pl.col("AVISIT") == "Week 2")
    assert (answer["rows"], answer["subjects"]) == (rows.height, rows["USUBJID"].n_unique())


def test_the_order_of_conditions_and_the_case_of_names_make_no_other_question() -> None:
    matter = matter_of(ADSL)
    first = found(matter, "count_rows", filter=[condition("AGE", ">", 70), condition("SEX", "=", "F")])
    second = found(matter, "count_rows", filter=[condition("sex", "=", " f "), condition("age", ">", 70)])
    assert first == second
    questions = [question for question, _ in matter.disclosure.asked]  # type: ignore[attr-defined]
    assert questions[0] == questions[1]
    assert questions[0]["filter"] == [["AGE", ">", 70], ["SEX", "=", "F"]]
    assert first["filter"] == ["AGE > 70", "SEX = 'F'"]


@pytest.mark.parametrize("tool", ["count_rows", "count_subjects", "sql"])
def test_values_that_look_alike_when_cut_are_different_questions(tool: str) -> None:
    arms = [f"{'An arm with a very long name ' * 4}{end}" for end in "AB"]
    data = adsl().with_columns(TRT01A=pl.Series([arms[number % 2] for number in range(306)]))
    matter = matter_of(data, can_query=True)
    for arm in arms:
        arguments: dict[str, dict[str, Any]] = {
            "count_rows": {"filter": [condition("TRT01A", "=", arm)]},
            "count_subjects": {"arm": arm},
            "sql": {"query": f"SELECT COUNT(*) FROM adsl WHERE TRT01A = '{arm}'"},  # noqa: S608 - a test
        }
        found(matter, tool, **arguments[tool])
    first, second = matter.disclosure.asked  # type: ignore[attr-defined]
    assert digest(first[0]) != digest(second[0])


def test_another_spec_and_another_arm_make_another_question() -> None:
    digests = set()
    for spec, hidden in ((Spec(), ""), (Spec(name="other"), ""), (Spec(), "TRTA")):
        data = bds(1).with_columns(ARM="TRTA")
        matter = matter_of(data, "advs", spec=spec, hidden=frozenset({hidden}))
        found(matter, "parameter_summary", parameter="SYSBP")
        ((question, _),) = matter.disclosure.asked  # type: ignore[attr-defined]
        digests.add(digest(question))
    assert len(digests) == 3


def test_blanks_around_a_value_or_a_name_tell_it_from_another() -> None:
    matter = matter_of(pl.DataFrame({"v": ["A"] * 6 + ["A "] * 7, " v": [1.0] * 13}), "lab", spec=Spec())
    assert found(matter, "count_rows", filter=[condition("v", "=", "A")])["rows"] == 6
    assert found(matter, "count_rows", filter=[condition("v", "=", "A ")])["rows"] == 7
    assert found(matter, "summarise_column", column=" v")["mean"] == 1.0
    questions = {digest(question) for question, _ in matter.disclosure.asked}  # type: ignore[attr-defined]
    assert len(questions) == 3


def test_rows_of_few_subjects_are_not_counted() -> None:
    data = bds(5)
    few = pl.when(pl.col("USUBJID").is_in(["MU-001", "MU-002"])).then(pl.lit("rare"))
    answer = found(matter_of(data.with_columns(G=few), "advs"), "count_rows", filter=[condition("G", "=", "rare")])
    assert data.filter(pl.col("USUBJID") == "MU-001").height >= 5
    assert (answer["rows"], answer["subjects"]) == ("<5", "<5")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (condition("NOPE", "=", 1), "error: UnknownName: there is no column 'NOPE'; the columns are 'STUDYID', "),
        (condition("AGE", "=", "old"), "error: InvalidArguments: AGE (numbers) and 'old' cannot be compared"),
        (condition("SEX", "="), "error: InvalidArguments: = needs a value"),
        (condition("SEX", "=", "  "), "error: InvalidArguments: = needs a value"),
        (condition("SEX", "is null", "F"), "error: InvalidArguments: is null takes no value"),
        (condition("SEX", "like", "F"), "error: InvalidArguments: 'filter': 0: 'op': Input should be '=', '!=', "),
        (condition("AGE", ">", [1]), "error: InvalidArguments: 'filter': 0: 'value': "),
        (condition("SEX", "=", "x" * 201), "error: InvalidArguments: = needs a value of 1 to 200 characters"),
    ],
    ids=str,
)
def test_a_filter_that_makes_no_sense_is_told_so(asked: dict[str, object], told: str) -> None:
    assert trouble(matter_of(ADSL), "count_rows", filter=[asked]).startswith(told)


@pytest.mark.parametrize("column", ["AGE", "TRTDURD"])
@pytest.mark.parametrize("by", [None, "TRT01A", "sex"])
def test_summaries_are_those_of_the_data(column: str, by: str | None) -> None:
    answer = found(matter_of(ADSL), "summarise_column", column=column.lower(), by=by)
    lines = [answer] if by is None else answer["groups"]
    data = adsl()
    assert lines
    for line in lines:
        values = (data if by is None else data.filter(pl.col(by.upper()) == line["value"]))[column].drop_nulls()
        assert line["n"] == values.len()
        if values.len():
            assert line["mean"] == pytest.approx(values.mean(), abs=0.000501)
            assert line["sd"] == pytest.approx(values.std(ddof=1), abs=0.000501)
    if by is not None:
        assert [line["value"] for line in lines] == sorted(data[by.upper()].unique())


def test_numbers_below_one_keep_their_digits() -> None:
    data = pl.DataFrame({"x": [n * 1.23456e-7 for n in range(1, 8)]})
    answer = found(matter_of(data, "lab", spec=Spec()), "summarise_column", column="x")
    assert answer["mean"] == pytest.approx(data["x"].mean(), rel=1e-3)


def test_what_is_no_finite_number_is_not_told_as_one() -> None:
    data = pl.DataFrame({"x": [1.0, float("inf"), float("-inf"), 2.0, 3.0, float("nan")]})
    answer = found(matter_of(data, "lab", spec=Spec()), "summarise_column", column="x")
    assert (answer["n"], answer["mean"], answer["sd"]) == (5, None, None)


def test_a_column_of_text_has_no_mean() -> None:
    told = trouble(matter_of(ADSL), "summarise_column", column="SEX")
    assert told == "error: InvalidArguments: SEX holds no numbers; value_counts tells how often a value occurs"


def test_values_are_counted_as_often_as_they_occur() -> None:
    answer = found(matter_of(ADSL), "value_counts", column="race")
    assert answer["values"] == [
        {"value": "WHITE", "rows": 273, "subjects": 273},
        {"value": "BLACK OR AFRICAN AMERICAN", "rows": 29, "subjects": 29},
    ]
    assert answer["others"] == "2 other values, each with fewer than 5 subjects"


def test_missing_values_are_counted_too() -> None:
    answer = found(matter_of(ADSL), "value_counts", column="EOSSTT")
    counts: dict[Any, int] = {line["value"]: line["rows"] for line in answer["values"]}
    assert counts == Counter(adsl()["EOSSTT"].to_list())


def test_of_many_values_the_twenty_most_frequent_are_told() -> None:
    answer = found(matter_of(ADSL), "value_counts", column="AGE")
    counts = [line["rows"] for line in answer["values"]]
    frequent = sorted(Counter(adsl()["AGE"].to_list()).values(), reverse=True)
    assert counts == frequent[:20]
    assert answer["not_listed"] == f"{sum(count >= 5 for count in frequent[20:])} more values"
    assert answer["others"] == "more values, each with fewer than 5 subjects"


KEYED = Spec.from_plain({"fields": [{"name": "code", "identifier": True}, {"name": "nr"}], "primaryKey": ["NR"]})


@pytest.mark.parametrize("column", ["USUBJID", "subjid", "code", "nr"])
def test_single_subjects_and_records_are_neither_compared_nor_grouped_by(column: str) -> None:
    data = adsl().with_columns(code=pl.lit("x"), nr=pl.int_range(pl.len()) // 6)
    matter = matter_of(data, spec=KEYED)
    for name, arguments in (
        ("count_rows", {"filter": [condition(column, "!=", "1")]}),
        ("value_counts", {"column": column}),
        ("summarise_column", {"column": "AGE", "by": column}),
    ):
        assert "tells single subjects or records apart" in trouble(matter, name, **arguments)
    assert found(matter, "count_rows", filter=[condition(column, "is not null")])["rows"] == 306


@pytest.mark.parametrize("column", ["BRTHDTC", "DTHCAUS"])
def test_rare_values_are_never_named(column: str) -> None:
    text = call(matter_of(ADSL), "value_counts", column=column).text
    rare = adsl()[column].drop_nulls().unique(maintain_order=True)
    counts = Counter(adsl()[column].to_list())
    assert not [value for value in rare if counts[value] < 5 and value in text]


def test_each_rare_value_is_held_against_later_questions_where_they_are_few() -> None:
    matter = matter_of(ADSL)
    found(matter, "value_counts", column="DTHCAUS")
    ((_, labels),) = matter.disclosure.asked  # type: ignore[attr-defined]
    assert len(labels) == 4


def test_a_table_without_subjects_is_asked_in_rows() -> None:
    data = pl.read_csv(SITES, infer_schema_length=0)
    matter = matter_of(pl.concat([data] * 3), "sites", spec=Spec())
    answer = found(matter, "value_counts", column="status")
    counted = Counter((data["status"].to_list()) * 3)
    assert {line["value"]: line["rows"] for line in answer["values"]} == {
        value: count for value, count in counted.items() if count >= 5
    }
    assert "subjects" not in answer["values"][0]


def test_numbers_written_as_text_are_numbers_where_the_spec_says_so() -> None:
    data = pl.DataFrame({"n": ["1", "2", " 3", "x", "4", "5", None]})
    spec = Spec.from_plain({"fields": [{"name": "n", "type": "number"}]})
    assert found(matter_of(data, "lab", spec=spec), "summarise_column", column="n")["mean"] == 3.0


def test_what_the_spec_calls_missing_is_missing() -> None:
    data = pl.DataFrame({"v": ["A"] * 6 + ["ND"] * 7 + ["  "] * 5})
    spec = Spec.from_plain({"fields": [{"name": "v", "type": "string"}], "missingValues": ["", "ND"]})
    answer = found(matter_of(data, "lab", spec=spec), "value_counts", column="v")
    assert answer["values"] == [{"value": "A", "rows": 6}, {"value": None, "rows": 12}]


def test_duckdb_relations_give_the_same_answers() -> None:
    native = matter_of(ADSL)
    with duckdb.connect() as connection:
        relation = adopt(connection.read_parquet(str(ADSL)))
        other = replace(native, table=relation, disclosure=cast("Disclosure", Permissive(relation)))
        for name, arguments in (
            ("count_rows", {"filter": [condition("SEX", "=", "f")]}),
            ("summarise_column", {"column": "AGE", "by": "TRT01A"}),
            ("value_counts", {"column": "RACE"}),
            ("demographics_summary", {}),
            ("count_subjects", {"arm": "placebo"}),
        ):
            assert found(other, name, **arguments) == found(native, name, **arguments)
