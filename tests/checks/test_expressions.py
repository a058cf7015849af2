"""The language of rules. Every table of answers runs on Polars and on DuckDB."""

from __future__ import annotations

import datetime as dt
import itertools
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import narwhals as nw
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.conditions import Operand, condition_expr, parse_condition
from checks.errors import CannotJudge, SpecError
from checks.spec import Tolerance

if TYPE_CHECKING:
    from collections.abc import Callable

CONNECTION = duckdb.connect()
TODAY = dt.date(2026, 1, 1)
ISO = ("DTC", "S", "E")
INF = float("inf")


def resolve(frame: pl.DataFrame, iso: tuple[str, ...] = ISO) -> Callable[[str, str | None], Operand]:
    def operand(name: str, of: str | None) -> Operand:
        assert of is None
        if name not in frame.columns:
            raise CannotJudge(f"column {name} is not in the table")
        dtype, expr = frame.schema[name], nw.col(name)
        if dtype.is_numeric():
            return Operand(kind="number", expr=expr, name=name)
        if dtype == pl.String:
            return Operand(kind="iso" if name in iso else "text", expr=expr, name=name)
        kinds = {pl.Boolean: "boolean", pl.Date: "date", pl.Datetime: "datetime"}
        return Operand(kind=kinds[dtype.base_type()], expr=expr, name=name)  # type: ignore[arg-type]

    return operand


def evaluate(frame: pl.DataFrame, text: str, tolerance: Tolerance | None = None) -> list[bool | None]:
    """Evaluate a condition on both backends, which must agree."""
    expr = condition_expr(parse_condition(text), resolve(frame), today=TODAY, tolerance=tolerance)
    on_polars = nw.from_native(frame.lazy()).with_columns(answer=expr).collect()["answer"].to_list()
    relation = CONNECTION.from_arrow(frame.with_row_index("row").to_arrow())
    on_duckdb = nw.from_native(relation).with_columns(answer=expr).select("row", "answer").collect().sort("row")
    assert on_duckdb["answer"].to_list() == on_polars, text
    return on_polars


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


def test_long_chains_and_lists_are_allowed() -> None:
    frame = pl.DataFrame({"A": [1, 500, 9999, None]})
    chain = " OR ".join(f"A = {number}" for number in range(900))
    assert evaluate(frame, chain) == [True, True, False, None]
    numbers = ", ".join(str(number) for number in range(1000))
    assert evaluate(frame, f"A NOT IN ({numbers})") == [False, False, True, None]
    assert evaluate(frame, "A > 0" + " + 1" * 50) == [False, True, True, None]


NUMBERS = pl.DataFrame(
    {
        "I": [9007199254740993, -5, 0, None],
        "J": [9007199254740992, 5, 0, 1],
        "I8": pl.Series([100, -128, 3, None], dtype=pl.Int8),
        "U": pl.Series([2**63 + 5, 0, 3, None], dtype=pl.UInt64),
        "F": [0.1, 2.5, INF, None],
        "G": [0.3, -2.5, -INF, 1.0],
        "D": pl.Series(
            [Decimal("0.10"), Decimal("9007199254740993.25"), Decimal("-1.00"), None], dtype=pl.Decimal(20, 2)
        ),
        "T": ["0.10", "abc", "1e2", None],
        "Z": [0, 0, 1, None],
    }
)
NUMERIC = [
    ("I = 9007199254740993", [True, False, False, None]),
    ("I = 9007199254740992", [False, False, False, None]),
    ("I > 9007199254740992.5", [True, False, False, None]),
    ("I = J", [False, False, True, None]),
    ("I <> J", [True, True, False, None]),
    ("I = '-5'", [False, True, False, None]),
    ("I < 100000000000000000000", [True, True, True, None]),
    ("I8 < 300", [True, True, True, None]),
    ("U > 9223372036854775812", [True, False, False, None]),
    ("F = 0.1", [True, False, False, None]),
    ("F > 1e300", [False, False, True, None]),
    ("D = 0.1", [True, False, False, None]),
    ("D > 9007199254740993.24", [False, True, False, None]),
    ("D < 0.1000000000000001", [True, False, True, None]),
    ("D = '0.1'", [True, False, False, None]),
    ("T = 0.1", [True, None, False, None]),
    ("T > I", [False, None, True, None]),
    ("T * 10 = 1", [True, None, False, None]),
    ("I8 * 10 = 1000", [True, False, False, None]),
    ("I8 + 100 = 200", [True, False, False, None]),
    ("I8 + I8 = 200", [True, False, False, None]),
    ("-I8 = 128", [False, True, False, None]),
    ("ABS(I8) = 128", [False, True, False, None]),
    ("I - J = 1", [True, False, False, None]),
    ("U - 3 < 0", [False, True, False, None]),
    ("D + 0.2 = 0.3", [True, False, False, None]),
    ("D - I8 < 0", [True, False, True, None]),
    ("F + 0.2 > G", [True, True, True, None]),
    ("I / 2 = -2.5", [False, True, False, None]),
    ("I / Z > 0", [None, None, False, None]),
    ("I / Z IS NULL", [True, True, False, True]),
    ("1 / (1 / Z) = 1", [None, None, True, None]),
    ("F / Z = 1", [None, None, False, None]),
    ("F + G = 0", [False, True, None, None]),
    ("F - F = 0", [True, True, None, None]),
    ("F * Z = 0", [True, True, False, None]),
    ("G * (Z - Z) = 0", [True, True, None, None]),
    ("F BETWEEN 0.1 AND 2.5", [True, True, False, None]),
    ("F NOT BETWEEN 0.1 AND 2.5", [False, False, True, None]),
    ("I8 IN (100, 300, J)", [True, False, False, None]),
    ("F IN (0.1, 3)", [True, False, False, None]),
    ("I8 NOT IN (100)", [False, True, True, None]),
    ("COALESCE(I8, 300) = 300", [False, False, False, True]),
    ("COALESCE(D, 0.5, NULL) = 0.5", [False, False, False, True]),
    ("COALESCE(I, '7') = 7", [False, False, False, True]),
    ("- - I = I", [True, True, True, None]),
]


@pytest.mark.parametrize(("text", "answers"), NUMERIC, ids=[row[0] for row in NUMERIC])
def test_numbers(text: str, answers: list[bool | None]) -> None:
    assert evaluate(NUMBERS, text) == answers


ROUNDED = [
    (2.5, 0, 3), (-2.5, 0, -3), (3.5, 0, 4), (0.5, 0, 1), (2.4999, 0, 2), (1.005, 2, 1.01), (2.675, 2, 2.68),
    (-1.005, 2, -1.01), (123456789.123455, 5, 123456789.12346), (0.0, 3, 0), (1234.5, 0, 1235), (0.1 + 0.2, 10, 0.3),
]  # fmt: skip


@pytest.mark.parametrize(("value", "digits", "rounded"), ROUNDED)
def test_round_goes_away_from_zero_at_the_half(value: float, digits: int, rounded: float) -> None:
    assert evaluate(pl.DataFrame({"F": [value, None]}), f"ROUND(F, {digits}) = {rounded}") == [True, None]


TEXTS = pl.DataFrame(
    {
        "A": ["abc", "a%c", "ab\nc", " x ", "A.C", "", None],
        "B": ["abc", "abc", "x", "x", "é", "n", None],
    }
)
TEXTUAL = [
    ("A = 'abc'", [True, False, False, False, False, False, None]),
    ("A <> 'abc'", [False, True, True, True, True, True, None]),
    ("A = B", [True, False, False, False, False, False, None]),
    ("A < 'a'", [False, False, False, True, True, True, None]),
    ("A LIKE 'a%'", [True, True, True, False, False, False, None]),
    ("A LIKE '%c'", [True, True, True, False, False, False, None]),
    ("A LIKE 'a_c'", [True, True, False, False, False, False, None]),
    ("A LIKE 'ab_c'", [False, False, True, False, False, False, None]),
    ("A LIKE 'ab'", [False, False, False, False, False, False, None]),
    ("A LIKE 'A.C'", [False, False, False, False, True, False, None]),
    ("A NOT LIKE 'a%'", [False, False, False, True, True, True, None]),
    ("A LIKE '%'", [True, True, True, True, True, True, None]),
    ("A LIKE ''", [False, False, False, False, False, True, None]),
    ("NOT A NOT LIKE 'a%'", [True, True, True, False, False, False, None]),
    ("B LIKE '_'", [False, False, True, True, True, True, None]),
    ("A IN ('abc', 'A.C')", [True, False, False, False, True, False, None]),
    ("A NOT IN ('abc', 'A.C')", [False, True, True, True, False, True, None]),
    ("A IN (B, 'A.C')", [True, False, False, False, True, False, None]),
    ("UPPER(A) = 'ABC'", [True, False, False, False, False, False, None]),
    ("LOWER(A) = 'a.c'", [False, False, False, False, True, False, None]),
    ("TRIM(A) = B", [True, False, False, True, False, False, None]),
    ("LENGTH(A) = 3", [True, True, False, True, True, False, None]),
    ("LENGTH(B) = 1", [False, False, True, True, True, True, None]),
    ("COALESCE(A, 'none') = 'none'", [False, False, False, False, False, False, True]),
    ("COALESCE(A, '') = ''", [False, False, False, False, False, True, True]),
    ("A IS NULL", [False, False, False, False, False, False, True]),
    ("A IS NOT NULL", [True, True, True, True, True, True, False]),
]


@pytest.mark.parametrize(("text", "answers"), TEXTUAL, ids=[row[0] for row in TEXTUAL])
def test_text(text: str, answers: list[bool | None]) -> None:
    assert evaluate(TEXTS, text) == answers


@pytest.mark.parametrize("special", list("\\.+*?()|[]{}^$/-#&~ '\"\n\t"))
def test_like_takes_everything_but_its_two_marks_literally(special: str) -> None:
    frame = pl.DataFrame({"A": [f"x{special}y", "xay", f"x{special}y\n", "xy"]})
    quoted = special.replace("'", "''")
    assert evaluate(frame, f"A LIKE 'x{quoted}y'") == [True, False, False, False]
    assert evaluate(frame, f"A LIKE '_{quoted}%'") == [True, False, True, False]


DATES = pl.DataFrame(
    {
        "D": [day("2012-01-01"), day("2012-02-29"), day("2026-01-01"), None],
        "M": [moment("2012-01-01T00:00:00"), moment("2012-02-29T10:30:15"), moment("2012-01-01T00:00:00"), None],
        "N": [moment("2012-01-01T00:00:00"), moment("2012-02-29T10:30:16"), moment("2013-01-01T00:00:00"), None],
        "DTC": ["2012-01", "2012-02-28", "2026-01-01T10:00", None],
        "TXT": ["2012-01-01", "2012-02-28", "unknown", None],
    }
)
DATED = [
    ("D >= '2012-01-02'", [False, True, True, None]),
    ("D <= TODAY()", [True, True, True, None]),
    ("D = TODAY()", [False, False, True, None]),
    ("D > '2012-01'", [None, True, True, None]),
    ("D <= '2012-02'", [True, True, False, None]),
    ("D = M", [True, True, False, None]),
    ("D <= M", [True, True, False, None]),
    ("D < M", [False, False, False, None]),
    ("M < N", [False, True, True, None]),
    ("M = '2012-01-01'", [True, False, True, None]),
    ("M = '2012-02-29T10:30:15'", [False, True, False, None]),
    ("M > '2012-02-29T10:30'", [False, None, False, None]),
    ("M < TODAY()", [True, True, True, None]),
    ("DTC >= '2012-01-15'", [True, True, True, None]),
    ("DTC > '2012-01-15'", [None, True, True, None]),
    ("DTC <= D", [True, True, True, None]),
    ("DTC < D", [None, True, None, None]),
    ("DTC <= TODAY()", [True, True, True, None]),
    ("DTC >= M", [True, False, True, None]),
    ("TXT <= D", [True, True, None, None]),
    ("TXT < TODAY()", [True, True, None, None]),
    ("TXT = '2012-01-01'", [True, False, False, None]),
    ("D BETWEEN '2012-01-01' AND '2012-12-31'", [True, True, False, None]),
    ("D IN ('2012-01-01', TODAY())", [True, False, True, None]),
    ("COALESCE(D, M) = '2012-01-01'", [True, False, False, None]),
    ("COALESCE(D, '2020-05-05') >= '2013-01-01'", [False, False, True, True]),
    ("COALESCE(DTC, TODAY()) = TODAY()", [False, False, None, True]),
    ("LENGTH(DTC) = 10", [False, True, False, None]),
    ("DTC LIKE '2012-%'", [True, True, False, None]),
]


@pytest.mark.parametrize(("text", "answers"), DATED, ids=[row[0] for row in DATED])
def test_points_in_time(text: str, answers: list[bool | None]) -> None:
    assert evaluate(DATES, text) == answers


TRUTHS = list(itertools.product([True, False, None], repeat=2))


def test_three_valued_logic() -> None:
    frame = pl.DataFrame(TRUTHS, schema={"P": pl.Boolean, "Q": pl.Boolean}, orient="row")
    both = [False if False in row else None if None in row else True for row in TRUTHS]
    either = [True if True in row else None if None in row else False for row in TRUTHS]
    same = [None if None in row else row[0] == row[1] for row in TRUTHS]
    negated = [None if first is None else not first for first, _ in TRUTHS]
    assert evaluate(frame, "P AND Q") == both
    assert evaluate(frame, "P OR Q") == either
    assert evaluate(frame, "NOT P") == negated
    assert evaluate(frame, "P = Q") == same
    assert evaluate(frame, "NOT P <> Q") == same
    assert evaluate(frame, "P = TRUE") == [first for first, _ in TRUTHS]
    assert evaluate(frame, "(P AND NULL) IS NULL") == [first is not False for first, _ in TRUTHS]
    assert evaluate(frame, "(P = Q) IS NULL") == [None in row for row in TRUTHS]
    assert evaluate(frame, "COALESCE(P, FALSE)") == [first is True for first, _ in TRUTHS]


def test_both_or_neither_given() -> None:
    frame = pl.DataFrame({"AGE": [1, None, 1, None], "AGEU": ["YEARS", None, None, "YEARS"]})
    assert evaluate(frame, "(AGE IS NULL) = (AGEU IS NULL)") == [True, True, False, False]


JUDGELESS = [
    ("I = 'abc'", "I (numbers) and 'abc' cannot be compared"),
    ("I > TODAY()", "I (numbers) and 2026-01-01 cannot be compared"),
    ("DTC > 2012", "DTC (ISO 8601 text) and 2012 cannot be compared"),
    ("DTC = 'soon'", "DTC (ISO 8601 text) and 'soon' cannot be compared"),
    ("D > 'soon'", "D (dates) and 'soon' cannot be compared"),
    ("P = 1", "P (truth values) and 1 cannot be compared"),
    ("P < Q", "P (truth values) and Q (truth values) cannot be compared"),
    ("I", "I (numbers) is neither true nor false"),
    ("A AND P", "A (text) is neither true nor false"),
    ("D - 1 > 0", "- needs numbers, not D (dates)"),
    ("UPPER(I) = 'x'", "UPPER needs text, not I (numbers)"),
    ("I LIKE 'x'", "I (numbers) cannot be matched"),
    ("COALESCE(I, A) = 1", "COALESCE of I (numbers) and A (text)"),
    ("COALESCE(D, A) = '2012'", "COALESCE of D (dates) and A (text)"),
    ("NOPE = 1", "column NOPE is not in the table"),
]


@pytest.mark.parametrize(("text", "reason"), JUDGELESS, ids=[row[0] for row in JUDGELESS])
def test_what_cannot_be_judged_says_why(text: str, reason: str) -> None:
    types = {"I": pl.Int64, "A": pl.String, "P": pl.Boolean, "Q": pl.Boolean, "D": pl.Date, "DTC": pl.String}
    with pytest.raises(CannotJudge) as caught:
        evaluate(pl.DataFrame(schema=types), text)
    assert reason in str(caught.value)


TOLERATED = [
    ("=", [True, True, False, False, True, None]),
    ("<>", [False, False, True, True, False, None]),
    ("<=", [True, True, False, True, True, None]),
    (">=", [True, True, True, False, True, None]),
    ("<", [False, False, False, True, False, None]),
    (">", [False, False, True, False, False, None]),
]


@pytest.mark.parametrize(("operator", "answers"), TOLERATED, ids=[row[0] for row in TOLERATED])
@pytest.mark.parametrize(
    "tolerance", [Tolerance(relative=0.01), Tolerance(absolute=1), Tolerance(relative=0.01, absolute=0.1)]
)
def test_tolerance(operator: str, answers: list[bool | None], tolerance: Tolerance) -> None:
    frame = pl.DataFrame({"A": [100.0, 100.5, 102.0, 98.0, 99.5, None], "B": [100.0] * 6})
    assert evaluate(frame, f"A {operator} B", tolerance) == answers
    assert evaluate(frame, f"A {operator} 100", tolerance) == answers


def test_tolerance_is_relative_to_the_right_and_bows_to_infinity() -> None:
    tolerance = Tolerance(relative=0.1)
    frame = pl.DataFrame({"A": [100.0, INF, 5.0, -INF, -95.0], "B": [91.0, INF, INF, -INF, -100.0]})
    assert evaluate(frame, "A = B", tolerance) == [True, True, False, True, True]
    assert evaluate(pl.DataFrame({"A": [100.0], "B": [90.0]}), "A = B", tolerance) == [False]
    assert evaluate(frame, "A >= B", tolerance) == [True, True, False, True, True]
    assert evaluate(frame, "A < B", tolerance) == [False, False, True, False, False]
    assert evaluate(pl.DataFrame({"A": ["100"], "B": [Decimal("100.5")]}), "A = B AND A IN (101)", tolerance) == [True]


def failed(
    frame: pl.DataFrame, *, when: str = "", then: str, on_null: bool = True, tolerance: Tolerance | None = None
) -> list[int]:
    """Rows a rule fails, 1-based, with the meaning that rules give to null."""
    holds = [on_null if answer is None else answer for answer in evaluate(frame, then, tolerance)]
    applies = [True] * len(holds) if not when else [answer is True for answer in evaluate(frame, when, tolerance)]
    return [row for row, (asked, kept) in enumerate(zip(applies, holds, strict=True), 1) if asked and not kept]


def test_case_date_order_at_shared_precision() -> None:
    frame = pl.DataFrame(
        {
            "S": ["2025-01-10", "2025-03", "2025-01-10T23:59", "2025-02-01"],
            "E": ["2025", "2025-01", "2025-01-10", "2025-01-31"],
        }
    )
    assert failed(frame, then="S <= E") == [2, 4]


def test_case_null_operand_is_not_a_failure() -> None:
    assert failed(pl.DataFrame({"A": [1, None, None, 2], "B": [1, None, 3, 3]}), then="A = B") == [4]


def test_case_when_then() -> None:
    frame = pl.DataFrame({"AESER": ["Y", "N", "N", None], "AESDTH": ["Y", "Y", None, "Y"]})
    assert failed(frame, when="AESDTH = 'Y'", then="AESER = 'Y'", on_null=False) == [2, 4]


def test_case_reference_range_tolerance() -> None:
    frame = pl.DataFrame(
        {"LBSTRESN": [5.5506, 5.56, 3.9], "LBSTNRHI": [5.55, 5.55, 5.55], "LBNRIND": ["NORMAL", "HIGH", "NORMAL"]}
    )
    when, then = "LBSTRESN > LBSTNRHI", "LBNRIND = 'HIGH'"
    assert failed(frame, when=when, then=then, tolerance=Tolerance(relative=0.001)) == []
    assert failed(frame, when=when, then=then) == [1]


VALUES = {
    "I": st.integers(-(2**40), 2**40),
    "F": st.floats(-1e6, 1e6, allow_nan=False),
    "A": st.sampled_from(["", "x", "X y", "12", "-3.5", "1e3", "2012-01", "\n"]),
    "DTC": st.sampled_from(["2012", "2012-02-29", "2012-02-29T10:30", "2012---29", "2012-02-30", "2026-01-01"]),
    "P": st.booleans(),
    "D": st.dates(dt.date(2011, 1, 1), dt.date(2027, 1, 1)),
}
ROWS = st.lists(
    st.fixed_dictionaries({name: st.none() | values for name, values in VALUES.items()}), min_size=1, max_size=8
)
TYPES = {"I": pl.Int64, "F": pl.Float64, "A": pl.String, "DTC": pl.String, "P": pl.Boolean, "D": pl.Date}
NUMBER_TEXT = st.recursive(
    st.sampled_from(["I", "F", "A", "0", "1", "2.5", "-3", "LENGTH(A)"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda parts: f"({' '.join(parts)})"),
        inner.map(lambda part: f"ABS({part})"),
        inner.map(lambda part: f"ROUND({part}, 1)"),
        inner.map(lambda part: f"(- {part})"),
    ),
    max_leaves=4,
)
POINT_TEXT = st.sampled_from(["DTC", "D", "TODAY()", "COALESCE(D, TODAY())", "COALESCE(DTC, D)"])
COMPARED = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])
CONDITIONS = st.recursive(
    st.one_of(
        st.tuples(NUMBER_TEXT, COMPARED, NUMBER_TEXT).map(" ".join),
        st.tuples(POINT_TEXT, COMPARED, POINT_TEXT).map(" ".join),
        st.tuples(POINT_TEXT, COMPARED, st.sampled_from(["'2012-02'", "'2012-02-29'"])).map(" ".join),
        st.sampled_from(
            ["P", "A LIKE '_%'", "A IN ('x', '12')", "UPPER(TRIM(A)) = 'X Y'", "I IS NULL", "F BETWEEN I AND 5"]
        ),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "OR", "=", "<>"]), inner).map(
            lambda parts: "({}) {} ({})".format(*parts)
        ),
        inner.map(lambda part: f"NOT ({part})"),
        inner.map(lambda part: f"({part}) IS NULL"),
    ),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None)
@given(ROWS, CONDITIONS, st.sampled_from([None, Tolerance(relative=0.01), Tolerance(absolute=0.5)]))
def test_every_condition_says_the_same_on_both_backends(
    rows: list[dict[str, Any]], text: str, tolerance: Tolerance | None
) -> None:
    try:
        answers = evaluate(pl.DataFrame(rows, schema=TYPES), text, tolerance)
    except SpecError as error:
        assert "no column" in str(error) or "a number" in str(error)  # noqa: PT017 - some conditions make no sense
    else:
        assert set(answers) <= {True, False, None}
