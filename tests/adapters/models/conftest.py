"""A server of the test's own, and the model that it serves."""

from __future__ import annotations

import pytest

from review_graph import Settings
from review_graph.adapters.models.openai import open_model
from review_graph.ports import ChatModel
from tests.model_server import KEY, MODEL, Local
from tests.model_server import model_server as model_server  # noqa: PLC0414 - a fixture


@pytest.fixture
def served(model_server: Local) -> Settings:
    """Settings with the model of the server."""
    return Settings(model=MODEL, model_url=model_server.url, model_key=KEY)


@pytest.fixture
def model(served: Settings) -> ChatModel:
    """The model of the server."""
    found = open_model(served)
    assert found is not None
    return found
