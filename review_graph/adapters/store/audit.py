"""The audit trail: appended to and read, nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from checks.vocabulary import JSON, canonical
from review_graph.adapters.store.schema import AUDIT
from review_graph.core.chaining import chain, is_tied
from review_graph.core.storing import storable_plain
from review_graph.errors import EntryError
from review_graph.vocabulary import AuditAction, AuditDraft, AuditEntry

_LOOKS = (AuditAction.INSPECTED, AuditAction.EXPORTED, AuditAction.ASKED)
_CONSEQUENTIAL = [action.value for action in AuditAction if action not in _LOOKS]

# Statements that are asked for each review are made once: making one takes longer than asking it.
_INSERT = AUDIT.insert()
_LAST = select(AUDIT).where(AUDIT.c.number >= 1).order_by(AUDIT.c.number.desc()).limit(1)
_BEFORE, _AFTER = AUDIT.alias(), AUDIT.alias()
_WITH_NEIGHBOURS = (
    select(AUDIT, _BEFORE.c.hash.label("hash_before"), _AFTER.c.previous.label("said_after"))
    .outerjoin(_BEFORE, _BEFORE.c.number == AUDIT.c.number - 1)
    .outerjoin(_AFTER, _AFTER.c.number == AUDIT.c.number + 1)
    .order_by(AUDIT.c.number)
)
_ABOUT = _WITH_NEIGHBOURS.where(
    AUDIT.c.review_id == bindparam("review_id"), AUDIT.c.action.in_(bindparam("actions", expanding=True))
)
_OF_WAIVERS = _WITH_NEIGHBOURS.where(
    AUDIT.c.action.in_([AuditAction.WAIVER_ADDED.value, AuditAction.WAIVER_REVOKED.value])
)


def append(connection: Connection, drafts: Sequence[AuditDraft]) -> tuple[AuditEntry, ...]:
    """Chain what happened to the entries before; the caller has kept all other writers out."""
    if not drafts:
        return ()
    # What is hashed is what can be stored: text that came back changed would look like a changed entry.
    entries = chain([AuditDraft.from_plain(storable_plain(draft.to_plain())) for draft in drafts], last(connection))
    connection.execute(_INSERT, [_values(entry) for entry in entries])
    return entries


def last(connection: Connection) -> AuditEntry | None:
    """Return the entry that was appended last."""
    row = connection.execute(_LAST).first()
    return None if row is None else _entry(row)


def page(connection: Connection, review_id: str | None, after: int | None, limit: int) -> tuple[AuditEntry, ...]:
    """Return entries whose number is above another, in order; from the first on, whatever its number, with None."""
    found = select(AUDIT).order_by(AUDIT.c.number).limit(limit)
    if after is not None:
        found = found.where(AUDIT.c.number > after)
    if review_id is not None:
        found = found.where(AUDIT.c.review_id == review_id)
    return tuple(_entry(row) for row in connection.execute(found))


def about(connection: Connection, review_id: str) -> tuple[tuple[AuditEntry, ...], frozenset[AuditAction]]:
    """Return what the trail tells of a review, in order, and which acts any entry mentions, believed or not.

    Args:
        connection: The database.
        review_id: The review.
    """
    rows = connection.execute(_ABOUT, {"review_id": review_id, "actions": _CONSEQUENTIAL}).all()
    return _believed(rows), frozenset(AuditAction(row.action) for row in rows)


def of_waivers(connection: Connection) -> tuple[AuditEntry, ...]:
    """Return what the trail tells of waivers, in order."""
    return _believed(connection.execute(_OF_WAIVERS).all())


def _believed(rows: Sequence[Row[Any]]) -> tuple[AuditEntry, ...]:
    """The entries that have their place in the chain; no other is believed."""
    read = [(_entry(row), row.hash_before, row.said_after) for row in rows if row.number >= 1]
    return tuple(entry for entry, hash_before, said_after in read if is_tied(entry, hash_before, said_after))


def _values(entry: AuditEntry) -> dict[str, JSON]:
    plain = entry.to_plain()
    return plain | {name: canonical(plain[name]) for name in ("subject", "detail")}


def _entry(row: Row[Any]) -> AuditEntry:
    try:
        action = AuditAction(row.action)
    except ValueError:
        raise EntryError(
            row.number,
            f"entry {row.number} of the audit trail has the unknown action {row.action!r}: it was changed from "
            "outside, or written by a newer review-graph",
        ) from None
    return AuditEntry(
        number=row.number,
        at=row.at,
        actor=row.actor,
        role=row.role,
        action=action,
        review_id=row.review_id,
        subject=_mapping(row.subject),
        detail=_mapping(row.detail),
        previous=row.previous,
        hash=row.hash,
    )


def _mapping(text: str) -> dict[str, JSON]:
    """What is no JSON any more is handed on as it is: its hash will not fit, and that names the entry."""
    try:
        plain = json.loads(text)
    except ValueError:
        plain = None
    return plain if isinstance(plain, dict) else {"unreadable": text}
