"""What only a process of its own shows: signals, waiting, pipes and terminals."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, ReviewService, Settings, Status, build

START_LIMIT_S = 30

WAITING = ("--spec", "spec.json", "--on-pause", "wait")
CONFIRMED = ("--action", "confirm", "--by", "Ada", "--reason", "seen")

SLOW = """
import sys, time
from functools import wraps
from pathlib import Path
from review_graph.nodes import Nodes
from review_graph.doors.cli import main

_, node, pause_s, *command = sys.argv
original = getattr(Nodes, node)

@wraps(original)
def slow(*arguments, **named):
    Path("started").touch()
    time.sleep(float(pause_s))
    return original(*arguments, **named)

setattr(Nodes, node, slow)
sys.argv = ["review-graph", *command]
main()
"""
"""The command line with one node that takes its time; it leaves a file when the node starts."""

Popen = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def begin(tmp_path: Path, spec: dict[str, Any]) -> Iterator[Popen]:
    """Starts Python in the test's folder; ends what the test left behind."""
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    begun: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **how: Any) -> subprocess.Popen[str]:
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={**os.environ, "REVIEW_GRAPH_DB": "db/reviews.sqlite"},
            text=True,
            **streams | how,
        )
        begun.append(process)
        return process

    yield start
    for process in begun:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def here(tmp_path: Path) -> ReviewService:
    """The service on the database of those processes."""
    return build(Settings(db=str(tmp_path / "db" / "reviews.sqlite")))


def until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.05)
    pytest.fail("it did not happen in time")


@pytest.mark.parametrize(
    ("sent", "code", "says"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
    ids=["Ctrl+C", "SIGTERM"],
)
@pytest.mark.parametrize("node", ["ranges", pytest.param("triage", marks=pytest.mark.slow)])
def test_signal_ends_a_run_and_the_next_one_finishes_it(
    begin: Popen,
    here: ReviewService,
    table: Callable[..., Path],
    tmp_path: Path,
    spec: dict[str, Any],
    sent: signal.Signals,
    code: int,
    says: str,
    node: str,
) -> None:
    path = table("minor")
    process = begin("-c", SLOW, node, "1", "run", path.name, "--spec", "spec.json")
    until((tmp_path / "started").exists)
    process.send_signal(sent)
    out, err = process.communicate(timeout=START_LIMIT_S)
    assert (process.returncode, out) == (code, ""), err
    assert says in err
    assert "Traceback" not in err
    assert err.count("\n") == 1
    assert [review.status for review in here.list()] == [Status.RUNNING]
    review = here.start(path, spec)
    assert (review.status, len(review.findings)) == (Status.SUMMARISED, 1)


def waiting(here: ReviewService) -> str | None:
    return next((review.id for review in here.list() if review.status is Status.PAUSED), None)


@pytest.mark.parametrize(
    ("action", "status"),
    [
        pytest.param("confirm", "escalated", id="confirm"),
        pytest.param("override", "summarised", id="override", marks=pytest.mark.slow),
    ],
)
def test_waiting_run_goes_on_when_a_reviewer_has_decided(
    begin: Popen,
    here: ReviewService,
    table: Callable[..., Path],
    ask: Callable[..., DecisionRequest],
    action: str,
    status: str,
) -> None:
    paths = [table("major").name, table("clean").name]
    process = begin("-m", "review_graph", "run", *paths, *WAITING, "--format", "json")
    identity = until(lambda: waiting(here))
    assert process.poll() is None
    here.decide(identity, ask(action))
    out, err = process.communicate(timeout=START_LIMIT_S)
    assert process.returncode == 0, err
    assert {r["dataset"]["name"]: r["status"] for r in json.loads(out)["reviews"]} == {
        "major": status,
        "clean": "summarised",
    }
    assert identity in err


def test_waiting_run_does_not_take_a_decision_under_way_for_the_end(
    begin: Popen, here: ReviewService, table: Callable[..., Path]
) -> None:
    path = table("major").name
    waits = begin("-m", "review_graph", "run", path, *WAITING, "--format", "json")
    identity = until(lambda: waiting(here))
    decides = begin("-c", SLOW, "escalate", "2.5", "decide", identity, *CONFIRMED)
    out, err = waits.communicate(timeout=START_LIMIT_S)
    assert [review["status"] for review in json.loads(out)["reviews"]] == ["escalated"], err
    assert waits.returncode == 0
    decides.communicate(timeout=START_LIMIT_S)
    assert decides.returncode == 0


def test_ctrl_c_ends_the_waiting_and_leaves_the_review_paused(
    begin: Popen, here: ReviewService, table: Callable[..., Path]
) -> None:
    process = begin("-m", "review_graph", "run", table("major").name, *WAITING)
    until(lambda: waiting(here))
    assert process.stderr is not None
    line = process.stderr.readline()
    assert "waiting for a reviewer" in line
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=START_LIMIT_S)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert [review.status for review in here.list()] == [Status.PAUSED]


def read_all(master: int) -> str:
    shown = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # how Linux says that the other end was closed
            return shown.decode()
        if not part:
            return shown.decode()
        shown += part


@pytest.mark.parametrize(("options", "shows"), [((), True), (("--quiet",), False)], ids=["on a terminal", "quiet"])
def test_progress_is_drawn_on_stderr_and_only_for_a_person(
    begin: Popen,
    table: Callable[..., Path],
    options: tuple[str, ...],
    shows: bool,
) -> None:
    paths = [table("clean").name, table("minor").name]
    master, slave = pty.openpty()
    command = ("-m", "review_graph", "run", *paths, "--spec", "spec.json", "--format", "json", *options)
    process = begin(*command, stderr=slave)
    os.close(slave)
    try:
        drawn = read_all(master)
    finally:
        os.close(master)
    out, _ = process.communicate(timeout=START_LIMIT_S)
    assert ("\x1b[" in drawn and "minor.parquet" in drawn) is shows, drawn
    assert len(json.loads(out)["reviews"]) == 2
    assert "\x1b" not in out


def test_no_progress_into_a_file(begin: Popen, table: Callable[..., Path]) -> None:
    paths = [table("clean").name, table("minor").name]
    out, err = begin("-m", "review_graph", "run", *paths, "--spec", "spec.json").communicate(timeout=START_LIMIT_S)
    assert err == ""
    assert "\x1b" not in out
    assert "2 reviews" in out


@pytest.mark.parametrize("output_format", ["table", "json", "md"])
def test_reader_that_goes_away_is_no_error(begin: Popen, table: Callable[..., Path], output_format: str) -> None:
    read, write = os.pipe()
    process = begin("-m", "review_graph", "run", table("clean").name, "--format", output_format, stdout=write)
    os.close(write)
    os.close(read)
    _, err = process.communicate(timeout=START_LIMIT_S)
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    assert process.returncode == 0, err


def test_whole_passage_from_run_to_query_list(begin: Popen, table: Callable[..., Path], tmp_path: Path) -> None:
    def command(*arguments: str) -> tuple[int, str]:
        process = begin("-m", "review_graph", *arguments)
        out, err = process.communicate(timeout=START_LIMIT_S)
        assert "Traceback" not in err
        return process.returncode, out

    code, out = command("run", table("major").name, "--spec", "spec.json", "--out", "kept", "--format", "json")
    assert code == 3
    identity = json.loads(out)["reviews"][0]["id"]
    code, out = command("decide", identity, *CONFIRMED, "--format", "json")
    assert code == 0
    review = json.loads(out)
    assert (tmp_path / review["queries"]).is_relative_to(tmp_path / "kept" / identity)
    assert command("run", "major.parquet", "--spec", "spec.json")[0] == 0
