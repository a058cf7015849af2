"""A local server that speaks as OpenAI's chat completions do, and misbehaves on demand.

What it shall do is named in `PAGES`. A test says so before it asks: `server.will("hang")`. What it was asked is kept.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from review_graph.vocabulary import ErrorCode

MODEL = "local-2026-01-31"
KEY = "k3y-that-nobody-may-see"
ANSWER = "There are 86 subjects."
USAGE = {"prompt_tokens": 120, "completion_tokens": 7, "total_tokens": 127}
PATIENCE_S = 60
"""How long it hangs. Then it answers as it should, so that whoever waited all that time is found out."""

BETWEEN_S = 0.02
"""How long it waits between two things of which there is no end."""

CALL = {"id": "call_a", "type": "function", "function": {"name": "count_subjects", "arguments": '{"arm": "Placebo"}'}}
OVERFLOW = {"message": f"too long for {KEY}", "type": "invalid_request_error", "code": "context_length_exceeded"}

Page = Callable[["Handler", "dict[str, Any]"], None]


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: Local

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        page = self.server.asked(body, self.headers, self.path)
        self.close_connection = True
        with suppress(BrokenPipeError, ConnectionResetError):  # whoever asked may go, with the worst of the pages
            page(self, body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def start(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Connection": "close", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def send(self, *parts: bytes | str) -> None:
        for part in parts:
            self.wfile.write(part.encode() if isinstance(part, str) else part)
            self.wfile.flush()

    def whole(self, status: int, plain: object, **headers: str) -> None:
        text = plain if isinstance(plain, str) else json.dumps(plain)
        kind = "text/html" if isinstance(plain, str) else "application/json"
        self.start(status, kind, Content_Length=str(len(text.encode())), **headers)
        self.send(text)

    def wait(self, seconds: float = PATIENCE_S) -> bool:
        """Wait; false as soon as the test is over."""
        return not self.server.over.wait(seconds)


def event(delta: Mapping[str, Any] | None, ended: str | None = None, **more: Any) -> str:
    """One piece of a streamed reply."""
    choice = {"index": 0, "delta": delta, "finish_reason": ended}
    return _data({"choices": [choice]} | more)


def _data(more: Mapping[str, Any]) -> str:
    plain: dict[str, Any] = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL, **more}
    return f"data: {json.dumps(plain)}\n\n"


FIRST = event({"role": "assistant", "content": ""})
END = event({}, "stop")
USED = _data({"choices": [], "usage": USAGE})
DONE = "data: [DONE]\n\n"


def streamed(*events: str, kind: str = "text/event-stream") -> Page:
    """A stream of events, to its end."""

    def page(handler: Handler, _: object) -> None:
        handler.start(kind=kind)
        handler.send(*events)

    return page


def refuses(status: int, **error: Any) -> Page:
    """An error as OpenAI tells it; it quotes what nobody may see."""
    plain = {"message": f"no, not with {KEY}", "type": "some_error", "code": None} | error
    return lambda handler, _: handler.whole(status, {"error": plain})


def says(text: str = ANSWER, calls: Sequence[Mapping[str, Any]] = (), *, used: bool = True, ended: str = "") -> Page:
    """A reply in order, streamed or not as it was asked for."""

    def page(handler: Handler, asked: dict[str, Any]) -> None:
        why = ended or ("tool_calls" if calls else "stop")
        if not asked.get("stream"):
            message = {"role": "assistant", "content": text, "tool_calls": list(calls) or None}
            choices = [{"index": 0, "message": message, "finish_reason": why}]
            plain = {"id": "chat-1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": choices}
            handler.whole(200, plain | ({"usage": USAGE} if used else {}))
            return
        asked_for = [_called(index, call) for index, call in enumerate(calls)]
        streamed(FIRST, *_pieces(text), *asked_for, event({}, why), *([USED] if used else []), DONE)(handler, asked)

    return page


def _pieces(text: str) -> list[str]:
    return [event({"content": text[start : start + 5]}) for start in range(0, len(text), 5)]


def _called(index: int, call: Mapping[str, Any]) -> str:
    return event({"tool_calls": [{"index": index, **call}]})


def calls_with(arguments: str, **more: Any) -> Page:
    """A call with arguments as they are written."""
    return says("", [CALL | {"function": {"name": "count_subjects", "arguments": arguments}} | more])


def _hang(handler: Handler, asked: dict[str, Any]) -> None:
    if handler.wait():
        says()(handler, asked)


def _endless(thing: str, *first: str) -> Page:
    """Send something again and again; nothing is silence."""

    def page(handler: Handler, _: object) -> None:
        handler.start()
        handler.send(*first)
        _go_on(handler, thing)
        handler.send(*_pieces(ANSWER), END, DONE)

    return page


def _endless_headers(handler: Handler, _: object) -> None:
    handler.send("HTTP/1.1 200 OK\r\nConnection: close\r\n")
    _go_on(handler, "X: y\r\n")
    handler.send("\r\n", *_pieces(ANSWER), END, DONE)


def _go_on(handler: Handler, thing: str) -> None:
    for _ in range(round(PATIENCE_S / BETWEEN_S)):
        if not handler.wait(BETWEEN_S):
            return
        handler.send(thing)


def _huge(handler: Handler, _: object) -> None:
    handler.start()
    handler.send("data: ")
    while handler.wait(0):
        handler.send(b"x" * 1_000_000)


def _cut(handler: Handler, _: object) -> None:
    """End in the middle of what was announced."""
    handler.start(Content_Length="100000")
    handler.send(FIRST, *_pieces(ANSWER))


def _elsewhere(handler: Handler, _: object) -> None:
    handler.whole(307, {}, Location=handler.server.other)


ONE_LINE_HTML = f"<html><body>Sign in with {KEY}</body></html>"

UNUSABLE: Mapping[str, tuple[Page, ErrorCode]] = {
    "hang": (_hang, ErrorCode.MODEL_UNAVAILABLE),
    "hang after the headers": (_endless(""), ErrorCode.MODEL_UNAVAILABLE),
    "hang in the middle": (_endless("", FIRST, *_pieces(ANSWER)), ErrorCode.MODEL_UNAVAILABLE),
    "slow drip": (_endless(event({"content": "."})), ErrorCode.MODEL_UNAVAILABLE),
    "signs of life only": (_endless(": ping\n\n"), ErrorCode.MODEL_UNAVAILABLE),
    "endless headers": (_endless_headers, ErrorCode.MODEL_UNAVAILABLE),
    "429": (refuses(429, code="rate_limit_exceeded"), ErrorCode.MODEL_UNAVAILABLE),
    "500": (refuses(500), ErrorCode.MODEL_UNAVAILABLE),
    "503 in HTML": (lambda handler, _: handler.whole(503, ONE_LINE_HTML), ErrorCode.MODEL_UNAVAILABLE),
    "401": (refuses(401, code="invalid_api_key"), ErrorCode.MODEL_UNAVAILABLE),
    "403": (refuses(403), ErrorCode.MODEL_UNAVAILABLE),
    "404": (refuses(404, code="model_not_found"), ErrorCode.MODEL_UNAVAILABLE),
    "redirect to another host": (_elsewhere, ErrorCode.MODEL_UNAVAILABLE),
    "connection cut": (_cut, ErrorCode.MODEL_UNAVAILABLE),
    "400": (refuses(400), ErrorCode.MODEL_ERROR),
    "context overflow": (refuses(400, **OVERFLOW), ErrorCode.MODEL_ERROR),
    "422": (refuses(422), ErrorCode.MODEL_ERROR),
    "HTML": (lambda handler, _: handler.whole(200, ONE_LINE_HTML), ErrorCode.MODEL_ERROR),
    "HTML as a stream": (streamed(f"data: {ONE_LINE_HTML}\n\n"), ErrorCode.MODEL_ERROR),
    "no stream though asked": (lambda handler, _: says()(handler, {}), ErrorCode.MODEL_ERROR),
    "half a stream": (streamed(FIRST, *_pieces(ANSWER)), ErrorCode.MODEL_ERROR),
    "half a stream, said to be done": (streamed(FIRST, *_pieces(ANSWER), DONE), ErrorCode.MODEL_ERROR),
    "half a call": (
        streamed(FIRST, _called(0, CALL | {"function": {"name": "count_subjects", "arguments": '{"arm": '}})),
        ErrorCode.MODEL_ERROR,
    ),
    "error in the stream": (streamed(FIRST, _data({"error": {"message": f"no {KEY}"}})), ErrorCode.MODEL_ERROR),
    "length": (says(ended="length"), ErrorCode.MODEL_ERROR),
    "content filter": (says(ended="content_filter"), ErrorCode.MODEL_ERROR),
    "null choices": (streamed(_data({"choices": None})), ErrorCode.MODEL_ERROR),
    "choices of text": (streamed(_data({"choices": "no"})), ErrorCode.MODEL_ERROR),
    "no delta": (streamed(event(None), DONE), ErrorCode.MODEL_ERROR),
    "JSON that is no object": (streamed("data: [1]\n\n"), ErrorCode.MODEL_ERROR),
    "another role": (streamed(event({"role": "user", "content": ANSWER}), END, DONE), ErrorCode.MODEL_ERROR),
    "huge": (_huge, ErrorCode.MODEL_ERROR),
    "too long": (streamed(FIRST, *[event({"content": "x" * 50_000})] * 9, END, DONE), ErrorCode.MODEL_ERROR),
    "refusal": (streamed(FIRST, event({"refusal": "I cannot."}), END, DONE), ErrorCode.MODEL_ERROR),
    "empty": (says(""), ErrorCode.MODEL_ERROR),
    "blank": (says(" \n"), ErrorCode.MODEL_ERROR),
    "calls without a call": (says(ended="tool_calls"), ErrorCode.MODEL_ERROR),
    "nothing at all": (streamed(), ErrorCode.MODEL_ERROR),
}
"""What gives no answer, and whose fault it is."""

LATE = {"hang", "hang after the headers", "hang in the middle", "slow drip", "signs of life only", "endless headers"}
"""Those of them that take as long as they are given."""

USABLE: Mapping[str, Page] = {
    "answer": says(),
    "call": says("", [CALL]),
    "no usage": says(used=False),
    "broken arguments": calls_with('{"arm": "Pla'),
    "plain content type": streamed(FIRST, *_pieces(ANSWER), END, USED, DONE, kind="text/plain"),
}
"""What can be used; for a call that cannot be read, a model is told so."""


PAGES: Mapping[str, Page] = {**USABLE, **{name: page for name, (page, _) in UNUSABLE.items()}}


@dataclass(frozen=True)
class Asked:
    """One request, the names of its headers in small letters."""

    body: dict[str, Any]
    headers: Mapping[str, str]
    path: str


class Local(ThreadingHTTPServer):
    """The server."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.over = threading.Event()
        self.other = "http://127.0.0.1:9/v1/chat/completions"
        self.requests: list[Asked] = []
        self._pages: list[Page] = []

    @property
    def url(self) -> str:
        """What a client is told."""
        return f"http://127.0.0.1:{self.server_port}/v1"

    def will(self, *pages: str | Page) -> None:
        """Answer with these pages, one a request, and then with the last one again and again."""
        self._pages = [PAGES[page] if isinstance(page, str) else page for page in pages]

    def asked(self, body: dict[str, Any], headers: Message, path: str) -> Page:
        """Keep a request and return what to answer."""
        self.requests.append(Asked(body, {name.lower(): value for name, value in headers.items()}, path))
        return self._pages.pop(0) if len(self._pages) > 1 else self._pages[0]


@pytest.fixture
def model_server() -> Iterator[Local]:
    """A server of the test's own; mark the test with `allow_hosts(["127.0.0.1"])`."""
    server = Local()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
