"""`review-graph audit`: shown, verified, exported; and what leaves is put down."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]

DATABASE = "kept/reviews.sqlite"


def meddle(*statements: str) -> None:
    """Change the database as somebody who may alter it would: without the triggers."""
    with closing(sqlite3.connect(DATABASE)) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def decided(paused: Any, cli: Cli) -> str:
    """Id of a review that was confirmed."""
    who = ("--by", "Ada", "--role", "data manager", "--reason", "seen")
    assert cli("decide", paused["id"], "--action", "confirm", *who).exit_code == 0
    return str(paused["id"])


def actions(plain: Cli, *arguments: str) -> list[str]:
    return [entry["action"] for entry in plain("audit", "show", *arguments)["entries"]]


def test_who_did_what_newest_last(decided: str, reviewed: Cli, cli: Cli, plain: Cli) -> None:
    reviewed("minor")
    of_one = actions(plain, decided)
    assert of_one[:3] == ["review_started", "review_paused", "decided"]
    assert of_one[-1] == "review_finished"
    assert len(actions(plain)) == len(of_one) + 2
    printed = cli("audit", "show", decided).stdout
    assert "Ada (data manager)" in printed
    assert "paused" in printed
    numbers = [int(line.split()[0]) for line in printed.splitlines() if line[:1].isdigit() and "of" not in line]
    assert numbers == sorted(numbers)
    assert "| Ada (data manager) |" in cli("audit", "show", "--format", "md").stdout


def test_a_cut_list_says_of_how_many(decided: str, cli: Cli, plain: Cli) -> None:
    total = len(actions(plain))
    assert f"2 of {total} entries; {total - 2} earlier ones are left out" in cli("audit", "show", "--limit", "2").stdout
    shown = plain("audit", "show", decided, "--limit", "1")
    assert ([entry["number"] for entry in shown["entries"]], shown["total"]) == ([total], total)
    assert cli("audit", "show", "--limit", "0").stdout.startswith(f"{total} of {total} entries\n")


@pytest.mark.usefixtures("decided")
def test_whole_with_and_without_anchor(cli: Cli, plain: Cli) -> None:
    last = plain("audit", "show")["entries"][-1]
    verified = cli("audit", "verify")
    assert verified.exit_code == 0
    assert "the audit trail is whole" in verified.stdout
    assert "without --anchor nobody can see" in verified.stdout
    anchor = f"{last['number']}:{last['hash']}"
    with_anchor = cli("audit", "verify", "--anchor", anchor)
    assert with_anchor.exit_code == 0
    assert "without --anchor" not in with_anchor.stdout
    assert plain("audit", "verify", "--anchor", anchor) == {
        "schema_version": 1,
        "whole": True,
        "fault": None,
        "end": anchor,
        "anchor": anchor,
    }


@pytest.mark.parametrize(
    ("statement", "kind", "number"),
    [
        pytest.param("UPDATE audit SET actor = 'Bob' WHERE number = 3", "changed", 3, id="changed"),
        pytest.param("DELETE FROM audit WHERE number = 2", "removed", 2, id="removed"),
        pytest.param("DELETE FROM audit WHERE number > 3", "cut", 4, id="cut"),
        pytest.param(
            "UPDATE decisions SET record = replace(record, 'seen', 'fine')", "decision", 3, id="edited decision"
        ),
    ],
)
@pytest.mark.usefixtures("decided")
def test_a_fault_is_named_and_ends_with_1(cli: Cli, plain: Cli, statement: str, kind: str, number: int) -> None:
    last = plain("audit", "show")["entries"][-1]
    meddle(statement)
    anchored = ("audit", "verify", "--anchor", f"{last['number']}:{last['hash']}")
    told = cli(*anchored, "--format", "json")
    assert told.exit_code == 1
    fault = json.loads(told.stdout)["fault"]
    assert (fault["kind"], fault["number"]) == (kind, number)
    printed = cli(*anchored)
    assert (printed.exit_code, printed.stdout.startswith("the audit trail is NOT whole: ")) == (1, True)
    assert fault["message"] in printed.stdout


@pytest.mark.usefixtures("decided")
def test_a_tail_that_was_cut_shows_only_by_an_anchor_when_rows_were_made_to_fit(cli: Cli) -> None:
    meddle("DELETE FROM audit WHERE number > 3", "DELETE FROM decisions WHERE number > 1")
    seen = cli("audit", "verify")
    assert (seen.exit_code, "or the end of the trail cut off" in seen.stdout + seen.stderr) == (1, True)
    meddle("UPDATE reviews SET status = 'paused'")
    unseen = cli("audit", "verify")
    assert (unseen.exit_code, "without --anchor nobody can see" in unseen.stdout) == (0, True)


def test_the_anchor_that_show_prints_is_one(decided: str, cli: Cli) -> None:
    command = cli("show", decided).stdout.rstrip().rpartition("`review-graph ")[2].partition("`")[0]
    assert cli(*command.split()).exit_code == 0


@pytest.mark.parametrize("anchor", ["7", "x:" + "0" * 64, "7:abc", "7:" + "g" * 64, "-1:" + "0" * 64])
def test_what_is_no_anchor_is_refused(paused: Any, refused: Cli, anchor: str) -> None:
    assert paused["status"] == "paused"
    assert "is not N:HASH" in refused("audit", "verify", "--anchor", anchor)


@pytest.mark.usefixtures("decided")
def test_exported_as_lines_that_anybody_can_check(cli: Cli, plain: Cli) -> None:
    exported = cli("audit", "export", "out/trail.jsonl")
    assert exported.exit_code == 0, exported.stderr
    lines = [json.loads(line) for line in Path("out/trail.jsonl").read_text(encoding="ascii").splitlines()]
    entries = plain("audit", "show", "--limit", "0")["entries"]
    assert lines == entries[:-1]
    assert (entries[-1]["action"], entries[-1]["detail"]["entries"]) == ("exported", len(lines))
    assert f"wrote {len(lines)} of {len(lines)} entries" in exported.stdout
    assert [path.name for path in Path("out").iterdir()] == ["trail.jsonl"]


@pytest.mark.parametrize("path", [DATABASE, f"{DATABASE}-wal", "kept/../kept/reviews.sqlite"])
@pytest.mark.usefixtures("decided")
def test_the_database_is_not_written_over(refused: Cli, cli: Cli, path: str) -> None:
    assert "is the database itself" in refused("audit", "export", path)
    assert cli("audit", "verify").exit_code == 0


@pytest.mark.usefixtures("decided")
def test_an_export_that_fails_leaves_nothing(refused: Cli) -> None:
    assert "cannot write spec.json/trail.jsonl" in refused("audit", "export", "spec.json/trail.jsonl")
    assert "cannot write kept" in refused("audit", "export", "kept")
    assert not [path for path in Path("kept").iterdir() if path.name.startswith(".")]


def test_unknown_review_and_no_database(paused: Any, refused: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert paused["status"] == "paused"
    assert "no review has the id 'nothing-0'" in refused("audit", "show", "nothing-0")
    monkeypatch.setenv("REVIEW_GRAPH_DB", "elsewhere.sqlite")
    for command in (("show",), ("verify",), ("export", "x.jsonl")):
        assert "there is no database" in refused("audit", *command)
    assert not Path("elsewhere.sqlite").exists()


def test_who_looked_and_what_left_is_put_down(paused: Any, reviewed: Cli, cli: Cli, plain: Cli) -> None:
    identity = paused["id"]
    shown = cli("show", identity, "--by", "Ada", "--output", "html:a.html", "--output", "csv:a.csv")
    assert shown.exit_code == 0, shown.stderr
    entries = plain("audit", "show", identity)["entries"][2:]
    assert [(entry["actor"], entry["action"], entry["detail"].get("format")) for entry in entries] == [
        ("Ada", "inspected", None),
        ("Ada", "exported", "html"),
        ("Ada", "exported", "csv"),
    ]
    ended = reviewed("minor", None, "--output", "md:b.md")
    assert actions(plain, ended["id"])[-1] == "exported"
    assert actions(plain, identity)[-1] == "exported"


def test_nothing_is_put_down_for_what_is_refused(paused: Any, refused: Cli, plain: Cli) -> None:
    before = actions(plain)
    refused("show", paused["id"], "--output", "html:spec.json/x.html")
    assert actions(plain) == before
