"""The README shows real output: its commands are run, and what they print is what it shows.

    WRITE_README=1 pytest tests/e2e/test_readme.py

writes the output of this version into it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest
import yaml

from checks import codes, read_spec
from checks.registry import unregister
from review_graph.doors.cli.exits import Exit

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
HOME = "/home/ada/study"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "data", tmp_path / "data")
    return tmp_path


def test_the_session_prints_what_it_shows(study: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("REVIEW_GRAPH_")}
    environment |= {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    text = README.read_text(encoding="utf-8")
    identity, written = "adsl-ID", text
    for block in blocks("console"):
        lines = []
        for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
            real = re.sub(r"\badsl-(ID|[0-9a-f]{10})\b", identity, command)
            ran = subprocess.run(  # noqa: S602 - a shell, because the README is written for one
                real, shell=True, cwd=study, env=environment, capture_output=True, text=True, check=False
            )
            assert "Traceback" not in ran.stderr
            if found := re.search(r"\badsl-[0-9a-f]{10}\b", ran.stdout):
                identity = found.group()
            shown = steady(ran.stdout + ran.stderr, study)
            lines.append(f"$ {real}\n{shown}")
        written = written.replace(f"```console\n{block}```", "```console\n" + "".join(lines) + "```")
    if os.environ.get("WRITE_README"):
        README.write_text(written, encoding="utf-8")
    assert written == text


def steady(output: str, study: Path) -> str:
    """Output without what differs from run to run: the folder and the time."""
    output = output.replace(str(study.resolve()), HOME)
    output = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", "2026-11-30T09:12:44+00:00", output)
    output = re.sub(r"as of \d{4}-\d\d-\d\d", "as of 2026-11-30", output)
    return "".join(f"{line.rstrip()}\n" for line in output.splitlines())


def test_the_python_examples_run(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(study)
    printed = io.StringIO()
    module = types.ModuleType("readme")
    monkeypatch.setitem(sys.modules, "readme", module)
    try:
        with contextlib.redirect_stdout(printed):
            for block in blocks("python"):
                exec(compile(block, "README.md", "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - our own examples
    finally:
        unregister("ranges.negative_count")
    assert printed.getvalue().splitlines() == [
        "paused major ['structure.duplicate_key', 'ranges.outside_limits']",
        "major 2 of 3 rows: the key (USUBJID) occurs more than once, 1 group",
        "minor 1 of 3 rows: AGE is not 0 to 120, e.g. 130 in row 2",
        "paused ['structure.duplicate_column_name', 'structure.empty_table', 'structure.missing_column']",
        "True",
        "['1 of 3 rows: N_VISITS is negative, e.g. -1 in row 2']",
    ]


def test_the_spec_it_shows_is_a_spec(tmp_path: Path) -> None:
    (block,) = blocks("yaml")
    path = tmp_path / "visits.yaml"
    path.write_text(block, encoding="utf-8")
    loaded = read_spec(path, known_codes=codes())
    assert loaded.ignored == ()
    assert len(loaded.spec.fields) == len(yaml.safe_load(block)["fields"])


def test_every_exit_code_is_explained() -> None:
    table = README.read_text(encoding="utf-8").partition("| exit code |")[2].partition("\n\n")[0]
    explained = {
        int(code) for code in re.findall(r"\b\d+\b(?=[,\s|])", re.sub(r"\|[^|]*\|$", "|", table, flags=re.MULTILINE))
    }
    assert explained == {int(code) for code in Exit}
