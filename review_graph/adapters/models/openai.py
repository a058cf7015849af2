"""The model of the settings: any endpoint that speaks as OpenAI's chat completions do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from review_graph.errors import SetupError
from review_graph.settings import Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from review_graph.ports import ChatModel

OPENAI_URL = "https://api.openai.com/v1"
_NO_KEY = "none"
"""Sent to servers that ask for no key; the client wants one, and would take it from the environment."""


def open_model(settings: Settings) -> ChatModel | None:
    """Return the model of the settings; None when none is set. Nothing is asked of it yet.

    Raises:
        SetupError: It is only half set.
    """
    if not demand_whole(settings):
        return None
    from review_graph.adapters.models.langchain_model import LangChainModel

    return LangChainModel(chat_of(settings), settings.model, options=_within)


def demand_whole(settings: Settings) -> bool:
    """Whether a model is set.

    Raises:
        SetupError: It is only half set.
    """
    key = settings.model_key.get_secret_value()
    if not settings.model:
        if settings.model_url or key:
            raise SetupError("a model has an address or a key but no name: set REVIEW_GRAPH_MODEL to its name")
        return False
    if not settings.model_url:
        if not key:
            raise SetupError(
                "the model has neither a key nor an address: set REVIEW_GRAPH_MODEL_KEY for OpenAI, or "
                "REVIEW_GRAPH_MODEL_URL for another endpoint, for instance http://localhost:11434/v1"
            )
        return True
    _demand_address(settings.model_url)
    return True


def chat_of(settings: Settings, *, max_tokens: int | None = None) -> BaseChatModel:
    """Return LangChain's client for the model of the settings.

    Address, key and proxy of its own are given: an `OPENAI_API_KEY` is not for other endpoints, and an
    `OPENAI_BASE_URL` or `LANGSMITH_GATEWAY` that was set for another program leads no data elsewhere. `HTTPS_PROXY` and
    `HTTP_PROXY` hold as they do for all programs of the machine, and `OPENAI_ORG_ID` is sent where it is set.

    Args:
        settings: Settings with a model.
        max_tokens: How long a reply may be.
    """
    from langchain_openai import ChatOpenAI

    from review_graph.adapters.models.bounds import bounded_client

    return ChatOpenAI(
        model=settings.model,
        base_url=settings.model_url or OPENAI_URL,
        api_key=SecretStr(settings.model_key.get_secret_value() or _NO_KEY),
        temperature=0,
        max_retries=0,
        timeout=settings.ask_request_seconds,
        max_completion_tokens=max_tokens,
        stream_usage=True,
        use_responses_api=False,
        openai_proxy=None,
        http_client=bounded_client(),
    )


def _within(seconds: float) -> Mapping[str, Any]:
    return {"timeout": seconds}


def _demand_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_plain = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_plain = False
    if not is_plain or parts.username or parts.password or parts.query or parts.fragment:
        # The address itself is not shown: what is wrong with it may be a key.
        raise SetupError(
            "REVIEW_GRAPH_MODEL_URL is no address of an endpoint: give http(s)://host:port/path, without user, query "
            "or key, and the key in REVIEW_GRAPH_MODEL_KEY"
        )
