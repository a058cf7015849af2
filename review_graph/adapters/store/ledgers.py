"""What was disclosed of each dataset: entered once, never changed, told to everybody who asks next."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, Row, func, select

from checks.plain import quote
from checks.vocabulary import canonical
from review_graph.adapters.store.engines import Database
from review_graph.adapters.store.schema import LEDGER, LEDGER_UNITS
from review_graph.errors import SetupError
from review_graph.ports import Ledger
from review_graph.vocabulary import Disclosed


class SqlLedgers:
    """Implements `ports.Ledgers` on SQLite and PostgreSQL.

    Args:
        database: The database, at its present version.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def disclosed(self, dataset: str) -> Ledger:
        """Everything that was disclosed of a dataset, oldest first."""
        wanted = select(LEDGER).where(LEDGER.c.dataset == dataset).order_by(LEDGER.c.number)
        with self._database.reading() as connection:
            entries = tuple(_entry(row, number) for number, row in enumerate(connection.execute(wanted), start=1))
        return Ledger(seen=len(entries), entries=entries)

    def disclose(self, dataset: str, seen: int, entry: Disclosed) -> bool:
        """Enter one more, unless others came since `seen`."""
        values = {"dataset": dataset, "number": seen + 1, "record": canonical(entry.to_plain())}
        with self._database.writing() as connection:
            if _last(connection, dataset) != seen:
                return False
            connection.execute(LEDGER.insert().values(values))
            return True

    def units(self, dataset: str, fingerprint: str) -> bytes | None:
        """The identities of the units of a version of a dataset."""
        with self._database.reading() as connection:
            return _units(connection, dataset, fingerprint)

    def keep_units(self, dataset: str, fingerprint: str, units: bytes) -> None:
        """Keep them; what is there stays."""
        values = {"dataset": dataset, "fingerprint": fingerprint, "units": units}
        with self._database.writing() as connection:
            if _units(connection, dataset, fingerprint) is None:
                connection.execute(LEDGER_UNITS.insert().values(values))


def _entry(row: Row[Any], number: int) -> Disclosed:
    if row.number == number:
        with suppress(ValueError, TypeError, KeyError):
            return Disclosed.from_plain(json.loads(row.record))
    raise SetupError(
        f"entry {number} of what was disclosed of {quote(row.dataset)} is damaged or gone: it was changed from "
        "outside, so nothing more can be told safely; restore the database from a backup"
    )


def _last(connection: Connection, dataset: str) -> int:
    return connection.scalar(select(func.max(LEDGER.c.number)).where(LEDGER.c.dataset == dataset)) or 0


def _units(connection: Connection, dataset: str, fingerprint: str) -> bytes | None:
    return connection.scalar(select(LEDGER_UNITS.c.units).filter_by(dataset=dataset, fingerprint=fingerprint))
