"""Aggregates asked in SQL: what is taken gives the data's own figures, everything else says what is."""

from __future__ import annotations

import threading
from typing import Any

import polars as pl
import pytest

from checks.frame import collected
from review_graph.tools.sql.query import ALLOWED
from review_graph.tools.toolbox import Toolbox
from tests.tools.matters import ADSL, bds, call, found, matter_of, trouble


def rows_of(query: str, data: pl.DataFrame | None = None, name: str = "adsl") -> list[list[Any]]:
    matter = matter_of(ADSL if data is None else data, name, can_query=True)
    rows: list[list[Any]] = found(matter, "sql", query=query)["rows"]
    return rows


FILTERED_TWICE = (
    "WITH s AS (SELECT * FROM adsl WHERE SAFFL = 'Y'), f AS (SELECT SEX, AGE FROM s WHERE SEX = 'F') "
    "SELECT COUNT(*) FROM f WHERE f.AGE > 70"
)


@pytest.mark.parametrize(
    ("query", "equal"),
    [
        ("SELECT COUNT(*) FROM adsl", [pl.len()]),
        ("select count(*) as n from ADSL a where a.saffl = 'Y'", [(pl.col("SAFFL") == "Y").sum()]),
        ('SELECT COUNT("DTHFL"), COUNT(DISTINCT USUBJID) FROM "adsl";', [pl.col("DTHFL").count(), pl.len()]),
        (
            "SELECT SUM(AGE) FROM adsl WHERE AGE BETWEEN 65 AND 74",
            [pl.col("AGE").filter(pl.col("AGE").is_between(65, 74)).sum()],
        ),
        (
            "SELECT COUNT(*) FROM adsl WHERE SEX IN ('F', 'a;b') AND NOT (AGE < 80)",
            [((pl.col("SEX") == "F") & (pl.col("AGE") >= 80)).sum()],
        ),
        ("SELECT COUNT(*) FROM adsl WHERE DTHFL IS NULL", [pl.col("DTHFL").is_null().sum()]),
        (
            "SELECT COUNT(*) FROM adsl WHERE (RACE LIKE 'BLACK%' OR RACE = 'WHITE') AND AGE * 2 > 160",
            [(pl.col("RACE").str.contains("^BLACK|^WHITE$") & (pl.col("AGE") > 80)).sum()],
        ),
        ("SELECT COUNT(*) FROM adsl WHERE SEX = 'a;b -- c'", [pl.lit(0)]),
        (
            FILTERED_TWICE,
            [((pl.col("SAFFL") == "Y") & (pl.col("SEX") == "F") & (pl.col("AGE") > 70)).sum()],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_group_is_that_of_the_data(query: str, equal: list[pl.Expr]) -> None:
    data = pl.read_parquet(ADSL)
    expected = [data.select(expr).item() for expr in equal]
    assert rows_of(query) == [[value if value == 0 or value >= 5 else "<5" for value in expected]]


def test_groups_are_those_of_the_data() -> None:
    rows = rows_of(
        "SELECT TRT01A AS arm, SEX, COUNT(*) n, ROUND(AVG(AGE), 2), STDDEV(AGE) FROM adsl WHERE SAFFL = 'Y' "
        "GROUP BY 1, SEX ORDER BY arm DESC, n"
    )
    data = pl.read_parquet(ADSL).filter(pl.col("SAFFL") == "Y")
    expected = data.group_by("TRT01A", "SEX").agg(pl.len().alias("n"), pl.col("AGE").mean(), sd=pl.col("AGE").std())
    expected = expected.sort("TRT01A", "n", descending=[True, False])
    assert [row[:3] for row in rows] == [list(row[:3]) for row in expected.rows()]
    assert [row[3] for row in rows] == pytest.approx(expected["AGE"].to_list(), abs=0.00501)
    assert [row[4] for row in rows] == pytest.approx(expected["sd"].to_list(), abs=0.000501)


def test_values_that_are_missing_are_in_no_aggregate_of_their_column() -> None:
    data = bds(2)
    rows = rows_of(
        "SELECT PARAMCD, COUNT(*), COUNT(AVAL), AVG(AVAL) FROM advs GROUP BY PARAMCD ORDER BY 1", data, "advs"
    )
    expected = data.group_by("PARAMCD").agg(
        pl.len().alias("n"), pl.col("AVAL").count().alias("c"), pl.col("AVAL").mean()
    )
    for row, wanted in zip(rows, expected.sort("PARAMCD").rows(), strict=True):
        assert row[:3] == list(wanted[:3])
        assert row[3] == pytest.approx(wanted[3], abs=0.000501)


def test_at_most_twenty_rows_are_told_and_of_how_many() -> None:
    data = pl.DataFrame({"g": [f"G{number // 6:02d}" for number in range(150)], "v": [1.0] * 150})
    matter = matter_of(data, "lab", can_query=True)
    answer = found(matter, "sql", query="SELECT g, COUNT(*) FROM lab GROUP BY g ORDER BY g")
    assert (len(answer["rows"]), answer["rows_in_all"]) == (20, 25)
    few = found(matter, "sql", query="SELECT g, COUNT(*) FROM lab GROUP BY g ORDER BY g DESC LIMIT 2")
    assert few["rows"] == [["G24", 6], ["G23", 6]]


def test_groups_of_few_subjects_are_withheld() -> None:
    matter = matter_of(ADSL, can_query=True)
    answer = found(matter, "sql", query="SELECT RACE, COUNT(*), AVG(AGE) FROM adsl GROUP BY RACE ORDER BY 2")
    assert [row[0] for row in answer["rows"]] == ["BLACK OR AFRICAN AMERICAN", "WHITE"]
    assert answer["others"] == "2 more, each with a value that fewer than 5 subjects have"
    (row,) = found(matter, "sql", query="SELECT COUNT(*), SUM(AGE), AVG(AGE) FROM adsl WHERE DTHFL = 'Y'")["rows"]
    assert row == ["<5", "<5", "<5"]


def test_what_is_not_told_comes_last_in_either_order() -> None:
    data = pl.DataFrame({"g": ["A"] * 9 + ["B"] * 6 + ["C"] * 7, "v": [1.0] * 9 + [2.0] * 3 + [None] * 3 + [3.0] * 7})
    for order, first in (("", ["A", "C"]), (" DESC", ["C", "A"])):
        rows = rows_of(f"SELECT g, AVG(v) FROM lab GROUP BY g ORDER BY 2{order}", data, "lab")  # noqa: S608 - a test
        assert [row[0] for row in rows] == [*first, "B"]
        assert rows[2][1] == "<5"


def test_the_order_of_what_is_selected_makes_no_other_question() -> None:
    matter = matter_of(ADSL, can_query=True)
    found(matter, "sql", query="SELECT COUNT(*), AVG(AGE), SUM(TRTDURD) FROM adsl WHERE SEX = 'F'")
    found(matter, "sql", query="select SUM(trtdurd), AVG(\"AGE\"), count(*) as n from ADSL where sex = 'F'")
    first, second = matter.disclosure.asked  # type: ignore[attr-defined]
    assert first == second


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "something else than one SELECT"),
        ("SELECT * FROM adsl", "'*'"),
        ("SELECT AGE FROM adsl", "a column that is neither grouped by nor in an aggregate"),
        ("SELECT SEX FROM adsl GROUP BY SEX", "no aggregate"),
        ("SELECT MIN(AGE) FROM adsl", "'MIN(AGE)'"),
        ("SELECT MAX(AGE) FROM adsl", "'MAX(AGE)'"),
        ("SELECT MEDIAN(AGE) FROM adsl", "'MEDIAN(AGE)'"),
        ("SELECT GROUP_CONCAT(USUBJID) FROM adsl", "'GROUP_CONCAT(USUBJID)'"),
        ("SELECT COUNT(*) + 1 FROM adsl", "'COUNT(*) + 1'"),
        ("SELECT AVG(AGE * 2) FROM adsl", "'AGE * 2' where a column is due"),
        ("SELECT AVG(SEX) FROM adsl", "'AVG(SEX)' of a column that holds no numbers"),
        ("SELECT COUNT(DISTINCT SEX) FROM adsl", "COUNT(DISTINCT …) of something else than the subject"),
        ("SELECT COUNT(DISTINCT USUBJID, SEX) FROM adsl", "COUNT(DISTINCT …) of something else than the subject"),
        ("SELECT AVG(DISTINCT AGE) FROM adsl", "'DISTINCT AGE' where a column is due"),
        ("SELECT AVG(AGE) OVER () FROM adsl", "'AVG(AGE) OVER ()'"),
        ("SELECT COUNT(*) FILTER (WHERE SEX = 'F') FROM adsl", "'COUNT(*) FILTER(WHERE SEX = 'F')'"),
        ("SELECT CASE WHEN AGE > 1 THEN 1 END, COUNT(*) FROM adsl", "'CASE WHEN AGE > 1 THEN 1 END'"),
        ("SELECT DISTINCT COUNT(*) FROM adsl", "DISTINCT in SELECT"),
        ("SELECT COUNT(*) FROM adsl HAVING COUNT(*) > 3", "HAVING in SELECT"),
        ("SELECT COUNT(*) FROM adsl LIMIT 3 OFFSET 1", "OFFSET in SELECT"),
        ("SELECT COUNT(*) FROM adsl LIMIT 21", "'21' where a number from 0 to 20 is due"),
        ("SELECT COUNT(*) FROM adsl LIMIT -1", "'-1' where a number from 0 to 20 is due"),
        ("SELECT COUNT(*) n FROM adsl ORDER BY AGE", "an order by something that is not selected"),
        ("SELECT COUNT(*) n FROM adsl ORDER BY 2", "'2' where a number from 1 to 1 is due"),
        ("SELECT COUNT(*), COUNT(*) FROM adsl", "two results of one name (name them apart with AS)"),
        ("SELECT SEX, COUNT(*) FROM adsl GROUP BY ROLLUP(SEX)", "'ROLLUP (SEX)' where a column is due"),
        ("SELECT COUNT(*) FROM adsl GROUP BY AGE > 70", "'AGE > 70' where a column is due"),
        ("SELECT COUNT(*) FROM adsl, adsl b", "JOINS in SELECT"),
        ("SELECT COUNT(*) FROM adsl a JOIN adsl b ON a.AGE = b.AGE", "JOINS in SELECT"),
        ("SELECT COUNT(*) FROM (SELECT * FROM adsl)", "something that is no table by its name"),
        ("SELECT COUNT(*) FROM read_csv('/etc/passwd')", "something that is no table by its name"),
        ("SELECT COUNT(*) FROM '/etc/passwd'", ""),
        ("SELECT COUNT(*) FROM other", "the table 'other' where there is only 'adsl'"),
        ("SELECT COUNT(*) FROM sqlite_master", "the table 'sqlite_master' where there is only 'adsl'"),
        ("SELECT COUNT(*) FROM main.adsl", "DB in TABLE"),
        ("SELECT COUNT(*) FROM adsl TABLESAMPLE (10)", ""),
        ("SELECT COUNT(*)", "no table"),
        ("SELECT COUNT(*) FROM adsl WHERE b.AGE > 1", "a column of 'b', which is no table of this query"),
        ("SELECT COUNT(*) FROM adsl WHERE AGE > (SELECT 1)", "a subquery"),
        ("SELECT COUNT(*) FROM adsl WHERE EXISTS (SELECT 1 FROM adsl)", "a subquery"),
        ("SELECT COUNT(*) FROM adsl WHERE RANDOM() > 0.5", "the function"),
        ("SELECT COUNT(*) FROM adsl WHERE CAST(AGE AS TEXT) = '1'", "a cast"),
        ("SELECT COUNT(*) FROM adsl WHERE AGE = ?", "a parameter"),
        ("SELECT COUNT(*) FROM adsl WHERE AGE = 'old'", "cannot be compared"),
        ("SELECT COUNT(*) FROM adsl UNION SELECT COUNT(*) FROM adsl", "something else than one SELECT"),
        ("SELECT COUNT(*) FROM adsl; DROP TABLE adsl", "several statements"),
        ("SELECT COUNT(*) FROM adsl -- all", "a comment"),
        ("SELECT /* x */ COUNT(*) FROM adsl", "a comment"),
        ("SELECT COUNT(*) FROM adsl WHERE SEX = 'F", "a quotation mark or comment that is not closed"),
        ("SELECT COUNT(* FROM adsl", "a text that cannot be read as SQL"),
        ("WITH x AS (DELETE FROM adsl) SELECT COUNT(*) FROM x", ""),
        ("WITH x AS (SELECT SEX, COUNT(*) FROM adsl GROUP BY SEX) SELECT COUNT(*) FROM x", "GROUP in SELECT"),
        ("WITH x AS (SELECT AGE AS A FROM adsl) SELECT AVG(A) FROM x", "'AGE AS A' where a column is due"),
        ("WITH RECURSIVE x AS (SELECT * FROM x) SELECT COUNT(*) FROM x", "RECURSIVE in WITH"),
        ("DELETE FROM adsl", "something else than one SELECT"),
        ("ATTACH 'x.db'", ""),
        ("PRAGMA table_info(adsl)", ""),
        ("COPY adsl TO 'x.csv'", ""),
        ("SELECT COUNT(*) INTO x FROM adsl", "INTO in SELECT"),
        ("SELECT COUNT(*) FROM adsl FOR UPDATE", "LOCKS in SELECT"),
        ("SELECT " + "(" * 200 + "1" + ")" * 200 + " FROM adsl", "too much nesting"),
        ("SELECT COUNT(*) FROM adsl WHERE " + "NOT " * 200 + "AGE > 1", "too much nesting"),
        ("SELECT COUNT(*) FROM adsl WHERE " + "AGE + " * 250 + "1 > 1", "a condition nested too deep"),
        ("SELECT AGE, COUNT(*) FROM adsl GROUP BY AGE", "more than 30 groups"),
        ("SELECT COUNT(*) FROM adsl WHERE SEX = 'F' OR AGE > 80", "a condition on 2 columns, "),
        ("SELECT COUNT(*) FROM adsl WHERE NOT (SEX = 'F' AND AGE > 80)", "a condition on 2 columns, "),
        ("SELECT COUNT(*) FROM adsl WHERE ABS(AGE - 63) + TRTDURD > 0", "a condition on 2 columns, "),
        ("SELECT COUNT(*) FROM adsl WHERE 1234 = 1234", ""),
    ],
    ids=lambda value: str(value)[:60],
)
def test_everything_else_is_refused_and_says_what_is_allowed(query: str, said: str) -> None:
    told = trouble(matter_of(ADSL, can_query=True), "sql", query=query)
    assert told.startswith("error: QueryNotAllowed: found ")
    assert said in told
    assert told.isprintable()
    assert f"allowed: {ALLOWED[:40]}" in told


@pytest.mark.parametrize(
    "query",
    [
        "SELECT USUBJID, COUNT(*) FROM adsl GROUP BY USUBJID",
        "SELECT COUNT(*) FROM adsl GROUP BY SUBJID",
        "SELECT COUNT(*) FROM adsl WHERE AGE > 60 AND usubjid = '01-701-1015'",
        "SELECT COUNT(*) FROM adsl WHERE NOT USUBJID IN ('01-701-1015')",
        "WITH s AS (SELECT * FROM adsl WHERE LENGTH(USUBJID) = 11) SELECT COUNT(*) FROM s",
    ],
)
def test_single_subjects_are_neither_compared_nor_grouped_by(query: str) -> None:
    told = trouble(matter_of(ADSL, can_query=True), "sql", query=query)
    assert "tells single subjects or records apart" in told


def test_a_query_has_few_conditions() -> None:
    matter = matter_of(ADSL, can_query=True)
    query = "SELECT COUNT(*) FROM adsl WHERE AGE > 1 AND AGE > 2 AND (AGE > 3 AND AGE > 4) AND AGE > 5"
    assert call(matter, "sql", query=query + " AND AGE > 5 GROUP BY SEX").ok
    assert "found more than 6 conditions" in trouble(matter, "sql", query=query + " AND AGE > 6 GROUP BY SEX")


def test_whether_there_is_an_identifier_may_be_asked() -> None:
    assert rows_of("SELECT COUNT(*) FROM adsl WHERE USUBJID IS NOT NULL AND NOT (SUBJID IS NULL)") == [[306]]


def test_a_column_that_there_is_not_is_told_so() -> None:
    told = trouble(matter_of(ADSL, can_query=True), "sql", query="SELECT COUNT(*) FROM adsl WHERE NOPE = 1")
    assert told.startswith("error: UnknownName: there is no column 'NOPE'; the columns are 'STUDYID', ")


def test_it_is_off_unless_it_is_switched_on() -> None:
    assert "sql" not in Toolbox(matter_of(ADSL)).names
    assert call(matter_of(ADSL), "sql", query="SELECT COUNT(*) FROM adsl").text.startswith("error: UnknownTool: ")


def test_a_dataset_with_an_odd_name_is_asked_in_quotes() -> None:
    matter = matter_of(ADSL, 'my "odd" table 2', can_query=True, spec=matter_of(ADSL).spec)
    answer = found(matter, "sql", query='SELECT COUNT(*) FROM "my ""odd"" table 2"')
    assert answer["rows"] == [[306]]


def test_a_query_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    going_on = threading.Event()
    monkeypatch.setattr("review_graph.tools.sql.gateway.SECONDS", 0.01)
    matter = matter_of(ADSL, can_query=True)

    def slow(frame: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            going_on.wait(60)
        return collected(frame)

    monkeypatch.setattr("review_graph.tools.view.collected", slow)
    told = trouble(matter, "sql", query="SELECT COUNT(*) FROM adsl")
    going_on.set()
    assert told == "error: TooSlow: the question took longer than 0.01 seconds: ask for less at a time"
