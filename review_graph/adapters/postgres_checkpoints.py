"""LangGraph checkpoints in PostgreSQL. Imported only when such a database is used."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from psycopg.rows import DictRow, dict_row

from review_graph.adapters.held_threads import HeldThreads
from review_graph.adapters.store.places import PostgresPlace
from review_graph.adapters.store.postgres import ADVICE, LOCK_TIMEOUT_S, connect, reason_of
from review_graph.errors import SetupError

SETUP_LOCK = 0x7265766965770002
"""Number of the advisory lock of whoever makes the tables."""

_RETRY_S = 0.05


class PostgresCheckpoints(HeldThreads, PostgresSaver):
    """LangGraph's checkpointer on a PostgreSQL database; its tables are made when missing.

    It has one connection, for which its threads queue, and opens another when that one breaks.

    Args:
        place: The database.
        serialiser: Turns values into bytes and back.

    Raises:
        SetupError: The database cannot be used; the same holds for each of its methods.
        LeaseLost: What is written is of a review that another process took over.
    """

    def __init__(self, place: PostgresPlace, serialiser: SerializerProtocol) -> None:
        self._place = place
        self._connection = self._open()
        self._mending = threading.Lock()
        super().__init__(self._connection, serde=serialiser)
        try:
            with self._errors():
                self._set_up()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def _cursor(self, *, pipeline: bool = False) -> Iterator[psycopg.Cursor[DictRow]]:
        """Give a cursor, as LangGraph's own does."""
        with self._errors():
            with self._mending:
                if self._connection.closed:
                    self.conn = self._connection = self._open()
            with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()

    def _open(self) -> psycopg.Connection[DictRow]:
        # LangGraph runs many statements in pipelines of its own, outside of any transaction.
        return connect(self._place, autocommit=True, prepare_threshold=0, row_factory=dict_row)

    def _set_up(self) -> None:
        """Make the tables, one process at a time.

        It asks for the lock again and again: one that waits inside a statement would hold up the indexes, which
        are made only when every older statement is through.
        """
        if self._is_set_up():
            return
        deadline_s = time.monotonic() + LOCK_TIMEOUT_S
        while not self._one("SELECT pg_try_advisory_lock(%s) AS answer", SETUP_LOCK):
            if time.monotonic() > deadline_s:
                raise SetupError(
                    f"cannot use the database {self._place.shown}: another process makes its tables; {ADVICE}"
                )
            time.sleep(_RETRY_S)
        try:
            self.setup()
        finally:
            self._one("SELECT pg_advisory_unlock(%s) AS answer", SETUP_LOCK)

    def _is_set_up(self) -> bool:
        if self._one("SELECT to_regclass('checkpoint_migrations') AS answer") is None:
            return False
        latest = self._one("SELECT max(v) AS answer FROM checkpoint_migrations")
        return latest is not None and latest >= len(self.MIGRATIONS) - 1

    def _one(self, statement: str, *parameters: object) -> Any:  # noqa: ANN401 - whatever is asked for
        row = self._connection.execute(statement, parameters).fetchone()
        return None if row is None else row["answer"]

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            reason = reason_of(error, self._place)
            raise SetupError(f"cannot use the database {self._place.shown}: {reason}; {ADVICE}") from error
