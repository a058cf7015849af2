"""`review-graph waivers`: list, add, revoke; and what reviews say of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Cli = Callable[..., Any]

pytestmark = pytest.mark.usefixtures("database")

SCOPE = ("--dataset", "major", "--code", "structure.duplicate_key")
GRANT = ("--by", "Ada", "--reason", "known", "--reason-code", "expected", "--expires", "2999-12-31")


@pytest.fixture
def database(reviewed: Cli) -> None:
    """A database, which the first review makes."""
    assert reviewed("clean")["status"] == "summarised"


def test_made_by_hand_and_applied_by_the_next_run(reviewed: Cli, cli: Cli, plain: Cli) -> None:
    waiver = plain("waivers", "add", *SCOPE, "--column", "ID", "--max-count", "3", "--role", "lead", *GRANT)["waiver"]
    assert (waiver["columns"], waiver["max_count"], waiver["role"]) == (["ID"], 3, "lead")
    review = reviewed("major")
    assert (review["status"], review["severity"]) == ("summarised", "minor")
    shown = cli("show", review["id"]).stdout
    assert f"waiver {waiver['id']} by Ada (lead) until 2999-12-31, at most 3 rows, expected: known" in shown
    listed = cli("waivers", "list")
    assert waiver["id"] in listed.stdout
    assert "until 2999-12-31" in listed.stdout
    assert f"| {waiver['id']} |" in cli("waivers", "list", "--format", "md").stdout


def test_only_for_certain_records(reviewed: Cli, plain: Cli) -> None:
    added = plain("waivers", "add", *SCOPE, "--key", "ID=S-2", *GRANT)["waiver"]
    assert added["key"] == {"ID": "S-2"}
    assert reviewed("major")["status"] == "summarised"
    assert reviewed("major", "major", ID=["S-1", "S-3", "S-3"])["status"] == "paused"


def test_taken_back_and_open_again(reviewed: Cli, cli: Cli, plain: Cli, refused: Cli) -> None:
    identity = plain("waivers", "add", *SCOPE, *GRANT)["waiver"]["id"]
    assert reviewed("major")["status"] == "summarised"
    revoke = ("waivers", "revoke", identity, "--by", "Bob", "--reason", "no longer so")
    revoked = cli(*revoke)
    assert revoked.exit_code == 0, revoked.stderr
    assert f"waiver {identity} is revoked" in revoked.stdout
    assert "by Bob: no longer so" in revoked.stdout
    again = reviewed("major")
    assert again["status"] == "paused"
    shown = cli("show", again["id"]).stdout
    assert "waivers that do not hold" in shown
    assert f"waiver {identity} was revoked by Bob" in shown
    assert "reopened" in shown
    assert f"waiver {identity} was revoked already, by Bob" in refused(*revoke)
    assert plain("waivers", "list", "--active")["waivers"] == []
    (listed,) = plain("waivers", "list")["waivers"]
    assert listed["revoked_reason"] == "no longer so"
    assert "by Bob: no longer so" in " ".join(cli("waivers", "list").stdout.split())


def test_listed_by_dataset(plain: Cli) -> None:
    plain("waivers", "add", *SCOPE, *GRANT)
    assert len(plain("waivers", "list", "--dataset", "major")["waivers"]) == 1
    assert plain("waivers", "list", "--dataset", "minor")["waivers"] == []


def test_a_slip_of_the_pen_is_said(cli: Cli) -> None:
    added = cli("waivers", "add", "--dataset", "mayor", "--code", "structure.duplicate_keys", *GRANT)
    assert added.exit_code == 0
    assert "did you mean structure.duplicate_key?" in added.stderr
    assert "no dataset 'mayor' was reviewed here yet" in added.stderr
    assert cli("waivers", "add", "--dataset", "clean", "--code", "ranges.rule.mine", *GRANT).stderr == ""


CHANGED: dict[str, tuple[str, str, str]] = {
    "no date": ("--expires", "soon", "found 'soon'"),
    "impossible date": ("--expires", "2999-02-30", "found '2999-02-30'"),
    "past": ("--expires", "2020-01-01", "cannot end before today"),
    "no name": ("--by", " ", "a name"),
    "no reason": ("--reason", "-", "a reason"),
    "reason code": ("--reason-code", "because", "a reason code is one of"),
    "no check": ("--code", " ", "the code of a check"),
    "no dataset": ("--dataset", "", "the name of the dataset"),
    "crash": ("--code", "ranges.not_run", "cannot be waived"),
    "no rows": ("--max-count", "0", "at least 1 offending row"),
    "key": ("--key", "ID", "is not COLUMN=VALUE"),
}


@pytest.mark.parametrize(("option", "value", "says"), list(CHANGED.values()), ids=list(CHANGED))
def test_refusals_make_no_waiver(refused: Cli, plain: Cli, option: str, value: str, says: str) -> None:
    assert says in refused("waivers", "add", *SCOPE, *GRANT, option, value)
    assert plain("waivers", "list")["waivers"] == []


def test_key_column_is_named_once(refused: Cli) -> None:
    assert "names 'ID' twice" in refused("waivers", "add", *SCOPE, *GRANT, "--key", "ID=1", "--key", "ID=2")


def test_unknown_waiver_is_not_revoked(refused: Cli) -> None:
    assert "w-none" in refused("waivers", "revoke", "w-none", "--by", "Ada", "--reason", "gone")


def test_second_approver_wants_waivers_to_be_made_in_a_review(refused: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVIEW_GRAPH_SECOND_APPROVER", "true")
    assert "a second person has to approve" in refused("waivers", "add", *SCOPE, *GRANT)
