"""`review-graph draft`: gathered, looked at, submitted once, all or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Cli = Callable[..., Any]

WHO = ("--by", "Ada", "--reason", "seen")
OVERRIDE = ("--action", "override", "--severity", "minor")


def test_gathered_shown_and_submitted_once(paused: Any, cli: Cli, plain: Cli, refused: Cli) -> None:
    identity = paused["id"]
    first = cli("draft", "add", identity, "--action", "comment", *WHO, "--role", "data manager")
    assert first.exit_code == 0, first.stderr
    assert cli("draft", "add", identity, *OVERRIDE, *WHO).exit_code == 0
    assert plain("show", identity)["decisions"] == []
    shown = plain("draft", "show", identity, "--by", "Ada")
    assert [request["action"] for request in shown["draft"]["requests"]] == ["comment", "override"]
    assert [preview["route"] for preview in shown["previews"]] == ["escalate", "summarise"]
    printed = cli("draft", "show", identity, "--by", "Ada").stdout
    assert "summarise: the review would go on" in printed
    assert f'review-graph draft submit {identity} --by "Ada"' in printed
    submitted = cli("draft", "submit", identity, "--by", "Ada")
    assert submitted.exit_code == 0, submitted.stderr
    assert "decision 2 override" in submitted.stdout
    assert plain("show", identity)["status"] == "summarised"
    assert "there is no draft of Ada" in refused("draft", "submit", identity, "--by", "Ada")


def test_a_refusal_leaves_the_draft_and_decides_nothing(paused: Any, cli: Cli, plain: Cli, refused: Cli) -> None:
    identity = paused["id"]
    cli("draft", "add", identity, "--action", "comment", *WHO)
    added = cli("draft", "add", identity, "--action", "dismiss", "--finding", "none-such", *WHO)
    assert "a refusal: the review has no finding 'none-such'" in " ".join(added.stdout.split())
    assert "no finding 'none-such'" in refused("draft", "submit", identity, "--by", "Ada")
    assert plain("show", identity)["decisions"] == []
    shown = plain("draft", "show", identity, "--by", "Ada")
    assert len(shown["draft"]["requests"]) == 2
    assert "refused" in shown["previews"][1]


def test_dropped_and_told_to_the_trail(paused: Any, cli: Cli, plain: Cli, refused: Cli) -> None:
    identity = paused["id"]
    cli("draft", "add", identity, "--action", "comment", *WHO)
    assert plain("draft", "drop", identity, "--by", "Ada") == {"schema_version": 1, "review": identity, "dropped": True}
    assert "there is no draft of Ada" in refused("draft", "show", identity, "--by", "Ada")
    assert "there is no draft of Ada" in refused("draft", "drop", identity, "--by", "Ada")
    acts = [entry["action"] for entry in plain("audit", "show")["entries"]]
    assert acts[-2:] == ["draft_saved", "draft_dropped"]


@pytest.mark.parametrize("command", ["show", "drop", "submit"])
def test_a_draft_is_somebodys_own(paused: Any, cli: Cli, refused: Cli, command: str) -> None:
    cli("draft", "add", paused["id"], "--action", "comment", *WHO)
    assert "there is no draft of Bob" in refused("draft", command, paused["id"], "--by", "Bob")
    assert "Missing option '--by'" in refused("draft", command, paused["id"])
    assert "no review has the id 'nothing-0'" in refused("draft", command, "nothing-0", "--by", "Ada")


def test_a_draft_needs_a_name(paused: Any, refused: Cli) -> None:
    says = refused("draft", "add", paused["id"], "--action", "comment", "--by", " ", "--reason", "seen")
    assert "a name" in says
