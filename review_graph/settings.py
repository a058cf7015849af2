"""Settings: read once from the environment, frozen, handed to `bootstrap.build`."""

from __future__ import annotations

from pathlib import Path

from pydantic_settings import BaseSettings, SettingsConfigDict

from review_graph.errors import SetupError

_SQLITE = "sqlite:///"


class Settings(BaseSettings):
    """Where things are. Each can be set by `REVIEW_GRAPH_<NAME>`.

    Attributes:
        db: Path of the SQLite file, or its URL (`sqlite:///relative.sqlite`, `sqlite:////absolute.sqlite`).
        out: Folder of reports, query lists and full evidence; `reviews` beside the database when not set.
        cache: Folder of columnar copies; `cache` beside the database when not set.
        cache_bytes: Size from which the copies that were used least recently are deleted.
    """

    model_config = SettingsConfigDict(frozen=True, env_prefix="REVIEW_GRAPH_", extra="ignore")

    db: str = "checkpoints/reviews.sqlite"
    out: Path | None = None
    cache: Path | None = None
    cache_bytes: int = 4_000_000_000

    @property
    def db_path(self) -> Path:
        """Path of the SQLite file.

        Raises:
            SetupError: `db` is empty or names another kind of database.
        """
        text = self.db.removeprefix(_SQLITE) if self.db.startswith(_SQLITE) else self.db
        if not text or text == ":memory:" or "\x00" in text:
            raise SetupError(
                f"{self.db!r} names no database file: give a path, for instance checkpoints/reviews.sqlite"
            )
        if "://" in text or text.startswith("sqlite:"):
            raise SetupError(
                f"cannot use the database {self.db}: only SQLite is supported, as a path or sqlite:///path"
            )
        return Path(text)

    @property
    def out_path(self) -> Path:
        """Folder of the files of reviews."""
        return self.out if self.out is not None else self.db_path.parent / "reviews"

    @property
    def cache_path(self) -> Path:
        """Folder of columnar copies."""
        return self.cache if self.cache is not None else self.db_path.parent / "cache"
