"""A store on each of the two databases, and things to put in it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from review_graph.adapters.store import Place, place_of
from review_graph.adapters.store.facade import SqlStore
from review_graph.ports import Entry
from review_graph.vocabulary import Status
from tests.adapters.store.things import NOW, entry


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return place_of(str(tmp_path / "kept" / "reviews.sqlite"))
    return place_of(request.getfixturevalue("postgres"))


@pytest.fixture
def sqlite_place(tmp_path: Path) -> Place:
    """A place for a SQLite file."""
    return place_of(str(tmp_path / "kept" / "reviews.sqlite"))


@pytest.fixture
def opened() -> Iterator[Callable[..., SqlStore]]:
    """Opens stores; their time stands still unless the test says otherwise."""
    with ExitStack() as ending:

        def open_one(place: Place, clock: Callable[[], dt.datetime] = lambda: NOW, **more: float) -> SqlStore:
            store = SqlStore(place, clock, **more)
            ending.callback(store.close)
            return store

        yield open_one


@pytest.fixture
def store(opened: Callable[..., SqlStore], place: Place) -> SqlStore:
    """A store on a new database of each kind."""
    return opened(place)


@pytest.fixture
def seen(store: SqlStore) -> Entry:
    """A review that waits, as somebody sees it."""
    store.add(entry())
    found = store.get("dm-0123456789")
    assert found is not None
    return store.transition(found, Status.PAUSED)
