"""The log of investigations: whole lines, for good, in a place that only its owner reads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from review_graph.adapters.ask_log import AskLogFile
from review_graph.errors import SetupError

WRITER = """
import sys
from pathlib import Path
from review_graph.adapters.ask_log import AskLogFile
log = AskLogFile(Path(sys.argv[1]))
for number in range(50):
    log.write({"who": sys.argv[2], "n": number, "text": "x" * 5000})
"""


def lines(path: Path) -> list[str]:
    return path.read_bytes().decode("ascii").splitlines(keepends=True)


def test_each_call_adds_one_canonical_line(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "ask.jsonl"
    log = AskLogFile(path)
    log.write({"b": [1, None, True], "a": {"z": 1.5, "y": "q"}})
    AskLogFile(path).write({})
    assert path.read_bytes() == b'{"a":{"y":"q","z":1.5},"b":[1,null,true]}\n{}\n'
    assert path.stat().st_mode & 0o777 == 0o600


def test_no_text_breaks_a_line_or_reaches_a_terminal_as_it_is(tmp_path: Path) -> None:
    nasty = "a\x00\x1b[31m\r\n\u2028\x85\u202e\udc80 ä \U0001f600"
    path = tmp_path / "ask.jsonl"
    AskLogFile(path).write({nasty: nasty})
    (line,) = lines(path)
    assert line.rstrip("\n").isprintable()
    assert json.loads(line) == {nasty: nasty}


def test_number_that_json_does_not_have_is_no_line(tmp_path: Path) -> None:
    path = tmp_path / "ask.jsonl"
    with pytest.raises(ValueError, match="not JSON compliant"):
        AskLogFile(path).write({"cost": float("nan")})
    assert not path.exists()


def test_lines_of_many_threads_and_processes_never_mix(tmp_path: Path) -> None:
    path = tmp_path / "ask.jsonl"
    others = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), who])  # noqa: S603 - our own
        for who in ("ada", "bob")
    ]
    log = AskLogFile(path)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: log.write({"who": "me", "n": number, "text": "y" * 5000}), range(50)))
    assert [other.wait(timeout=60) for other in others] == [0, 0]
    found = [(plain["who"], plain["n"]) for plain in map(json.loads, lines(path))]
    assert sorted(found) == sorted((who, number) for who in ("ada", "bob", "me") for number in range(50))


def test_line_that_was_cut_does_not_spoil_the_next(tmp_path: Path) -> None:
    path = tmp_path / "ask.jsonl"
    path.write_bytes(b'{"run":1}\n{"ru')
    AskLogFile(path).write({"run": 3})
    assert lines(path) == ['{"run":1}\n', '{"ru\n', '{"run":3}\n']


def test_half_a_write_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: whole(handle, data[:3]))
    with pytest.raises(SetupError, match="is the disk full"):
        AskLogFile(tmp_path / "ask.jsonl").write({"run": 1})


@pytest.mark.parametrize("place", ["a folder", "below a file"])
def test_place_that_cannot_be_used_is_said_in_one_line(tmp_path: Path, place: str) -> None:
    path = tmp_path / "ask.jsonl"
    if place == "a folder":
        path.mkdir()
    else:
        path.write_text("", encoding="ascii")
        path /= "ask.jsonl"
    with pytest.raises(SetupError, match=r"cannot write the log .*ask\.jsonl: .*make the place writable") as caught:
        AskLogFile(path).write({"run": 1})
    assert "\n" not in str(caught.value)
