"""LangGraph checkpoints in SQLite, with a serialiser that builds nothing but plain data."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from review_graph.adapters.sqlite import connect, database_errors


def strict_serialiser() -> JsonPlusSerializer:
    """Return a serialiser that does not rebuild objects: a crafted row stays data (CVE-2026-28277)."""
    return JsonPlusSerializer(pickle_fallback=False, allowed_json_modules=None, allowed_msgpack_modules=None)


class SqliteCheckpoints(SqliteSaver):
    """LangGraph's checkpointer on a SQLite file; its folder and tables are made when missing.

    Args:
        path: The database.

    Raises:
        SetupError: The database cannot be used; the same holds for each of its methods.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(connect(path), serde=strict_serialiser())
        self._path = path
        with database_errors(path):
            self.setup()

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:  # noqa: FBT001, FBT002 - LangGraph's
        """Give a cursor, as LangGraph's own does."""
        with database_errors(self._path), super().cursor(transaction) as cursor:
            yield cursor

    def close(self) -> None:
        """Let go of the database."""
        self.conn.close()
