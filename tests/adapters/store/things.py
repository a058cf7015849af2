"""Things to put in a store, in order but for what the test says."""

from __future__ import annotations

import datetime as dt
from typing import Any

from checks.vocabulary import Severity
from review_graph.ports import Entry, Located
from review_graph.vocabulary import Action, AuditAction, AuditDraft, Decision, DecisionRequest, Draft, Waiver

ID = "dm-0123456789"
NOW = dt.datetime(2026, 3, 4, 5, 6, 7, tzinfo=dt.UTC)
AT = NOW.isoformat()


def entry(identity: str = ID, attempt: int = 1, **more: Any) -> Entry:
    located = Located(name=more.pop("name", "dm"), uri="/data/dm.xpt", fingerprint="f" * 64)
    full = identity if attempt == 1 else f"{identity}-{attempt}"
    more.setdefault("created_at", "2026-01-01T00:00:00+00:00")
    return Entry(id=full, located=located, spec_digest="s" * 64, attempt=attempt, **more)


def decision(number: int = 1, **more: Any) -> Decision:
    fields = {"action": Action.CONFIRM, "by": "Ada", "at": AT, "reason": "looked at it"}
    severities = {"severity_from": Severity.MAJOR, "severity_to": Severity.MAJOR}
    return Decision(**{"number": number} | fields | severities | more)


def happened(action: AuditAction = AuditAction.DECIDED, **more: Any) -> AuditDraft:
    fields = {"at": AT, "actor": "Ada", "action": action, "review_id": ID}
    return AuditDraft(**fields | more)


def waiver(identity: str = "w-0123456789ab", **more: Any) -> Waiver:
    fields = {
        "dataset": "dm",
        "code": "structure.duplicate_key",
        "author": "Ada",
        "reason": "known",
        "reason_code": "expected",
        "created_at": AT,
        "expires_on": "2026-12-31",
        "columns": ("USUBJID",),
        "key": {"USUBJID": "S-1"},
    }
    return Waiver(**{"id": identity} | fields | more)


def draft(author: str = "Ada", *reasons: str) -> Draft:
    requests = tuple(DecisionRequest(action="comment", by=author, reason=reason) for reason in reasons)
    return Draft(review_id=ID, author=author, requests=requests, saved_at=AT)
