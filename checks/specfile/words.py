"""What pydantic finds wrong with a spec, in our words: what was found and what was expected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import ValidationError

from checks.specfile.problems import Path, Problem, describe, did_you_mean, real_path, value_at
from checks.vocabulary import JSON

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_EXPECTED = {
    "string_type": "text",
    "string_too_short": "text that is not empty",
    "string_pattern_mismatch": "letters, digits, '-' and '_', starting with a letter or a digit",
    "tuple_type": "a list",
    "mapping_type": "a mapping",
    "dict_type": "a mapping",
    "model_type": "a mapping of properties",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a smaller number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "too_short": "at least one entry",
}
_ONE_VALUE = "one value: text, a number, true or false"
_UNION_TAGS = {"bool", "int", "float", "str"}
_QUOTED = re.compile(r"'([^']*)'")


def translate(error: ValidationError, data: Mapping[str, JSON]) -> list[Problem]:
    """Return one problem for each place pydantic complains of.

    Args:
        error: What pydantic raised.
        data: The plain data it was given, for the paths and for what was found.
    """
    problems: dict[Path, Problem] = {}
    for detail in error.errors(include_url=False):
        path = real_path(detail["loc"], data)
        key = (*path, "missing", *detail["loc"]) if detail["type"] == "missing" else path
        problems.setdefault(key, Problem(path=path, text=_text(detail, path, data)))
    return list(problems.values())


def _text(detail: ErrorDetails, path: Path, data: Mapping[str, JSON]) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    value = value_at(path, data)
    found = f"found {describe(value)}"
    if kind == "missing":
        return f"{detail['loc'][-1]} is missing"
    if kind == "value_error":
        return str(context["error"])
    if kind in ("literal_error", "enum"):
        known = _QUOTED.findall(str(context["expected"]))
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        return f"{found}, expected {_one_of(known)}{hint}"
    if kind == "greater_than_equal":
        return f"{found}, expected {context['ge']:g} or more"
    if detail["loc"][-1] in _UNION_TAGS and len(detail["loc"]) > len(path):
        return f"{found}, expected {_ONE_VALUE}"
    hint = "; put it in quotes" if kind == "string_type" and isinstance(value, bool | int | float) else ""
    return f"{found}, expected {_EXPECTED.get(kind, 'something else')}{hint}"


def _one_of(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"one of {', '.join(names)}"
