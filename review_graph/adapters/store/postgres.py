"""One way to connect to PostgreSQL; the driver is imported when it is used."""

from __future__ import annotations

from contextlib import ExitStack
from importlib import import_module
from typing import TYPE_CHECKING, Any

from review_graph.adapters.store.places import PostgresPlace
from review_graph.errors import SetupError

if TYPE_CHECKING:
    import psycopg

CONNECT_TIMEOUT_S = 10
"""How long a server may take to answer; the address itself may say otherwise (`?connect_timeout=…`)."""

LOCK_TIMEOUT_S = 30
"""How long to wait for somebody who writes."""

IDLE_TIMEOUT_S = 60
"""After this time the server ends a transaction that does nothing: a stopped process must not hold up all others."""


ADVICE = "everything saved before stays; make it usable and run the same command again"
"""What to do about a database that worked before."""


def demand_driver() -> None:
    """Demand the packages of the extra.

    Raises:
        SetupError: One is missing.
    """
    try:
        import_module("langgraph.checkpoint.postgres")
        import_module("psycopg")
    except ImportError as error:
        raise SetupError(
            f"a PostgreSQL database needs more packages: pip install 'review-graph[postgres]' ({error})"
        ) from None


def connect(place: PostgresPlace, **more: Any) -> psycopg.Connection[Any]:  # noqa: ANN401 - what psycopg takes
    """Open a connection; `demand_driver` comes first.

    Args:
        place: The database.
        more: Arguments of `psycopg.connect`.

    Raises:
        SetupError: The server cannot be reached or refuses.
    """
    import psycopg

    try:
        with ExitStack() as on_failure:
            connection = psycopg.connect(place.url, **_defaults(place) | more)
            on_failure.callback(connection.close)
            connection.execute(_settings(), prepare=False)
            if not connection.autocommit:
                connection.commit()
            on_failure.pop_all()
    except psycopg.Error as error:
        # What libpq says of an address that it cannot read may quote it, and a traceback would show that.
        raise SetupError(
            f"cannot use the database {place.shown}: {reason_of(error, place)}; "
            "is the server running, and are name, password and database right?"
        ) from None
    return connection


def reason_of(error: BaseException, place: PostgresPlace) -> str:
    """Return what the server or the driver says of an error, as one line without a password."""
    said = getattr(getattr(error, "diag", None), "message_primary", None)
    return place.scrub(said or str(error))


def _settings() -> bytes:
    milliseconds = {
        "lock_timeout": round(LOCK_TIMEOUT_S * 1000),
        "idle_in_transaction_session_timeout": round(IDLE_TIMEOUT_S * 1000),
    }
    return "; ".join(f"SET {name} = {limit}" for name, limit in milliseconds.items()).encode()


def _defaults(place: PostgresPlace) -> dict[str, Any]:
    named = {"connect_timeout": CONNECT_TIMEOUT_S, "application_name": "review-graph", "client_encoding": "utf8"}
    return {name: value for name, value in named.items() if f"{name}=" not in place.url}
