"""From any earlier state of a database to the present one: numbered steps, each written down for good."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from sqlalchemy import Connection, inspect, select

from review_graph.adapters.store.engines import Database
from review_graph.adapters.store.schema import SCHEMA
from review_graph.adapters.store.triggers import guards, refusal, waiver_guards
from review_graph.errors import SetupError
from review_graph.ports import Clock

_REVIEWS = """
CREATE TABLE reviews (
    id {text} PRIMARY KEY,
    first_id {text} NOT NULL,
    attempt INTEGER NOT NULL,
    name {text} NOT NULL,
    uri {text} NOT NULL,
    fingerprint {text} NOT NULL,
    spec_digest {text} NOT NULL,
    created_at {text} NOT NULL,
    problem_kind {text},
    problem_message {text},
    UNIQUE (first_id, attempt)
)
"""
"""The table as it was before there were versions; databases from then have it already."""

_REVIEWS_ADDED = (
    # What an old review came to stands in its checkpoints alone; until somebody looks, it counts as severe.
    "status {text} NOT NULL DEFAULT 'running'",
    "severity {text} NOT NULL DEFAULT 'major'",
    "version INTEGER NOT NULL DEFAULT 1",
    "holder {text}",
    "lease_until_ms BIGINT",
    "assignee {text}",
    "graph_version INTEGER",
    "updated_at {text} NOT NULL DEFAULT ''",
)

_TABLES = (
    """
CREATE TABLE decisions (
    review_id {text} NOT NULL,
    number INTEGER NOT NULL,
    record {text} NOT NULL,
    digest {text} NOT NULL,
    PRIMARY KEY (review_id, number)
)
""",
    """
CREATE TABLE waivers (
    id {text} NOT NULL PRIMARY KEY,
    dataset {text} NOT NULL,
    created_at {text} NOT NULL,
    expires_on {text} NOT NULL,
    revoked_at {text},
    record {text} NOT NULL
)
""",
    """
CREATE TABLE drafts (
    review_id {text} NOT NULL,
    author {text} NOT NULL,
    saved_at {text} NOT NULL,
    record {text} NOT NULL,
    PRIMARY KEY (review_id, author)
)
""",
    """
CREATE TABLE audit (
    number INTEGER NOT NULL PRIMARY KEY,
    at {text} NOT NULL,
    actor {text} NOT NULL,
    role {text} NOT NULL,
    action {text} NOT NULL,
    review_id {text},
    subject {text} NOT NULL,
    detail {text} NOT NULL,
    previous {text} NOT NULL,
    hash {text} NOT NULL
)
""",
    """
CREATE TABLE effects (
    review_id {text} NOT NULL,
    node {text} NOT NULL,
    version INTEGER NOT NULL,
    at {text} NOT NULL,
    PRIMARY KEY (review_id, node, version)
)
""",
    "CREATE INDEX audit_by_review ON audit (review_id, number)",
    "CREATE INDEX waivers_by_dataset ON waivers (dataset)",
    "CREATE INDEX reviews_by_name ON reviews (name, created_at)",
)


def _first(connection: Connection) -> None:
    """Make the tables; the list of reviews from before there was a store is kept and gets what it lacks."""
    statements = [] if inspect(connection).has_table("reviews") else [_REVIEWS]
    statements += [f"ALTER TABLE reviews ADD COLUMN {column}" for column in _REVIEWS_ADDED]
    statements += _TABLES
    _make(connection, statements)
    connection.exec_driver_sql("UPDATE reviews SET updated_at = created_at")
    for statement in (*refusal(connection.dialect.name), *guards(connection.dialect.name, "decisions", "audit")):
        connection.exec_driver_sql(statement)


_ASKING = (
    """
CREATE TABLE ledger (
    dataset {text} NOT NULL,
    number INTEGER NOT NULL,
    record {text} NOT NULL,
    PRIMARY KEY (dataset, number)
)
""",
    """
CREATE TABLE ledger_units (
    dataset {text} NOT NULL,
    fingerprint {text} NOT NULL,
    units {bytes} NOT NULL,
    PRIMARY KEY (dataset, fingerprint)
)
""",
    """
CREATE TABLE turns (
    session {text} NOT NULL,
    number INTEGER NOT NULL,
    at_ms BIGINT NOT NULL,
    record {text} NOT NULL,
    PRIMARY KEY (session, number)
)
""",
)


def _second(connection: Connection) -> None:
    """Make the tables of the investigator, what was disclosed and what was said; and guard waivers."""
    _make(connection, _ASKING)
    dialect = connection.dialect.name
    for statement in (*guards(dialect, "ledger", "ledger_units"), *waiver_guards(dialect)):
        connection.exec_driver_sql(statement)


def _third(connection: Connection) -> None:
    """Find what the trail tells of waivers without reading all of it, at each look at a review."""
    _make(connection, ["CREATE INDEX audit_by_action ON audit (action, number)"])


def _make(connection: Connection, statements: Sequence[str]) -> None:
    # PostgreSQL would sort by the rules of a language, and a page would end elsewhere than in SQLite.
    types = {"text": "TEXT", "bytes": "BLOB"}
    if connection.dialect.name == "postgresql":
        types = {"text": 'TEXT COLLATE "C"', "bytes": "BYTEA"}
    for statement in statements:
        connection.exec_driver_sql(statement.format(**types))


MIGRATIONS: Sequence[Callable[[Connection], None]] = (_first, _second, _third)
"""What leads from version n to n + 1 is at place n. One that was released is never changed."""


def migrate(database: Database, clock: Clock) -> None:
    """Bring a database to the present version, as a whole or not at all; one process at a time.

    Raises:
        SetupError: The database was written by a newer version of review-graph.
    """
    with database.reading() as connection:
        version = _version(connection)
    if version == len(MIGRATIONS):
        return
    with database.writing() as connection:
        version = _version(connection)  # another process may have been quicker
        if version > len(MIGRATIONS):
            raise SetupError(
                f"the database {database.shown} has version {version}, this review-graph knows up to "
                f"{len(MIGRATIONS)}: update review-graph, or name another database"
            )
        if version == 0:
            SCHEMA.create(connection, checkfirst=True)
        for number, step in enumerate(MIGRATIONS[version:], start=version + 1):
            step(connection)
            applied_at = clock().astimezone(dt.UTC).isoformat(timespec="seconds")
            connection.execute(SCHEMA.insert().values(version=number, applied_at=applied_at))


def _version(connection: Connection) -> int:
    if not inspect(connection).has_table(SCHEMA.name):
        return 0
    return max(connection.scalars(select(SCHEMA.c.version)), default=0)
