"""Every misbehaviour of an endpoint ends an investigation in a status, a code and a line of the account."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from review_graph import ReviewService, Settings, build
from review_graph.vocabulary import AnswerStatus
from tests.agent.things import ADSL
from tests.model_server import KEY, LATE, MODEL, PATIENCE_S, UNUSABLE, Local, says
from tests.model_server import model_server as model_server  # noqa: PLC0414 - a fixture

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

SUM = {"id": "c1", "type": "function", "function": {"name": "calculate", "arguments": '{"expression": "8 / 2"}'}}
BRIEF_S = 1.0

Asked = Callable[[], tuple[ReviewService, str]]


@pytest.fixture
def asked(tmp_path: Path, model_server: Local, request: pytest.FixtureRequest) -> Iterator[tuple[ReviewService, str]]:
    """A service with the model of the server, and a review to ask about; what never answers is waited for briefly."""
    callspec = getattr(request.node, "callspec", None)
    is_late = callspec is not None and callspec.params["name"] in LATE
    path = tmp_path / "adsl.parquet"
    shutil.copy(ADSL, path)
    settings = Settings(
        db=str(tmp_path / "r.sqlite"),
        model=MODEL,
        model_url=model_server.url,
        model_key=KEY,
        ask_gate=False,
        ask_request_seconds=BRIEF_S if is_late else 30,
    )
    with build(settings) as service:
        yield service, service.start(path).id or ""


@pytest.mark.parametrize("name", UNUSABLE)
def test_it_ends_in_a_code(
    asked: tuple[ReviewService, str], model_server: Local, name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    service, identity = asked
    model_server.will(says("", [SUM]), name)
    begun = time.monotonic()
    answer = service.asking.ask(identity, "What is 8 by 2?")
    assert time.monotonic() - begun < PATIENCE_S  # and not as long as the server would take
    assert (answer.status, answer.error) == (AnswerStatus.FAILED, UNUSABLE[name][1])
    assert not re.search(r"\d", answer.text)
    log = (tmp_path / "reviews" / "investigations.jsonl").read_text()
    assert [json.loads(line).get("error") for line in log.splitlines()][-1] == UNUSABLE[name][1].value
    assert KEY not in answer.text + caplog.text + log
    assert [step.tool for step in answer.steps] == ["calculate"]


def test_no_key_is_kept_anywhere(asked: tuple[ReviewService, str], model_server: Local, tmp_path: Path) -> None:
    service, identity = asked
    model_server.will(says("", [SUM]), says("It is 4."))
    answer = service.asking.ask(identity, "What is 8 by 2?")
    assert (answer.status, answer.text, answer.model) == (AnswerStatus.ANSWERED, "It is 4.", MODEL)
    assert model_server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    service.close()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
