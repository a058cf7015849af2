"""LangGraph checkpoints beside the store, with a serialiser that builds nothing but plain data."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from review_graph.adapters.held_threads import HeldThreads
from review_graph.adapters.sqlite import connect, database_errors
from review_graph.adapters.store.places import Place, SqlitePlace, Unmoved

if TYPE_CHECKING:
    from review_graph.adapters.postgres_checkpoints import PostgresCheckpoints


def strict_serialiser() -> JsonPlusSerializer:
    """Return a serialiser that does not rebuild objects: a crafted row stays data (CVE-2026-28277)."""
    return JsonPlusSerializer(pickle_fallback=False, allowed_json_modules=None, allowed_msgpack_modules=None)


def open_checkpoints(place: Place) -> SqliteCheckpoints | PostgresCheckpoints:
    """Open the checkpoints of a database.

    Raises:
        SetupError: The database cannot be used, or PostgreSQL's driver is missing.
    """
    if isinstance(place, SqlitePlace):
        return SqliteCheckpoints(place.path)
    from review_graph.adapters.store.postgres import demand_driver

    demand_driver()
    from review_graph.adapters.postgres_checkpoints import PostgresCheckpoints

    return PostgresCheckpoints(place, strict_serialiser())


class SqliteCheckpoints(HeldThreads, SqliteSaver):
    """LangGraph's checkpointer on a SQLite file; its folder and tables are made when missing.

    Args:
        path: The database.

    Raises:
        SetupError: The database cannot be used; the same holds for each of its methods.
        LeaseLost: What is written is of a review that another process took over.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(connect(path), serde=strict_serialiser())
        self._path = path
        self._unmoved = Unmoved(path.absolute())
        with database_errors(path):
            self.setup()

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:  # noqa: FBT001, FBT002 - LangGraph's
        """Give a cursor, as LangGraph's own does."""
        self._unmoved.demand()
        with database_errors(self._path), super().cursor(transaction) as cursor:
            yield cursor

    def close(self) -> None:
        """Let go of the database."""
        self.conn.close()
