from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from review_graph.adapters.models.scripted import ScriptedTurn
from tests.agent.things import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Makes a desk with a model that says these turns."""
    made: list[Desk] = []

    def at(*turns: ScriptedTurn, **settings: Any) -> Desk:
        made.append(Desk(tmp_path, turns, **settings))
        return made[-1]

    yield at
    for each in made:
        each.service.close()
