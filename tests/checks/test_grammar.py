"""What the language of rules allows, and how it refuses the rest."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.conditions import parse_condition
from checks.errors import SpecError

READ = [
    ("TRTSDT <= TRTEDT", ("TRTSDT", "TRTEDT")),
    ("b = 1 AND A = 2 OR b = A", ("b", "A")),
    ('"odd name" = 1 AND "with ""quotes""" <> 2', ("odd name", 'with "quotes"')),
    ("(AGE IS NULL) = (AGEU IS NULL)", ("AGE", "AGEU")),
    ("coalesce(A, B, 1) BETWEEN C AND 5", ("A", "B", "C")),
    ("A NOT IN (B, 1 + 1)", ("A", "B")),
    ("ROUND(A, 2) = Abs(-B) * 2 / 3", ("A", "B")),
    ("UPPER(TRIM(A)) LIKE 'X%' OR LENGTH(B) > 3", ("A", "B")),
    ("NOT FLAG", ("FLAG",)),
    ("TODAY() > A", ("A",)),
    ("TODAY > 1", ("TODAY",)),
    ("DATE = 1 AND ORDER = 2 AND DESC = 3 AND VALUE = 4", ("DATE", "ORDER", "DESC", "VALUE")),
    ("é_1 = 'ß'", ("é_1",)),
    ("A\n  =\n  'x;--/* y'", ("A",)),
]


@pytest.mark.parametrize(("text", "columns"), READ, ids=[row[0] for row in READ])
def test_columns_in_order_of_appearance(text: str, columns: tuple[str, ...]) -> None:
    condition = parse_condition(text)
    assert (condition.text, condition.columns) == (text, columns)


ELSEWHERE = [
    ("A <= dm.B", ("A",), (("dm", "B"),)),
    ('STUDYDAY(A, dm.B) = C AND dm.B <> "odd table"."odd.name"', ("A", "C"), (("dm", "B"), ("odd table", "odd.name"))),
    ("dm.A = A", ("A",), (("dm", "A"),)),
]


@pytest.mark.parametrize(("text", "columns", "elsewhere"), ELSEWHERE, ids=[row[0] for row in ELSEWHERE])
def test_columns_of_other_tables_are_told_apart(
    text: str, columns: tuple[str, ...], elsewhere: tuple[tuple[str, str], ...]
) -> None:
    condition = parse_condition(text)
    assert (condition.columns, condition.elsewhere) == (columns, elsewhere)


REFUSED = [
    ("a.b.C = 1", "COLUMN in a form"),
    ("dm.* = 1", "COLUMN in a form"),
    ("dm.1A = 1", "."),
    ("STUDYDAY(A) = 1", "found STUDYDAY(A)"),
    ("STUDYDAY(A, B, C) = 1", "found STUDYDAY(A, B, C)"),
    ("STUDYDAY(A, 1) = 1", "found STUDYDAY(A, 1)"),
    ("DM.STUDYDAY(A, B) = 1", "found"),
    ("", "no condition"),
    (" \n", "no condition"),
    ("-- nothing", "no condition"),
    ("A =", "the end after '=' at character 3"),
    ("A = 1 AND", "the end after 'AND'"),
    ("(A = 1", "the end after '1'"),
    ("A B", "'B' at character 3"),
    ("A AS x", "'AS' at character 3"),
    ("A = 1_000", "'_000' at character 6"),
    ("A = 'x", "not closed"),
    ("A = 1; B = 2", "';' at character 6"),
    ("A = 1;", "';' at character 6"),
    ("A = 1 -- one", "a comment"),
    ("A /* one */ = 1", "a comment"),
    ("SELECT 1", "'SELECT' at character 1"),
    ("A = (SELECT 1)", "a subquery"),
    ("A IN (SELECT 1)", "a subquery"),
    ("EXISTS(SELECT 1)", "a subquery"),
    ("SUM(A) OVER () = 1", "a window function"),
    ("A > 1 AND SUM(A) = 1", "the function SUM at character 11"),
    ("COUNT(*) = 1", "the function COUNT"),
    ("EXPLODE(A) = 1", "the function EXPLODE"),
    ("LEN(A) = 1", "the function LEN"),
    ("IFNULL(A, 1) = 1", "the function IFNULL"),
    ("TODAY(1) > A", "the function TODAY"),
    ("CURRENT_DATE > A", "write TODAY()"),
    ("CASE WHEN A = 1 THEN TRUE END", "CASE"),
    ("CAST(A AS INT) = 1", "a cast"),
    ("A::int = 1", "a cast"),
    ("A = DATE '2012-01-01'", "a cast"),
    ("A = ?", "a parameter"),
    ("A = :x", "a parameter"),
    ("A = @x", "a parameter"),
    ("A = $1", "'$1'"),
    ("A % 2 = 0", "MOD"),
    ("A || B = 'x'", "DPIPE"),
    ("A ILIKE 'x'", "ILIKE"),
    ("A LIKE 'x' ESCAPE '!'", "ESCAPE"),
    ("A LIKE B", "LIKE without a text"),
    ("A IN ()", "IN without a list"),
    ("A IN B", "IN in a form"),
    ("A IS TRUE", "IS without NULL"),
    ("A BETWEEN SYMMETRIC 1 AND 2", "BETWEEN in a form"),
    ("(A, B) = (1, 2)", "TUPLE"),
    ("A + 1", "… + … where something true or false is due"),
    ("A = 1 AND 5", "5 where something true or false is due at character 11"),
    ("NOT 'x' OR A", "'x' where something true or false is due"),
    ("UPPER(A)", "UPPER(…) where"),
    ("TRUE", "no column"),
    ("1 = 1", "no column"),
    ("A = 1 AND 'a' < 1", "'a' < 1"),
    ("A = 1 OR TODAY() > 5", "a number against a date"),
    ("TODAY() > 'soon' OR A", "ISO 8601"),
    ("1 < A < 5", "a truth value against a number"),
    ("A < TRUE", "truth values in an order"),
    ("A = NULL", "IS NULL"),
    ("A IN (1, NULL)", "IS NULL"),
    ("A <> ''", "blank text"),
    ("A + 'x' = 1", "'x' in a calculation"),
    ("A + NULL = 1", "NULL in a calculation"),
    ("UPPER(1) = 'x'", "UPPER of 1"),
    ("ROUND(A, -1) = 1", "ROUND to -1"),
    ("ROUND(A, B) = 1", "ROUND to B"),
    ("A = 1e999", "the number 1e999"),
    ("A > 1.5.5", "DOT"),
]


@pytest.mark.parametrize(("text", "found"), REFUSED, ids=[repr(row[0]) for row in REFUSED])
def test_refused_in_one_line_that_says_what_was_found(text: str, found: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_condition(text)
    message = str(caught.value)
    assert found in message
    assert "; allowed: " in message
    assert len(message.splitlines()) == 1


HUGE = {
    "parentheses": "(" * 10_000 + "A = 1" + ")" * 10_000,
    "some parentheses": "(" * 40 + "A = 1" + ")" * 40,
    "functions": "ABS(" * 40 + "A" + ")" * 40 + " = 1",
    "one name": "A" * 1_000_000,
    "not": "NOT " * 2_000 + "A",
    "minus": "- " * 2_000 + "A = 1",
    "sum": "1 + " * 2_000 + "A = 1",
    "comparisons": "A = " * 1_000 + "A",
    "divisors": "A / (" * 15 + "A" + ")" * 15 + " = 1",
    "digits": "A = " + "9" * 9_000,
    "exponent": "A = 1e999999999",
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
def test_huge_conditions_are_refused_quickly(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(SpecError) as caught:
        parse_condition(text)
    assert time.perf_counter() - start < 2
    assert len(str(caught.value)) < 500


PIECES = st.sampled_from(
    [
        "A", '"b"', "1", "-2.5", "'x'", "'2012-01-01'", "NULL", "TRUE", "=", "<>", "<", ">=", "+", "-", "*", "/", "(",
        ")", ",", "AND", "OR", "NOT", "IS", "IN", "BETWEEN", "LIKE", "ABS(", "ROUND(", "COALESCE(", "TODAY()", "SELECT",
        "CASE", "WHEN", "END", "::", "--", "/*", ";", "OVER", "[", "{", ".", "@", "$", "?", ":", "|", "%", "~",
        "INTERVAL", "DATE", "CAST(", "EXISTS", "ANY(", "N'x'", "x'1'", "\\", "`", "#", "!",
    ]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(
        st.text(max_size=60), st.lists(PIECES, max_size=14).map(" ".join), st.lists(PIECES, max_size=9).map("".join)
    )
)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        condition = parse_condition(text)
    except SpecError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017 - whether it is raised is not the point
    else:
        assert condition.columns or condition.elsewhere


def test_sqlglot_is_imported_only_when_a_rule_is_read() -> None:
    code = "import sys, checks.conditions.expressions; assert 'sqlglot' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own code
