"""The audit trail: what was done, by whom, when, and the hash that ties each entry to the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from checks.vocabulary import JSON

FIRST_PREVIOUS = "0" * 64
"""What stands for the hash of an entry before the first."""


class AuditAction(StrEnum):
    """What the trail tells of."""

    REVIEW_STARTED = "review_started"
    REVIEW_RESUMED = "review_resumed"
    REVIEW_PAUSED = "review_paused"
    REVIEW_FINISHED = "review_finished"
    REVIEW_FAILED = "review_failed"
    INSPECTED = "inspected"
    DECIDED = "decided"
    DECISION_APPLIED = "decision_applied"
    ASSIGNED = "assigned"
    DRAFT_SAVED = "draft_saved"
    DRAFT_SUBMITTED = "draft_submitted"
    DRAFT_DROPPED = "draft_dropped"
    EXPORTED = "exported"
    WAIVER_ADDED = "waiver_added"
    WAIVER_REVOKED = "waiver_revoked"
    MIGRATED = "migrated"
    ASKED = "asked"


@dataclass(frozen=True, kw_only=True)
class AuditDraft:
    """What happened, before it has its place in the trail.

    Attributes:
        at: When, ISO 8601 in UTC.
        actor: Who: a person's name, or the program.
        action: What was done.
        role: In what role.
        review_id: The review; None when it concerns none.
        subject: What it was done to: dataset, fingerprint, spec digest, versions of graph and checks.
        detail: What changed: from, to, why, ids of findings, the digest of a decision.
    """

    at: str
    actor: str
    action: AuditAction
    role: str = ""
    review_id: str | None = None
    subject: Mapping[str, JSON] = field(default_factory=dict)
    detail: Mapping[str, JSON] = field(default_factory=dict)

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {
            "at": self.at,
            "actor": self.actor,
            "role": self.role,
            "action": self.action.value,
            "review_id": self.review_id,
            "subject": dict(self.subject),
            "detail": dict(self.detail),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(**{**plain, "action": AuditAction(plain["action"])})


@dataclass(frozen=True, kw_only=True)
class AuditEntry(AuditDraft):
    """One entry of the trail.

    Attributes:
        number: Its place, from 1, without gaps.
        previous: Hash of the entry before; `FIRST_PREVIOUS` for the first.
        hash: Sha256 of the canonical JSON of all the rest.
    """

    number: int
    previous: str
    hash: str

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {"number": self.number, **super().to_plain(), "previous": self.previous, "hash": self.hash}
