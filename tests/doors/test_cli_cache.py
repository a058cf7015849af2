"""`review-graph cache` shows and clears the copies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from review_graph.doors.cli.app import app


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("A\n1\n2\n", encoding="utf-8")
    runner = CliRunner()
    assert runner.invoke(app, ["run", "t.csv"]).exit_code == 0
    return runner


def test_copies_are_listed_with_their_source_and_size(run: CliRunner) -> None:
    shown = json.loads(run.invoke(app, ["cache", "show", "--format", "json"]).stdout)
    (entry,) = shown["entries"]
    assert (entry["source"], shown["bytes"]) == ("t.csv", entry["bytes"])
    assert "t.csv" in run.invoke(app, ["cache", "show"]).stdout


def test_clearing_asks_first_and_a_file_is_decoded_again(run: CliRunner) -> None:
    assert run.invoke(app, ["cache", "clear"], input="n\n").exit_code == 1
    assert len(json.loads(run.invoke(app, ["cache", "show", "--format", "json"]).stdout)["entries"]) == 1
    assert "deleted 1 copies" in run.invoke(app, ["cache", "clear", "--yes"]).stdout
    assert json.loads(run.invoke(app, ["cache", "show", "--format", "json"]).stdout)["entries"] == []
    assert run.invoke(app, ["run", "t.csv", "--fresh"]).exit_code == 0
