"""The nouns of the checks library: severity, outcome, evidence, finding, verdict.

All are frozen and turn into plain JSON data with `to_plain`, because a finding has to outlive
the process that made it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

JSON = Any
"""Plain JSON data: dict with text keys, list, str, int, finite float, bool or None."""

EVIDENCE_ROWS = 20
"""Offending rows kept inside a finding; the full set goes to a file."""


class Severity(StrEnum):
    """How much a finding matters: `none` < `minor` < `major`."""

    NONE = "none"
    MINOR = "minor"
    MAJOR = "major"

    @property
    def rank(self) -> int:
        """Position in the order, 0 to 2."""
        return ("none", "minor", "major").index(self.value)


class Outcome(StrEnum):
    """What became of a check. There is no fifth outcome and no silence."""

    PASSED = "passed"
    INCONCLUSIVE = "inconclusive"
    FAILED = "failed"
    ERRORED = "errored"

    @property
    def rank(self) -> int:
        """From best (0) to worst (3)."""
        return ("passed", "inconclusive", "failed", "errored").index(self.value)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One offending row.

    Attributes:
        row: Position in the input, 1-based, fixed when the table was read.
        key: Values of the key columns, so that the record can be found in its source system.
        values: The offending values by column.
        note: What the value was probably meant to be, if that can be said.
    """

    row: int
    key: Mapping[str, JSON]
    values: Mapping[str, JSON]
    note: str | None = None

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data; `note` only where there is one."""
        plain: dict[str, JSON] = {"row": self.row, "key": dict(self.key), "values": dict(self.values)}
        return plain if self.note is None else plain | {"note": self.note}

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(row=plain["row"], key=plain["key"], values=plain["values"], note=plain.get("note"))


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """How the values of a numeric column spread around its limits, for a drawing.

    Attributes:
        label: Whose values, where they are those of one parameter.
        unit: Unit of values, edges and limits.
        minimum: Lower limit.
        maximum: Upper limit.
        edges: Edges of the bins, ascending, one more than there are bins.
        inside: Values within the limits, by bin.
        outside: Values beyond the limits, by bin.
        below: Values beyond the limits and below the first edge.
        above: Values beyond the limits and above the last edge.
    """

    label: str | None
    unit: str | None
    minimum: float | None
    maximum: float | None
    edges: tuple[float, ...]
    inside: tuple[int, ...]
    outside: tuple[int, ...]
    below: int = 0
    above: int = 0

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        fields: dict[str, Any] = {n: tuple(value) if isinstance(value, list) else value for n, value in plain.items()}
        return cls(**fields)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What a check found.

    Attributes:
        code: Code of the check, for instance `ranges.outside_limits`.
        severity: As the spec or the check sets it.
        columns: The columns concerned, sorted as the check names them.
        message: One sentence: the count first, then what was found and what was expected.
        failed: Number of offending rows; 0 when the fault is in the table's shape and not in its rows.
        rows: Number of rows looked at.
        groups: Number of offending groups, where the check counts by group.
        parameters: What the check was asked to look for; part of the identity.
        evidence: The first offending rows in file order, at most `EVIDENCE_ROWS`.
        evidence_file: Where all offending rows are, when they are more than the evidence holds.
        distributions: How the values spread, where they were held against limits; one a parameter.
        outcome: `failed`, or `errored` when the check itself crashed.
    """

    code: str
    severity: Severity
    columns: tuple[str, ...]
    message: str
    failed: int
    rows: int
    groups: int | None = None
    parameters: Mapping[str, JSON] = field(default_factory=dict)
    evidence: tuple[Evidence, ...] = ()
    evidence_file: str | None = None
    distributions: tuple[Distribution, ...] = ()
    outcome: Outcome = Outcome.FAILED

    @property
    def family(self) -> str:
        """First part of the code: `structure`, `ranges`, …."""
        return self.code.partition(".")[0]

    @property
    def id(self) -> str:
        """Identity over runs: code, columns and parameters, never a row or a count."""
        identity = [self.code, list(self.columns), dict(self.parameters), self.outcome.value]
        return f"{self.code}-{digest(identity)[:8]}"

    @property
    def sort_key(self) -> tuple[int, str, tuple[str, ...], str]:
        """Most severe first, then by code and columns: the order of every listing."""
        return (-self.severity.rank, self.code, self.columns, self.id)

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data with a stable order of keys."""
        return {
            "id": self.id,
            "code": self.code,
            "family": self.family,
            "severity": self.severity.value,
            "columns": list(self.columns),
            "message": self.message,
            "failed": self.failed,
            "rows": self.rows,
            "groups": self.groups,
            "parameters": dict(self.parameters),
            "outcome": self.outcome.value,
            "evidence": [item.to_plain() for item in self.evidence],
            "evidence_file": self.evidence_file,
            "distributions": [item.to_plain() for item in self.distributions],
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`; derived keys and keys added by others are ignored."""
        return cls(
            code=plain["code"],
            severity=Severity(plain["severity"]),
            columns=tuple(plain["columns"]),
            message=plain["message"],
            failed=plain["failed"],
            rows=plain["rows"],
            groups=plain["groups"],
            parameters=plain["parameters"],
            evidence=tuple(Evidence.from_plain(item) for item in plain["evidence"]),
            evidence_file=plain["evidence_file"],
            distributions=tuple(Distribution.from_plain(item) for item in plain.get("distributions", ())),
            outcome=Outcome(plain["outcome"]),
        )


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The outcome of one check on the columns for which it came out the same.

    Attributes:
        code: Code of the check.
        outcome: What became of it.
        columns: The columns it concerned.
        reason: Why it could not tell, or how it crashed; None when passed or failed.
    """

    code: str
    outcome: Outcome
    columns: tuple[str, ...]
    reason: str | None = None

    @property
    def family(self) -> str:
        """First part of the code."""
        return self.code.partition(".")[0]

    @property
    def sort_key(self) -> tuple[str, int, str, tuple[str, ...]]:
        """By code, then from best to worst, so that the last entry of a code is its worst."""
        return (self.code, self.outcome.rank, self.reason or "", self.columns)

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {
            "code": self.code,
            "family": self.family,
            "outcome": self.outcome.value,
            "columns": list(self.columns),
            "reason": self.reason,
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(
            code=plain["code"],
            outcome=Outcome(plain["outcome"]),
            columns=tuple(plain["columns"]),
            reason=plain["reason"],
        )


@dataclass(frozen=True, kw_only=True)
class TableReview:
    """What the checks say of one table: the findings, and the outcome of every check that applied."""

    rows: int
    findings: tuple[Finding, ...]
    verdicts: tuple[Verdict, ...]

    def outcome(self, code: str) -> Outcome | None:
        """Worst outcome of a check, or None when it did not apply to this table."""
        outcomes = [verdict.outcome for verdict in self.verdicts if verdict.code == code]
        return max(outcomes, key=lambda outcome: outcome.rank, default=None)


def digest(plain: JSON) -> str:
    """Return the sha256 of plain JSON data in its canonical form, as hexadecimal text."""
    return hashlib.sha256(canonical(plain).encode()).hexdigest()


def canonical(plain: JSON) -> str:
    """Return plain JSON data as text: sorted keys, no blanks, no NaN; the same data, the same bytes."""
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def merge_verdicts(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """Fold verdicts with the same code, outcome and reason into one that names all their columns.

    What failed in a part, or could not be judged in a part, has not passed: its other parts are left out.
    """
    settled = {(verdict.code, verdict.columns) for verdict in verdicts if verdict.outcome is not Outcome.PASSED}
    grouped: dict[tuple[str, Outcome, str | None], dict[str, None]] = {}
    for verdict in verdicts:
        if verdict.outcome is Outcome.PASSED and (verdict.code, verdict.columns) in settled:
            continue
        columns = grouped.setdefault((verdict.code, verdict.outcome, verdict.reason), {})
        columns.update(dict.fromkeys(verdict.columns))
    merged = (
        Verdict(code=code, outcome=outcome, columns=tuple(columns), reason=reason)
        for (code, outcome, reason), columns in grouped.items()
    )
    return tuple(sorted(merged, key=lambda verdict: verdict.sort_key))
