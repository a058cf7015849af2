"""The flow on both databases, with a clock that is set by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from review_graph import ReviewService, Settings, build, build_graph
from review_graph.adapters.checkpoints import open_checkpoints
from review_graph.adapters.store import place_of
from tests.flow.things import Forks, Hands

Built = Callable[..., ReviewService]


@pytest.fixture
def hands() -> Hands:
    """A clock."""
    return Hands()


@pytest.fixture(params=["sqlite", "postgresql"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """A database of each kind."""
    db = str(tmp_path / "kept" / "r.sqlite") if request.param == "sqlite" else request.getfixturevalue("postgres")
    return Settings(db=db, out=tmp_path / "kept" / "reviews", cache=tmp_path / "kept" / "cache")


@pytest.fixture
def built(hands: Hands) -> Iterator[Built]:
    """Builds services, as many as one likes; they are closed in the end."""
    with ExitStack() as ending:

        def make(settings: Settings, **more: Any) -> ReviewService:
            return ending.enter_context(build(settings, **{"clock": hands} | more))

        yield make


@pytest.fixture
def acting(kept: Settings, built: Built) -> ReviewService:
    """Another process on the same database."""
    return built(kept)


@pytest.fixture
def graph(kept: Settings, hands: Hands) -> Iterator[Any]:
    """The same graph on the same database, in the hands of somebody with a Python prompt."""
    saver = open_checkpoints(place_of(kept.db))
    yield build_graph(checkpointer=saver, clock=hands, out=kept.out_path)
    saver.close()


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """The file in which processes mark each escalation."""
    return tmp_path / "escalations.txt"


@pytest.fixture
def forks(marks: Path) -> Iterator[Forks]:
    """Processes that begin at once."""
    with Forks.ready(marks) as ready:
        yield ready
