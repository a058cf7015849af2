"""Waivers: added, taken back, listed; none is ever deleted."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, and_, bindparam, select

from checks.plain import quote
from checks.vocabulary import canonical
from review_graph.adapters.store.schema import WAIVERS
from review_graph.core.storing import storable
from review_graph.errors import InvalidDecision
from review_graph.vocabulary import Waiver

_ALL = select(WAIVERS.c.record).order_by(WAIVERS.c.created_at, WAIVERS.c.id)
_OF_DATASET = _ALL.where(WAIVERS.c.dataset == bindparam("dataset"))  # made once: each look at a review asks for it


def add(connection: Connection, waiver: Waiver) -> bool:
    """Keep a waiver; say whether it was not there before."""
    if _find(connection, waiver.id) is not None:
        return False
    connection.execute(WAIVERS.insert().values(id=waiver.id, **_values(waiver)))
    return True


def revoke(connection: Connection, waiver_id: str, *, by: str, reason: str, at: str) -> Waiver:
    """Take a waiver back.

    Raises:
        InvalidDecision: There is none, or it was taken back before.
    """
    waiver = _find(connection, waiver_id)
    if waiver is None:
        raise InvalidDecision(f"no waiver has the id {quote(waiver_id)}: `review-graph waivers list` shows the ids")
    if waiver.revoked_at is not None:
        raise InvalidDecision(f"waiver {waiver.id} was revoked already, by {waiver.revoked_by} at {waiver.revoked_at}")
    revoked = replace(waiver, revoked_at=at, revoked_by=by, revoked_reason=reason)
    connection.execute(WAIVERS.update().where(WAIVERS.c.id == waiver.id).values(**_values(revoked)))
    return revoked


def listed(connection: Connection, dataset: str | None, active_on: dt.date | None) -> tuple[Waiver, ...]:
    """Return waivers, oldest first."""
    found = _ALL
    if dataset is not None:
        found = found.where(WAIVERS.c.dataset == dataset)
    if active_on is not None:
        found = found.where(and_(WAIVERS.c.revoked_at.is_(None), WAIVERS.c.expires_on >= active_on.isoformat()))
    return tuple(Waiver.from_plain(json.loads(record)) for record in connection.scalars(found))


def of_dataset(connection: Connection, dataset: str) -> tuple[Waiver, ...]:
    """Return all waivers of a dataset, oldest first."""
    records = connection.scalars(_OF_DATASET, {"dataset": dataset})
    return tuple(Waiver.from_plain(json.loads(record)) for record in records)


def edited(connection: Connection) -> tuple[str, ...]:
    """Return the ids of the rows that are not as `add` and `revoke` write them."""
    rows = connection.execute(select(WAIVERS).order_by(WAIVERS.c.id))
    return tuple(row.id for row in rows if not _is_as_written(row))


def _is_as_written(row: Row[Any]) -> bool:
    plain = json.loads(row.record)
    due = {"id": plain["id"], **_values(Waiver.from_plain(plain)), "record": canonical(plain)}
    kept = {name: getattr(row, name) for name in due}
    return kept == {name: value if value is None else storable(value) for name, value in due.items()}


def _find(connection: Connection, waiver_id: str) -> Waiver | None:
    record = connection.scalar(select(WAIVERS.c.record).where(WAIVERS.c.id == waiver_id))
    return None if record is None else Waiver.from_plain(json.loads(record))


def _values(waiver: Waiver) -> dict[str, str | None]:
    return {
        "dataset": waiver.dataset,
        "created_at": waiver.created_at,
        "expires_on": waiver.expires_on,
        "revoked_at": waiver.revoked_at,
        "record": canonical(waiver.to_plain()),
    }
