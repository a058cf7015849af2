"""The pages of `docs/` show real files and real output; this takes them out of the page and runs them.

A Python block begins with a comment that names its file. A console block holds commands and what they print.

    WRITE_DOCS=1 pytest tests/docs

writes what this version prints into the pages.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOME = "/home/ada/study"


@dataclass(frozen=True, kw_only=True)
class Block:
    """A block of code on a page."""

    language: str
    text: str

    @property
    def file(self) -> str:
        """The name of the file that a Python block is; empty when it does not say so."""
        named = re.match(r"# (\w+\.py)\n", self.text)
        return named.group(1) if named else ""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page of `docs/`."""

    path: Path

    @property
    def text(self) -> str:
        """All of it."""
        return self.path.read_text(encoding="utf-8")

    @property
    def blocks(self) -> list[Block]:
        """Its blocks of code, in order."""
        found = re.findall(r"^```(\w*)\n(.*?)^```$", self.text, re.DOTALL | re.MULTILINE)
        return [Block(language=language, text=text) for language, text in found]

    def write_files(self, folder: Path) -> list[Path]:
        """Write the files that the page shows."""
        paths = [folder / block.file for block in self.blocks if block.file]
        for block in self.blocks:
            if block.file:
                (folder / block.file).write_text(block.text, encoding="utf-8")
        return paths


@pytest.fixture
def page() -> Callable[[str], Page]:
    """Opens a page of `docs/` by its name."""
    return lambda name: Page(path=ROOT / "docs" / f"{name}.md")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A folder with the shipped data in it."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    return tmp_path


Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def shell(study: Path) -> Shell:
    """Runs a command line in the study's folder, as a reader of a page would."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("REVIEW_GRAPH_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"

    def run(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S602 - a shell, because the pages are written for one
            command,
            shell=True,
            cwd=study,
            env={**kept, "PATH": path, **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    return run


@pytest.fixture
def session(study: Path, shell: Shell) -> Callable[..., str]:
    """Runs the commands of a page, and returns the page with what they print now."""

    def run(page: Page, instead: Mapping[str, str] | None = None) -> str:
        for path in page.write_files(study):
            for there, here in (instead or {}).items():
                path.write_text(path.read_text(encoding="utf-8").replace(there, here), encoding="utf-8")
        written, ids = page.text, dict[str, str]()

        def present(shown: re.Match[str]) -> str:
            """The id that a dataset's review has now; the first of a page stands in for it until it is known."""
            return ids.get(shown[1], shown[0])

        for block in page.blocks:
            if block.language != "console":
                continue
            lines = []
            for command in re.findall(r"^\$ (.*)$", block.text, re.MULTILINE):
                real = re.sub(r"\b([a-z-]+)-(?:ID|[0-9a-f]{10})\b", present, command)
                ran = shell(real)
                assert "Traceback" not in ran.stderr, ran.stderr
                ids |= {found[:-11]: found for found in re.findall(r"\b[a-z-]+-[0-9a-f]{10}\b", ran.stdout)}
                lines.append(f"$ {real}\n{(ran.stdout + ran.stderr).replace(str(study.resolve()), HOME)}")
            written = written.replace(f"```console\n{block.text}```", "```console\n" + "".join(lines) + "```")
        return written

    return run
