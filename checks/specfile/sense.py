"""Does a spec make sense: names that exist, limits that leave room, patterns and conditions that can be read."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import polars as pl

from checks.errors import SpecError
from checks.spec import Bounds, FieldSpec, LimitsSpec, ParameterBounds, Scalar, Spec, folded_unit
from checks.specfile.problems import Path, Problem, describe, did_you_mean
from checks.specfile.values import crossed, repeated, wrong_limit, wrong_value

_CAMEL = {
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusive_minimum": "exclusiveMinimum",
    "exclusive_maximum": "exclusiveMaximum",
}
_CONDITIONS = ("compare", "when", "then", "where")


def validate(spec: Spec, known_codes: Collection[str] | None = None) -> list[Problem]:
    """Return what makes no sense in a spec.

    Args:
        spec: The spec; paths are its own, in Table Schema's spelling.
        known_codes: Codes of the checks there are; None when they are not to be looked at.
    """
    problems = [*_fields(spec), *_keys(spec), *_limits(spec), *_rules(spec)]
    if known_codes is not None:
        problems += _codes(spec, known_codes)
    return problems


def _fields(spec: Spec) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, field in enumerate(spec.fields):
        path: Path = ("fields", index)
        if first.setdefault(field.name, index) != index:
            text = f"the field {field.name!r} is already at fields[{first[field.name]}], expected each name once"
            yield Problem(path=(*path, "name"), text=text)
        constraints = field.constraints
        yield from _bounds(constraints, field, (*path, "constraints"))
        if constraints.enum is not None:
            yield from _values(constraints.enum, field, (*path, "constraints", "enum"))
        if field.categories is not None:
            yield from _values(field.categories, field, (*path, "categories"))
        low, high = constraints.min_length, constraints.max_length
        if low is not None and high is not None and low > high:
            text = f"found {low}, but maxLength is {high}; no text is that long"
            yield Problem(path=(*path, "constraints", "minLength"), text=text)
        if constraints.pattern is not None and (wrong := _wrong_pattern(constraints.pattern)):
            yield Problem(path=(*path, "constraints", "pattern"), text=wrong)
        if field.timezone is not None and (wrong := _wrong_timezone(field.timezone)):
            yield Problem(path=(*path, "timezone"), text=wrong)


def _bounds(bounds: Bounds, field: FieldSpec | None, path: Path) -> Iterator[Problem]:
    wrong = False
    for name, key in _CAMEL.items():
        limit = getattr(bounds, name)
        if limit is not None and (text := wrong_limit(field, limit)):
            wrong = True
            yield Problem(path=(*path, key), text=text)
    if not wrong and (pair := crossed(bounds)):
        low, high = pair
        text = (
            f"found {getattr(bounds, low)}, but {_CAMEL[high]} is {getattr(bounds, high)}; no value lies between them"
        )
        yield Problem(path=(*path, _CAMEL[low]), text=text)


def _values(values: Sequence[Scalar], field: FieldSpec, path: Path) -> Iterator[Problem]:
    if not values:
        yield Problem(path=path, text="found an empty list, expected at least one allowed value")
    again = set(repeated(values))
    for index, value in enumerate(values):
        if text := wrong_value(field, value):
            yield Problem(path=(*path, index), text=text)
        elif index in again:
            yield Problem(path=(*path, index), text=f"{describe(value)} is listed twice, expected once")


def _keys(spec: Spec) -> Iterator[Problem]:
    """Keys name declared fields; where no fields are declared, nothing can be said."""
    keys: list[tuple[Path, Sequence[str]]] = [(("primaryKey",), spec.primary_key)]
    keys += [(("uniqueKeys", index), key) for index, key in enumerate(spec.unique_keys)]
    keys.append((("naturalKey",), spec.natural_key))
    for index, foreign in enumerate(spec.foreign_keys):
        path: Path = ("foreignKeys", index)
        keys.append(((*path, "fields"), foreign.fields))
        reference = foreign.reference
        if not reference.resource:
            keys.append(((*path, "reference", "fields"), reference.fields))
        if len(foreign.fields) != len(reference.fields):
            text = (
                f"found {len(reference.fields)} referenced fields, expected {len(foreign.fields)}, one for each field"
            )
            yield Problem(path=(*path, "reference"), text=text)
    for path, key in keys:
        for index, name in enumerate(key):
            if spec.fields and name not in spec.by_name:
                text = f"{name!r} is not among the fields{did_you_mean(name, spec.by_name)}"
                yield Problem(path=(*path, index), text=text)


def _limits(spec: Spec) -> Iterator[Problem]:
    for index, block in enumerate(spec.limits):
        for key in ("by", "of", "unit_column"):
            yield from _undeclared(spec, (getattr(block, key),), ("limits", index, key))
        yield from _unit_names(block, ("limits", index))
        for parameter, by_unit in block.values.items():
            path: Path = ("limits", index, "values", parameter)
            for number, bounds in enumerate(by_unit):
                place = (*path, number)
                if not bounds.any:
                    yield Problem(path=place, text="no limit is given, expected minimum, maximum or both")
                yield from _bounds(bounds, spec.by_name.get(block.of), place)
                if bounds.where is not None and (wrong := _wrong_where(bounds.where, spec)):
                    yield Problem(path=(*place, "where"), text=wrong)
            yield from _several(by_unit, path, has_units=block.unit_column is not None)


def _several(by_unit: Sequence[ParameterBounds], path: Path, *, has_units: bool) -> Iterator[Problem]:
    """Limits of one parameter are in one unit each, or for records of their own."""
    units = [folded_unit(bounds.unit or "") for bounds in by_unit]
    if len(set(units)) > 1 and not has_units:
        text = "found limits in several units, expected unitColumn beside by and of, or one block"
        yield Problem(path=path, text=text)
        return
    before: set[tuple[str, object]] = set()
    for number, (unit, bounds) in enumerate(zip(units, by_unit, strict=True)):
        where = _meaning(bounds.where)
        if not before.isdisjoint({(unit, None), (unit, where)}):
            text = "limits for the same records in this unit, in whatever case, stand before; expected a where in those"
            yield Problem(path=(*path, number), text=text)
        before.add((unit, where))


def _meaning(where: str | None) -> object:
    """What is the same for conditions that differ in blanks and the like; the text of one that cannot be read."""
    from checks.conditions import parse_condition

    try:
        return None if where is None else replace(parse_condition(where), text="")
    except SpecError:
        return where


def _unit_names(block: LimitsSpec, path: Path) -> Iterator[Problem]:
    """Each way of writing a unit means one unit, and one that has limits."""
    used = {folded_unit(bounds.unit) for by_unit in block.values.values() for bounds in by_unit if bounds.unit}
    meant: dict[str, str] = {}
    for unit, names in block.unit_names.items():
        place = (*path, "unitNames", unit)
        if folded_unit(unit) not in used:
            yield Problem(path=place, text=f"no limits are in {unit!r}, expected a unit of values")
        for number, name in enumerate(names):
            other = meant.setdefault(folded_unit(name), unit)
            if other != unit or folded_unit(name) == folded_unit(unit):
                yield Problem(path=(*place, number), text=f"{name!r} already means {other!r}, expected one meaning")
            elif folded_unit(name) in used:
                text = f"{name!r} has limits of its own, expected a name without, or limits in {unit!r} alone"
                yield Problem(path=(*place, number), text=text)


def _rules(spec: Spec) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, rule in enumerate(spec.rules):
        if first.setdefault(rule.id, index) != index:
            text = f"the rule {rule.id!r} is already at rules[{first[rule.id]}], expected each id once"
            yield Problem(path=("rules", index, "id"), text=text)
        for key in _CONDITIONS:
            condition = getattr(rule, key)
            sided = rule.side_by_side and key == "compare"
            if condition is not None and (wrong := _wrong_condition(condition, spec, of_parameters=sided)):
                yield Problem(path=("rules", index, key), text=wrong)
        for key in ("by", "of"):
            yield from _undeclared(spec, (getattr(rule, key),), ("rules", index, key))
        for key in ("per", "constant", "optional"):
            yield from _undeclared(spec, getattr(rule, key), ("rules", index, key))


def _codes(spec: Spec, known_codes: Collection[str]) -> Iterator[Problem]:
    known = {*known_codes, *(f"ranges.rule.{rule.id}" for rule in spec.rules)}
    for code in spec.checks:
        if code not in known:
            text = f"there is no check {code!r}{did_you_mean(code, sorted(known))}"
            yield Problem(path=("checks", code), text=text)


def _undeclared(spec: Spec, names: Sequence[str | None], path: Path) -> Iterator[Problem]:
    """Names that look like slips of a field's name, where the table may hold nothing but the fields."""
    for index, name in enumerate(names):
        if name is not None and (slip := _slip(name, spec)):
            yield Problem(path=path if len(names) == 1 else (*path, index), text=slip)


def _slip(name: str, spec: Spec) -> str | None:
    if name in spec.by_name or spec.fields_match in ("subset", "partial"):
        return None
    hint = did_you_mean(name, spec.by_name)
    return f"{name!r} is not among the fields{hint}" if hint else None


def _wrong_condition(text: str, spec: Spec, *, of_parameters: bool) -> str | None:
    from checks.conditions import parse_condition

    try:
        condition = parse_condition(text)
    except SpecError as error:
        return str(error)
    for table, column in condition.elsewhere:
        if table not in spec.references:
            hint = did_you_mean(table, spec.references)
            return f"found {table}.{column}, but no foreign key refers to {table}{hint}"
    slips = () if of_parameters else filter(None, (_slip(column, spec) for column in condition.columns))
    return next(iter(slips), None)


def _wrong_where(text: str, spec: Spec) -> str | None:
    from checks.conditions import parse_condition

    wrong = _wrong_condition(text, spec, of_parameters=False)
    if wrong is None and (elsewhere := parse_condition(text).elsewhere):
        return f"found {'.'.join(elsewhere[0])}, expected columns of the table itself"
    return wrong


def _wrong_pattern(pattern: str) -> str | None:
    """Patterns run in several engines, so they keep to what Python's and Rust's (and with it RE2) can read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        return f"found {pattern!r}, expected a regular expression: {error}"

    try:
        pl.select(pl.lit("").str.contains(pattern))
    except pl.exceptions.ComputeError as error:
        reason = str(error).rpartition("error: ")[2].partition("\n")[0]
        return f"found {pattern!r}, expected a regular expression that needs no backtracking: {reason}"
    return None


def _wrong_timezone(name: str) -> str | None:
    from zoneinfo import ZoneInfo, available_timezones

    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # not found; not a name; a folder of names such as Europe
        return f"found {name!r}, expected a time zone such as Europe/Berlin{did_you_mean(name, available_timezones())}"
    return None
