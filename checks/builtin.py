"""The built-in specs, and which of them fits a table: chosen by its name and columns, without being asked.

To add a standard: one YAML file in `specs/` and one entry in `standards.STANDARDS`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files

from checks.errors import SpecError
from checks.spec import Constraints, FieldSpec, RuleSpec, Spec
from checks.specfile.problems import did_you_mean
from checks.specfile.yaml_nodes import parse
from checks.standards import ANALYSIS, STANDARDS

GENERIC = "generic"
"""Name of the spec for tables no standard fits."""

_WORDS = re.compile(r"[a-z0-9]+")
_VERSION = re.compile(r"v?\d+")


def builtin_names() -> tuple[str, ...]:
    """Return the names of the built-in specs, sorted."""
    return tuple(sorted((GENERIC, *(standard.spec for standard in STANDARDS))))


def last_word(dataset_name: str) -> str:
    """Return what a dataset's name says it is: `dm` of `study1-dm`, `adsl` of `ADAM_ADSL_v2`; may be empty."""
    return next(reversed(_words(dataset_name)), "")


@cache
def builtin(name: str) -> Spec:
    """Return a built-in spec; the generic one as it is written, with patterns for column names.

    Args:
        name: One of `builtin_names()`, in any case.

    Raises:
        SpecError: There is no such spec.
    """
    key = name.casefold()
    if key not in builtin_names():
        names = builtin_names()
        raise SpecError(f"no built-in spec {name!r}, expected one of {', '.join(names)}{did_you_mean(name, names)}")
    text = files("checks").joinpath("specs", f"{key}.yaml").read_text(encoding="utf-8")
    # The tests read these files as anybody's spec is read; here they are known to be right.
    return Spec.from_plain(parse(text, f"{key}.yaml", known_sound=True)[0].data)


def choose_builtin(dataset_name: str, columns: Collection[str]) -> Spec:
    """Return the built-in spec that fits a table.

    Args:
        dataset_name: Name of the dataset, such as `adsl`, `study1-dm` or `ADAM_ADSL_v2`.
        columns: Names of its columns.

    Returns:
        The spec of a standard where name and columns show one, without the variables that may be and are
        absent and the rules on them; otherwise what is known of the columns there are, so that no column is
        reported missing.
    """
    words = _words(dataset_name)
    for standard in STANDARDS:
        if standard.fits(words, columns):
            return _without_absent(builtin(standard.spec), columns)
    return _for_columns(builtin(GENERIC), columns)


def _words(name: str) -> list[str]:
    """Return the words of a dataset's name in lower case, without a version or date at its end."""
    words = _WORDS.findall(name.casefold())
    while len(words) > 1 and _VERSION.fullmatch(words[-1]):
        words.pop()
    return words


def _without_absent(spec: Spec, columns: Collection[str]) -> Spec:
    """Leave out variables that may be absent and are, with the rules on them: all they give is inconclusive."""
    absent = {field.name for field in spec.fields if field.may_be_absent}.difference(columns)
    fields = tuple(field for field in spec.fields if field.name not in absent)
    rules = tuple(rule for rule in spec.rules if absent.isdisjoint(_needed_by(rule)))
    limits = tuple(block for block in spec.limits if absent.isdisjoint({block.by, block.of, block.unit_column}))
    kept = {
        "unique_keys": tuple(key for key in spec.unique_keys if absent.isdisjoint(key)),
        "natural_key": tuple(name for name in spec.natural_key if name not in absent),
    }
    return spec.model_copy(update={"fields": fields, "rules": rules, "limits": limits, **kept})


@cache
def _needed_by(rule: RuleSpec) -> frozenset[str]:
    """The columns without which a rule cannot be judged."""
    from checks.conditions import parse_condition

    texts = (rule.where,) if rule.side_by_side else rule.conditions
    named = [parse_condition(text).columns for text in texts if text is not None]
    whole = {rule.by, rule.of, *rule.per, *rule.constant} - {None}
    return frozenset(name for name in whole if name).union(*named) - frozenset(rule.optional)


def _for_columns(generic: Spec, columns: Collection[str]) -> Spec:
    """Keep of the generic spec what concerns the columns there are, each under its own name."""
    columns = sorted(set(columns))  # the same spec, and digest, in whatever order the columns come
    limits = tuple(block for block in generic.limits if {block.by, block.of}.issubset(columns))
    by_unit = {block.of for block in limits}
    fields = []
    for column in columns:
        field = _first_match(generic.fields, column)
        if field is not None:
            freed = {"constraints": Constraints(), "unit": None} if column in by_unit else {}
            fields.append(field.model_copy(update={"name": column, **freed}))
    # An analysis dataset repeats the --SEQ of the records its rows were derived from.
    patterns = () if ANALYSIS.intersection(columns) else generic.unique_keys
    keys = tuple(key for pattern in patterns for key in _matching_keys(pattern, columns))
    return generic.model_copy(update={"fields": tuple(fields), "limits": limits, "unique_keys": keys})


def _first_match(fields: Sequence[FieldSpec], column: str) -> FieldSpec | None:
    return next((field for field in fields if fnmatchcase(column, field.name)), None)


def _matching_keys(pattern: Sequence[str], columns: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Yield the keys a pattern stands for: one for each column its last part matches, where the others are there."""
    *fixed, last = pattern
    if set(fixed).issubset(columns):
        yield from ((*fixed, column) for column in columns if fnmatchcase(column, last))
