"""`review-graph decide`: the options, what it would do, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Cli = Callable[..., Any]

WHO = ("--by", "Ada", "--reason", "seen")


def ids(review: Any) -> dict[str, str]:
    return {finding["code"].partition(".")[0]: finding["id"] for finding in review["findings"]}


def test_role_meaning_and_reason_code_are_recorded_and_printed(paused: Any, cli: Cli, plain: Cli) -> None:
    identity, finding = paused["id"], ids(paused)["structure"]
    signed = ("--role", "data manager", "--meaning", "I checked the source", "--reason-code", "expected")
    decided = cli("decide", identity, "--action", "dismiss", "--finding", finding, *WHO, *signed)
    assert decided.exit_code == 0, decided.stderr
    for said in ("decision 1 dismiss", "Ada (data manager): seen", "major → minor, expected", "I checked the source"):
        assert said in decided.stdout
    (decision,) = plain("show", identity)["decisions"]
    assert (decision["role"], decision["meaning"]) == ("data manager", "I checked the source")


def test_finding_is_waived_until_a_day(paused: Any, cli: Cli, plain: Cli) -> None:
    identity, finding = paused["id"], ids(paused)["structure"]
    waived = ("--action", "waive", "--finding", finding, "--reason-code", "expected", "--expires", "2999-12-31")
    decided = cli("decide", identity, *waived, "--max-count", "5", *WHO)
    assert decided.exit_code == 0, decided.stderr
    assert "until 2999-12-31 for at most 5 rows" in decided.stdout
    (waiver,) = plain("waivers", "list")["waivers"]
    assert (waiver["max_count"], waiver["findings"]) == (5, [finding])
    shown = cli("show", identity).stdout
    assert "[waived]" in shown
    assert f"waiver {waiver['id']} by Ada until 2999-12-31, at most 5 rows, expected: seen" in shown


def test_finding_is_reopened_and_a_comment_may_come_after_the_end(paused: Any, cli: Cli, plain: Cli) -> None:
    identity, finding = paused["id"], ids(paused)["ranges"]
    dismissed = ("--action", "dismiss", "--finding", finding, "--reason-code", "other")
    assert cli("decide", identity, *dismissed, *WHO).exit_code == 0
    assert f"--action reopen --finding {finding}" in cli("show", identity).stdout
    assert cli("decide", identity, "--action", "reopen", "--finding", finding, *WHO).exit_code == 0
    assert cli("decide", identity, "--action", "confirm", *WHO).exit_code == 0
    assert cli("decide", identity, "--action", "comment", *WHO).exit_code == 0
    actions = [decision["action"] for decision in plain("show", identity)["decisions"]]
    assert actions == ["dismiss", "reopen", "confirm", "comment"]


def test_another_person_approves(paused: Any, cli: Cli, plain: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVIEW_GRAPH_SECOND_APPROVER", "true")
    identity = paused["id"]
    first = cli("decide", identity, "--action", "override", "--severity", "none", *WHO)
    assert "needs the approval of another person" in first.stdout
    assert "--action approve --approves 1" in first.stdout
    approve = ("decide", identity, "--action", "approve", "--approves", "1", "--reason", "agreed", "--by")
    assert "another person approves it" in cli(*approve, "ADA").stderr
    assert plain("show", identity)["status"] == "paused"
    assert "approved by Bob" in cli(*approve, "Bob").stdout
    assert plain("show", identity)["status"] == "summarised"


@pytest.mark.parametrize(
    ("options", "road", "severity"),
    [
        ("--action confirm", "escalate: the review would go on", "major → major"),
        ("--action override --severity minor", "summarise: the review would go on", "major → minor"),
        ("--action comment", "none yet: the review would wait", "major → major"),
    ],
)
def test_dry_run_says_the_road_and_records_nothing(
    paused: Any, cli: Cli, plain: Cli, options: str, road: str, severity: str
) -> None:
    identity = paused["id"]
    before = plain("audit", "show")
    command = ("decide", identity, *options.split(), *WHO, "--dry-run")
    printed = cli(*command).stdout
    assert road in printed
    assert severity in printed
    assert road in cli(*command, "--format", "md").stdout
    preview = plain(*command)
    assert (preview["review"], preview["recorded"], preview["route"]) == (
        identity,
        False,
        "summarise" if "override" in options else "escalate",
    )
    assert plain("audit", "show") == before
    assert plain("show", identity)["decisions"] == []


def test_dry_run_of_a_review_that_ended_says_that_it_stays(reviewed: Cli, cli: Cli) -> None:
    ended = reviewed("minor")
    assert (
        "none: the review is summarised and stays so"
        in cli("decide", ended["id"], "--action", "comment", *WHO, "--dry-run").stdout
    )


def test_what_was_not_seen_is_shown(paused: Any, cli: Cli, refused: Cli, plain: Cli) -> None:
    identity = paused["id"]
    comment = ("decide", identity, "--action", "comment", "--role", "biostatistician", *WHO)
    assert cli(*comment, "--expect", "0").exit_code == 0
    says = refused("decide", identity, "--action", "confirm", "--by", "Bob", "--reason", "late", "--expect", "0")
    assert "the review changed since you looked at it: Ada recorded comment" in says
    assert "decision 1 is comment by Ada (biostatistician), major → major" in says
    assert len(plain("show", identity)["decisions"]) == 1
    assert cli("decide", identity, "--action", "confirm", *WHO, "--expect", "1").exit_code == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--action dismiss --finding {f}", "a reason code is one of"),
        ("--action dismiss --finding {f} --reason-code expcted", "did you mean expected?"),
        ("--action waive --finding {f} --reason-code expected", "the last day on which it holds"),
        ("--action waive --finding {f} --reason-code expected --expires 31.12.2999", "found '31.12.2999'"),
        ("--action waive --finding {f} --reason-code expected --expires 2020-01-01", "cannot end before today"),
        ("--action waive --finding {f} --reason-code expected --expires 2999-01-01 --max-count 0", "at least 1"),
        ("--action confirm --expires 2999-01-01", "a last day goes with waive"),
        ("--action approve --approves 7", "waiting: none"),
        ("--action reopen --finding {f}", "is open"),
        ("--action comment --role -", "a role"),
        ("--action comment --expect 3", "the review has 0 decisions, not 3"),
        ("--action comment --expect none", "integer"),
    ],
)
@pytest.mark.parametrize("dry", [(), ("--dry-run",)], ids=["", "dry"])
def test_refusals_write_nothing(
    paused: Any, refused: Cli, plain: Cli, options: str, says: str, dry: tuple[str, ...]
) -> None:
    given = options.format(f=ids(paused)["structure"]).split()
    assert says in refused("decide", paused["id"], *given, *WHO, *dry)
    assert plain("show", paused["id"])["decisions"] == []


@pytest.mark.parametrize("lacking", ["--by", "--reason", "--action"])
def test_nobody_decides_without_a_name_a_reason_and_an_action(paused: Any, refused: Cli, lacking: str) -> None:
    options = {"--by": "Ada", "--reason": "seen", "--action": "confirm"}
    given = [part for name, value in options.items() if name != lacking for part in (name, value)]
    assert f"Missing option '{lacking}'" in refused("decide", paused["id"], *given)
