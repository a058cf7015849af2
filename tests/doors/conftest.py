"""What tests of the command line share: commands in a folder of their own, and a review that waits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from review_graph.doors.cli.app import app

Cli = Callable[..., Any]


@pytest.fixture
def cli(tmp_path: Path, spec: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs a command in the test's folder, on the test's database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REVIEW_GRAPH_DB", "kept/reviews.sqlite")
    Path("spec.json").write_text(json.dumps(spec))

    def run(*arguments: str, **more: Any) -> Any:
        result = CliRunner().invoke(app, list(arguments), **more)
        assert "Traceback" not in result.stdout + result.stderr, result.stderr
        return result

    return run


@pytest.fixture
def plain(cli: Cli) -> Cli:
    """Runs a command that succeeds and prints JSON."""

    def run(*arguments: str) -> Any:
        result = cli(*arguments, "--format", "json")
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    return run


@pytest.fixture
def reviewed(cli: Cli, table: Callable[..., Path]) -> Cli:
    """Reviews a small table, and returns the review as plain data."""

    def run(kind: str, name: str | None = None, *options: str, **columns: Any) -> Any:
        path = table(kind, name, **columns)
        result = cli("run", path.name, "--spec", "spec.json", "--format", "json", *options)
        assert result.exit_code in (0, 3), result.stderr
        return json.loads(result.stdout)["reviews"][0]

    return run


@pytest.fixture
def paused(reviewed: Cli) -> Any:
    """A review that waits: a key that occurs twice, and a number that is out of its limits."""
    return reviewed("major")


@pytest.fixture
def refused(cli: Cli) -> Cli:
    """Runs a command that is refused: exit code 2, nothing on stdout, and returns what it says."""

    def run(*arguments: str) -> str:
        result = cli(*arguments)
        assert (result.exit_code, result.stdout) == (2, ""), result.stderr
        return " ".join(result.stderr.split())

    return run
