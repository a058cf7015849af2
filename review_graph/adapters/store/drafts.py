"""Drafts: what a reviewer gathered and has not submitted; one a review and author."""

from __future__ import annotations

import json

from sqlalchemy import ColumnElement, Connection, and_, select

from checks.vocabulary import canonical
from review_graph.adapters.store.schema import DRAFTS
from review_graph.vocabulary import Draft


def save(connection: Connection, draft: Draft) -> None:
    """Keep a draft in place of the author's earlier one."""
    drop(connection, draft.review_id, draft.author)
    connection.execute(
        DRAFTS.insert().values(
            review_id=draft.review_id,
            author=draft.author,
            saved_at=draft.saved_at,
            record=canonical(draft.to_plain()),
        )
    )


def get(connection: Connection, review_id: str, author: str) -> Draft | None:
    """Return somebody's draft."""
    record = connection.scalar(select(DRAFTS.c.record).where(_is(review_id, author)))
    return None if record is None else Draft.from_plain(json.loads(record))


def drop(connection: Connection, review_id: str, author: str) -> bool:
    """Forget a draft; say whether there was one."""
    return connection.execute(DRAFTS.delete().where(_is(review_id, author))).rowcount > 0


def _is(review_id: str, author: str) -> ColumnElement[bool]:
    return and_(DRAFTS.c.review_id == review_id, DRAFTS.c.author == author)
