"""Plain data becomes a `Spec`, and what does not fit the model is said in plain words.

A part that does not fit is reported and left out, so that the rest can still be looked at for sense: the
author sees at once all that is wrong with a file.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_camel

from checks.spec import (
    CheckSettings,
    Constraints,
    FieldSpec,
    ForeignKey,
    LimitsSpec,
    ParameterBounds,
    PolicySpec,
    Reference,
    RuleSpec,
    Spec,
    Tolerance,
)
from checks.specfile.problems import Path, Problem, did_you_mean, real_path
from checks.specfile.words import translate
from checks.specfile.yaml_nodes import non_finite
from checks.vocabulary import JSON

CUSTOM_TYPO = 0.7
"""Similarity from which a custom property, which Table Schema allows, is taken for a misspelt one."""

_EACH = "*"
_MODELS: dict[tuple[str, ...], type[BaseModel]] = {
    (): Spec,
    ("fields", _EACH): FieldSpec,
    ("fields", _EACH, "constraints"): Constraints,
    ("rules", _EACH): RuleSpec,
    ("rules", _EACH, "tolerance"): Tolerance,
    ("limits",): LimitsSpec,
    ("limits", "values", _EACH): ParameterBounds,
    ("limits", "values", _EACH, _EACH): ParameterBounds,
    ("limits", _EACH): LimitsSpec,
    ("limits", _EACH, "values", _EACH): ParameterBounds,
    ("limits", _EACH, "values", _EACH, _EACH): ParameterBounds,
    ("checks", _EACH): CheckSettings,
    ("policy",): PolicySpec,
    ("foreignKeys", _EACH): ForeignKey,
    ("foreignKeys", _EACH, "reference"): Reference,
}
_FREE = {("limits", "unitNames"), ("limits", _EACH, "unitNames")}
"""Mappings whose keys are the author's."""

_PREFIXES = {pattern[:length] for pattern in (*_MODELS, *_FREE) for length in range(len(pattern) + 1)}
_OPEN = (Spec, FieldSpec)
_ALWAYS_CUSTOM = re.compile(r"(x-|_).*|.*:.*|(name|title|label|description)[_.-].+", re.DOTALL)
_NUMBER = re.compile(r"\s*([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*")
_VALUE_KEYS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "enum", "categories"}


@dataclass(frozen=True, kw_only=True)
class Shaped:
    """A spec, and what had to be left out to get it.

    Attributes:
        spec: The parts that fit the model.
        problems: What does not fit.
        custom: Where properties stand that no standard knows; they are not used.
        draft: What `spec` was made of.
    """

    spec: Spec
    problems: tuple[Problem, ...]
    custom: tuple[Path, ...]
    draft: Draft


@dataclass(kw_only=True)
class Draft:
    """The data of a spec while it is cut to what fits.

    Attributes:
        original: The data as it was given.
        data: What is left of it.
        kept: By property that holds a list and lost entries: the original positions of those left.
    """

    original: Mapping[str, JSON]
    data: dict[str, JSON]
    kept: dict[str, list[int]] = field(default_factory=dict)

    def place(self, path: Path) -> Path:
        """Return where a place of the draft, or of the spec made of it, stands in the original data."""
        path = real_path(path, self.data)
        match path:
            case (str(head), int(index), *rest) if head in self.kept:
                return (head, self.kept[head][index], *rest)
        return path

    def leave_out(self, paths: Iterable[Path]) -> None:
        """Take out what stands at `paths`, and as much around it as makes no sense without it."""
        entries = set()
        for path in paths:
            match path:
                case ():
                    self.data.clear()
                case (str(head), int(index), *rest) if isinstance(self.data.get(head), list):
                    if not (head == "fields" and _cut_field(self.data[head][index], rest)):
                        entries.add((head, index))
                case ("checks", str(code), *_) if isinstance(self.data.get("checks"), dict):
                    self.data["checks"].pop(code, None)
                case (str(head), *_):
                    self.data.pop(head, None)
        for head, index in sorted(entries, reverse=True):
            kept = self.kept.setdefault(head, list(range(len(self.data[head]))))
            del self.data[head][index], kept[index]


def shape(data: Mapping[str, JSON]) -> Shaped:
    """Fit plain data to the model of a spec.

    Args:
        data: A Table Schema as plain JSON data.

    Returns:
        The spec made of the parts that fit, and what is wrong with the others.
    """
    draft = Draft(original=data, data=copy.deepcopy(dict(data)))
    problems = [
        Problem(path=path, text="found an infinite number or none at all, expected a finite number")
        for path in non_finite(draft.data)
    ]
    custom = []
    for path, text in _odd_properties(draft.data):
        if text is None:
            custom.append(path)
        else:
            problems.append(Problem(path=path, text=text))
    draft.leave_out([*custom, *(problem.path for problem in problems)])
    _numbers_from_text(draft.data)
    while True:
        try:
            spec = Spec.model_validate(draft.data)
        except ValidationError as error:
            found = translate(error, draft.data)
            problems += [Problem(path=draft.place(problem.path), text=problem.text) for problem in found]
            draft.leave_out(problem.path for problem in found)
        else:
            return Shaped(spec=spec, problems=tuple(problems), custom=tuple(custom), draft=draft)


def _cut_field(item: JSON, rest: list[str | int]) -> bool:
    """Take one property, or one constraint, out of a field; False when the field is nothing without it."""
    if not isinstance(item, dict) or not rest or rest[0] == "name":
        return False
    constraints = item.get("constraints")
    if rest[0] == "constraints" and len(rest) > 1 and isinstance(constraints, dict):
        constraints.pop(rest[1], None)
    else:
        item.pop(rest[0], None)
    return True


def _blocks(
    value: JSON, path: Path = (), pattern: tuple[str, ...] = ()
) -> Iterator[tuple[Path, type[BaseModel], Mapping[str, JSON]]]:
    """Yield each mapping that one of the models describes, with its place and the model."""
    if isinstance(value, dict):
        if pattern in _MODELS:
            yield path, _MODELS[pattern], value
        entries: Iterable[tuple[str | int, JSON]] = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    else:
        return
    for key, part in entries:
        named = (*pattern, to_camel(key)) if isinstance(key, str) else pattern
        below = named if named in _PREFIXES and named != pattern else (*pattern, _EACH)
        if below in _PREFIXES:
            yield from _blocks(part, (*path, key), below)


def _odd_properties(data: Mapping[str, JSON]) -> Iterator[tuple[Path, str | None]]:
    """Yield properties the models do not know: what is wrong with them, or None for the author's own ones."""
    for path, model, block in _blocks(data):
        aliases = sorted(str(info.alias or name) for name, info in model.model_fields.items())
        known = {*aliases, *model.model_fields} - {"schema_"}
        seen: dict[str, str] = {}
        for key, value in block.items():
            first = seen.setdefault(to_camel(key), key)
            if first != key:
                yield (*path, key), f"given twice, as {first} and as {key}"
            elif key not in known:
                yield (*path, key), _unknown(key, model, aliases)
            elif value is None and model not in _OPEN:
                yield (*path, key), "found nothing, expected a value; leave the property out if there is none"


def _unknown(key: str, model: type[BaseModel], aliases: list[str]) -> str | None:
    if model not in _OPEN:
        return f"unknown property, expected {_listed(aliases)}{did_you_mean(key, aliases)}"
    if model is FieldSpec and key in {*Constraints.model_fields, *map(to_camel, Constraints.model_fields)}:
        return "unknown property of a field; it belongs under constraints"
    hint = "" if _ALWAYS_CUSTOM.fullmatch(key) else did_you_mean(key, aliases, CUSTOM_TYPO)
    return f"unknown property{hint}" if hint else None


def _listed(names: list[str]) -> str:
    return f"one of {', '.join(names)}" if len(names) > 1 else names[0]


def _numbers_from_text(data: Mapping[str, JSON]) -> None:
    """Turn limits and values written as text into numbers, where the field holds numbers.

    Table Schema lets constraint values be "represented as strings that are castable" to the field's type.
    """
    fields = data.get("fields")
    for item in fields if isinstance(fields, list) else ():
        if not isinstance(item, dict) or item.get("type") not in ("number", "integer"):
            continue
        constraints = item.get("constraints")
        for block in (item, constraints if isinstance(constraints, dict) else {}):
            for key, value in block.items():
                if to_camel(key) in _VALUE_KEYS:
                    block[key] = [_number(part) for part in value] if isinstance(value, list) else _number(value)


def _number(value: JSON) -> JSON:
    if isinstance(value, dict) and "value" in value:
        return value | {"value": _number(value["value"])}
    if not isinstance(value, str) or not (found := _NUMBER.fullmatch(value)):
        return value
    text = found[1]
    number = float(text)
    if not math.isfinite(number):
        return value
    return int(text) if text.lstrip("+-").isdecimal() else number
