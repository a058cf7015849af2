"""Settings: read once from the environment, frozen, handed to `bootstrap.build`."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from review_graph.errors import SetupError
from review_graph.vocabulary import Limits, Prices

_SQLITE = "sqlite:///"

MINUTES_OF_A_YEAR = 366 * 24 * 60
"""The longest time for which a conversation is remembered."""


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
        model: The chat model for `ask`, `eval` and narratives, with its date: `gpt-5-2026-08-07`. None is called when
            not set.
        model_url: Address of an OpenAI-compatible endpoint, for instance `http://localhost:11434/v1`; OpenAI's own
            when not set.
        model_key: Its key; never shown. Local servers need none.
        ask_steps: How often one investigation may call the model.
        ask_tokens: Tokens that it may use, in and out.
        ask_cost: US dollars that it may cost.
        ask_seconds: How long it may take.
        ask_request_seconds: How long one request to the model may take.
        credits_in: Credits for a thousand tokens of requests; a credit is a thousandth of a US dollar.
        credits_out: The same for replies.
        ask_gate: Whether the model is asked first if a question belongs to the review.
        ask_memory_minutes: How long a conversation is remembered after its last turn.
        narrative: Whether the model adds a narrative to a summary.
        smallest_group: Statistics over fewer subjects are not told.
        hidden_columns: Columns that no tool of the investigator reads or names, separated by commas.
        sql: Whether the investigator may ask aggregates in SQL.
    """

    model_config = SettingsConfigDict(frozen=True, env_prefix="REVIEW_GRAPH_", extra="ignore", protected_namespaces=())

    db: str = "checkpoints/reviews.sqlite"
    out: Path | None = None
    cache: Path | None = None
    cache_bytes: int = 4_000_000_000
    user: str = ""
    second_approver: bool = False
    model: str = ""
    model_url: str = ""
    model_key: SecretStr = SecretStr("")
    ask_steps: int = Field(default=8, ge=0)
    ask_tokens: int = Field(default=60_000, ge=0)
    ask_cost: float = Field(default=0.50, ge=0)
    ask_seconds: float = Field(default=90.0, ge=0)
    ask_request_seconds: float = Field(default=30.0, gt=0)
    credits_in: float = Field(default=2.0, ge=0)
    credits_out: float = Field(default=8.0, ge=0)
    ask_gate: bool = True
    ask_memory_minutes: float = Field(default=60.0, ge=0, le=MINUTES_OF_A_YEAR)
    narrative: bool = False
    smallest_group: int = Field(default=5, ge=2)
    hidden_columns: Annotated[tuple[str, ...], NoDecode] = ()
    sql: bool = False

    @field_validator("hidden_columns", mode="before")
    @classmethod
    def _separated(cls, given: object) -> object:
        return [name.strip() for name in given.split(",") if name.strip()] if isinstance(given, str) else given

    @classmethod
    def from_environment(cls) -> Self:
        """Read them.

        Raises:
            SetupError: One is not what it must be.
        """
        try:
            return cls()
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            name = "_".join(str(part) for part in first["loc"]).upper()
            raise SetupError(f"REVIEW_GRAPH_{name}: {first['msg'][0].lower()}{first['msg'][1:]}") from None

    @property
    def operator(self) -> str:
        """Who runs the program."""
        return self.user.strip() or _whoever_runs_it()

    @property
    def limits(self) -> Limits:
        """What one investigation may spend."""
        return Limits(
            steps=self.ask_steps,
            tokens=self.ask_tokens,
            cost=self.ask_cost,
            seconds=self.ask_seconds,
            request_seconds=self.ask_request_seconds,
        )

    @property
    def prices(self) -> Prices:
        """What the model costs."""
        return Prices(tokens_in=self.credits_in, tokens_out=self.credits_out)

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
