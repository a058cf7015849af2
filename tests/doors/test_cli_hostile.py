"""What stands in the data, in column names and in file names is shown and never acted on."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from review_graph.doors.cli.app import app

ESCAPE, C1 = "\x1b[31mred\x1b[0m", "\x9b31mred"
HOSTILE: dict[str, str] = {
    "markup": "[bold red]alert[/bold red]",
    "link": "[link=http://example.invalid]click[/link]",
    "script": "<script>alert(1)<!--",
    "escape": ESCAPE,
    "c1": C1,
    "title": "\x1b]0;owned\x07",
    "newline": "one\ntwo\r\nthree",
    "formula": '=HYPERLINK("http://example.invalid","x")',
    "at": "@SUM(A1)",
    "plus": "+1+1",
    "minus": "-1+1",
    "tab": "\t=1+1",
    "markdown": "](http://example.invalid) **bold** `code` # h | a",
    "turned": "abc\u202e\u2066cba",
    "backspace": "a\b\b\bxyz",
}
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def dangerous(text: str) -> set[str]:
    """Control and format characters in what is printed, but for the line breaks of the output itself."""
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"}


def unanchored(report: str) -> str:
    """A report without its last line: where the audit trail stood, which each act moves on."""
    return report.rpartition("Audit trail: ")[0]


@pytest.fixture(params=["values", "names"])
def hostile(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A table whose values or column names are hostile, each in a finding; its file's name is hostile too."""
    if request.param == "values":
        data: dict[str, list[Any]] = {"ID": [*HOSTILE.values(), "[red]twice", "[red]twice"]}
        data |= {"A": [*HOSTILE.values(), "x", "y"]}
        fields: list[dict[str, Any]] = [{"name": "ID"}, {"name": "A", "constraints": {"enum": ["never"]}}]
    else:
        data = {"ID": ["S-1", "S-1"], **{value: ["x", "y"] for value in HOSTILE.values()}}
        fields = [{"name": "ID"}]
        fields += [{"name": value, "constraints": {"enum": ["never"]}} for value in HOSTILE.values()]
    name = "=x[red]<script>\x1b[31m\x9b\n|`*.parquet"
    pl.DataFrame(data).write_parquet(tmp_path / "plain.parquet")
    (tmp_path / "plain.parquet").rename(tmp_path / name)
    spec = {"name": "[red]spec\x1b[0m", "fieldsMatch": "subset", "primaryKey": ["ID"], "fields": fields}
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    return name


def test_hostile_text_is_shown_and_never_acted_on(
    hostile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REVIEW_GRAPH_DB", "reviews.sqlite")

    def cli(*arguments: str) -> Any:
        return CliRunner().invoke(app, list(arguments))

    first = cli("run", hostile, "--spec", "spec.json", "--format", "json")
    assert first.exit_code == 3, first.stderr
    (review,) = json.loads(first.stdout)["reviews"]
    assert len(review["findings"]) >= 2
    assert re.fullmatch(r"[a-z0-9-]+", review["id"])

    decision = ("--action", "confirm", "--by", "=Ada[red]", "--reason", "@see <script>")
    decided = cli("decide", review["id"], *decision, "--format", "json")
    assert decided.exit_code == 0, decided.stderr
    ended = json.loads(decided.stdout)

    printed = {
        "json": first.stdout,
        "decided": decided.stdout,
        "table": cli("run", hostile, "--spec", "spec.json").stdout,
        "list": cli("list").stdout,
        "show": cli("show", review["id"]).stdout,
        "markdown": cli("show", review["id"], "--format", "md").stdout,
        "stderr": first.stderr + decided.stderr,
        "report": Path(tmp_path / ended["report"]).read_text(encoding="utf-8"),
        "queries": Path(tmp_path / ended["queries"]).read_text(encoding="utf-8"),
    }
    for where, text in printed.items():
        assert dangerous(text) == set(), where

    assert "[red]" in printed["show"]  # markup is printed as it is and colours nothing
    assert unanchored(printed["markdown"]) == unanchored(printed["report"])
    for where in ("markdown", "report"):
        text = re.sub(r"(?<!\\)`[^`]*`", "", printed[where])  # code is shown as it is
        assert "`" not in text.replace("\\`", ""), where
        assert not re.search(r"(?<!\\)<script", text), where
        assert not re.search(r"(?<!\\)\]\(http", text), where
        lines = unanchored(printed[where]).splitlines()
        assert all(line == "" or line.startswith(("# ", "## ", "- ")) for line in lines), where

    rows = list(csv.reader(io.StringIO(printed["queries"])))
    assert len(rows) == 1 + len(review["findings"])
    assert not [cell for row in rows for cell in row if cell.startswith(FORMULA)]


@pytest.mark.parametrize("output_format", ["table", "md", "json"])
def test_hostile_text_around_the_gate_is_shown_and_never_acted_on(
    hostile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output_format: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REVIEW_GRAPH_DB", "reviews.sqlite")
    texts: list[str] = []

    def cli(*arguments: str) -> None:
        ran = CliRunner().invoke(app, [*arguments, "--format", output_format])
        assert ran.exit_code in (0, 3), ran.stderr
        texts.extend((ran.stdout, ran.stderr))

    ran = CliRunner().invoke(app, ["run", hostile, "--spec", "spec.json", "--format", "json"])
    (review,) = json.loads(ran.stdout)["reviews"]
    who = ("--by", "=Ada[red]|`", "--role", "[bold]@lead", "--reason", "](http://example.invalid) <script>")
    scope = ("--dataset", review["dataset"]["name"], "--code", "=x[red]", "--key", f"{ESCAPE}={C1}|\n")
    cli("waivers", "add", *scope, "--column", ESCAPE, "--expires", "2999-01-01", "--reason-code", "other", *who)
    cli("waivers", "list")
    cli("draft", "add", review["id"], "--action", "comment", "--meaning", "[red]`|", *who)
    cli("draft", "show", review["id"], "--by", "=Ada[red]|`")
    cli("decide", review["id"], "--action", "comment", "--dry-run", *who)
    cli("assign", review["id"], "=Bob[red]<script>", "--by", "=Ada[red]|`")
    cli("draft", "submit", review["id"], "--by", "=Ada[red]|`")
    cli("run", hostile, "--spec", "spec.json", "--fresh")
    cli("diff", f"{review['id']}-2")
    cli("list")
    cli("audit", "show")
    for text in texts:
        assert dangerous(text) == set()
        if output_format == "md":
            plain = re.sub(r"(?<!\\)`[^`]*`", "", text)
            assert not re.search(r"(?<!\\)<script|(?<!\\)\]\(http", plain)
    if output_format == "table":
        assert "[red]" in "".join(texts)


def test_name_that_is_no_text_is_refused_and_the_others_are_reviewed(
    elsewhere: Callable[..., Any], tmp_path: Path
) -> None:
    pl.DataFrame({"A": [1, 2]}).write_parquet(tmp_path / "fine.parquet")
    pl.DataFrame({"A": [1, 2]}).write_parquet(tmp_path / "x.parquet")
    (tmp_path / "x.parquet").rename(tmp_path / "caf\udce9.parquet")  # Latin-1 bytes, as old archives have them
    result = elsewhere("-m", "review_graph", "run", ".", "--db", "db.sqlite")
    assert (result.returncode, "Traceback" in result.stderr) == (2, False), result.stderr
    assert "caf" in result.stderr
    assert "rename the file" in result.stderr
    assert "fine" in result.stdout


@pytest.mark.parametrize("output_format", ["table", "json", "md"])
def test_terminal_that_cannot_show_everything_gets_what_it_can(
    elsewhere: Callable[..., Any], tmp_path: Path, output_format: str
) -> None:
    pl.DataFrame({"USUBJID": ["é", "漢", "漢"], "AGE": [1, 2, 200]}).write_parquet(tmp_path / "漢.parquet")
    arguments = ("-m", "review_graph", "run", ".", "--db", "db.sqlite", "--on-pause", "ok", "--format", output_format)
    result = elsewhere(*arguments, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (result.returncode, "Traceback" in result.stderr) == (0, False), result.stderr
    assert "200" in result.stdout
