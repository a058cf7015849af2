"""What reviewers decide: actions and their reasons, requests, decisions, drafts, assignments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Self

from checks.vocabulary import JSON, Severity, digest


class Action(StrEnum):
    """What a reviewer can decide."""

    CONFIRM = "confirm"
    OVERRIDE = "override"
    DISMISS = "dismiss"
    WAIVE = "waive"
    REOPEN = "reopen"
    COMMENT = "comment"
    APPROVE = "approve"

    @property
    def meaning(self) -> str:
        """What a person who takes this action signs, unless they say it in other words."""
        return _MEANINGS[self]


_MEANINGS: Mapping[Action, str] = {
    Action.CONFIRM: "I looked at the findings and send them to the data provider",
    Action.OVERRIDE: "I looked at the findings and set the severity by my own judgement",
    Action.DISMISS: "I looked at these findings and they do not count in this review",
    Action.WAIVE: "I looked at these findings and accept them until the waiver ends",
    Action.REOPEN: "I looked at these findings and they count again",
    Action.COMMENT: "I wrote this comment",
    Action.APPROVE: "I looked at the findings and agree with the decision of another person",
}


_SILENT: tuple[JSON, ...] = (None, "", [])


class ReasonCode(StrEnum):
    """Why a finding is dismissed or waived, in a word that can be counted."""

    FALSE_POSITIVE = "false_positive"
    EXPECTED = "expected"
    WILL_NOT_FIX = "will_not_fix"
    DATA_CORRECTED = "data_corrected"
    OTHER = "other"


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
        severity_to: Severity after; once approved, where it needs approval.
        findings: Ids of the findings it concerns; empty when it concerns the review as a whole.
        role: In what role the person decided, as they gave it.
        meaning: What the signature means.
        reason_code: A `ReasonCode`, where one was given.
        needs_approval: Whether it has no effect until another person approves it.
        approves: Number of the decision that an approval approves.
        waiver: Id of the waiver that a `waive` makes.
        expires: Last day on which that waiver holds, ISO 8601.
        max_count: How many offending rows that waiver covers; None when it sets no bound.
    """

    number: int
    action: Action
    by: str
    at: str
    reason: str
    severity_from: Severity
    severity_to: Severity
    findings: tuple[str, ...] = ()
    role: str = ""
    meaning: str = ""
    reason_code: str | None = None
    needs_approval: bool = False
    approves: int | None = None
    waiver: str | None = None
    expires: str | None = None
    max_count: int | None = None

    @property
    def digest(self) -> str:
        """Sha256 of the decision; what says nothing is left out, so that a new key changes no old digest."""
        return digest(
            {name: value for name, value in self.to_plain().items() if value is not False and value not in _SILENT}
        )

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {
            "number": self.number,
            "action": self.action.value,
            "by": self.by,
            "role": self.role,
            "at": self.at,
            "reason": self.reason,
            "reason_code": self.reason_code,
            "meaning": self.meaning,
            "from": self.severity_from.value,
            "to": self.severity_to.value,
            "findings": list(self.findings),
            "needs_approval": self.needs_approval,
            "approves": self.approves,
            "waiver": self.waiver,
            "expires": self.expires,
            "max_count": self.max_count,
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`, also from what was written before there were roles, approvals and waivers."""
        return cls(
            number=plain["number"],
            action=Action(plain["action"]),
            by=plain["by"],
            at=plain["at"],
            reason=plain["reason"],
            severity_from=Severity(plain["from"]),
            severity_to=Severity(plain["to"]),
            findings=tuple(plain["findings"]),
            role=plain.get("role", ""),
            meaning=plain.get("meaning", ""),
            reason_code=plain.get("reason_code"),
            needs_approval=plain.get("needs_approval", False),
            approves=plain.get("approves"),
            waiver=plain.get("waiver"),
            expires=plain.get("expires"),
            max_count=plain.get("max_count"),
        )


@dataclass(frozen=True, kw_only=True)
class DecisionRequest:
    """What a reviewer asks for, before it is validated.

    Attributes:
        action: Name of an action.
        by: Who decides.
        reason: Why.
        severity: New severity, for an override.
        findings: Ids of findings, for a dismissal, a waiver or a reopening.
        expected_decisions: Number of decisions the reviewer had seen; None when that does not matter to them.
        role: In what role they decide, for instance `data manager`.
        reason_code: A `ReasonCode`; a dismissal and a waiver need one.
        meaning: What the signature means; the action's own meaning when not given.
        approves: Number of the decision to approve.
        expires: Last day on which a waiver holds, ISO 8601.
        max_count: How many offending rows a waiver covers; as many as there are when not given.
    """

    action: str
    by: str
    reason: str
    severity: str | None = None
    findings: tuple[str, ...] = ()
    expected_decisions: int | None = None
    role: str = ""
    reason_code: str | None = None
    meaning: str = ""
    approves: int | None = None
    expires: str | None = None
    max_count: int | None = None

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {**asdict(self), "findings": list(self.findings)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(**{**plain, "findings": tuple(plain.get("findings", ()))})


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What a reviewer gathered on one review and has not submitted yet; nobody else is bound by it.

    Attributes:
        review_id: The review.
        author: Whose draft it is.
        requests: What they mean to decide, in order.
        saved_at: When it was kept, ISO 8601 in UTC.
    """

    review_id: str
    author: str
    requests: tuple[DecisionRequest, ...]
    saved_at: str

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {
            "review_id": self.review_id,
            "author": self.author,
            "requests": [request.to_plain() for request in self.requests],
            "saved_at": self.saved_at,
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        requests = tuple(DecisionRequest.from_plain(request) for request in plain["requests"])
        return cls(**{**plain, "requests": requests})


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """Who is to look at a review.

    Attributes:
        review_id: The review.
        assignee: Who is to look at it; empty when it is nobody's any more.
        by: Who said so.
        at: When, ISO 8601 in UTC.
    """

    review_id: str
    assignee: str
    by: str
    at: str

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(**plain)
