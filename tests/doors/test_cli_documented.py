"""What can be typed is written down."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from review_graph.doors.cli.app import app

README = Path(__file__).parents[2] / "README.md"
COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_in_the_readme(command: str) -> None:
    assert f"review-graph {command}" in README.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [[], *[[command] for command in COMMANDS]], ids=["review-graph", *COMMANDS])
def test_help_says_what_it_is_for(command: list[str]) -> None:
    result = CliRunner().invoke(app, [*command, "--help"])
    assert result.exit_code == 0
    assert "Usage" in result.stdout
    assert len(result.stdout) > 200


def test_help_names_the_exit_codes() -> None:
    text = " ".join(CliRunner().invoke(app, ["--help"]).stdout.split())
    assert all(code in text for code in ("0 done", "1 findings", "2 wrong", "3 paused", "4 a check", "130", "143"))
