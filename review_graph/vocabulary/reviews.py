"""A review, as everybody outside sees it: where it stands, its triage, its findings and decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from checks.vocabulary import JSON, Finding, Severity, Verdict
from review_graph.vocabulary.audit import AuditEntry
from review_graph.vocabulary.comparisons import ReviewDiff
from review_graph.vocabulary.datasets import Dataset
from review_graph.vocabulary.decisions import Action, Decision
from review_graph.vocabulary.findings import FindingStatus, ReviewedFinding

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
class Anchor:
    """The end of the audit trail as it once stood. Kept elsewhere, it shows a trail that was cut or written anew.

    Attributes:
        number: Number of the last entry.
        hash: Its hash.
    """

    number: int
    hash: str

    @classmethod
    def of(cls, last: AuditEntry | None) -> Self | None:
        """Return the anchor of a trail by its last entry; None where there is none."""
        return None if last is None else cls(number=last.number, hash=last.hash)

    def __str__(self) -> str:
        """Return it as a command takes it: `12:ab…`."""
        return f"{self.number}:{self.hash}"

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {"number": self.number, "hash": self.hash}


@dataclass(frozen=True, kw_only=True)
class Narrative:
    """What a model wrote of the findings of a review, beside what code says of them; or that it was left out.

    Attributes:
        text: Its text; empty when it was left out.
        model: The model with its date; empty when it is not known.
        left_out: Why it was left out; empty when it was not.
    """

    text: str = ""
    model: str = ""
    left_out: str = ""

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {"text": self.text, "model": self.model, "left_out": self.left_out}

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(**plain)


@dataclass(frozen=True, kw_only=True)
class Review:
    """One passage of one dataset through the graph, as everybody outside sees it.

    Attributes:
        assignee: Who is to look at it; empty for nobody.
        actions: What can be decided now.
        notices: What a reviewer should know about waivers that do not hold, or no longer.
        diff: What changed since the review before of the same dataset; None when there was none.
        anchor: The end of the audit trail when this was told. It is no part of the review: two are the same
            when all the rest is.
        narrative: What a model wrote of the findings, where one was asked; nothing follows from it.
    """

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
    assignee: str = ""
    actions: tuple[Action, ...] = ()
    notices: tuple[str, ...] = ()
    diff: ReviewDiff | None = None
    anchor: Anchor | None = field(default=None, compare=False)
    narrative: Narrative | None = None

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
            "assignee": self.assignee,
            "actions": [action.value for action in self.actions],
            "checks": [verdict.to_plain() for verdict in self.verdicts],
            "findings": [finding.to_plain() for finding in self.findings],
            "notices": list(self.notices),
            "diff": self.diff.to_plain() if self.diff else None,
            "decisions": [decision.to_plain() for decision in self.decisions],
            "report": self.report,
            "queries": self.queries,
            "anchor": self.anchor.to_plain() if self.anchor else None,
            "narrative": self.narrative.to_plain() if self.narrative else None,
            "error": self.problem.to_plain() if self.problem else None,
        }
