"""The tables as they are now. How a database comes to have them is said in `migrations`."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Dialect,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

from review_graph.core.storing import storable


class PlainText(TypeDecorator[str]):
    """Text that both databases can hold.

    PostgreSQL refuses NUL, and neither driver can write a lone surrogate, of which a file name may have one.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's
        """Write what cannot be stored as escapes."""
        return None if value is None else storable(value)


def _text(name: str, **more: Any) -> Column[str]:  # noqa: ANN401 - what Column takes
    return Column(name, PlainText, **{"nullable": False} | more)


METADATA = MetaData()

SCHEMA = Table(
    "review_graph_schema",
    METADATA,
    Column("version", Integer, primary_key=True, autoincrement=False),
    _text("applied_at"),
)
"""The migrations that were applied."""

REVIEWS = Table(
    "reviews",
    METADATA,
    _text("id", primary_key=True),
    _text("first_id"),
    Column("attempt", Integer, nullable=False),
    _text("name"),
    _text("uri"),
    _text("fingerprint"),
    _text("spec_digest"),
    _text("created_at"),
    _text("problem_kind", nullable=True),
    _text("problem_message", nullable=True),
    _text("status"),
    _text("severity"),
    Column("version", Integer, nullable=False),
    _text("holder", nullable=True),
    Column("lease_until_ms", BigInteger, nullable=True),
    _text("assignee", nullable=True),
    Column("graph_version", Integer, nullable=True),
    _text("updated_at"),
    UniqueConstraint("first_id", "attempt"),
)
"""One row a review. `version` goes up with each transition and decision: the compare-and-swap looks at it.

`lease_until_ms` is in milliseconds since 1970 in UTC, by the clock that the store was given: a number compares
the same in every database.
"""

DECISIONS = Table(
    "decisions",
    METADATA,
    _text("review_id", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    _text("record"),
    _text("digest"),
)
"""Decisions as canonical JSON; the database refuses to change or delete one."""

WAIVERS = Table(
    "waivers",
    METADATA,
    _text("id", primary_key=True),
    _text("dataset"),
    _text("created_at"),
    _text("expires_on"),
    _text("revoked_at", nullable=True),
    _text("record"),
)

DRAFTS = Table(
    "drafts",
    METADATA,
    _text("review_id", primary_key=True),
    _text("author", primary_key=True),
    _text("saved_at"),
    _text("record"),
)

AUDIT = Table(
    "audit",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=False),
    _text("at"),
    _text("actor"),
    _text("role"),
    _text("action"),
    _text("review_id", nullable=True),
    _text("subject"),
    _text("detail"),
    _text("previous"),
    _text("hash"),
)
"""The audit trail; the database refuses to change or delete an entry.

Each field is stored once, `subject` and `detail` as canonical JSON, so that whatever is changed changes the hash.
"""

EFFECTS = Table(
    "effects",
    METADATA,
    _text("review_id", primary_key=True),
    _text("node", primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    _text("at"),
)
"""What was done once and must not be done again."""

LEDGER = Table(
    "ledger",
    METADATA,
    _text("dataset", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    _text("record"),
)
"""What was disclosed of each dataset, as canonical JSON; the database refuses to change or delete an entry."""

LEDGER_UNITS = Table(
    "ledger_units",
    METADATA,
    _text("dataset", primary_key=True),
    _text("fingerprint", primary_key=True),
    Column("units", LargeBinary, nullable=False),
)
"""Whom the sets of a ledger are made of; guarded as the ledger is."""

TURNS = Table(
    "turns",
    METADATA,
    _text("session", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at_ms", BigInteger, nullable=False),
    _text("record"),
)
"""Conversations, one row a turn. `at_ms` is its time in milliseconds since 1970 in UTC."""
