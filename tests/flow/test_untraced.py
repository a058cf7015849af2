"""Nothing is told to LangSmith, whatever the environment says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import polars as pl
import pytest

SECRET = "SUBJECT-4711"  # noqa: S105 - what must not leave

PROGRAM = """
import json, sys
from langsmith import Client
from langchain_core.tracers.langchain import wait_for_all_tracers
from review_graph import DecisionRequest, Settings, build
from review_graph.adapters.models.scripted import Call, Reply, ScriptedChatModel

path, spec, traced = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3] == "traced"
model = ScriptedChatModel(turns=[Reply(calls=(Call(name="list_columns", arguments={}),)), "Nothing."])
with build(Settings(db="r.sqlite", ask_gate=False), model=model) as service:
    review = service.start(path, spec)
    assert review.status == "paused", review
    assert service.asking.ask(review.id, "What?").status == "answered"
    service.decide(review.id, DecisionRequest(action="confirm", by="Ada", reason="so it is"))
if traced:
    from langchain_core.runnables import RunnableLambda
    RunnableLambda(lambda x: x).invoke("SUBJECT-4711")
wait_for_all_tracers()
"""


@pytest.fixture
def smith() -> Iterator[tuple[str, list[bytes]]]:
    """A server in LangSmith's place, and what it was sent."""
    sent: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def _answer(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", sent
    server.shutdown()
    server.server_close()


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize("traced", [False, True])
def test_neither_a_review_nor_an_investigation_is_traced(
    tmp_path: Path, smith: tuple[str, list[bytes]], *, traced: bool
) -> None:
    address, sent = smith
    pl.DataFrame({"ID": [SECRET, SECRET]}).write_parquet(tmp_path / "t.parquet")
    spec = {"name": "t", "primaryKey": ["ID"], "fields": [{"name": "ID", "type": "string"}]}
    environment = {"LANGSMITH_TRACING": "true", "LANGSMITH_API_KEY": "x", "LANGSMITH_ENDPOINT": address}
    subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-c", PROGRAM, "t.parquet", json.dumps(spec), "traced" if traced else ""],
        cwd=tmp_path,
        env=os.environ | environment,
        check=True,
        timeout=120,
    )
    assert bool(sent) is traced  # the one that is traced on purpose shows that it would arrive
    if not traced:
        assert not any(SECRET.encode() in body for body in sent)
