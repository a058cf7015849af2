"""A20: which model is opened is said by the settings, and by nothing else."""

from __future__ import annotations

import traceback
from typing import Any

import pytest
from langchain_openai import ChatOpenAI

from review_graph import Settings
from review_graph.adapters.models.openai import chat_of, open_model
from review_graph.errors import SetupError
from review_graph.vocabulary import Message
from tests.model_server import KEY, MODEL, Local

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

ASK: tuple[Message, ...] = ({"role": "user", "content": "How many?"},)
PATIENCE_S = 10

SURROUNDINGS = {
    "OPENAI_API_KEY": "k3y-of-another",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    "OPENAI_API_BASE": "http://127.0.0.1:9/v1",
    "OPENAI_PROXY": "http://127.0.0.1:9",
    "LANGSMITH_GATEWAY": "http://127.0.0.1:9",
    "LANGSMITH_GATEWAY_API_KEY": "k3y-of-another",
}


def test_surroundings_change_neither_place_nor_key(
    served: Settings, model_server: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SURROUNDINGS.items():
        monkeypatch.setenv(name, value)
    model_server.will("answer")
    keyless = open_model(Settings(model=MODEL, model_url=served.model_url))
    assert keyless is not None
    keyless.reply(ASK, seconds=PATIENCE_S)
    (request,) = model_server.requests
    assert "k3y-of-another" not in str(request)


def test_model_without_an_address_is_that_of_openai_whatever_the_surroundings_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in SURROUNDINGS.items():
        monkeypatch.setenv(name, value)
    chat = chat_of(Settings(model=MODEL, model_key=KEY))
    assert isinstance(chat, ChatOpenAI)
    assert (str(chat.root_client.base_url), chat.root_client.api_key) == ("https://api.openai.com/v1/", KEY)


def test_nothing_is_opened_where_no_model_is_set() -> None:
    assert open_model(Settings()) is None


@pytest.mark.parametrize(
    ("half", "advice"),
    [
        ({"model_url": "http://127.0.0.1:1/v1"}, "set REVIEW_GRAPH_MODEL to its name"),
        ({"model_key": KEY}, "set REVIEW_GRAPH_MODEL to its name"),
        ({"model": MODEL}, "set REVIEW_GRAPH_MODEL_KEY for OpenAI"),
        *(
            ({"model": MODEL, "model_url": url}, "REVIEW_GRAPH_MODEL_URL is no address")
            for url in (
                f"http://user:{KEY}@127.0.0.1/v1",
                f"http://127.0.0.1/v1?key={KEY}",
                f"http://127.0.0.1/v1#{KEY}",
                f"127.0.0.1/{KEY}",
                f"ftp://127.0.0.1/{KEY}",
                f"http://[{KEY}",
                f"http://127.0.0.1:{KEY}/v1",
            )
        ),
    ],
)
def test_what_is_half_set_is_refused_with_advice_and_without_the_key(half: dict[str, Any], advice: str) -> None:
    with pytest.raises(SetupError, match=advice) as caught:
        open_model(Settings(**half))
    assert KEY not in "".join(traceback.format_exception(caught.value))
