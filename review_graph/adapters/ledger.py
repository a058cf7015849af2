"""The list of reviews in SQLite, beside the checkpoints, and the lock of the one who works on a review."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from review_graph.adapters.sqlite import connect, database_errors
from review_graph.errors import SetupError
from review_graph.ports import Entry, Located
from review_graph.vocabulary import Problem

CLAIM_WAIT_S = 30.0
"""How long to wait for another process that works on the same review; an ending takes milliseconds."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS reviews (
    id TEXT PRIMARY KEY,
    first_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    name TEXT NOT NULL,
    uri TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    spec_digest TEXT NOT NULL,
    created_at TEXT NOT NULL,
    problem_kind TEXT,
    problem_message TEXT,
    UNIQUE (first_id, attempt)
)
"""
_COLUMNS = "id, name, uri, fingerprint, spec_digest, attempt, created_at, problem_kind, problem_message"


class SqliteLedger:
    """Implements `ports.Ledger` on one SQLite file.

    The lock on a review is a file lock: the operating system lets it go when its holder dies, however it dies.

    Args:
        path: The database.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = connect(path)
        self._mutex = threading.Lock()
        self._write(_SCHEMA)

    def latest(self, first_id: str) -> Entry | None:
        """The latest attempt."""
        return self._one("WHERE first_id = ? ORDER BY attempt DESC LIMIT 1", first_id)

    def get(self, review_id: str) -> Entry | None:
        """One review by its id."""
        return self._one("WHERE id = ?", review_id)

    def entries(self) -> Iterator[Entry]:
        """All reviews, oldest first."""
        yield from map(_entry, self._read("ORDER BY created_at, id"))

    def add(self, entry: Entry) -> None:
        """Enter a review once."""
        first_id = entry.id if entry.attempt == 1 else entry.id.rpartition("-")[0]
        located = entry.located
        self._write(
            "INSERT OR IGNORE INTO reviews (id, first_id, attempt, name, uri, fingerprint, spec_digest, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                entry.id,
                first_id,
                entry.attempt,
                located.name,
                located.uri,
                located.fingerprint,
                entry.spec_digest,
                entry.created_at,
            ),
        )

    def note_problem(self, review_id: str, problem: Problem | None) -> None:
        """Keep or clear why a review failed."""
        kind, message = (problem.kind, problem.message) if problem else (None, None)
        self._write("UPDATE reviews SET problem_kind = ?, problem_message = ? WHERE id = ?", (kind, message, review_id))

    @contextmanager
    def claim(self, review_id: str) -> Iterator[bool]:
        """Hold the review's lock, or say after a while that another process still has it."""
        folder = self._path.parent / f".{self._path.name}.locks"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(folder / f"{review_id}.lock")
            lock.acquire(timeout=CLAIM_WAIT_S)
        except Timeout:
            yield False
            return
        except OSError as error:
            raise SetupError(f"cannot lock reviews in {folder}: {error.strerror}") from error
        try:
            yield True
        finally:
            lock.release()

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()

    def _one(self, where: str, parameter: str) -> Entry | None:
        rows = self._read(where, parameter)
        return _entry(rows[0]) if rows else None

    def _read(self, where: str, *parameters: str) -> list[tuple[str, ...]]:
        with self._mutex, database_errors(self._path):
            return self._connection.execute(f"SELECT {_COLUMNS} FROM reviews {where}", parameters).fetchall()  # noqa: S608 - constants only

    def _write(self, statement: str, parameters: tuple[object, ...] = ()) -> None:
        with self._mutex, database_errors(self._path), self._connection:
            self._connection.execute(statement, parameters)


def _entry(row: tuple[str, ...]) -> Entry:
    identity, name, uri, fingerprint, spec_digest, attempt, created_at, kind, message = row
    return Entry(
        id=identity,
        located=Located(name=name, uri=uri, fingerprint=fingerprint),
        spec_digest=spec_digest,
        attempt=int(attempt),
        created_at=created_at,
        problem=Problem(kind=kind, message=message) if kind else None,
    )
