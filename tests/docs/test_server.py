"""R11: `langgraph.json` serves the graph on LangGraph's own server, and the gate holds there."""

from __future__ import annotations

import datetime as dt
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_sync_client

from review_graph import DecisionRequest, Pending, Status, pending, record
from review_graph.errors import DecisionConflict, InvalidDecision
from review_graph.gate import status_of

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph_sdk.client import SyncLangGraphClient

    from tests.docs.conftest import Page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.skipif(
        find_spec("langgraph_api") is None,
        reason="LangGraph's server is not installed: pip install 'langgraph-cli[inmem]'",
    ),
]

ROOT = Path(__file__).parents[2]
UP_WITHIN_S = 120
PAGE_URL = "http://127.0.0.1:2024"

PIPELINE = '''
"""A pipeline of somebody else's, with a review in it."""

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from review_graph import review_node


class Delivery(TypedDict, total=False):
    dataset_path: Any
    outcome: dict[str, Any]


builder = StateGraph(Delivery)
builder.add_node("check", review_node(path="dataset_path", into="outcome"))
builder.add_edge(START, "check")
builder.add_edge("check", END)
delivery = builder.compile()
'''

Ask = Callable[..., DecisionRequest]
Clock = Callable[[], dt.datetime]
MakeTable = Callable[..., Path]
Graph = Any


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a server with the graph of `langgraph.json` and a pipeline that holds a review."""
    home = tmp_path_factory.mktemp("server")
    served = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    served["graphs"]["delivery"] = "./pipeline.py:delivery"
    (home / "langgraph.json").write_text(json.dumps(served), encoding="utf-8")
    (home / "pipeline.py").write_text(PIPELINE, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    quiet = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGSMITH_TRACING": "false", "NO_COLOR": "1"}
    with (home / "log.txt").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(  # noqa: S603 - our own arguments
            [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--port", str(port)],
            cwd=home,
            env={**os.environ, **quiet, "REVIEW_GRAPH_OUT": str(home / "reviews")},
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            wait_until_up(address, server, home / "log.txt")
            yield address
        finally:
            server.terminate()
            server.wait(30)


def wait_until_up(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Until the server answers; what it said when it does not."""
    give_up_at = time.monotonic() + UP_WITHIN_S
    while time.monotonic() < give_up_at and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/ok", timeout=2):  # noqa: S310 - our own server
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"the server did not start:\n{log.read_text(encoding='utf-8')[-3000:]}")


@pytest.fixture
def client(url: str) -> Iterator[SyncLangGraphClient]:
    with get_sync_client(url=url) as client:
        yield client


@pytest.fixture
def graph(client: SyncLangGraphClient) -> Graph:
    """The served review graph, as `pending` and `record` take it."""
    return RemoteGraph("review", sync_client=client)


@pytest.fixture
def paused(client: SyncLangGraphClient, table: MakeTable, spec: dict[str, Any]) -> str:
    """A thread whose review waits."""
    return submit(client, {"path": str(table("major")), "spec": spec})


def submit(client: SyncLangGraphClient, request: dict[str, Any]) -> str:
    thread = str(client.threads.create()["thread_id"])
    client.runs.wait(thread, "review", input={"review_request": request})
    return thread


def waiting_in(graph: Graph, thread: str) -> tuple[Pending, ...]:
    return pending(graph, address(thread))


def address(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


def test_page_about_the_server_runs_as_it_stands(
    url: str, page: Callable[[str], Page], session: Callable[..., str]
) -> None:
    shown = page("server")
    printed = session(shown, {PAGE_URL: url})
    if os.environ.get("WRITE_DOCS"):
        shown.path.write_text(printed, encoding="utf-8")
    assert printed == shown.text


def test_dataset_that_needs_nobody_ends(
    client: SyncLangGraphClient, graph: Graph, table: MakeTable, spec: dict[str, Any]
) -> None:
    thread = submit(client, {"path": str(table("minor")), "spec": spec})
    state: Any = client.threads.get_state(thread)
    assert (state["next"], state["values"]["review"]["status"]) == ([], "summarised")
    assert client.threads.get(thread)["status"] == "idle"
    assert waiting_in(graph, thread) == ()


@pytest.mark.parametrize(("action", "status"), [("confirm", "escalated"), ("override", "summarised")])
def test_severe_review_pauses_before_escalate_and_ends_as_it_was_decided(
    client: SyncLangGraphClient, graph: Graph, paused: str, ask: Ask, clock: Clock, action: str, status: str
) -> None:
    assert client.threads.get_state(paused)["next"] == ["escalate"]
    assert client.threads.get(paused)["status"] == "interrupted"
    (waiting,) = waiting_in(graph, paused)
    assert (waiting.review.status, waiting.review.dataset.name) == (Status.PAUSED, "major")
    with pytest.raises(InvalidDecision):
        record(graph, waiting.config, ask(action, reason=" "), clock)
    record(graph, waiting.config, ask(action), clock)
    values: Any = client.runs.wait(paused, "review", input=None)
    assert values["review"]["status"] == status
    assert [(made["by"], made["reason"]) for made in values["review"]["decisions"]] == [("Ada", "looked at it")]
    assert Path(values["review"]["report"]).read_text(encoding="utf-8") == values["review"]["text"]
    assert client.threads.get_state(paused)["next"] == []
    with pytest.raises(DecisionConflict, match="Ada recorded"):
        record(graph, waiting.config, ask("confirm", by="Bob"), clock)


def resume(client: SyncLangGraphClient, thread: str) -> None:
    client.runs.wait(thread, "review", input=None)


def resume_without_a_pause(client: SyncLangGraphClient, thread: str) -> None:
    client.runs.wait(thread, "review", input=None, interrupt_before=[])


def go_elsewhere(client: SyncLangGraphClient, thread: str) -> None:
    client.runs.wait(thread, "review", command={"goto": "summarise"})


def answer_an_interrupt(client: SyncLangGraphClient, thread: str) -> None:
    client.runs.wait(thread, "review", command={"resume": "approved"})


def written(values: dict[str, Any]) -> Callable[[SyncLangGraphClient, str], None]:
    def act(client: SyncLangGraphClient, thread: str) -> None:
        client.threads.update_state(thread, values, as_node="triage")
        client.runs.wait(thread, "review", input=None)

    return act


NAMELESS = {
    "number": 1,
    "action": "confirm",
    "by": "",
    "at": "2026-03-04T05:06:07+00:00",
    "reason": "",
    "from": "major",
    "to": "major",
    "findings": [],
}


@pytest.mark.parametrize(
    "act",
    [
        resume,
        resume_without_a_pause,
        go_elsewhere,
        answer_an_interrupt,
        pytest.param(written({"severity": "none", "needs_human": False}), id="severity written"),
        pytest.param(written({"findings": {}, "severity": "none", "needs_human": False}), id="findings emptied"),
        pytest.param(written({"decisions": {"0001": NAMELESS}}), id="decision of nobody"),
    ],
)
def test_no_way_round_a_decision_ends_the_review(
    client: SyncLangGraphClient,
    graph: Graph,
    paused: str,
    ask: Ask,
    clock: Clock,
    act: Callable[[SyncLangGraphClient, str], None],
) -> None:
    with pytest.raises(Exception, match="DecisionNotAllowed"):
        act(client, paused)
    snapshot = graph.get_state(address(paused))
    assert (status_of(snapshot), snapshot.values.get("review")) == (Status.PAUSED, None)
    (waiting,) = waiting_in(graph, paused)
    record(graph, waiting.config, ask("confirm"), clock)
    values: Any = client.runs.wait(paused, "review", input=None)
    assert (values["review"]["status"], len(values["review"]["decisions"])) == ("escalated", 1)


def test_review_inside_a_served_pipeline_is_found_and_answered(
    client: SyncLangGraphClient, table: MakeTable, spec: dict[str, Any], ask: Ask, clock: Clock
) -> None:
    thread = str(client.threads.create()["thread_id"])
    request: Any = {"path": str(table("major")), "spec": spec}
    client.runs.wait(thread, "delivery", input={"dataset_path": request})
    pipeline: Graph = RemoteGraph("delivery", sync_client=client)
    for _ in range(2):
        assert client.threads.get_state(thread)["next"] == ["check"]
        assert client.threads.get(thread)["status"] == "interrupted"
        client.runs.wait(thread, "delivery", input=None)
    (waiting,) = waiting_in(pipeline, thread)
    record(pipeline, waiting.config, ask("confirm"), clock)
    values: Any = client.runs.wait(thread, "delivery", input=None)
    assert values["outcome"]["status"] == "escalated"
    assert client.threads.get_state(thread)["next"] == []
