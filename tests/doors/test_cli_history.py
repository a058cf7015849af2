"""`review-graph diff` and `migrate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from review_graph.nodes import GRAPH_VERSION

Cli = Callable[..., Any]


def test_what_changed_since_the_review_before(reviewed: Cli, cli: Cli, plain: Cli) -> None:
    first = reviewed("major", "study", A=[1, 22, 33], B=[1, 2, 33])
    second = reviewed("major", "study", A=[1, 2, 33], B=[1, 2, 3], C=[1, 2, 33])
    diff = plain("diff", second["id"])["diff"]
    kinds = {kind: [change["columns"] for change in diff[kind]] for kind in ("new", "fixed", "persisting", "reopened")}
    assert kinds == {"new": [["C"]], "fixed": [["B"]], "persisting": [["ID"], ["A"]], "reopened": []}
    assert (diff["before"], diff["after"]) == (first["id"], second["id"])
    printed = cli("diff", second["id"]).stdout
    assert "study: 1 new, 0 reopened, 2 persisting, 1 fixed, 0 no longer judged" in printed
    assert "2 rows before, 1 now" in printed
    assert "## persisting (2)" in cli("diff", second["id"], "--format", "md").stdout
    assert "changes   1 new, 0 reopened, 2 persisting" in cli("show", second["id"]).stdout


def test_against_a_certain_review(reviewed: Cli, plain: Cli) -> None:
    ids = [reviewed("major", "study", A=[1, 2, 30 + number])["id"] for number in range(3)]
    for later, earlier in ((2, 1), (2, 0), (1, 0)):
        diff = plain("diff", ids[later], "--against", ids[earlier])["diff"]
        assert (diff["before"], diff["after"]) == (ids[earlier], ids[later])


def test_first_review_of_a_dataset(paused: Any, cli: Cli, plain: Cli) -> None:
    identity = paused["id"]
    assert cli("diff", identity).stdout == f"{identity}: first review of this dataset\n"
    assert plain("diff", identity) == {"schema_version": 1, "review": identity, "diff": None}
    assert "  changes" not in cli("show", identity).stdout


def test_what_cannot_be_compared(paused: Any, reviewed: Cli, refused: Cli) -> None:
    other = reviewed("minor")
    assert "cannot be compared" in refused("diff", paused["id"], "--against", other["id"])
    assert "no review has the id 'nothing-0'" in refused("diff", "nothing-0")
    assert "no review has the id 'nothing-0'" in refused("diff", paused["id"], "--against", "nothing-0")


@pytest.fixture
def upgraded(paused: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """A review that waits, of the version of the graph before this one."""
    for module in ("nodes", "gate", "advancing", "look"):
        monkeypatch.setattr(f"review_graph.{module}.GRAPH_VERSION", GRAPH_VERSION + 1)
    return str(paused["id"])


def test_taken_over_and_then_decided(upgraded: str, cli: Cli, plain: Cli, refused: Cli) -> None:
    confirm = ("decide", upgraded, "--action", "confirm", "--by", "Ada", "--reason", "seen")
    assert "review-graph migrate" in refused(*confirm)
    taken = plain("migrate", upgraded)["reviews"]
    assert [(review["id"], review["outcome"]) for review in taken] == [(upgraded, "taken over")]
    assert "paused, major" in taken[0]["message"]
    assert [entry["action"] for entry in plain("audit", "show", upgraded)["entries"]].count("migrated") == 1
    assert cli(*confirm).exit_code == 0


def test_all_that_have_not_ended(upgraded: str, reviewed: Cli, cli: Cli) -> None:
    fresh = reviewed("three-minor")["id"]
    every = cli("migrate", "--all")
    assert every.exit_code == 0, every.stderr
    assert "1 of 2 reviews taken over" in every.stdout
    outcomes = dict(line.split()[:2] for line in every.stdout.splitlines() if line.startswith((upgraded, fresh)))
    assert outcomes == {upgraded: "taken", fresh: "left"}
    assert "0 of 2 reviews taken over" in cli("migrate", "--all").stdout


def test_one_that_needs_none_is_refused_by_name_and_the_others_go_on(upgraded: str, reviewed: Cli, cli: Cli) -> None:
    ended = reviewed("minor")["id"]
    ran = cli("migrate", ended, upgraded, "nothing-0")
    assert ran.exit_code == 2
    assert "1 of 3 reviews taken over" in ran.stdout
    assert "no review has the id 'nothing-0'" in " ".join(ran.stdout.split())


def test_either_names_or_all(paused: Any, refused: Cli) -> None:
    assert "name the reviews, or give --all" in refused("migrate")
    assert "name the reviews, or give --all" in refused("migrate", paused["id"], "--all")
