"""Numbers written as text have one spelling each, by which keys are compared."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import adopt
from checks.column import Column
from checks.examination import Examination
from checks.frame import collected
from checks.spec import Spec
from checks.structure.numerals import has_other_spellings, one_spelling

SPEC = Spec.from_plain({"fields": [{"name": "N", "type": "number"}]})
NUMERALS = st.from_regex(
    r"[+-]?(0{0,2}[0-9]{1,3}\.?0{0,2}|0{0,2}[0-9]{0,2}\.[0-9]{1,3})([eE][+-]?0?[0-9]{1,2})?", fullmatch=True
)


def examined(texts: Sequence[str]) -> Column:
    table = adopt(pl.DataFrame({"N": texts}, schema={"N": pl.String}))
    return Examination(table=table, spec=SPEC, today=dt.date(2024, 6, 1)).column("N")


def spelled(column: Column) -> list[str]:
    values: list[str] = collected(column.of.table.frame.select(n=one_spelling(column)))["n"].to_list()
    return values


@given(st.lists(NUMERALS, min_size=1, max_size=8))
def test_numbers_are_spelled_alike_when_and_only_when_they_are_equal(texts: list[str]) -> None:
    column = examined(texts)
    numbers, spellings = [Decimal(text) for text in texts], spelled(column)
    assert len(set(zip(numbers, spellings, strict=True))) == len(set(numbers)) == len(set(spellings))
    if not has_other_spellings(column):
        assert len(set(texts)) == len(set(numbers))


def test_text_that_is_no_plain_number_stands_as_it_is() -> None:
    texts = ["x", "01x", "1e", "e2", "12-3", "infinity", "1e99999999999999999999"]
    assert spelled(examined(texts)) == texts


def test_infinity_is_one_value_in_any_case() -> None:
    assert spelled(examined(["INF", "inf", "+Inf", " inf", "-INF", "-inf"])) == ["inf"] * 4 + ["-inf"] * 2


def test_numbers_with_nothing_to_spare_need_no_other_spelling() -> None:
    assert not has_other_spellings(examined(["0", "10", "-7", "0.5", "-10.05"]))


@pytest.mark.parametrize("text", ["01", "+1", "1.0", ".5", "-0", "1.", " 1", "1e2", "INF"])
def test_numbers_with_something_to_spare_need_one_spelling(text: str) -> None:
    assert has_other_spellings(examined(["0", text]))
