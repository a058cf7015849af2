"""`review-graph list` as a queue, and `assign`."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

Cli = Callable[..., Any]


@pytest.fixture
def queue(reviewed: Cli, cli: Cli) -> dict[str, str]:
    """Ids by name: one that waits and is Bob's, one that waits and is ten days old, one that ended."""
    names = {kind: reviewed(kind)["id"] for kind in ("major", "three-minor", "minor")}
    assert cli("assign", names["major"], "Bob", "--by", "Ada").exit_code == 0
    with closing(sqlite3.connect("kept/reviews.sqlite")) as connection, connection:
        old = "strftime('%Y-%m-%dT%H:%M:%S+00:00', 'now', '-10 days', '-1 hour')"
        connection.execute(f"UPDATE reviews SET created_at = {old} WHERE id = ?", [names["three-minor"]])  # noqa: S608
    return names


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("", ["three-minor", "major", "minor"]),
        ("--status paused", ["three-minor", "major"]),
        ("--status paused --status summarised", ["three-minor", "major", "minor"]),
        ("--severity minor", ["minor"]),
        ("--dataset major", ["major"]),
        ("--assignee Bob", ["major"]),
        ("--older-than 9", ["three-minor"]),
        ("--older-than 11", []),
        ("--older-than 9 --status summarised", []),
    ],
)
def test_filters(queue: dict[str, str], plain: Cli, options: str, found: list[str]) -> None:
    listed = plain("list", *options.split())["reviews"]
    assert [review["id"] for review in listed] == [queue[name] for name in found]


def test_nobodys_reviews(queue: dict[str, str], plain: Cli) -> None:
    listed = {review["id"] for review in plain("list", "--assignee", "")["reviews"]}
    assert listed == {queue["three-minor"], queue["minor"]}


@pytest.mark.usefixtures("queue")
def test_table_tells_age_and_whose_a_review_is(cli: Cli) -> None:
    lines = cli("list").stdout.splitlines()
    assert "age   assignee" in lines[0]
    assert "10 days" in lines[2]
    assert lines[3].rstrip().endswith("Bob")
    assert cli("list", "--format", "md").exit_code == 0


def test_assigned_to_nobody_again(queue: dict[str, str], cli: Cli, plain: Cli) -> None:
    identity = queue["major"]
    assert plain("assign", identity, "", "--by", "Ada") == {"schema_version": 1, "review": identity, "assignee": ""}
    assert "nobody is to look at it" in cli("assign", identity, "", "--by", "Ada").stdout
    assert plain("list", "--assignee", "Bob")["reviews"] == []
    told = [entry for entry in plain("audit", "show", identity)["entries"] if entry["action"] == "assigned"]
    assert [(entry["actor"], entry["detail"]["to"]) for entry in told] == [("Ada", "Bob"), ("Ada", ""), ("Ada", "")]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("list", "--status", "waiting"), "'waiting' is not one of"),
        (("list", "--severity", "high"), "'high' is not one of"),
        (("list", "--older-than", "-1"), "greater than or equal to 0"),
        (("list", "--older-than", "999999999"), "less than or equal to"),
        (("assign", "nothing-0", "Bob", "--by", "Ada"), "no review has the id 'nothing-0'"),
        (("assign", "ID", "Bob", "--by", " "), "a name"),
        (("assign", "ID", "Bob\n", "--by", "Ada\x1b"), "without control characters"),
        (("assign", "ID", "Bob"), "Missing option '--by'"),
    ],
)
def test_refusals(paused: Any, refused: Cli, arguments: tuple[str, ...], says: str) -> None:
    assert says in refused(*(paused["id"] if part == "ID" else part for part in arguments))
