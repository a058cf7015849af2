"""The audit trail: appended to and read, nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, select

from checks.vocabulary import JSON, canonical
from review_graph.adapters.store.schema import AUDIT
from review_graph.core.chaining import chain, is_tied
from review_graph.core.storing import storable
from review_graph.errors import SetupError
from review_graph.vocabulary import AuditAction, AuditDraft, AuditEntry


def append(connection: Connection, drafts: Sequence[AuditDraft]) -> tuple[AuditEntry, ...]:
    """Chain what happened to the entries before; the caller has kept all other writers out."""
    if not drafts:
        return ()
    # What is hashed is what can be stored: text that came back changed would look like a changed entry.
    entries = chain([AuditDraft.from_plain(_storable(draft.to_plain())) for draft in drafts], last(connection))
    connection.execute(AUDIT.insert(), [_values(entry) for entry in entries])
    return entries


def last(connection: Connection) -> AuditEntry | None:
    """Return the entry that was appended last."""
    found = select(AUDIT).where(AUDIT.c.number >= 1).order_by(AUDIT.c.number.desc()).limit(1)
    row = connection.execute(found).first()
    return None if row is None else _entry(row)


def page(connection: Connection, review_id: str | None, after: int | None, limit: int) -> tuple[AuditEntry, ...]:
    """Return entries whose number is above another, in order; from the first on, whatever its number, with None."""
    found = select(AUDIT).order_by(AUDIT.c.number).limit(limit)
    if after is not None:
        found = found.where(AUDIT.c.number > after)
    if review_id is not None:
        found = found.where(AUDIT.c.review_id == review_id)
    return tuple(_entry(row) for row in connection.execute(found))


def telling_of(
    connection: Connection, actions: Sequence[AuditAction], review_id: str | None = None
) -> tuple[AuditEntry, ...]:
    """Return the entries of some acts that have their place in the chain, in order; no other is believed."""
    before, after = AUDIT.alias(), AUDIT.alias()
    how_many = select(func.count()).select_from(AUDIT).where(AUDIT.c.number >= 1).scalar_subquery()
    found = (
        select(AUDIT, before.c.hash.label("hash_before"), after.c.previous.label("said_after"))
        .outerjoin(before, before.c.number == AUDIT.c.number - 1)
        .outerjoin(after, after.c.number == AUDIT.c.number + 1)
        .where(AUDIT.c.action.in_([action.value for action in actions]), AUDIT.c.number.between(1, how_many))
        .order_by(AUDIT.c.number)
    )
    if review_id is not None:
        found = found.where(AUDIT.c.review_id == review_id)
    read = [(_entry(row), row.hash_before, row.said_after) for row in connection.execute(found)]
    return tuple(entry for entry, hash_before, said_after in read if is_tied(entry, hash_before, said_after))


def _values(entry: AuditEntry) -> dict[str, JSON]:
    plain = entry.to_plain()
    return plain | {name: canonical(plain[name]) for name in ("subject", "detail")}


def _entry(row: Row[Any]) -> AuditEntry:
    try:
        action = AuditAction(row.action)
    except ValueError:
        raise SetupError(
            f"entry {row.number} of the audit trail has the unknown action {row.action!r}: it was changed from "
            "outside, or written by a newer review-graph"
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


def _storable(plain: JSON) -> JSON:
    if isinstance(plain, str):
        return storable(plain)
    if isinstance(plain, Mapping):
        return {storable(name): _storable(value) for name, value in plain.items()}
    return [_storable(item) for item in plain] if isinstance(plain, list | tuple) else plain


def _mapping(text: str) -> dict[str, JSON]:
    """What is no JSON any more is handed on as it is: its hash will not fit, and that names the entry."""
    try:
        plain = json.loads(text)
    except ValueError:
        plain = None
    return plain if isinstance(plain, dict) else {"unreadable": text}
