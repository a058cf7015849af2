"""What a drawing of a failing column is made of: every value once, in the picture or at its ends."""

from __future__ import annotations

from typing import Any

import duckdb
import polars as pl
import pytest

from checks import Finding, review_table
from checks.distribution import BINS
from checks.probes import MAX_DRAWN

VALUES = [*range(20, 70), 121, -1, 630, 999_999]


def outside(frame: Any, spec: dict[str, Any]) -> Finding:
    (found,) = (f for f in review_table(frame, spec).findings if f.code == "ranges.outside_limits")
    return found


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64, pl.String, pl.Decimal(20, 2)], ids=str)
def test_every_value_is_counted_once(dtype: Any) -> None:
    frame = pl.DataFrame({"AGE": pl.Series(VALUES).cast(dtype)})
    spec = {"fields": [{"name": "AGE", "unit": "years", "constraints": {"minimum": 0, "maximum": 120}}]}
    found = outside(frame, spec)
    (drawn,) = found.distributions
    assert sum(drawn.outside) + drawn.below + drawn.above == found.failed == 4
    assert sum(drawn.inside) == 50
    assert drawn.above == 2  # a slip of the decimal point does not press all else into one bar
    assert (drawn.minimum, drawn.maximum, drawn.unit) == (0, 120, "years")
    assert len(drawn.edges) == len(drawn.inside) + 1 <= BINS + 1
    assert list(drawn.edges) == sorted(set(drawn.edges))
    assert Finding.from_plain(found.to_plain()) == found


def test_every_backend_counts_the_same() -> None:
    frame = pl.DataFrame({"AGE": [*map(float, VALUES), None, float("nan"), float("inf")]})
    spec = {"fields": [{"name": "AGE", "constraints": {"maximum": 120}}]}
    relation = duckdb.sql("select * from frame")
    counted = [outside(given, spec).distributions for given in (frame, frame.to_pandas(), frame.to_arrow(), relation)]
    assert counted[0]
    assert all(other == counted[0] for other in counted)


def test_limits_by_parameter_are_drawn_by_parameter() -> None:
    names = [f"P{number}" for number in range(MAX_DRAWN + 2)]
    frame = pl.DataFrame({"P": [*names, *names, "P0"], "V": [1.0] * len(names) + [9.0] * len(names) + [2.0]})
    values = {name: {"maximum": 5, "unit": "U/L"} for name in names} | {"P1": {"maximum": 10}}
    spec = {"fields": [{"name": "P"}, {"name": "V"}], "limits": {"by": "P", "of": "V", "values": values}}
    drawn = outside(frame, spec).distributions
    assert [item.label for item in drawn] == ["P0", *names[2 : MAX_DRAWN + 1]]  # P1 is within, P7 is one too many
    assert (sum(drawn[0].inside), sum(drawn[0].outside), drawn[0].unit) == (2, 1, "U/L")


@pytest.mark.parametrize(
    ("field", "values"),
    [
        pytest.param(
            {"type": "date", "constraints": {"maximum": "2020-01-01"}}, ["2019-01-01", "2021-01-01"], id="dates"
        ),
        pytest.param({"constraints": {"maximum": 5}}, [1.0, float("inf")], id="infinite"),
    ],
)
def test_what_cannot_be_drawn_is_found_all_the_same(field: dict[str, Any], values: list[Any]) -> None:
    found = outside(pl.DataFrame({"A": values}), {"fields": [{"name": "A"} | field]})
    assert (found.failed, found.distributions) == (1, ())


@pytest.mark.parametrize("values", [[7], [7, 7, 7], [7, 3]], ids=str)
def test_few_values_have_a_picture_too(values: list[int]) -> None:
    spec = {"fields": [{"name": "A", "constraints": {"maximum": 5}}]}
    for dtype in (pl.Int64, pl.Float64):
        (drawn,) = outside(pl.DataFrame({"A": pl.Series(values, dtype=dtype)}), spec).distributions
        assert sum(drawn.inside) + sum(drawn.outside) == len(values)
