"""The eight checks as a spec of ours, and its findings as answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from checks import Finding, codes
from tests.benchmarks.big_table.work import AGE, AVAL, KEY, SEX, TYPES, Answers

ASKED_FOR = {
    "structure.missing_column",
    "structure.unexpected_column",
    "structure.wrong_type",
    "structure.duplicate_key",
    "structure.missing_values",
    "structure.not_iso8601",
    "ranges.outside_limits",
    "ranges.not_in_codelist",
}
LIMITED = {"AGE": AGE, "AVAL": AVAL}
NAMES: Mapping[tuple[str, tuple[str, ...]], str] = {
    ("structure.duplicate_key", KEY): "key",
    ("structure.missing_values", ("USUBJID",)): "USUBJID given",
    ("structure.missing_values", ("AVAL",)): "AVAL given",
    ("structure.not_iso8601", ("LBDTC",)): "LBDTC",
    ("ranges.not_in_codelist", ("SEX",)): "SEX",
    **{("ranges.outside_limits", (name,)): name for name in ("AGE", "AVAL", "ADT")},
}


def make_spec(*, only_asked_for: bool = True) -> dict[str, Any]:
    """Return the spec.

    Args:
        only_asked_for: Whether to switch off what we look for besides: blanks, spelling, empty columns and so on.
    """
    fields: dict[str, dict[str, Any]] = {name: {"name": name, "type": kind} for name, kind in TYPES.items()}
    constraints: dict[str, dict[str, Any]] = {name: {} for name in TYPES}
    for name in ("USUBJID", "AVAL"):
        constraints[name]["required"] = True
    for name, (minimum, maximum) in LIMITED.items():
        constraints[name] |= {"minimum": minimum, "maximum": maximum}
    constraints["SEX"]["enum"] = list(SEX)
    constraints["ADT"]["maximum"] = "today"
    fields["LBDTC"]["format"] = "iso8601-partial"
    spec: dict[str, Any] = {
        "name": "lab",
        "fields": [field | {"constraints": constraints[name]} for name, field in fields.items()],
        "primaryKey": list(KEY),
    }
    if only_asked_for:
        spec["checks"] = {code: {"enabled": False} for code in sorted(codes() - ASKED_FOR)}
    return spec


def as_answers(findings: Iterable[Finding]) -> Answers:
    """Return the findings by the names of the work; a finding that no name fits counts as one of types."""
    answers: Answers = {"types": (0, []), **{name: (0, []) for name in NAMES.values()}}
    for finding in findings:
        name = NAMES.get((finding.code, finding.columns))
        if name is None:
            answers["types"] = (answers["types"][0] + max(finding.failed, 1), None)
        else:
            answers[name] = (finding.failed, [evidence.row for evidence in finding.evidence])
    return answers
