"""`--format` and `--output` of run and show: what is written where, and what is refused before anything is reviewed."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from review_graph.doors.cli.app import app
from review_graph.reports import NAMES

Cli = Callable[..., Any]


@pytest.fixture
def cli(tmp_path: Path, spec: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs commands in a folder of the test's own, with a spec."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REVIEW_GRAPH_DB", "kept/reviews.sqlite")
    Path("spec.json").write_text(json.dumps(spec))
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def outputs(*names: str) -> list[str]:
    return [part for name in names for part in ("--output", f"{name}:out/deep/report.{name}")]


@pytest.mark.parametrize("name", NAMES)
def test_file_and_stdout_hold_the_same(name: str, cli: Cli, table: Callable[..., Path]) -> None:
    path = str(table("minor", A=[1, 2, 33]))
    ran = cli("run", path, str(table("clean")), "--spec", "spec.json", "--format", name, *outputs(name))
    assert ran.exit_code == 0, ran.stderr
    assert Path(f"out/deep/report.{name}").read_bytes() == ran.stdout_bytes
    identity = json.loads(cli("list", "--format", "json").stdout)["reviews"][0]["id"]
    shown = cli("show", identity, "--format", name, *outputs(name))
    assert shown.exit_code == 0, shown.stderr
    assert Path(f"out/deep/report.{name}").read_bytes() == shown.stdout_bytes
    assert sorted(path.name for path in Path("out/deep").iterdir()) == [f"report.{name}"]


def test_all_at_once_beside_the_table(cli: Cli, table: Callable[..., Path]) -> None:
    ran = cli("run", str(table("minor")), "--spec", "spec.json", *outputs(*NAMES))
    assert ran.exit_code == 0, ran.stderr
    assert "1 review: 1 summarised" in ran.stdout
    assert {path.suffix for path in Path("out/deep").iterdir()} == {f".{name}" for name in NAMES}


def test_offending_rows_come_from_the_file_that_keeps_them_all(cli: Cli, table: Callable[..., Path]) -> None:
    path = table("many", ID=[f"S-{n}" for n in range(50)], A=[99] * 50)
    ran = cli("run", str(path), "--spec", "spec.json", "--format", "parquet")
    assert ran.exit_code == 0, ran.stderr
    frame = pl.read_parquet(io.BytesIO(ran.stdout_bytes)).filter(pl.col("code") == "ranges.outside_limits")
    assert (frame.height, frame["A"].unique().to_list(), frame["ID"][49]) == (50, ["99"], "S-49")


def test_rows_that_are_gone_are_an_error_and_the_other_reports_are_written(
    cli: Cli, table: Callable[..., Path]
) -> None:
    path = table("many", ID=[f"S-{n}" for n in range(50)], A=[99] * 50)
    assert cli("run", str(path), "--spec", "spec.json").exit_code == 0
    for file in Path("kept/reviews").rglob("*.parquet"):
        file.unlink()
    ran = cli("run", str(path), "--spec", "spec.json", *outputs("csv", "html"))
    assert ran.exit_code == 2
    assert "cannot read the offending rows" in ran.stderr
    assert [path.name for path in Path("out/deep").iterdir()] == ["report.html"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["word:x.doc"], "'word:x.doc' is not FMT:PATH with one of the formats json, ndjson"),
        (["table:x.txt"], "'table:x.txt' is not FMT:PATH"),
        (["html"], "'html' is not FMT:PATH"),
        (["html:"], "'html:' is not FMT:PATH"),
        (["html:a\0b"], "is not FMT:PATH"),
        (["html:" + "x" * 300], "File name too long"),
        (["html:."], "it exists and is no file"),
        (["html:/dev/null"], "it exists and is no file"),
        (["html:spec.json/x.html"], "spec.json is no folder"),
        (["html:x", "csv:./x"], "x twice"),
        (["json:spec.json"], "would write over spec.json"),
        (["csv:minor.parquet"], "minor.parquet, which is read"),
        (["csv:link.csv"], "minor.parquet, which is read"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_cannot_be_written_is_refused_before_anything_is_reviewed(
    given: list[str], says: str, cli: Cli, table: Callable[..., Path]
) -> None:
    path = table("minor")
    before = path.read_bytes()
    Path("link.csv").symlink_to(path)
    ran = cli("run", str(path), "--spec", "spec.json", *[part for text in given for part in ("--output", text)])
    assert ran.exit_code == 2, ran.stderr
    assert says in ran.stderr
    assert ran.stdout == ""
    assert path.read_bytes() == before
    assert not list(Path("kept").rglob("*.parquet"))
    assert json.loads(cli("list", "--format", "json").stdout)["reviews"] == []


def test_folder_that_is_not_writable_is_refused(
    cli: Cli, table: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table("minor")
    monkeypatch.setattr(os, "access", lambda _, mode: not mode & os.W_OK)  # root may everything
    ran = cli("run", str(path), "--spec", "spec.json", *outputs("html"))
    assert ran.exit_code == 2
    assert "is not writable; give --output another path" in ran.stderr
    assert not Path("out").exists()


def test_file_that_fails_on_the_way_leaves_the_old_one_and_nothing_else(
    cli: Cli, table: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table("minor")
    Path("old.html").write_text("old")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    cli("run", str(path), "--spec", "spec.json")
    monkeypatch.setattr(Path, "write_bytes", full)
    before = sorted(Path().iterdir())
    ran = cli("run", str(path), "--spec", "spec.json", "--output", "html:old.html", "--format", "json")
    assert ran.exit_code == 2
    assert "No space left on device; give --output another path" in ran.stderr
    assert json.loads(ran.stdout)["totals"]["reviews"] == 1
    assert Path("old.html").read_text() == "old"
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize("command", ["run", "show"])
def test_workbook_is_not_for_a_terminal(
    command: str, cli: Cli, table: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    table("minor")
    monkeypatch.setattr("review_graph.doors.cli.options._is_terminal", lambda: True)
    ran = cli(command, "minor.parquet", "--format", "xlsx")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "give --output xlsx:PATH" in ran.stderr


def test_home_folder_is_found_after_the_colon(
    cli: Cli, table: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cli("run", str(table("clean")), "--output", "md:~/report.md").exit_code == 0
    assert (tmp_path / "home" / "report.md").exists()


def test_terminal_that_knows_only_ascii_gets_the_bytes_of_the_file(
    elsewhere: Callable[..., Any], tmp_path: Path
) -> None:
    pl.DataFrame({"USUBJID": ["é", "漢", "漢"], "AGE": [1, 2, 200]}).write_parquet(tmp_path / "漢.parquet")
    arguments = ("-m", "review_graph", "run", ".", "--db", "db.sqlite", "--on-pause", "ok", "--output", "html:o.html")
    result = elsewhere(*arguments, "--format", "html", PYTHONIOENCODING="ascii", PYTHONUTF8="1")
    assert result.returncode == 0, result.stderr
    assert result.stdout == (tmp_path / "o.html").read_text(encoding="utf-8")
    assert "漢" in result.stdout
