"""Tables on a web server of this machine: fetched with what the address holds, kept without it."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from review_graph import Settings, Status, build
from review_graph.adapters.datasets import Datasets
from review_graph.adapters.own_files import MARK
from review_graph.adapters.sources import ColumnarCache, find_tables, remote
from review_graph.adapters.sources.cache_folder import copies_in
from review_graph.errors import InputError

pytest.importorskip("fsspec", reason="needs the extra [remote]")
pytest.importorskip("aiohttp", reason="needs the extra [remote]")
pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

CSV = b"ID,A\nS-1,1\nS-2,2\nS-2,33\n"
SECRET = "t0ken-that-nobody-may-see"  # noqa: S105 - of no server


@dataclass
class Page:
    """What the server answers at a path.

    Attributes:
        body: The content.
        status: The status.
        headers: Sent beside the length of the content.
        length: What is said to be the length; None says nothing.
        stalls: Whether the server falls silent before the content.
        head: Status of a request for the headers alone, when it is another.
    """

    body: bytes = CSV
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = -1
    stalls: bool = False
    head: int | None = None


@dataclass
class Web:
    """The server: its pages, and what was asked of it."""

    pages: dict[str, Page] = field(default_factory=dict)
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)
    port: int = 0

    def url(self, end: str, user: str = "") -> str:
        return f"http://{user}127.0.0.1:{self.port}/{end}"

    def gets(self) -> int:
        return sum(method == "GET" for method, _, _ in self.asked)


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    made, over = Web(), threading.Event()

    class Answers(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer()

        def do_GET(self) -> None:
            self.answer()

        def answer(self) -> None:
            made.asked.append((self.command, self.path, self.headers["Authorization"]))
            page = made.pages.get(self.path.partition("?")[0].lstrip("/"), Page(b"", 404))
            self.send_response(page.head if page.head and self.command == "HEAD" else page.status)
            for name, value in page.headers.items():
                self.send_header(name, value)
            if page.length is not None:
                self.send_header("Content-Length", str(len(page.body) if page.length < 0 else page.length))
            self.end_headers()
            if self.command == "GET":
                if page.stalls:
                    over.wait(20)
                self.wfile.write(page.body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    made.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    over.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def datasets(tmp_path: Path) -> Datasets:
    return Datasets(ColumnarCache(tmp_path / "cache"))


def rows(datasets: Datasets, address: str) -> int:
    return datasets.open(datasets.locate(address)).frame.collect().height


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(Page(), id="plain"),
        pytest.param(Page(length=None), id="without a length"),
        pytest.param(Page(head=405), id="no HEAD"),
        pytest.param(Page(head=403), id="signed for GET alone"),
        pytest.param(Page(headers={"Content-Type": "text/html"}), id="wrong type"),
    ],
)
def test_table_is_fetched(web: Web, datasets: Datasets, page: Page) -> None:
    web.pages["a/dm.csv"] = page
    located = datasets.locate(web.url("a/dm.csv"))
    assert (located.name, located.uri) == ("dm", web.url("a/dm.csv"))
    assert datasets.open(located).frame.collect().height == 3


def test_redirect_is_followed_and_the_address_stays(web: Web, datasets: Datasets) -> None:
    web.pages["dm.csv"] = Page(b"", 302, {"Location": "/moved.csv"})
    web.pages["moved.csv"] = Page()
    located = datasets.locate(web.url("dm.csv"))
    assert (located.name, located.uri) == ("dm", web.url("dm.csv"))


@pytest.mark.parametrize(
    ("headers", "times"),
    [({"ETag": '"1"'}, 1), ({"Last-Modified": "Mon, 02 Mar 2026 10:00:00 GMT"}, 1), ({}, 2)],
    ids=["ETag", "Last-Modified", "neither"],
)
def test_what_the_server_can_tell_to_be_the_same_is_fetched_once(
    web: Web, datasets: Datasets, headers: dict[str, str], times: int
) -> None:
    web.pages["dm.csv"] = Page(headers=headers)
    for _ in range(2):
        assert rows(datasets, web.url("dm.csv")) == 3
    assert web.gets() == times
    web.pages["dm.csv"] = Page(CSV + b"S-4,4\n", headers=dict.fromkeys(headers, "2"))
    assert rows(datasets, web.url("dm.csv")) == 4


def test_query_and_name_are_sent_and_never_kept(web: Web, tmp_path: Path, spec: dict[str, Any]) -> None:
    page = Page(headers={"ETag": '"1"'})
    web.pages["dm.csv"] = page
    settings = Settings(db=str(tmp_path / "kept" / "reviews.sqlite"))
    address = web.url(f"dm.csv?sig={SECRET}%2F&id=7", user=f"ada:{SECRET}@")
    with build(settings) as service:
        review = service.start(address, spec)
        assert service.start(address, spec) == review
    assert review.status is Status.PAUSED, review.problem
    assert review.dataset.uri == web.url("dm.csv?…", user="…@")
    assert {path for _, path, _ in web.asked} == {f"/dm.csv?sig={SECRET}%2F&id=7"}
    basic = base64.b64encode(f"ada:{SECRET}".encode()).decode()
    assert {authorization for _, _, authorization in web.asked} == {f"Basic {basic}"}
    kept = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    assert len(kept) > 3
    assert not [path for path in kept if SECRET.encode() in path.read_bytes() or SECRET in str(path)]
    assert SECRET not in json.dumps(review.to_plain())


def test_address_whose_query_was_not_kept_has_to_be_given_again(web: Web, tmp_path: Path) -> None:
    web.pages["dm.csv"] = Page()
    located = Datasets(ColumnarCache(tmp_path / "cache")).locate(web.url(f"dm.csv?{SECRET}"))
    assert Datasets(ColumnarCache(tmp_path / "cache")).open(located).frame.collect().height == 3
    asked = len(web.asked)
    with pytest.raises(
        InputError, match="what stands as … was not kept because it may be secret; run the same command"
    ):
        Datasets(ColumnarCache(tmp_path / "another")).open(located)
    assert len(web.asked) == asked


@pytest.mark.parametrize(
    ("page", "said"),
    [
        pytest.param(Page(b"", 404), "does not exist; check the address and its spelling", id="404"),
        pytest.param(Page(b"", 410), "does not exist any more; check the address and its spelling", id="410"),
        pytest.param(Page(b"", 401), "may not be read with the credentials at hand; check the credentials", id="401"),
        pytest.param(Page(b"", 403), "may not be read with the credentials at hand; check the credentials", id="403"),
        pytest.param(Page(b"", 500), "cannot be fetched: the server answered 500; try again later", id="500"),
        pytest.param(Page(b"", 503), "cannot be fetched: the server answered 503; try again later", id="503"),
        pytest.param(Page(length=len(CSV) + 9), "came incomplete; try again later", id="cut off"),
        pytest.param(Page(stalls=True), "did not answer in time; try again later", id="silent"),
        pytest.param(
            Page(b"", 302, {"Location": "/dm.csv"}),
            "cannot be fetched: the server sends from one",
            id="endless redirect",
        ),
    ],
)
def test_what_the_server_does_not_give_is_one_line_without_secrets(
    web: Web, datasets: Datasets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: Page, said: str
) -> None:
    monkeypatch.setattr(remote, "STALL_TIMEOUT_S", 0.3)
    web.pages["dm.csv"] = page
    with pytest.raises(InputError) as refusal:
        datasets.locate(web.url(f"dm.csv?{SECRET}", user=f"ada:{SECRET}@"))
    assert f"{web.url('dm.csv?…', user='…@')} {said}" in str(refusal.value)
    assert SECRET not in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert refusal.value.__cause__ is None
    assert [path.name for path in copies_in(tmp_path / "cache").rglob("*") if path.name != MARK] == []


def test_what_was_fetched_with_a_password_is_not_given_to_who_has_none(web: Web, datasets: Datasets) -> None:
    web.pages["dm.csv"] = Page(headers={"ETag": '"1"'})
    datasets.locate(web.url("dm.csv", user=f"ada:{SECRET}@"))
    web.pages["dm.csv"] = Page(status=401)
    with pytest.raises(InputError, match="may not be read with the credentials at hand"):
        datasets.locate(web.url("dm.csv"))
    assert web.asked[-1][2] is None


def test_server_that_is_not_there_is_one_line(web: Web, datasets: Datasets) -> None:
    nobody = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    nobody.server_close()
    with pytest.raises(InputError, match=r"/dm.csv cannot be reached; check the address and the network$"):
        datasets.locate(f"http://127.0.0.1:{nobody.server_address[1]}/dm.csv")
    assert web.asked == []


def test_endless_content_is_cut_off_at_the_bound(web: Web, tmp_path: Path) -> None:
    web.pages["dm.csv"] = Page(CSV * 100, length=None)
    with pytest.raises(InputError, match="bytes or more, and the cache may hold 100; raise REVIEW_GRAPH_CACHE_BYTES"):
        Datasets(ColumnarCache(tmp_path / "cache", max_bytes=100)).locate(web.url("dm.csv"))


def test_error_page_in_place_of_a_table_is_named_by_its_address(web: Web, datasets: Datasets) -> None:
    web.pages["dm.csv"] = Page(b"<!DOCTYPE html><html>please log in</html>")
    with pytest.raises(InputError, match=r"^http://127.0.0.1:\d+/dm.csv holds XML or HTML"):
        rows(datasets, web.url("dm.csv"))


@pytest.mark.parametrize("end", ["study/", "study/*.csv"])
def test_page_that_lists_files_is_a_folder(web: Web, end: str) -> None:
    links = ["dm.csv", "ae%20old.csv", "sub/", "../", "http://elsewhere.invalid/x.csv"]
    body = "".join(f'<a href="{link}">x</a>' for link in links).encode()
    web.pages["study/"] = Page(body, headers={"Content-Type": "text/html"})
    found = find_tables([web.url(end)])
    assert (found.addresses, found.missing) == ((web.url("study/ae%20old.csv"), web.url("study/dm.csv")), ())


def test_fetching_may_take_as_long_as_it_does_and_goes_through_a_proxy(web: Web) -> None:
    system, _ = remote.connect(web.url("dm.csv"))
    assert system.client_kwargs["timeout"].total is None  # the library's own is five minutes, whatever the size
    assert system.client_kwargs["trust_env"] is True
