"""One way to a database for reading and writing, whichever of the two kinds it is."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from review_graph.adapters import sqlite
from review_graph.adapters.store.places import Place, PostgresPlace, SqlitePlace, Unmoved
from review_graph.adapters.store.postgres import ADVICE, connect, demand_driver, reason_of
from review_graph.errors import SetupError

CONNECTIONS = 4
"""How many connections are kept open; more are opened while more threads ask at once."""

WRITERS_LOCK = 0x7265766965770001
"""Number of PostgreSQL's advisory lock of whoever writes: the audit trail is one chain, so writers queue."""

_WRITES = "review_graph_writes"
_OUTLIVES_POWER_CUT = "review_graph_outlives_power_cut"


class Database:
    """Transactions on a SQLite file or a PostgreSQL database.

    Args:
        place: Which one; a SQLite file is made when missing, readable by its owner only.

    Raises:
        SetupError: It cannot be used, now or in any later transaction; the message says why.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._one_writer = threading.Lock()
        self._unmoved: Unmoved | None = None
        if isinstance(place, SqlitePlace):
            # From the root: the working folder may change before the next connection is opened.
            self._engine = _sqlite_engine(self, SqlitePlace(place.path.absolute()))
        else:
            demand_driver()
            self._engine = _engine("postgresql+psycopg", lambda: connect(place), pool_pre_ping=True)
        with self._errors():
            self._engine.connect().close()

    @property
    def shown(self) -> str:
        """The database for messages, without a password."""
        return self._place.shown

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the database throughout."""
        with self._errors():
            self.demand_unmoved()
            with self._engine.connect() as connection:
                if isinstance(self._place, PostgresPlace):
                    # Not as a read-only one: given back, the connection would then write where the server says "read".
                    connection.execution_options(isolation_level="REPEATABLE READ")
                with connection.begin():
                    yield connection

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Connection]:
        """Give a connection whose changes become true together, or not at all; writers come one after another.

        Args:
            durable: Whether they outlive a power cut at once. Where what is written can be worked out anew, waiting
                for the disk is left to the next change that does: all changes before it are then safe too.
        """
        with self._changing(durable=durable) as connection:
            if isinstance(self._place, PostgresPlace):
                if not durable:
                    connection.exec_driver_sql("SET LOCAL synchronous_commit TO off")
                connection.execute(select(func.pg_advisory_xact_lock(WRITERS_LOCK)))
            yield connection

    @contextmanager
    def touching(self) -> Iterator[Connection]:
        """Give a connection for a change on which no other depends; PostgreSQL lets nobody queue for it."""
        with self._changing(durable=False) as connection:
            yield connection

    def demand_unmoved(self) -> None:
        """Refuse to go on when a SQLite file was deleted or replaced.

        Raises:
            SetupError: It was.
        """
        if self._unmoved is not None:
            self._unmoved.demand()

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def opened(self, place: SqlitePlace) -> sqlite3.Connection:
        """Open one more connection to the same SQLite file."""
        self.demand_unmoved()
        connection = _sqlite_connection(place)
        self._unmoved = self._unmoved or Unmoved(place.path)
        return connection

    @contextmanager
    def _changing(self, *, durable: bool) -> Iterator[Connection]:
        with self._errors(), self._turn():
            self.demand_unmoved()
            options = {_WRITES: True, _OUTLIVES_POWER_CUT: durable}
            with self._engine.connect().execution_options(**options) as connection, connection.begin():
                yield connection
            self.demand_unmoved()  # what went into a deleted file is not kept

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Threads of this process queue for a SQLite file; SQLite itself lets those that wait try at random."""
        if isinstance(self._place, PostgresPlace):
            yield
            return
        if not self._one_writer.acquire(timeout=sqlite.BUSY_TIMEOUT_S):
            raise SetupError(f"cannot use the database {self.shown}: another thread has it locked; {ADVICE}")
        try:
            yield
        finally:
            self._one_writer.release()

    def _reason(self, error: BaseException) -> str:
        return reason_of(error, self._place) if isinstance(self._place, PostgresPlace) else str(error)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            reason = self._reason(error.orig or error)
            raise SetupError(f"cannot use the database {self.shown}: {reason}; {ADVICE}") from error


def _engine(dialect: str, creator: Any, **more: Any) -> Engine:  # noqa: ANN401 - SQLAlchemy's
    return create_engine(
        f"{dialect}://",
        creator=creator,
        poolclass=QueuePool,
        pool_size=CONNECTIONS,
        max_overflow=-1,
        hide_parameters=True,
        **more,
    )


def _sqlite_engine(database: Database, place: SqlitePlace) -> Engine:
    engine = _engine("sqlite", lambda: database.opened(place))

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A transaction that begins as a reader cannot always become a writer; one that begins as a writer waits.
        options = connection.get_execution_options()
        if not options.get(_WRITES, False):
            connection.exec_driver_sql("BEGIN")
            return
        durable = options.get(_OUTLIVES_POWER_CUT, True)
        connection.exec_driver_sql(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _sqlite_connection(place: SqlitePlace) -> sqlite3.Connection:
    with suppress(OSError):  # what is wrong is said by whoever opens it
        place.path.parent.mkdir(parents=True, exist_ok=True)
        # Never an existing file: closing it here would drop the locks that this process has on it.
        os.close(os.open(place.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    connection = sqlite.connect(place.path)
    connection.execute("PRAGMA synchronous=FULL")  # a decision that was acknowledged outlives a power cut
    return connection
