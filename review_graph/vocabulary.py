"""The nouns of a review: dataset, decision, triage, review. Frozen, and plain JSON data at the edges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Self

from checks.vocabulary import JSON, Finding, Severity, Verdict

SCHEMA_VERSION = 1
"""Version of the JSON contract; raised when a key changes its meaning or goes."""


class Status(StrEnum):
    """Where a review stands."""

    RUNNING = "running"
    PAUSED = "paused"
    SUMMARISED = "summarised"
    ESCALATED = "escalated"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        """Whether nothing more will happen."""
        return self in (Status.SUMMARISED, Status.ESCALATED)


class Route(StrEnum):
    """The two roads after triage; also the names of the nodes."""

    SUMMARISE = "summarise"
    ESCALATE = "escalate"


class Action(StrEnum):
    """What a reviewer can decide."""

    CONFIRM = "confirm"
    OVERRIDE = "override"
    DISMISS = "dismiss"


class FindingStatus(StrEnum):
    """Whether a finding still counts."""

    OPEN = "open"
    DISMISSED = "dismissed"
    WAIVED = "waived"


@dataclass(frozen=True, kw_only=True)
class Referenced:
    """Another dataset that the one under review was held against.

    Attributes:
        name: What the spec calls it, for instance `dm`.
        uri: Where it came from.
        fingerprint: Sha256 of its content.
    """

    name: str
    uri: str
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """One table under review.

    Attributes:
        name: Name without folder and suffix, or as the caller gave it.
        uri: Where it came from: a path, or `memory:<fingerprint>` for a frame handed in.
        fingerprint: Sha256 of the content.
        rows: Number of rows; None before it was looked at.
        columns: Number of columns; None before it was looked at.
        notes: What a reviewer should know about how it was read.
        references: The other datasets it was held against, sorted by name.
    """

    name: str
    uri: str
    fingerprint: str
    rows: int | None = None
    columns: int | None = None
    notes: tuple[str, ...] = ()
    references: tuple[Referenced, ...] = ()

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {
            "name": self.name,
            "uri": self.uri,
            "fingerprint": self.fingerprint,
            "rows": self.rows,
            "columns": self.columns,
            "notes": list(self.notes),
            "references": [asdict(reference) for reference in self.references],
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        references = tuple(Referenced(**reference) for reference in plain.get("references", ()))
        return cls(**{**plain, "notes": tuple(plain["notes"]), "references": references})


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What a reviewer recorded.

    Attributes:
        number: Position among the decisions of the review, from 1.
        action: What was decided.
        by: Who.
        at: When, ISO 8601 in UTC, from the system's clock.
        reason: Why; never empty.
        severity_from: Severity before.
        severity_to: Severity after.
        findings: Ids of the findings it concerns; empty when it concerns the review as a whole.
    """

    number: int
    action: Action
    by: str
    at: str
    reason: str
    severity_from: Severity
    severity_to: Severity
    findings: tuple[str, ...] = ()

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {
            "number": self.number,
            "action": self.action.value,
            "by": self.by,
            "at": self.at,
            "reason": self.reason,
            "from": self.severity_from.value,
            "to": self.severity_to.value,
            "findings": list(self.findings),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(
            number=plain["number"],
            action=Action(plain["action"]),
            by=plain["by"],
            at=plain["at"],
            reason=plain["reason"],
            severity_from=Severity(plain["from"]),
            severity_to=Severity(plain["to"]),
            findings=tuple(plain["findings"]),
        )


@dataclass(frozen=True, kw_only=True)
class DecisionRequest:
    """What a reviewer asks for, before it is validated.

    Attributes:
        action: Name of an action.
        by: Who decides.
        reason: Why.
        severity: New severity, for an override.
        findings: Ids of findings, for a dismissal.
        expected_decisions: Number of decisions the reviewer had seen; None when that does not matter to them.
    """

    action: str
    by: str
    reason: str
    severity: str | None = None
    findings: tuple[str, ...] = ()
    expected_decisions: int | None = None


@dataclass(frozen=True, kw_only=True)
class Triage:
    """What the open findings and the decisions amount to."""

    severity: Severity
    needs_human: bool
    reason: str


UNTRIAGED = Triage(severity=Severity.MAJOR, needs_human=True, reason="not judged yet")
"""Fail closed: what nobody judged counts as major."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Why a review failed: whose it is to mend, and one line for a person."""

    kind: str
    message: str

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {"kind": self.kind, "message": self.message}


@dataclass(frozen=True, kw_only=True)
class ReviewedFinding:
    """A finding as it stands after the decisions."""

    finding: Finding
    status: FindingStatus = FindingStatus.OPEN

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {**self.finding.to_plain(), "status": self.status.value}


@dataclass(frozen=True, kw_only=True)
class Review:
    """One passage of one dataset through the graph, as everybody outside sees it."""

    id: str | None
    dataset: Dataset
    status: Status
    triage: Triage = UNTRIAGED
    verdicts: tuple[Verdict, ...] = ()
    findings: tuple[ReviewedFinding, ...] = ()
    decisions: tuple[Decision, ...] = ()
    spec_name: str | None = None
    today: str | None = None
    report: str | None = None
    queries: str | None = None
    problem: Problem | None = None
    created_at: str | None = None
    actions: tuple[Action, ...] = ()

    @property
    def open_findings(self) -> tuple[Finding, ...]:
        """The findings that still count."""
        return tuple(item.finding for item in self.findings if item.status is FindingStatus.OPEN)

    def to_plain(self) -> dict[str, JSON]:
        """Return the JSON contract of one review."""
        return {
            "id": self.id,
            "dataset": self.dataset.to_plain(),
            "status": self.status.value,
            "severity": self.triage.severity.value,
            "needs_human": self.triage.needs_human,
            "triage": self.triage.reason,
            "spec": self.spec_name,
            "today": self.today,
            "created_at": self.created_at,
            "actions": [action.value for action in self.actions],
            "checks": [verdict.to_plain() for verdict in self.verdicts],
            "findings": [finding.to_plain() for finding in self.findings],
            "decisions": [decision.to_plain() for decision in self.decisions],
            "report": self.report,
            "queries": self.queries,
            "error": self.problem.to_plain() if self.problem else None,
        }
