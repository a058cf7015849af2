"""Settings: read once from the environment, frozen, handed to `bootstrap.build`."""

from __future__ import annotations

import getpass
from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict

from review_graph.errors import SetupError

_SQLITE = "sqlite:///"


def _whoever_runs_it() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container may run as a number without a name
        return "unknown"


class Settings(BaseSettings):
    """Where things are, and who may do what. Each can be set by `REVIEW_GRAPH_<NAME>`.

    Attributes:
        db: The database: a path, `sqlite:///relative.sqlite`, `sqlite:////absolute.sqlite` or
            `postgresql://user:password@host/database`.
        out: Folder of reports, query lists and full evidence; `reviews` beside a SQLite file, else under
            `checkpoints`, when not set.
        cache: Folder of columnar copies; `cache` in the same place when not set.
        cache_bytes: Size from which the copies that were used least recently are deleted.
        user: Who runs the program, for the audit trail; the name of the account when not set. A decision names
            its own person.
        second_approver: Whether a decision that lets a severe review pass needs a second person's approval; with it
            each waiver, and the dismissal of a major finding.
    """

    model_config = SettingsConfigDict(frozen=True, env_prefix="REVIEW_GRAPH_", extra="ignore")

    db: str = "checkpoints/reviews.sqlite"
    out: Path | None = None
    cache: Path | None = None
    cache_bytes: int = 4_000_000_000
    user: str = ""
    second_approver: bool = False

    @property
    def operator(self) -> str:
        """Who runs the program."""
        return self.user.strip() or _whoever_runs_it()

    @property
    def db_path(self) -> Path:
        """Path of the SQLite file.

        Raises:
            SetupError: The database is none.
        """
        text = self.db.removeprefix(_SQLITE)
        if not text or text == ":memory:" or "\x00" in text or "://" in text:
            raise SetupError(f"{self.db!r} names no SQLite file")
        return Path(text)

    @property
    def out_path(self) -> Path:
        """Folder of the files of reviews."""
        return self.out if self.out is not None else self._folder / "reviews"

    @property
    def cache_path(self) -> Path:
        """Folder of columnar copies."""
        return self.cache if self.cache is not None else self._folder / "cache"

    @property
    def _folder(self) -> Path:
        text = self.db.removeprefix(_SQLITE)
        return Path("checkpoints") if "://" in text else Path(text).parent
