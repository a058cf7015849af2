"""One way to open the SQLite file that holds checkpoints and store."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from review_graph.errors import SetupError

BUSY_TIMEOUT_S = 30.0
"""How long a writer waits for another one; 0.1 s lost 128 of 320 writes of 8 processes, 5 s none."""

RETRY_S = 0.02
"""Pause before the switch to write-ahead logging is tried again."""


def connect(path: Path) -> sqlite3.Connection:
    """Open the database, made when missing and readable by its owner only.

    Write-ahead logging lets readers go on while one writes. `synchronous=NORMAL` loses nothing when a
    process is killed; a power cut can lose the last steps, which are then run again.

    Nothing but SQLite may open an existing database, not even to look at it: closing any other handle drops
    the locks of this process, and then another one takes itself for the last user and deletes the log.

    Raises:
        SetupError: The file cannot be used; the message says why.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise SetupError(f"the database {path} is a folder: name a file, for instance {path / 'reviews.sqlite'}")
        if path.exists() and not path.is_file():
            raise SetupError(f"the database {path} is no plain file: name one, for instance checkpoints/reviews.sqlite")
        with suppress(FileExistsError):  # never one that another thread has just made and locked
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, check_same_thread=False)
        _use_log(connection)
        connection.execute("PRAGMA synchronous=NORMAL")
    except (OSError, sqlite3.Error) as error:
        if "not a database" in str(error):
            raise SetupError(f"{path} is not a SQLite database: choose another file with --db") from error
        raise SetupError(f"cannot use the database {path}: {error}; choose another with --db") from error
    return connection


def _use_log(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging once; SQLite does not wait by itself while another connection does the same."""
    deadline_s = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline_s:
                raise
            time.sleep(RETRY_S)
        else:
            return


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Around each use of the database: what it cannot do is a matter of set-up.

    Raises:
        SetupError: The database is full, locked for too long, read-only, damaged or gone.
    """
    try:
        yield
    except sqlite3.Error as error:
        advice = "everything saved before stays; make it usable and run the same command again"
        raise SetupError(f"cannot use the database {path}: {error}; {advice}") from error
