"""ISO 8601 text: what is valid, and what comes first. Every table runs on Polars and on DuckDB."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any, get_args

import duckdb
import narwhals as nw
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import iso8601
from checks.iso8601 import Operator

Judge = Callable[[nw.Expr], nw.Expr]
CONNECTION = duckdb.connect()
OPERATORS: tuple[Operator, ...] = get_args(Operator)
MIRRORED: dict[Operator, Operator] = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def on_polars(frame: pl.DataFrame, expr: nw.Expr) -> list[Any]:
    return nw.from_native(frame.lazy()).select(answer=expr).collect()["answer"].to_list()


def on_duckdb(frame: pl.DataFrame, expr: nw.Expr) -> list[Any]:
    relation = CONNECTION.from_arrow(frame.with_row_index("row").to_arrow())
    ordered = nw.from_native(relation).with_columns(answer=expr).select("row", "answer").collect().sort("row")
    return ordered["answer"].to_list()


def everywhere(frame: pl.DataFrame, expr: nw.Expr) -> list[Any]:
    """Evaluate on both backends, which must agree."""
    answers = on_polars(frame, expr)
    assert on_duckdb(frame, expr) == answers
    return answers


def texts(values: Sequence[str | None], name: str = "a") -> pl.DataFrame:
    return pl.DataFrame({name: values}, schema={name: pl.String})


VALID = [
    "2014", "2014-03", "2014-03-01", "2014-03-01T10", "2014-03-01T10:30", "2014-03-01T10:30:15",
    "2014-03-01T10:30:15.5", "2014-03-01T10:30:15.123456789", "2014-03-01T10:30Z", "2014-03-01T10:30:15+01:00",
    "2014-03-01T10-05:30", "2014-03-01T00:00:00+14:00", "0001-01-01", "9999-12-31", "2012-02-29", "2000-02-29",
    "2003---15", "--12-15", "--12", "----15", "--02-29", "2003-12-15T-:15", "2003-12-15T-:15+01:00",
    "2003-12-15T13:-:17", "2003-12-15T-:-:17", "-----T07:15", "2003-12--T10", "2003----T10:30", "--12--T10",
    "2014-03-01/2014-03-05", "2003-12-15T10:00/2003-12-15T10:30", "2014/2015-02", "2003---15/2003---20",
]  # fmt: skip
INVALID = [
    "", "x", "20220311", "2014-13-01", "2014-00-01", "2014-02-30", "2014-04-31", "2014-01-32", "2014-01-00",
    "2100-02-29", "2014-02-29", "1900-02-29", "0000-01-01", "0000", "14-03-01", "2014-3-1", "2014/03/01",
    "2014-03-01t10:30", "2014-03-01 10:30", "2014-03-01T24:00:00", "2014-03-01T24", "2014-03-01T10:60",
    "2014-03-01T10:30:60", "2014-03-01T1030", "2014-03-01T", "2014-03-01T10:", "2014-03-01T10:30:15.",
    "2014-03-01T10:30:15,5", "2014-03-01T10:30.5", "2014-03-01T10:30z", "2014-03-01T10:30+0100",
    "2014-03-01T10:30+15:00", "2014-03-01Z", "2014-03T10:30", "2014T10", " 2014", "2014 ", "2014-03-01 ",
    "2014-03-01\n", "2014-03-01\r", "\n2014-03-01", "2014\n2015", "2014-", "2014-03-", "2003-12--", "2003----",
    "-----", "-", "--", "2003-12-15T-", "2003-12-15T13:-", "-----T", "--13-15", "--02-30", "--04-31", "--12-",
    "2014/", "/2014", "2014//2015", "2014/2015/2016", "2014/2015-02-29", "+2014", "-2014", "2014-W10", "2014-060",
    "\uff12\uff10\uff11\uff14", "2014-03-\u0660\u0661",
]  # fmt: skip


@pytest.mark.parametrize(
    ("values", "valid"), [(VALID, True), (INVALID, False), ([None], None)], ids=["yes", "no", "null"]
)
def test_partial_dates_of_sdtm(values: Sequence[str | None], *, valid: bool | None) -> None:
    answers = everywhere(texts(values), iso8601.is_partial(nw.col("a")))
    assert dict(zip(values, answers, strict=True)) == dict.fromkeys(values, valid)


STRICT: list[tuple[str, Judge, list[str], list[str]]] = [
    (
        "date",
        iso8601.is_date,
        ["2014-03-01", "2012-02-29"],
        ["2014-03", "2014-02-29", "2014-03-01T10:00:00", "20140301"],
    ),
    (
        "datetime",
        iso8601.is_datetime,
        ["2014-03-01T10:30:15", "2014-03-01T10:30:15Z", "2014-03-01T10:30:15.25+01:00"],
        ["2014-03-01", "2014-03-01T10:30", "2014-02-30T10:30:15", "2014-03-01T25:00:00", "2014-03-01 10:30:15"],
    ),
    ("time", iso8601.is_time, ["10:30:15", "23:59:59.9", "00:00:00Z"], ["10:30", "24:00:00", "T10:30:15", "10:30:60"]),
    ("year", iso8601.is_year, ["2014", "0001"], ["14", "0000", "20145", "2014-01", "-2014"]),
    ("yearmonth", iso8601.is_yearmonth, ["2014-03"], ["2014", "2014-13", "2014-3", "2014-03-01", "--03"]),
    (
        "duration",
        iso8601.is_duration,
        ["P1DT2H", "P1Y", "P1M", "PT1M", "P1Y2M3DT4H5M6.7S", "PT0.5S", "-P1D", "P3W", "P1Y3D", "PT1H5S"],
        ["", "P", "PT", "P1DT", "1D", "P1H", "P1D2H", "P1.5D", "PT1S1M", "P1W2D", "p1d", "P-1D", "P1S"],
    ),
]


@pytest.mark.parametrize(("judge", "valid", "invalid"), [row[1:] for row in STRICT], ids=[row[0] for row in STRICT])
def test_types_of_table_schema(judge: Judge, valid: list[str], invalid: list[str]) -> None:
    values = [*valid, *invalid, *(f"{text}\n" for text in valid), *(f" {text}" for text in valid), None]
    answers = everywhere(texts(values), judge(nw.col("a")))
    assert [value for value, answer in zip(values, answers, strict=True) if answer] == valid
    assert answers[-1] is None


def test_every_day_of_the_calendar_is_valid_and_no_other() -> None:
    written = [
        f"{year:04d}-{month:02d}-{day:02d}"
        for year in (1, 4, 100, 400, 1600, 1900, 1999, 2000, 2004, 2023, 2100, 2400, 9999)
        for month in range(14)
        for day in range(33)
    ]
    judged = everywhere(texts(written), iso8601.is_date(nw.col("a")))
    assert judged == everywhere(texts(written), iso8601.is_partial(nw.col("a")))
    assert judged == [_is_day(text) for text in written]


def _is_day(text: str) -> bool:
    try:
        dt.date.fromisoformat(text)
    except ValueError:
        return False
    return True


@settings(deadline=None)
@given(st.lists(st.datetimes(), min_size=1, max_size=20))
def test_what_python_writes_is_valid(moments: list[dt.datetime]) -> None:
    frame = texts([moment.isoformat() for moment in moments])
    assert all(on_polars(frame, iso8601.is_partial(nw.col("a")) & iso8601.is_datetime(nw.col("a"))))


@settings(deadline=None)
@given(st.lists(st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", fullmatch=True), min_size=1, max_size=20))
def test_full_dates_are_valid_where_python_reads_them(written: list[str]) -> None:
    ascii_only = [text for text in written if text.isascii()]
    assert on_polars(texts(ascii_only), iso8601.is_date(nw.col("a"))) == [_is_day(text) for text in ascii_only]


# left, right, and the answers to = != < <= > >=; None is "cannot be told"
SAME = (True, False, False, True, False, True)
BEFORE = (False, True, True, True, False, False)
AFTER = (False, True, False, False, True, True)
UNTOLD = (None, None, None, True, None, True)
NOTHING = (None,) * 6
COMPARED: list[tuple[str, str | None, str | None, tuple[bool | None, ...]]] = [
    ("same day", "2025-01-10", "2025-01-10", SAME),
    ("day before", "2025-01-09", "2025-01-10", BEFORE),
    ("year after", "2025-01-01", "2024-12-31", AFTER),
    ("day in the year", "2025-01-10", "2025", UNTOLD),
    ("month after month", "2025-03", "2025-01", AFTER),
    ("minute in the day", "2025-01-10T23:59", "2025-01-10", UNTOLD),
    ("second in the hour", "2025-01-10T23", "2025-01-10T23:00:00", UNTOLD),
    ("month after day", "2025-02-01", "2025-01-31", AFTER),
    ("month before day", "2025-01", "2025-02-01", BEFORE),
    ("same second", "2025-01-10T10:30:15", "2025-01-10T10:30:15", SAME),
    ("fraction", "2025-01-10T10:30:15.25", "2025-01-10T10:30:15.5", BEFORE),
    ("fraction in the second", "2025-01-10T10:30:15.25", "2025-01-10T10:30:15", UNTOLD),
    ("gap ends the precision", "2003---15", "2003-05-01", UNTOLD),
    ("gap on both sides", "2003---15", "2003---20", SAME),
    ("gap, other year", "2003---15", "2004-01", BEFORE),
    ("gap in the time", "2003-12-15T-:15", "2003-12-15T10:20", UNTOLD),
    ("gap in the time, other day", "2003-12-16T-:15", "2003-12-15T10:20", AFTER),
    ("gap in the minutes", "2003-12-15T13:-:17", "2003-12-15T12:30", AFTER),
    ("no year", "--12-15", "2003-12-15", NOTHING),
    ("no date", "-----T07:15", "2003", NOTHING),
    ("invalid day", "2014-02-30", "2014-03-01", NOTHING),
    ("no date at all", "2014-03-01", "unknown", NOTHING),
    ("padded", "2014-03-01 ", "2014-03-02", NOTHING),
    ("missing", None, "2014-03-01", NOTHING),
    ("interval", "2014-03-01/2014-03-02", "2015", NOTHING),
    ("same zone", "2014-03-01T10:30+01:00", "2014-03-01T11:30+01:00", BEFORE),
    ("both in UTC", "2014-03-01T10:30Z", "2014-03-01T10:30Z", SAME),
    ("UTC twice", "2014-03-01T10:30Z", "2014-03-01T10:30+00:00", SAME),
    ("zones differ", "2014-03-01T10:30Z", "2014-03-01T11:30+01:00", UNTOLD),
    ("zones differ, other day", "2014-03-01T10:30Z", "2014-03-02T10:30-05:00", BEFORE),
    ("one zone", "2014-03-01T10:30Z", "2014-03-01T08:00", UNTOLD),
    ("one zone, same text", "2014-03-01T10:30Z", "2014-03-01T10:30", UNTOLD),
    ("zone against day", "2014-03-01T10:30Z", "2014-03-01", UNTOLD),
    ("zone and precision", "2014-03-01T10:30Z", "2014-03-01T10:30:15Z", UNTOLD),
    ("zone with a gap", "2014-03-01T-:15Z", "2014-03-02", BEFORE),
]


@pytest.mark.parametrize(("left", "right", "answers"), [row[1:] for row in COMPARED], ids=[row[0] for row in COMPARED])
def test_order_at_shared_precision(left: str | None, right: str | None, answers: tuple[bool | None, ...]) -> None:
    frame = pl.DataFrame({"a": [left], "b": [right]}, schema={"a": pl.String, "b": pl.String})
    for operator, answer in zip(OPERATORS, answers, strict=True):
        assert everywhere(frame, iso8601.compare(nw.col("a"), nw.col("b"), operator)) == [answer], operator
        if right is not None and (literal := iso8601.point_literal(right)) is not None:
            assert everywhere(frame, iso8601.compare(nw.col("a"), literal, operator)) == [answer], operator
            assert everywhere(frame, iso8601.compare(literal, nw.col("a"), MIRRORED[operator])) == [answer], operator


@pytest.mark.parametrize("text", ["unknown", "2014-02-30", "--12-15", "2014/2015", "2014-03-01\n", ""])
def test_literal_that_is_no_point_in_time(text: str) -> None:
    assert iso8601.point_literal(text) is None


def test_native_dates_and_datetimes_compare_with_text() -> None:
    frame = pl.DataFrame(
        {
            "day": [dt.date(2014, 3, 1), None],
            "moment": [dt.datetime(2014, 3, 1, 10, 30, 15, 250000), None],  # noqa: DTZ001 - a column without a zone
            "text": ["2014-03", "2014"],
        }
    )
    day, moment = iso8601.date_point(nw.col("day")), iso8601.datetime_point(nw.col("moment"))
    assert everywhere(frame, iso8601.compare(day, nw.col("text"), "<=")) == [True, None]
    assert everywhere(frame, iso8601.compare(moment, nw.col("text"), "<")) == [None, None]
    assert everywhere(frame, iso8601.compare(day, moment, ">=")) == [True, None]
    assert everywhere(frame, iso8601.datetime_text(nw.col("moment"))) == ["2014-03-01T10:30:15", None]


def _cut(second: int, length: int) -> str:
    moment = dt.datetime(1999, 11, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=second)
    return moment.strftime("%Y-%m-%dT%H:%M:%S")[:length]


SOME_TEXT = st.one_of(
    st.builds(_cut, st.integers(0, 10_000_000), st.sampled_from([4, 7, 10, 13, 16, 19])),
    st.sampled_from([*VALID, *INVALID]),
    st.none(),
)
PAIRS = st.lists(st.tuples(SOME_TEXT, SOME_TEXT), min_size=1, max_size=30)


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_laws_of_comparison(pairs: list[tuple[str | None, str | None]]) -> None:
    frame = pl.DataFrame(pairs, schema={"a": pl.String, "b": pl.String}, orient="row")
    a, b = nw.col("a"), nw.col("b")
    told = {operator: on_polars(frame, iso8601.compare(a, b, operator)) for operator in OPERATORS}
    for operator in OPERATORS:
        assert told[operator] == on_polars(frame, iso8601.compare(b, a, MIRRORED[operator]))
        assert told[operator] == on_duckdb(frame, iso8601.compare(a, b, operator))
    for same, other, less, up_to, more, at_least in zip(*(told[operator] for operator in OPERATORS), strict=True):
        assert other == (None if same is None else not same)
        assert up_to == (None if up_to is None else more is not True)
        assert at_least == (None if at_least is None else less is not True)
        assert (less, more) != (True, True)
        assert same is not True or (less, more) == (False, False)
