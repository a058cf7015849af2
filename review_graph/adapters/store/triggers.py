"""What the database itself refuses: to change or delete a decision, a waiver, an entry of trail or ledger.

Whoever may alter the database can drop these; for the audit trail the chain of hashes tells that.
"""

from __future__ import annotations

from collections.abc import Iterator

_KEYS = {
    "decisions": "review_id = NEW.review_id AND number = NEW.number",
    "audit": "number = NEW.number",
    "waivers": "id = NEW.id",
    "ledger": "dataset = NEW.dataset AND number = NEW.number",
    "ledger_units": "dataset = NEW.dataset AND fingerprint = NEW.fingerprint",
}
_REFUSAL = "review-graph: what was recorded in {table} is never changed or deleted"

_POSTGRES_FUNCTION = """
CREATE FUNCTION review_graph_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'review-graph: what was recorded in % is never changed or deleted', TG_TABLE_NAME;
END
$$
"""


def refusal(dialect: str) -> Iterator[str]:
    """Return the statements that come once, before any guard.

    Args:
        dialect: `sqlite` or `postgresql`.
    """
    if dialect == "postgresql":
        yield _POSTGRES_FUNCTION.replace("%", "%%")  # the driver reads a single one as a parameter


def guards(dialect: str, *tables: str) -> Iterator[str]:
    """Return the statements that guard tables.

    Args:
        dialect: `sqlite` or `postgresql`.
        tables: Tables that are only ever added to.
    """
    for table in tables:
        yield from _postgres(table) if dialect == "postgresql" else _sqlite(table)


def waiver_guards(dialect: str) -> Iterator[str]:
    """Return the statements that guard waivers: one can be taken back, and nothing else of it be changed.

    Args:
        dialect: `sqlite` or `postgresql`.
    """
    told = ("revoked_at", "revoked_by", "revoked_reason")
    if dialect == "postgresql":
        rest = "(%s.record::jsonb" + "".join(f" - '{name}'" for name in told) + ")"
    else:
        rest = "json_remove(%s.record" + "".join(f", '$.{name}'" for name in told) + ")"
    same = [*(f"NEW.{name} = OLD.{name}" for name in ("id", "dataset", "created_at", "expires_on"))]
    same.append(f"{rest % 'NEW'} = {rest % 'OLD'}")
    is_other = f"NOT (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL AND {' AND '.join(same)})"
    if dialect == "postgresql":
        yield from _postgres("waivers", "DELETE OR TRUNCATE")
        yield (
            "CREATE TRIGGER waivers_refuses_update BEFORE UPDATE ON waivers "
            f"FOR EACH ROW WHEN ({is_other}) EXECUTE FUNCTION review_graph_refuse()"
        )
        yield "ALTER TABLE waivers ENABLE ALWAYS TRIGGER waivers_refuses_update"
    else:
        yield from _sqlite("waivers", f"WHEN {is_other}")


def _sqlite(table: str, when: str = "") -> Iterator[str]:
    refuse = f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL.format(table=table)}'); END"
    yield f"CREATE TRIGGER {table}_refuses_update BEFORE UPDATE ON {table} {when} {refuse}"
    yield f"CREATE TRIGGER {table}_refuses_delete BEFORE DELETE ON {table} {refuse}"
    # INSERT OR REPLACE deletes the row in its way without a word to the trigger above.
    there = f"EXISTS (SELECT 1 FROM {table} WHERE {_KEYS[table]})"  # noqa: S608 - constants only
    yield f"CREATE TRIGGER {table}_refuses_replace BEFORE INSERT ON {table} WHEN {there} {refuse}"


def _postgres(table: str, acts: str = "UPDATE OR DELETE OR TRUNCATE") -> Iterator[str]:
    name = f"{table}_refuses"
    yield (f"CREATE TRIGGER {name} BEFORE {acts} ON {table} FOR EACH STATEMENT EXECUTE FUNCTION review_graph_refuse()")
    # A session that plays a replica's part fires only triggers of this kind.
    yield f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}"
