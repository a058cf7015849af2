"""Rules over the records of a group: how many there are, whether they agree, and one beside the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

import narwhals as nw

from checks.conditions import parse_condition
from checks.errors import CannotJudge
from checks.frame import Frame, collected
from checks.plain import count_of, name_text, names_text, quote
from checks.probes import Failure, Query
from checks.ranges.ground import Ground, Unjudged
from checks.vocabulary import JSON

_COUNT = "count of group"
_GROUPS = 3
_VALUES = 4
"""Groups, and values of each, that a message spells out."""

_BACK = "parameter "
"""Start of the names of columns that hold a parameter's value for its group."""

_MOST = " at most"
"""End of the names of those that hold the greatest, where there are several."""


def at_most(ground: Ground, parameters: Mapping[str, JSON]) -> Iterator[Query]:
    """No group of `per` has more than `at_most` records that satisfy `where`."""
    spec, per = ground.rule.spec, ground.rule.per
    limit = spec.at_most or 0
    frame = ground.grouped(nulls_equal=spec.nulls_equal)

    def run(rows: int) -> Failure | None:
        sizes = frame.group_by(list(per)).agg(nw.len().alias(_COUNT)).filter(nw.col(_COUNT) > limit)
        totals = sizes.select(nw.len().alias("groups"), nw.col(_COUNT).cast(nw.Int64).sum().alias("rows"))
        groups, failed = collected(totals).row(0)
        says = ground.says(f"at most {spec.at_most}" + (f" where {spec.where}" if spec.where else ""))
        offending = frame.filter(nw.len().over(*per) > limit)
        return _failure(per, groups, failed, rows, says, offending)

    columns = ground.rule.columns
    yield Query(columns=columns, parameters=parameters, severity=spec.severity, run=run)
    yield from _untold(ground.frame, columns, ground.unjudged)


def constant(ground: Ground, parameters: Mapping[str, JSON]) -> Iterator[Query]:
    """In each group of `per` the columns of `constant` have one value."""
    spec, per = ground.rule.spec, ground.rule.per
    frame = ground.grouped(nulls_equal=spec.nulls_equal)
    parts = [ground.rule.of.column(name) for name in spec.constant]
    if spec.on_null == "pass":
        frame = frame.filter(reduce(or_, (part.present for part in parts)))
    known = frame.with_columns(**{part.name: part.known for part in parts})

    def run(rows: int) -> Failure | None:
        values = known.group_by([*per, *spec.constant]).agg(nw.len().cast(nw.Int64).alias(_COUNT))
        several = values.filter(nw.len().over(*per) > 1)
        found = collected(several.sort(*per, *spec.constant, descending=False, nulls_last=True))
        groups = len(found.select(*per).unique())
        failed = int(found[_COUNT].sum()) if groups else 0
        says = ground.says(f"{names_text(spec.constant)} is the same for each {names_text(per)}")
        examples = _examples(found.rows(), len(per)) if groups else ""
        offending = known.filter(_differs(spec.constant, per))
        return _failure(per, groups, failed, rows, says + examples, offending)

    columns = ground.rule.columns
    yield Query(columns=columns, parameters=parameters, severity=spec.severity, run=run)
    yield from _untold(ground.frame, columns, ground.unjudged)


def _differs(constant: Sequence[str], per: Sequence[str]) -> nw.Expr:
    """True for records of groups in which one of the columns has several values, a missing one among them."""
    several = []
    for name in constant:
        value, missing = nw.col(name), nw.col(name).is_null().cast(nw.Int64)
        several += [
            value.min().over(*per) != value.max().over(*per),
            missing.min().over(*per) != missing.max().over(*per),
        ]
    return reduce(or_, (condition.fill_null(value=False) for condition in several))


def side_by_side(ground: Ground, parameters: Mapping[str, JSON]) -> Iterator[Query]:
    """The condition holds for the parameters of each group; a group with several values of one cannot be told.

    Where a parameter lacks to compare them with, there is nothing to be told, however many values of one there are.
    """
    spec, per = ground.rule.spec, ground.rule.per
    by, of = ground.rule.of.column(spec.by or ""), ground.rule.of.column(spec.of or "")
    names = parse_condition(spec.compare or "").columns
    operand = of.operand
    frame = ground.grouped(nulls_equal=True).filter(by.present & of.present & by.value.is_in(list(names)))
    values = {name: nw.when(by.value == name).then(operand.expr) for name in names}
    least = {f"{_BACK}{name}": value.min().over(*per) for name, value in values.items()}
    most = {f"{_BACK}{name}{_MOST}": value.max().over(*per) for name, value in values.items()}
    beside = frame.with_columns(**least, **most)
    several = reduce(or_, (nw.col(low) != nw.col(high) for low, high in zip(least, most, strict=True)))

    def holds_for(end: str) -> nw.Expr:
        stand_for = {name: replace(operand, expr=nw.col(f"{_BACK}{name}{end}"), name=name) for name in names}
        return ground.holds(spec.compare or "", stand_for)

    lowest, highest = holds_for(""), holds_for(_MOST)
    several = several.fill_null(value=False) & ~(lowest.is_null() & highest.is_null())
    holds = lowest.fill_null(value=spec.on_null == "pass")

    def run(rows: int) -> Failure | None:
        offending = beside.filter(~several & ~holds)
        found = collected(offending.select(*per).with_columns(nw.lit(1).alias(_COUNT)))
        groups = len(found.unique())
        return _failure(per, groups, len(found), rows, ground.says(spec.compare or ""), offending)

    columns = ground.rule.columns
    yield Query(columns=columns, parameters=parameters, severity=spec.severity, run=run)
    reason = f"{names_text(per)} has several values of {name_text(of.name)} for one {name_text(by.name)}"
    yield from _untold(beside, columns, (*ground.unjudged, (several, reason)))


def _failure(per: Sequence[str], groups: int, failed: int, rows: int, says: str, offending: Frame) -> Failure | None:
    if not groups:
        return None
    message = (
        f"{count_of(int(groups), 'group')} of {names_text(per)}, {int(failed):,} of {count_of(rows, 'row')}: {says}"
    )
    return Failure(message=message, failed=int(failed), groups=int(groups), offending=offending)


def _untold(frame: Frame, columns: tuple[str, ...], unjudged: Unjudged) -> Iterator[Query]:
    """Say once for each reason how many records cannot be told; nothing where there are none."""
    for condition, reason in unjudged:

        def run(rows: int, condition: nw.Expr = condition, reason: str = reason) -> None:
            counted = collected(frame.filter(condition).select(nw.len().alias(_COUNT))).item()
            if counted:
                raise CannotJudge(f"{counted:,} of {count_of(rows, 'row')}: {reason}")

        yield Query(columns=columns, run=run)


def _examples(found: Sequence[tuple[object, ...]], keys: int) -> str:
    """Spell out the values of the first groups, with how often each occurs."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for row in found:
        value = " with ".join(quote(part) if part is not None else "nothing" for part in row[keys:-1])
        groups.setdefault(row[:keys], []).append(f"{value} in {count_of(int(str(row[-1])), 'row')}")
    shown = []
    for group, values in list(groups.items())[:_GROUPS]:
        more = [f"{len(values) - _VALUES} more"] if len(values) > _VALUES else []
        key = ", ".join(quote(part) for part in group)
        shown.append(f"{key} has {', '.join([*values[:_VALUES], *more])}")
    if len(groups) > _GROUPS:
        shown.append(f"{len(groups) - _GROUPS:,} more")
    return f" ({'; '.join(shown)})"
