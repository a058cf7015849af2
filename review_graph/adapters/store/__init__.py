"""The store: reviews, decisions, waivers, drafts and audit in SQLite or PostgreSQL. Cheap to import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from review_graph.adapters.store.places import Place, PostgresPlace, SqlitePlace, place_of

if TYPE_CHECKING:
    from review_graph.adapters.store.facade import SqlStore
    from review_graph.ports import Clock

__all__ = ["Place", "PostgresPlace", "SqlitePlace", "open_store", "place_of"]


def open_store(place: Place, clock: Clock) -> SqlStore:
    """Open a store; its database is made or brought to the present version when needed.

    Args:
        place: The database, from `place_of`.
        clock: Gives the present time.

    Raises:
        SetupError: The database cannot be used.
    """
    from review_graph.adapters.store.facade import SqlStore  # SQLAlchemy, and with it a sixth of a second

    return SqlStore(place, clock)
