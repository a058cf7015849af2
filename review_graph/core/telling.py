"""What the audit trail is told: an act, on which review, by whom, and under which versions."""

from __future__ import annotations

from collections.abc import Mapping

from checks.vocabulary import JSON
from review_graph.ports import Entry
from review_graph.vocabulary import AuditAction, AuditDraft, Waiver


def told(
    action: AuditAction,
    entry: Entry,
    *,
    by: str,
    at: str,
    role: str = "",
    versions: Mapping[str, JSON] | None = None,
    detail: Mapping[str, JSON] | None = None,
) -> AuditDraft:
    """Return what the trail says of an act on a review.

    Args:
        action: What was done.
        entry: The review.
        by: Who did it.
        at: When, ISO 8601 in UTC.
        role: In what role.
        versions: Versions of what judged it.
        detail: What changed.
    """
    subject = subject_of(entry) | dict(versions or {})
    return AuditDraft(
        at=at, actor=by, role=role, action=action, review_id=entry.id, subject=subject, detail=dict(detail or {})
    )


def subject_of(entry: Entry) -> dict[str, JSON]:
    """Return what the trail says a review is of; `core.chaining` holds stored reviews against it."""
    return {
        "dataset": entry.located.name,
        "uri": entry.located.uri,
        "fingerprint": entry.located.fingerprint,
        "spec_digest": entry.spec_digest,
    }


def told_of_waiver(action: AuditAction, waiver: Waiver, *, by: str, at: str, role: str = "", why: str) -> AuditDraft:
    """Return what the trail says of a waiver that was made or taken back.

    Args:
        action: What was done.
        waiver: The waiver.
        by: Who did it.
        at: When, ISO 8601 in UTC.
        role: In what role.
        why: For what reason.
    """
    subject = {"dataset": waiver.dataset}
    return AuditDraft(at=at, actor=by, role=role, action=action, subject=subject, detail=waiver_detail(waiver, why))


def waiver_detail(waiver: Waiver, why: str) -> dict[str, JSON]:
    """Return what an entry that tells of a waiver says of it; `core.chaining` holds stored waivers against it."""
    return {"waiver": waiver.to_plain(), "why": why}
