"""Laws of all tools: no value of a few subjects in any result or error, whatever the table holds and is asked."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.spec import Spec
from review_graph.tools.toolbox import Toolbox
from tests.tools.matters import matter_of

COLUMNS = ("USUBJID", "SECRET", "BORN", "G", "SAFFL", "TRT01A", "SEX", "AGE", "PARAMCD", "AVISIT", "AVAL")
OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "is null", "is not null")
KNOWN = st.sampled_from(["A", "B", "Placebo", "F", "M", "Y", "W1", "nothing"])


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """Subjects with a name and a weight of their own, in columns that every tool looks at."""
    size = draw(st.integers(0, 40))

    def pick(*values: Any) -> list[Any]:
        return draw(st.lists(st.sampled_from(values), min_size=size, max_size=size))

    return pl.DataFrame(
        {
            "USUBJID": [f"subject~{number:03d}" for number in range(size)],
            "SECRET": [f"secret~{number:03d}" for number in range(size)],
            "BORN": [f"1950-01-{number + 1:03d}~" for number in range(size)],
            "G": pick("A", "B", None),
            "SAFFL": pick("Y", "Y", "N", None),
            "TRT01A": pick("Placebo", "A", "B", None),
            "SEX": pick("F", "M"),
            "AGE": pick(17.5, 30.0, 66.0, None),
            "PARAMCD": pick("A", "B"),
            "AVISIT": pick("W1", "W2", None),
            "AVAL": pick(1.25, 2.5, None),
        },
        schema_overrides=dict.fromkeys(("G", "SAFFL", "TRT01A", "SEX", "PARAMCD", "AVISIT"), pl.String)
        | dict.fromkeys(("AGE", "AVAL"), pl.Float64)
        | dict.fromkeys(("USUBJID", "SECRET", "BORN"), pl.String),
    )


column = st.sampled_from([*COLUMNS, "nothing"])
comparisons = st.fixed_dictionaries(
    {"column": column, "op": st.sampled_from(OPERATORS)},
    optional={"value": KNOWN | st.integers(-5, 100) | st.booleans()},
)
calls = st.one_of(
    st.tuples(st.just("list_columns"), st.just({})),
    st.tuples(st.just("list_parameters"), st.just({})),
    st.tuples(st.just("count_subjects"), st.fixed_dictionaries({}, optional={"arm": KNOWN, "sex": KNOWN})),
    st.tuples(st.just("demographics_summary"), st.fixed_dictionaries({}, optional={"arm": KNOWN})),
    st.tuples(st.just("parameter_summary"), st.fixed_dictionaries({"parameter": KNOWN}, optional={"visit": KNOWN})),
    st.tuples(st.just("count_rows"), st.fixed_dictionaries({"filter": st.lists(comparisons, max_size=3)})),
    st.tuples(st.just("summarise_column"), st.fixed_dictionaries({"column": column}, optional={"by": column})),
    st.tuples(st.just("value_counts"), st.fixed_dictionaries({"column": column})),
    st.tuples(
        st.just("sql"),
        st.builds(
            lambda by, of: {"query": f"SELECT {by}, COUNT(*), AVG({of}) FROM t GROUP BY {by} ORDER BY 2"},  # noqa: S608
            column,
            column,
        ),
    ),
)


@given(tables(), st.lists(calls, min_size=1, max_size=4))
def test_no_text_that_one_subject_has_is_ever_told(
    table: pl.DataFrame, asked: list[tuple[str, dict[str, Any]]]
) -> None:
    box = Toolbox(matter_of(table, "t", spec=Spec(), can_query=True))
    for name, arguments in asked:
        observation = box.call(name, arguments)
        assert "~" not in observation.text
        assert observation.text.isprintable()
        assert "the tool failed" not in observation.text
        assert box.call(name, arguments) == observation


def numbers_in(data: Any) -> list[float]:
    """The numbers of a result."""
    if isinstance(data, dict):
        return [number for value in data.values() for number in numbers_in(value)]
    if isinstance(data, list):
        return [number for value in data for number in numbers_in(value)]
    return [data] if isinstance(data, int | float) and not isinstance(data, bool) else []


@given(tables(), calls)
def test_no_count_from_1_to_4_is_ever_told(table: pl.DataFrame, asked: tuple[str, dict[str, Any]]) -> None:
    name, arguments = asked
    observation = Toolbox(matter_of(table.drop("AGE", "AVAL"), "t", spec=Spec(), can_query=True)).call(name, arguments)
    told = numbers_in(observation.data)
    if name in ("list_columns", "sql"):  # these also count columns and groups
        return
    assert not [number for number in told if 0 < number < 5]


@pytest.mark.parametrize("name", ["value_counts", "summarise_column"])
def test_a_number_that_one_subject_has_is_not_told(name: str) -> None:
    table = pl.DataFrame({"USUBJID": [f"s{n}" for n in range(30)], "X": [10_000 + 7 * n * n for n in range(30)]})
    text = Toolbox(matter_of(table, "t", spec=Spec())).call(name, {"column": "X"}).text
    assert not [value for value in table["X"] if str(value) in text]
    assert json.loads(text)["column"] == "X"
