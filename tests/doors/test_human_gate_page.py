"""`docs/human_gate.md` shows real output: its commands are run, and what they print is what it shows.

    WRITE_DOCS=1 pytest tests/doors/test_human_gate_page.py

writes the output of this version into it. The clock stands at a time of the page's own and goes on with each command,
so that ids are the same each time. The trail tells where the dataset and the files of a review are, which differs with
the folder of the test; so hashes are compared by where they occur again, and not by what they are.
"""

from __future__ import annotations

import datetime as dt
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from review_graph import build
from review_graph.doors.cli import render, waiver_printing
from review_graph.doors.cli.app import app

PAGE = Path(__file__).parents[2] / "docs" / "human_gate.md"
HOME = "/home/ada/study"
START = dt.datetime(2026, 11, 30, 9, 0, tzinfo=dt.UTC)
STEP = dt.timedelta(minutes=7)

_REVIEW = re.compile(r"\bvisits-[0-9a-f]{10}\b(?:-\d)?")
_WAIVER = re.compile(r"\bw-[0-9a-f]{12}\b")
_HASH = re.compile(r"\b[0-9a-f]{10,64}\b")
"""A hash, or as much of one as a cell of a table has room for in a line."""
_ANCHOR = re.compile(r"\b\d+:[0-9a-f]{64}\b")

Shell = Callable[[str], str]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Runs a command of the page, some minutes after the one before."""
    passed = [START]
    build_keywords = build.__kwdefaults__
    assert build_keywords is not None
    monkeypatch.setitem(build_keywords, "clock", lambda: passed[-1])
    for module in (render, waiver_printing):
        monkeypatch.setattr(module, "present_time", lambda: passed[-1])
    monkeypatch.setenv("REVIEW_GRAPH_USER", "ada")
    monkeypatch.chdir(tmp_path)

    def run(command: str) -> str:
        passed.append(passed[-1] + STEP)
        words = shlex.split(command)
        with pytest.MonkeyPatch.context() as environment:
            while re.match(r"[A-Z_]+=", words[0]):
                name, _, value = words.pop(0).partition("=")
                environment.setenv(name, value)
            if words[0] == "python":
                return subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, check=True).stdout  # noqa: S603
            ran = CliRunner().invoke(app, words[1:])
        assert ran.exit_code in (0, 2, 3), ran.output
        assert "bug of review-graph" not in ran.stderr
        return (ran.stdout + ran.stderr).replace(str(tmp_path.resolve()), HOME)

    return run


def write_files(text: str, folder: Path) -> None:
    """Write the files that the page shows."""
    for language, name in (("csv", "visits.csv"), ("yaml", "visits.yaml"), ("python", "check_trail.py")):
        (block,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        (folder / name).write_text(block, encoding="utf-8")


def as_now(command: str, printed: str) -> str:
    """A command with the review, the waiver and the anchor that were printed last, in place of those it shows."""
    for pattern in (_REVIEW, _WAIVER, _ANCHOR):
        known = pattern.findall(printed)
        if known:
            command = pattern.sub(known[-1], command)
    return command


def without_hashes(text: str) -> str:
    """Text with each hash as its place among those of the text."""
    places: dict[str, int] = {}
    return _HASH.sub(lambda found: f"hash {places.setdefault(found[0], len(places))}", text)


def test_the_page_prints_what_it_shows(shell: Shell, tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    write_files(text, tmp_path)
    written, printed = text, ""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        lines = []
        for shown in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
            command = as_now(shown, printed)
            out = "".join(f"{line.rstrip()}\n" for line in shell(command).splitlines())
            printed += out
            lines.append(f"$ {command}\n{out}")
        written = written.replace(f"```console\n{block}```", "```console\n" + "".join(lines) + "```", 1)
    if os.environ.get("WRITE_DOCS"):
        PAGE.write_text(written, encoding="utf-8")
    assert without_hashes(written) == without_hashes(text)
    assert set(_REVIEW.findall(written)) == set(_REVIEW.findall(text))


def test_a_trail_that_was_changed_fails_the_check_that_the_page_shows(shell: Shell, tmp_path: Path) -> None:
    write_files(PAGE.read_text(encoding="utf-8"), tmp_path)
    shell("review-graph run visits.csv --spec visits.yaml")
    shell("review-graph audit export trail.jsonl")
    assert shell("python check_trail.py trail.jsonl") == "2 entries follow from one another\n"
    trail = tmp_path / "trail.jsonl"
    trail.write_text(trail.read_text().replace('"actor": "ada"', '"actor": "bob"', 1))
    with pytest.raises(subprocess.CalledProcessError) as failed:
        shell("python check_trail.py trail.jsonl")
    assert "entry 1 is not what was written" in str(failed.value.stderr)


@pytest.mark.parametrize("path", re.findall(r"`(tests/[^`]*)`", PAGE.read_text(encoding="utf-8")))
def test_a_test_that_it_names_is_there(path: str) -> None:
    assert (PAGE.parents[1] / path).exists()
