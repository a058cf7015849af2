"""Whose each row is, and that subjects and rows of another version are known again."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable

import duckdb
import numpy as np
import polars as pl
import pytest

from checks import adopt
from review_graph.adapters.in_memory import MemoryLedgers
from review_graph.core.disclosure import Units
from review_graph.errors import InputError
from review_graph.tools.disclosing import Group
from review_graph.tools.tool import NotAnswered
from review_graph.tools.units import subject_codes, subject_column, units_of, with_identities
from tests.tools.attacking import disclosure

NAMES = ["b", "a", None, "b", "c", None, "d", "e"]
Clock = Callable[[], dt.datetime]


@pytest.mark.parametrize("library", ["polars", "duckdb"])
def test_subjects_are_numbered_as_they_come(library: str) -> None:
    """Not by how a library sorts them or has met them before: the ledger is read by other processes."""
    data = pl.DataFrame({"USUBJID": NAMES})
    with duckdb.connect() as connection:
        table = adopt(data if library == "polars" else connection.from_arrow(data.to_arrow()))
        assert subject_codes(table, "USUBJID").tolist() == [0, 1, 2, 0, 3, 2, 4, 5]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"subjid": NAMES, "X": NAMES}, "subjid"),
        ({"USUBJID": NAMES, "SUBJID": NAMES}, "USUBJID"),
        ({"USUBJID": ["same"] * 8}, "USUBJID"),
        ({"USUBJID": ["same"] * 8, "usubjid": NAMES}, "USUBJID"),
        ({"USUBJID": [None, *["same"] * 7], "SUBJID": NAMES}, "USUBJID"),
        ({"USUBJID": [None, "", " "], "SUBJID": ["a", "b", "a"]}, "SUBJID"),
        ({"USUBJID": [None, "", " "]}, None),
        ({"X": NAMES}, None),
    ],
    ids=[
        "only SUBJID, in small letters",
        "both",
        "one subject only",
        "two spellings",
        "one and nobody",
        "empty",
        "only empty",
        "none",
    ],
)
def test_who_is_a_subject(columns: dict[str, list[str | None]], expected: str | None) -> None:
    table = adopt(pl.DataFrame(columns))
    assert subject_column(table) == expected
    assert (units_of(table).owner_of is None) == (expected is None)


@pytest.mark.parametrize("doubled", ["USUBJID", "usubjid", "SUBJID"])
def test_nothing_is_asked_of_a_table_that_says_twice_whose_a_row_is(doubled: str) -> None:
    table = adopt(pl.DataFrame({"AGE": [1.0] * 8}), duplicate_columns=(doubled,))
    with pytest.raises(InputError, match=f"the column '{doubled}' is there more than once"):
        units_of(table)


def test_identities_stay_when_rows_are_in_another_order_and_come_back_from_bytes() -> None:
    data = pl.DataFrame(
        {"USUBJID": NAMES, "X": [1.5, 2.0, None, 4.0, 5.0, 6.0, 7.0, 8.0], "L": [[n] for n in range(8)]}
    )
    tables = [adopt(data), adopt(data.sort("X"))]
    known = [with_identities(table, units_of(table)) for table in tables]
    for units in known:
        again = Units.from_bytes(units.to_bytes())
        assert again.subjects == units.subjects
        for one, other in (
            (again.subject_identities, units.subject_identities),
            (again.row_identities, units.row_identities),
        ):
            assert one is not None
            assert other is not None
            assert (one.keys == other.keys).all()
            assert (one.contents == other.contents).all()
    subjects, rows = [one.subject_identities for one in known], [one.row_identities for one in known]
    for first, second in (subjects, rows):
        assert first is not None
        assert second is not None
        assert sorted(first.contents.tolist()) == sorted(second.contents.tolist())
        assert len(set(first.keys.tolist())) == len(first.keys)


def test_identities_are_those_that_ledgers_hold_already() -> None:
    """Written by earlier versions: were they made otherwise now, the subjects of those would not be known again."""
    texts = ["\u00e9", "\x00", "", None, "x", "y", "z", "\u65e5\u672c"]
    data = pl.DataFrame({"USUBJID": NAMES, "X": [1.5, 2.0, None, 4.0, 5.0, 6.0, 7.0, 8.0], "T": texts})
    table = adopt(data)
    kept = with_identities(table, units_of(table)).to_bytes()
    assert hashlib.sha256(kept).hexdigest() == "5ad1384ddb5723c940b7b95a819118ecca5bc5d79fe6018798848c4a679bea32"


def test_rows_that_are_alike_are_told_apart_where_nothing_says_whose_they_are() -> None:
    table = adopt(pl.DataFrame({"X": [1, 1, 1, 2]}))
    own = with_identities(table, units_of(table)).subject_identities
    assert own is not None
    assert len(set(own.keys.tolist())) == 4


def test_an_empty_table_has_nothing_to_hide(clock: Clock) -> None:
    tell = disclosure(pl.DataFrame({"USUBJID": []}, schema={"USUBJID": pl.String}), MemoryLedgers(), clock).tell
    (told,) = tell({"name": "all"}, [Group(label=(), rows=np.zeros(0, np.bool_))])
    assert (told.subjects, told.records, told.mark) == (0, 0, "")
    assert tell({"name": "nothing"}, []) == ()


def test_an_empty_group_is_told_beside_others(clock: Clock) -> None:
    tell = disclosure(pl.DataFrame({"X": range(9)}), MemoryLedgers(), clock).tell
    groups = [Group(label=(n,), rows=np.arange(9) < n) for n in (0, 9)]
    assert [one.subjects for one in tell({"name": "both"}, groups)] == [0, 9]
    with pytest.raises(NotAnswered):
        tell({"name": "less"}, [Group(label=(), rows=np.arange(9) < 8)])
