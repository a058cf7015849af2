"""Conversations: each turn a row, all of one forgotten together some time after the last."""

from __future__ import annotations

import datetime as dt
import json

from sqlalchemy import Connection, func, select

from checks.vocabulary import canonical
from review_graph.adapters.store.engines import Database
from review_graph.adapters.store.schema import TURNS
from review_graph.ports import Clock
from review_graph.vocabulary import Turn


class SqlMemory:
    """Implements `ports.Memory` on SQLite and PostgreSQL.

    Args:
        database: The database, at its present version.
        clock: Gives the present time.
        ttl: How long a conversation is remembered after its last turn.
    """

    def __init__(self, database: Database, clock: Clock, ttl: dt.timedelta) -> None:
        self._database = database
        self._clock = clock
        self._ttl = ttl

    def turns(self, session: str) -> tuple[Turn, ...]:
        """The turns of a conversation that is not too old, oldest first."""
        wanted = select(TURNS.c.record, TURNS.c.at_ms).where(TURNS.c.session == session).order_by(TURNS.c.number)
        with self._database.reading() as connection:
            rows = connection.execute(wanted).all()
        if max((row.at_ms for row in rows), default=0) <= self._too_old():
            return ()
        return tuple(Turn.from_plain(json.loads(row.record)) for row in rows)

    def add(self, session: str, turn: Turn) -> None:
        """Add a turn; conversations that are too old are deleted, that of the session itself among them."""
        with self._database.writing(durable=False) as connection:
            last = select(TURNS.c.session).group_by(TURNS.c.session).having(func.max(TURNS.c.at_ms) <= self._too_old())
            connection.execute(TURNS.delete().where(TURNS.c.session.in_(last)))
            connection.execute(
                TURNS.insert().values(
                    session=session,
                    number=_last(connection, session) + 1,
                    at_ms=_milliseconds(dt.datetime.fromisoformat(turn.at)),
                    record=canonical(turn.to_plain()),
                )
            )

    def forget(self, session: str) -> None:
        """Forget a conversation."""
        with self._database.writing(durable=False) as connection:
            connection.execute(TURNS.delete().where(TURNS.c.session == session))

    def _too_old(self) -> int:
        """The latest time at which a last turn is too old."""
        return _milliseconds(self._clock() - self._ttl)


def _last(connection: Connection, session: str) -> int:
    return connection.scalar(select(func.max(TURNS.c.number)).where(TURNS.c.session == session)) or 0


def _milliseconds(time: dt.datetime) -> int:
    return round(time.timestamp() * 1000)
