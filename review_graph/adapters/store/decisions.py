"""Decisions of a review, as canonical JSON; written once, never changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from checks.vocabulary import canonical
from review_graph.adapters.store.schema import DECISIONS
from review_graph.core.deciding import describe
from review_graph.core.storing import storable
from review_graph.errors import DecisionConflict, SetupError
from review_graph.ports import Entry
from review_graph.vocabulary import Decision

_OF = select(DECISIONS).where(DECISIONS.c.review_id == bindparam("review_id")).order_by(DECISIONS.c.number)


def of(connection: Connection, review_id: str) -> tuple[Decision, ...]:
    """Return the decisions of a review, in order."""
    rows = connection.execute(_OF, {"review_id": review_id})
    return tuple(_decision(review_id, row.number, row.record) for row in rows)


def add(connection: Connection, review_id: str, decisions: Sequence[Decision]) -> None:
    """Write decisions."""
    rows = [
        {
            "review_id": review_id,
            "number": decision.number,
            "record": canonical(decision.to_plain()),
            "digest": decision.digest,
        }
        for decision in decisions
    ]
    connection.execute(DECISIONS.insert(), rows)


def edited(connection: Connection) -> tuple[tuple[str, int], ...]:
    """Return review and number of the rows that are not as `add` writes them: keys unknown, or another digest."""
    rows = connection.execute(select(DECISIONS).order_by(DECISIONS.c.review_id, DECISIONS.c.number))
    return tuple((row.review_id, row.number) for row in rows if not _is_as_written(row))


def demand_next(connection: Connection, entry: Entry, decisions: Sequence[Decision]) -> None:
    """Demand that decisions follow right after those that are recorded.

    Raises:
        DecisionConflict: Somebody decided meanwhile; it carries the first decision that was not seen.
    """
    seen = decisions[0].number - 1
    recorded = of(connection, entry.id)
    if len(recorded) > seen:
        first = recorded[seen]
        raise DecisionConflict(f"the review changed since you looked at it: {describe([first])}", first)
    if [decision.number for decision in decisions] != list(range(len(recorded) + 1, seen + len(decisions) + 1)):
        raise DecisionConflict(f"review {entry.id} has {len(recorded)} decisions, not {seen}: look at it again")


def _is_as_written(row: Row[Any]) -> bool:
    decision, plain = _decision(row.review_id, row.number, row.record), json.loads(row.record)
    known: bool = plain.items() <= decision.to_plain().items()  # those from before a key came to be lack it
    return (
        known
        and row.digest == decision.digest
        and row.number == decision.number
        and row.record == storable(canonical(plain))
    )


def _decision(review_id: str, number: int, record: str) -> Decision:
    try:
        return Decision.from_plain(json.loads(record))
    except (ValueError, KeyError, TypeError) as error:
        raise SetupError(
            f"decision {number} of review {review_id} is damaged in the database: "
            "it was changed from outside; restore it from a copy"
        ) from error
