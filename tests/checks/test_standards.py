"""The built-in specs on data: what each rule, key and limit finds, and what it leaves alone.

The cases of a standard are in `standards/<name>.yaml`:

    base          one right record, in which nothing is found
    references    the tables it refers to, each as its columns
    cases
      id
      rows          what differs from `base`, one entry a row; one row without a difference where it is left out
      drop          columns that the table lacks
      references    tables in place of those above; null for one that is not at hand
      fires         what is found, exactly: a rule by its id, all else by its code; `code of COLUMN COLUMN` and
                    `code in 2 rows` say more
      spares        rules and checks that come near and must not fire
      inconclusive  what could not be told, exactly
      because       why more than a rule itself is found
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from checks import Finding, Outcome, Spec, TableReview, codes, review_table
from checks.builtin import GENERIC, builtin, builtin_names, choose_builtin
from checks.spec import LimitsSpec, ParameterBounds
from checks.standards import STANDARDS

TODAY = dt.date(2026, 11, 30)
NAMES = sorted(standard.spec for standard in STANDARDS)
# A table of one row is full of columns without a value, and of columns with one value.
NOT_COMPARED = frozenset({"structure.all_null_column", "structure.constant_column"})
TYPES: Mapping[str, pl.DataType | type[pl.DataType]] = {
    "number": pl.Float64,  # as in SAS, which knows no integers
    "integer": pl.Float64,
    "date": pl.Date,
    "datetime": pl.Datetime("us"),
}
NO_UNIT = "furlong"

Columns = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, kw_only=True)
class Case:
    """One entry of `cases`."""

    id: str
    rows: Sequence[Mapping[str, Any]] = field(default_factory=lambda: [{}])
    drop: Sequence[str] = ()
    references: Mapping[str, Columns | None] = field(default_factory=dict)
    fires: Sequence[str] = ()
    spares: Sequence[str] = ()
    inconclusive: Sequence[str] = ()
    because: str = ""


@dataclass(frozen=True, kw_only=True)
class Standard:
    """One file of `standards`."""

    name: str
    base: Mapping[str, Any]
    references: Mapping[str, Columns | None]
    cases: Sequence[Case]

    @classmethod
    def read(cls, name: str) -> Standard:
        path = Path(__file__).parent / "standards" / f"{name}.yaml"
        plain = yaml.safe_load(path.read_text(encoding="utf-8"))
        cases = [Case(**case) for case in plain.pop("cases")]
        return cls(name=name, cases=cases, references=plain.pop("references", {}), **plain)

    def review(self, case: Case) -> TableReview:
        names = dict.fromkeys(name for row in (self.base, *case.rows) for name in row if name not in case.drop)
        frame = table(self.name, {name: [{**self.base, **row}.get(name) for row in case.rows] for name in names})
        assert choose_builtin(self.name, frame.columns).name == self.name
        given = {**self.references, **case.references}
        others = {name: table(name, columns) for name, columns in given.items() if columns is not None}
        return review_table(frame, name=self.name, today=TODAY, references=others)


def table(name: str, columns: Columns) -> pl.DataFrame:
    """Make a table with the types that a file of this standard has."""
    fields = builtin(name).by_name
    schema = {
        column: TYPES.get(fields[column].type, pl.String)
        for column in columns
        if column in fields and fields[column].type != "any"
    }
    return pl.DataFrame(dict(columns), schema_overrides=schema, strict=True)


def full(name: str) -> str:
    """Return what a case names as a code, and what it says beside it."""
    return name if "." in name else f"ranges.rule.{name}"


def bare(name: str) -> str:
    """Return the code alone."""
    return full(name).partition(" ")[0]


def spelled(finding: Finding, wanted: Sequence[str]) -> str:
    """Name a finding by its code, with its columns or the number of its rows where the case names them."""
    more = (f"of {' '.join(finding.columns)}", f"in {finding.failed} rows")
    return next((name for part in more if (name := f"{finding.code} {part}") in wanted), finding.code)


def untold(result: TableReview) -> list[str]:
    told = {verdict.code for verdict in result.verdicts if verdict.outcome is Outcome.INCONCLUSIVE}
    return sorted(told - NOT_COMPARED)


FILES = [Standard.read(name) for name in NAMES]
CASES = [pytest.param(file, case, id=f"{file.name}-{case.id}") for file in FILES for case in file.cases]
EACH = pytest.mark.parametrize("file", FILES, ids=NAMES)


@EACH
def test_in_the_right_record_all_is_judged_and_nothing_found(file: Standard) -> None:
    result = file.review(Case(id="base"))
    assert [finding.message for finding in result.findings if finding.code not in NOT_COMPARED] == []
    assert untold(result) == []


@pytest.mark.parametrize(("file", "case"), CASES)
def test_case_finds_exactly_what_it_names(file: Standard, case: Case) -> None:
    wanted = sorted(map(full, case.fires))
    result = file.review(case)
    found = [finding for finding in result.findings if finding.code not in NOT_COMPARED]
    assert sorted(spelled(finding, wanted) for finding in found) == wanted, [finding.message for finding in found]
    assert untold(result) == sorted(map(full, case.inconclusive)), result.verdicts


def demanded(spec: Spec) -> Iterator[str]:
    """What must be found in some case: each rule, key, foreign key and block of limits."""
    yield from (f"ranges.rule.{rule.id}" for rule in spec.rules)
    yield from (f"structure.duplicate_key of {' '.join(key)}" for key in (spec.primary_key, *spec.unique_keys) if key)
    yield from (f"structure.foreign_key of {' '.join(key.fields)}" for key in spec.foreign_keys)
    yield from (f"ranges.outside_limits of {block.of}" for block in spec.limits)
    if spec.natural_key:
        yield "structure.repeated_record"


@EACH
def test_everything_a_spec_demands_is_found_in_some_case(file: Standard) -> None:
    fired = {full(name) for case in file.cases for name in case.fires}
    assert set(demanded(builtin(file.name))) - fired - set(map(bare, fired)) == set()


@EACH
def test_each_rule_is_found_alone_or_it_is_said_why_not(file: Standard) -> None:
    rules = {f"ranges.rule.{rule.id}" for rule in builtin(file.name).rules}
    alone = {bare(case.fires[0]) for case in file.cases if len(case.fires) == 1}
    explained = {bare(name) for case in file.cases if case.because for name in case.fires}
    assert rules - alone - explained == set()


@EACH
def test_each_rule_is_spared_in_some_case_that_comes_near(file: Standard) -> None:
    rules = {f"ranges.rule.{rule.id}" for rule in builtin(file.name).rules}
    assert rules - {bare(name) for case in file.cases for name in case.spares} == set()


@EACH
def test_cases_name_what_there_is_and_each_has_a_name_of_its_own(file: Standard) -> None:
    known = {*codes(), *(f"ranges.rule.{rule.id}" for rule in builtin(file.name).rules)}
    named = {bare(name) for case in file.cases for name in (*case.fires, *case.spares, *case.inconclusive)}
    assert named - known == set()
    assert len({case.id for case in file.cases}) == len(file.cases)
    assert all(case.fires or case.spares or case.inconclusive for case in file.cases)
    assert not [case.id for case in file.cases if {*case.fires} & {*case.spares}]


@dataclass(frozen=True, kw_only=True)
class Value:
    """A value of a parameter, in a unit as somebody writes it, of a specimen."""

    parameter: str
    unit: str | None
    value: float
    specimen: str | None = None


def at_the_limits(block: LimitsSpec) -> Iterator[tuple[Value, Value]]:
    """Yield each limit, and the number next to it outside, in each unit and each way of writing it."""
    for parameter, by_unit in block.values.items():
        for bounds in by_unit:
            ends = [(bounds.minimum, -math.inf), (bounds.maximum, math.inf)]
            assert (bounds.exclusive_minimum, bounds.exclusive_maximum) == (None, None), "these are not tried here"
            for unit, (limit, outwards) in product(ways_of_writing(block, bounds), ends):
                if limit is not None:
                    specimen = None if bounds.where is None else "SERUM"
                    at = Value(parameter=parameter, unit=unit, value=float(limit), specimen=specimen)
                    yield at, replace(at, value=math.nextafter(at.value, outwards))


def ways_of_writing(block: LimitsSpec, bounds: ParameterBounds) -> Sequence[str | None]:
    if bounds.unit is None or block.unit_column is None:
        return (None, NO_UNIT)
    return (bounds.unit, bounds.unit.swapcase(), *block.unit_names.get(bounds.unit, ()))


def each_once(block: LimitsSpec, values: Sequence[Value]) -> list[Value]:
    """Keep each limit in the unit as the spec writes it, and each way of writing once."""
    own = {(parameter, bounds.unit) for parameter, by_unit in block.values.items() for bounds in by_unit}
    first = {value.unit: (value.parameter, value.specimen) for value in reversed(values)}
    return [
        one for one in values if (one.parameter, one.unit) in own or first[one.unit] == (one.parameter, one.specimen)
    ]


def held_against_limits(name: str, block: LimitsSpec, values: Sequence[Value]) -> tuple[int, list[str]]:
    """Return how many values are outside, and why others could not be told."""
    columns: dict[str, list[Any]] = {
        block.by: [value.parameter for value in values],
        block.of: [value.value for value in values],
        "LBSPEC": [value.specimen for value in values],
    }
    if block.unit_column is not None:
        in_brackets = block.unit_column == "PARAM"
        columns[block.unit_column] = [f"A (b) ({one.unit})" if in_brackets else one.unit for one in values]
    spec = choose_builtin(name, columns) if name == GENERIC else builtin(name)
    result = review_table(table(name, columns), spec, today=TODAY)
    code = "ranges.outside_limits"
    reasons = [str(v.reason) for v in result.verdicts if v.code == code and v.outcome is Outcome.INCONCLUSIVE]
    return sum(finding.failed for finding in result.findings if finding.code == code), reasons


@pytest.mark.parametrize("name", [name for name in builtin_names() if builtin(name).limits])
def test_values_at_their_limits_pass_and_just_beyond_fail_in_each_unit(name: str) -> None:
    for block in builtin(name).limits:
        at, beyond = zip(*at_the_limits(block), strict=True)
        assert held_against_limits(name, block, at) == (0, [])
        wrong = each_once(block, beyond)
        assert held_against_limits(name, block, wrong) == (len(wrong), [])


@pytest.mark.parametrize("name", [name for name in builtin_names() if builtin(name).limits])
def test_values_in_another_unit_or_none_are_not_judged_and_named(name: str) -> None:
    for block in builtin(name).limits:
        if block.unit_column is None:
            continue
        with_units = [parameter for parameter, by_unit in block.values.items() if by_unit[0].unit is not None]
        others = [Value(parameter=name, unit=NO_UNIT, value=-1e12) for name in with_units]
        failed, reasons = held_against_limits(name, block, others)
        assert failed == 0
        assert [reason.partition(":")[0] for reason in reasons] == [f"{len(others)} of {len(others)} rows"]
