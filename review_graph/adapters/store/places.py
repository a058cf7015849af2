"""Which database is meant: a SQLite file or one on a PostgreSQL server. Imports nothing heavy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from review_graph.core.addresses import CUT, shown_address
from review_graph.errors import SetupError

_SQLITE = "sqlite:///"
_POSTGRES = re.compile(r"(postgresql|postgres|postgresql\+psycopg)://", re.IGNORECASE)
_OTHER = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_SECRET_KEYS = re.compile(r"[?&](?:password|sslpassword)=([^&]*)", re.IGNORECASE)
_LEAST_SECRET = 3
"""Characters from which a piece of a password is looked for in messages; a shorter one is in any text."""


@dataclass(frozen=True)
class SqlitePlace:
    """A SQLite file."""

    path: Path

    @property
    def shown(self) -> str:
        """The place for messages."""
        return str(self.path)


@dataclass(frozen=True, repr=False)
class PostgresPlace:
    """A database on a PostgreSQL server.

    Attributes:
        url: As libpq reads it, password included; never for messages.
    """

    url: str

    def __repr__(self) -> str:
        return f"PostgresPlace({self.shown!r})"

    @property
    def shown(self) -> str:
        """The place for messages: without password and query."""
        # The last @: a password that should have been written with %40 must not be taken for a part of the host.
        user, at, rest = self.url.removeprefix("postgresql://").rpartition("@")
        name, colon, _ = user.partition(":")
        host, question, _ = rest.partition("?")
        return f"postgresql://{name}{f':{CUT}' if colon else ''}{at}{host}{f'?{CUT}' if question else ''}"

    def scrub(self, text: str) -> str:
        """Return a driver's message as one line without any piece of the password."""
        rest = self.url.removeprefix("postgresql://")
        given = rest.rpartition("@")[0].partition(":")[2]
        pieces = {given, *re.split(r"[@/:?#%&=]", given), *_SECRET_KEYS.findall(self.url)}
        for piece in sorted(pieces, key=len, reverse=True):
            if len(piece) >= _LEAST_SECRET:
                text = text.replace(piece, CUT)
        return "; ".join(line.strip() for line in text.splitlines() if line.strip())


Place = SqlitePlace | PostgresPlace


class Unmoved:
    """Sees that a SQLite file is still there.

    SQLite goes on writing to a file that was deleted, and all of it is lost. Only the folder is asked: opening
    and closing the file would drop SQLite's own locks.

    Args:
        path: The file, which is there now.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = self._identity()

    def demand(self) -> None:
        """Refuse to go on when the file was deleted or replaced.

        Raises:
            SetupError: It was.
        """
        if self._identity() != self._known:
            raise SetupError(
                f"the database {self._path} was deleted or replaced while it was in use: put it back, "
                "or run the command again to start with what is there"
            )

    def _identity(self) -> tuple[int, int] | None:
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_dev, stat.st_ino


def place_of(text: str) -> Place:
    """Read what a person gave for the database.

    Args:
        text: A path, `sqlite:///path` or `postgresql://user:password@host:port/database`.

    Raises:
        SetupError: It is empty, or names another kind of database.
    """
    found = _POSTGRES.match(text)
    if found and "\x00" not in text:
        return PostgresPlace(f"postgresql://{text[found.end() :]}")
    path = text.removeprefix(_SQLITE)
    if not path or path == ":memory:" or "\x00" in path:
        raise SetupError(
            f"{shown_address(text)!r} names no database: give a path, for instance checkpoints/reviews.sqlite, "
            "or postgresql://user@host/database"
        )
    if path == text and (other := _OTHER.match(text)) and (other[0] == "sqlite:" or text[other.end() :][:2] == "//"):
        raise SetupError(
            f"cannot use a database of the kind {other[0]}// : give a path, sqlite:///path or "
            "postgresql://user@host/database"
        )
    return SqlitePlace(Path(path))
