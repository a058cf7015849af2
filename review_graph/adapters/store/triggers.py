"""What the database itself refuses: to change or delete a decision or an entry of the audit trail.

Whoever may alter the database can drop these; that the chain of hashes tells.
"""

from __future__ import annotations

from collections.abc import Iterator

_KEYS = {
    "decisions": "review_id = NEW.review_id AND number = NEW.number",
    "audit": "number = NEW.number",
}
_REFUSAL = "review-graph: what was recorded in {table} is never changed or deleted"

_POSTGRES_FUNCTION = """
CREATE FUNCTION review_graph_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'review-graph: what was recorded in % is never changed or deleted', TG_TABLE_NAME;
END
$$
"""


def guards(dialect: str) -> Iterator[str]:
    """Return the statements that set up the refusals.

    Args:
        dialect: `sqlite` or `postgresql`.
    """
    if dialect == "postgresql":
        yield _POSTGRES_FUNCTION.replace("%", "%%")  # the driver reads a single one as a parameter
    for table in _KEYS:
        yield from _postgres(table) if dialect == "postgresql" else _sqlite(table)


def _sqlite(table: str) -> Iterator[str]:
    refuse = f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL.format(table=table)}'); END"
    for act in ("UPDATE", "DELETE"):
        yield f"CREATE TRIGGER {table}_refuses_{act.lower()} BEFORE {act} ON {table} {refuse}"
    # INSERT OR REPLACE deletes the row in its way without a word to the trigger above.
    there = f"EXISTS (SELECT 1 FROM {table} WHERE {_KEYS[table]})"  # noqa: S608 - constants only
    yield f"CREATE TRIGGER {table}_refuses_replace BEFORE INSERT ON {table} WHEN {there} {refuse}"


def _postgres(table: str) -> Iterator[str]:
    name = f"{table}_refuses"
    yield (
        f"CREATE TRIGGER {name} BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION review_graph_refuse()"
    )
    # A session that plays a replica's part fires only triggers of this kind.
    yield f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}"
