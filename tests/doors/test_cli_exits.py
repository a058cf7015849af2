"""Exit codes, and which stream says what."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from checks import Examination, Fact, Severity, check
from checks.registry import unregister
from review_graph.adapters.store import place_of
from review_graph.adapters.store.facade import SqlStore
from review_graph.doors.cli.app import app
from review_graph.gate import system_clock
from review_graph.ports import Entry, Located
from tests.conftest import TABLES

Table = Callable[..., Path]


@pytest.fixture
def cli(tmp_path: Path, spec: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs a command in the test's folder, on the test's database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REVIEW_GRAPH_DB", str(tmp_path / "kept" / "reviews.sqlite"))
    Path("spec.json").write_text(json.dumps(spec))

    def run(*arguments: str) -> Any:
        result = CliRunner().invoke(app, list(arguments))
        assert "Traceback" not in result.stdout + result.stderr, result.stderr
        return result

    return run


@pytest.fixture
def run(cli: Callable[..., Any], table: Table) -> Callable[..., Any]:
    """Runs the datasets of the given kinds."""

    def run(kinds: str, *options: str) -> Any:
        paths = [table(kind).name if kind in TABLES else kind for kind in kinds.split()]
        return cli("run", *paths, "--spec", "spec.json", *options)

    return run


@pytest.mark.parametrize(
    ("kinds", "options", "code"),
    [
        pytest.param("clean", "", 0, id="clean"),
        pytest.param("minor", "", 0, id="findings without fail-on"),
        pytest.param("minor", "--fail-on major", 0, id="minor below fail-on"),
        pytest.param("minor", "--fail-on minor", 1, id="minor at fail-on"),
        pytest.param("clean", "--fail-on minor", 0, id="clean with fail-on"),
        pytest.param("three-minor", "--on-pause ok --fail-on major", 1, id="three minor make a major review"),
        pytest.param("major", "", 3, id="paused"),
        pytest.param("major", "--on-pause fail", 3, id="paused, fail"),
        pytest.param("major", "--on-pause ok", 0, id="paused, ok"),
        pytest.param("major", "--on-pause ok --fail-on major", 1, id="paused, ok, fail-on"),
        pytest.param("minor major", "--fail-on minor", 3, id="paused before findings"),
        pytest.param("clean major minor", "", 3, id="one of three paused"),
        pytest.param("missing.csv", "", 2, id="missing path"),
        pytest.param("missing.csv major", "--fail-on minor", 2, id="missing before paused"),
        pytest.param("broken.parquet clean", "", 2, id="broken file"),
        pytest.param("clean", "--on-pause never", 2, id="unknown on-pause"),
        pytest.param("clean", "--fail-on none", 2, id="unknown fail-on"),
        pytest.param("clean", "--format yaml", 2, id="unknown format"),
        pytest.param("clean", "--colour", 2, id="unknown option"),
        pytest.param("", "", 2, id="no path"),
    ],
)
def test_exit_code_of_a_run(run: Callable[..., Any], tmp_path: Path, kinds: str, options: str, code: int) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 this is none")
    assert run(kinds, *options.split()).exit_code == code


def test_exit_code_is_the_same_when_the_review_is_found_again(run: Callable[..., Any]) -> None:
    first, second = (run("major minor") for _ in range(2))
    assert (first.exit_code, second.exit_code) == (3, 3)
    assert first.stdout == second.stdout


@pytest.fixture
def crashing_check() -> Iterator[None]:
    def crash(_examination: Examination) -> Fact:
        """Crash."""
        raise ZeroDivisionError

    crash.__annotations__ = {"_examination": Examination, "return": Fact}
    check("structure.crashes_in_a_test", severity=Severity.MINOR)(crash)
    yield
    unregister("structure.crashes_in_a_test")


@pytest.mark.parametrize(
    ("kinds", "options", "code"),
    [
        pytest.param("clean", "", 4, id="errored"),
        pytest.param("minor", "--fail-on minor", 4, id="errored before findings"),
        pytest.param("major", "", 3, id="paused before errored"),
        pytest.param("major", "--on-pause ok", 4, id="errored, pause is fine"),
        pytest.param("clean missing.csv", "", 2, id="missing before errored"),
    ],
)
@pytest.mark.usefixtures("crashing_check")
def test_exit_code_when_a_check_crashed(run: Callable[..., Any], kinds: str, options: str, code: int) -> None:
    assert run(kinds, *options.split()).exit_code == code


def test_run_whose_review_is_in_other_hands_is_not_done(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SqlStore, "__init__", partialmethod(SqlStore.__init__, wait_s=0.1))
    identity = json.loads(run("major", "--format", "json", "--db", "other.sqlite").stdout)["reviews"][0]["id"]
    store = SqlStore(place_of(str(tmp_path / "kept" / "reviews.sqlite")), system_clock)
    located = Located(name="major", uri="major.parquet", fingerprint="f" * 64)
    store.add(Entry(id=identity, located=located, spec_digest="s" * 64, attempt=1, created_at=""))
    with store.claim(identity, "somebody elsewhere") as mine:
        assert mine
        result = run("major")
        mine.demand()
    store.close()
    assert result.exit_code != 0, result.stdout


def test_bad_files_get_a_line_each_and_the_others_are_reviewed(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 this is none")
    (tmp_path / "notes.docx").write_bytes(b"x")
    result = run("broken.parquet missing.csv clean notes.docx minor", "--format", "json")
    reviews = {review["dataset"]["name"]: review["status"] for review in json.loads(result.stdout)["reviews"]}
    assert reviews == {"broken": "failed", "clean": "summarised", "notes": "failed", "minor": "summarised"}
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert len(lines) == 3
    for name in ("broken.parquet", "missing.csv", "notes.docx"):
        assert sum(name in line for line in lines) == 1, lines


def test_folder_is_reviewed_and_what_is_skipped_is_said(cli: Callable[..., Any], table: Table, tmp_path: Path) -> None:
    table("clean", "study/clean")
    (tmp_path / "study" / "readme.txt").write_text("no table")
    result = cli("run", "study")
    assert result.exit_code == 0
    assert "readme.txt" in result.stderr
    assert cli("run", "study", "--quiet").stderr == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param("frobnicate", "No such command", id="unknown command"),
        pytest.param("show nothing-0000000000", "there is no database", id="unknown review"),
        pytest.param("resume nothing-0000000000", "there is no database", id="resume of an unknown review"),
        pytest.param(
            "decide nothing-0 --action confirm --by A --reason b", "there is no database", id="unknown decided"
        ),
        pytest.param("decide nothing-0", "Missing option", id="decide without anything"),
        pytest.param("checks --family colours", "unknown family", id="unknown family"),
        pytest.param("run clean.parquet --db folder", "folder", id="database that is a folder"),
        pytest.param("run clean.parquet --db text.sqlite", "not a SQLite database", id="database that is text"),
        pytest.param("run clean.parquet --db damaged.sqlite", "damaged.sqlite", id="database that is damaged"),
        pytest.param("run clean.parquet --db text.sqlite/x.sqlite", "text.sqlite", id="database below a file"),
        pytest.param("run clean.parquet --db mysql://x/y", "kind mysql", id="another kind of database"),
        pytest.param("run clean.parquet --db :memory:", "names no database", id="database in memory"),
        pytest.param("list --db text.sqlite", "not a SQLite database", id="list of a text"),
        pytest.param("run clean.parquet --out text.sqlite", "text.sqlite", id="output folder that is a file"),
    ],
)
def test_wrong_usage_and_set_up_end_with_2_and_say_why(
    cli: Callable[..., Any], table: Table, tmp_path: Path, arguments: str, says: str
) -> None:
    table("clean")
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.sqlite").write_text("this is no database, however long it may be")
    (tmp_path / "damaged.sqlite").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    result = cli(*arguments.split())
    assert result.exit_code == 2, result.stderr
    assert says in " ".join(result.stderr.split())
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("file", "says"),
    [
        pytest.param("nowhere.yaml", "nowhere.yaml: no such file", id="not there"),
        pytest.param("bad.yaml", "bad.yaml:2: not YAML", id="no YAML"),
        pytest.param("wrong.yaml", "wrong.yaml:3: policy.majorAt", id="wrong"),
        pytest.param("binary.yaml", "binary.yaml: not UTF-8", id="no text"),
        pytest.param(".", "is a folder", id="folder"),
    ],
)
def test_wrong_spec_ends_with_2_and_says_where(
    cli: Callable[..., Any], table: Table, tmp_path: Path, file: str, says: str
) -> None:
    table("clean")
    (tmp_path / "bad.yaml").write_text("fields: [\n")
    (tmp_path / "wrong.yaml").write_text("fields:\n  - {name: ID}\npolicy: {majorAt: zero}\n")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00\x01")
    result = cli("run", "clean.parquet", "--spec", file)
    assert result.exit_code == 2
    assert says in result.stderr
    assert "summarised" not in result.stdout


def test_readonly_folder_for_the_database_is_said(elsewhere: Callable[..., Any], table: Table, tmp_path: Path) -> None:
    import os

    if os.geteuid() == 0:
        folder = "/proc/review-graph"  # nobody can write there, not even root
    else:
        (tmp_path / "closed").mkdir(mode=0o555)
        folder = str(tmp_path / "closed")
    table("clean")
    result = elsewhere("-m", "review_graph", "run", "clean.parquet", "--db", f"{folder}/reviews.sqlite")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert "cannot use the database" in result.stderr


DECISIONS: dict[str, tuple[str, int, str]] = {
    "confirm": ("--action confirm --by Ada --reason seen", 0, "escalated"),
    "override": ("--action override --severity minor --by Ada --reason seen", 0, "summarised"),
    "blank name": ("--action confirm --by - --reason seen", 2, "needs a name"),
    "unknown action": ("--action assent --by Ada --reason seen", 2, "unknown action"),
    "unknown severity": ("--action override --severity low --by Ada --reason seen", 2, "needs a severity"),
    "unknown finding": ("--action dismiss --finding x --by Ada --reason seen", 2, "no finding"),
}


@pytest.mark.parametrize(("arguments", "code", "says"), list(DECISIONS.values()), ids=list(DECISIONS))
def test_decide(run: Callable[..., Any], cli: Callable[..., Any], arguments: str, code: int, says: str) -> None:
    identity = json.loads(run("major", "--format", "json").stdout)["reviews"][0]["id"]
    result = cli("decide", identity, *arguments.split())
    assert result.exit_code == code
    assert says in (result.stdout if code == 0 else result.stderr)
    assert (result.stdout == "") is (code != 0)
    after = json.loads(cli("show", identity, "--format", "json").stdout)
    assert (after["status"] == "paused") is (code != 0)


def test_second_decision_shows_the_first(run: Callable[..., Any], cli: Callable[..., Any]) -> None:
    identity = json.loads(run("major", "--format", "json").stdout)["reviews"][0]["id"]
    assert cli("decide", identity, *DECISIONS["confirm"][0].split()).exit_code == 0
    second = cli("decide", identity, *DECISIONS["override"][0].replace("Ada", "Bob").split())
    assert (second.exit_code, second.stdout) == (2, "")
    assert "Ada recorded confirm" in second.stderr


@pytest.mark.parametrize(("kind", "code"), [("clean", 0), ("major", 3)])
def test_resume_and_show(run: Callable[..., Any], cli: Callable[..., Any], kind: str, code: int) -> None:
    identity = json.loads(run(kind, "--format", "json").stdout)["reviews"][0]["id"]
    assert cli("resume", identity).exit_code == code
    assert cli("show", identity).exit_code == 0


def test_list_of_nothing(cli: Callable[..., Any]) -> None:
    result = cli("list", "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)["reviews"]) == (0, [])
    assert cli("list").exit_code == 0


def test_bug_of_ours_is_one_line_and_70(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from review_graph import ReviewService

    def broken(*_arguments: object, **_named: object) -> None:
        raise AssertionError("out\nof order")

    monkeypatch.setattr(ReviewService, "start", broken)
    result = run("clean")
    assert (result.exit_code, result.stdout) == (70, "")
    assert "bug of review-graph" in result.stderr
