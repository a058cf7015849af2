"""`review-graph ask` and `approve`, with a model at an address."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.model_server import KEY, MODEL, Local, says
from tests.model_server import model_server as model_server  # noqa: PLC0414 - a fixture

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

Cli = Callable[..., Any]


def call(tool: str, identity: str = "c1", **arguments: Any) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}


@pytest.fixture
def served(model_server: Local, monkeypatch: pytest.MonkeyPatch) -> Local:
    """The settings name the server's model; no gate is asked first."""
    for name, value in {"MODEL": MODEL, "MODEL_URL": model_server.url, "MODEL_KEY": KEY, "ASK_GATE": "0"}.items():
        monkeypatch.setenv(f"REVIEW_GRAPH_{name}", value)
    return model_server


def test_an_answer_and_what_it_stands_on(cli: Cli, paused: dict[str, Any], served: Local) -> None:
    served.will(says("", [call("calculate", expression="8 / 2", reasoning="secret thoughts")]), says("It is 4."))
    result = cli("ask", paused["id"], "What is 8 by 2?")
    assert result.exit_code == 0, result.stderr
    first, *rest = result.stdout.splitlines()
    assert first == "It is 4."
    assert any(line.split()[:4] == ["1", "1", 'calculate(expression="8', "/"] for line in rest)
    assert "4: call 1, calculate, found again" in result.stdout
    assert "secret thoughts" not in result.stdout
    assert MODEL in rest[-1]


def test_an_answer_for_programs(plain: Cli, paused: dict[str, Any], served: Local) -> None:
    served.will(says("I cannot tell."))
    answer = plain("ask", paused["id"], "How many?")
    assert (answer["status"], answer["text"], answer["error"]) == ("answered", "I cannot tell.", None)
    assert answer["model"] == MODEL
    assert answer["tokens_in"] == 120


@pytest.mark.parametrize(
    ("pages", "status"),
    [
        ([says("There are 77.")], "ungrounded"),
        (["500"], "failed"),
        ([says("", [call("calculate", expression="1")])], "stuck"),
    ],
)
def test_no_answer_is_exit_code_2(
    cli: Cli, paused: dict[str, Any], served: Local, pages: list[Any], status: str
) -> None:
    served.will(*pages)
    result = cli("ask", paused["id"], "How many?")
    assert result.exit_code == 2
    assert (
        "No answer is shown" in result.stdout or "stopped" in result.stdout or "could not be reached" in result.stdout
    )
    assert f"{status}; " in result.stdout
    assert "There are" not in result.stdout


def test_a_conversation_reads_questions_until_they_end(cli: Cli, paused: dict[str, Any], served: Local) -> None:
    served.will(says("First."), says("Second."))
    result = cli("ask", paused["id"], input="one?\n\ntwo?\n/quit\nthree?\n")
    assert result.exit_code == 0, result.stderr
    assert [line for line in result.stdout.splitlines() if line in ("First.", "Second.")] == ["First.", "Second."]
    assert len(served.requests) == 2
    assert [message["role"] for message in served.requests[1].body["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]


def test_a_call_with_an_effect_is_rejected_where_nobody_is_asked(
    cli: Cli, paused: dict[str, Any], served: Local
) -> None:
    served.will(
        says("", [call("calculate", expression="8 / 2")]),
        says("", [call("export_summary", name="x.csv")]),
        says("It was not written."),
    )
    result = cli("ask", paused["id"], "Write 8 by 2 into a file.")
    assert result.exit_code == 0
    assert 'export_summary(name="x.csv") (rejected)' in result.stdout
    assert not list(Path().rglob("x.csv"))


def test_a_call_waits_and_is_approved_by_name(cli: Cli, plain: Cli, paused: dict[str, Any], served: Local) -> None:
    served.will(
        says("", [call("calculate", expression="8 / 2")]),
        says("", [call("export_summary", name="x.csv")]),
        says("It is written."),
    )
    waiting = cli("ask", paused["id"], "Write 8 by 2 into a file.", "--wait", "--format", "json")
    assert waiting.exit_code == 3
    answer = json.loads(waiting.stdout)
    assert answer["status"] == "waiting"
    shown = cli("approve", paused["id"], answer["run_id"])
    assert shown.exit_code == 3
    assert f"--call {answer['pending']['digest']}" in shown.stdout
    assert not list(Path().rglob("x.csv"))
    refused = cli("approve", paused["id"], answer["run_id"], "--by", "Ada", "--call", "0" * 64)
    assert (refused.exit_code, list(Path().rglob("x.csv"))) == (2, [])
    after = plain("approve", paused["id"], answer["run_id"], "--by", "Ada", "--call", answer["pending"]["digest"])
    assert (after["status"], after["text"]) == ("answered", "It is written.")
    assert [path.read_text() for path in Path().rglob("x.csv")] == ["result,figure,value\n1,value,4\n"]


def test_without_a_model_it_says_what_to_set(cli: Cli, paused: dict[str, Any]) -> None:
    result = cli("ask", paused["id"], "How many?")
    assert result.exit_code == 2
    assert "REVIEW_GRAPH_MODEL" in result.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [("ASK_STEPS", "many"), ("ASK_STEPS", "-1"), ("ASK_SECONDS", "x"), ("SMALLEST_GROUP", "1"), ("CREDITS_IN", "-2")],
)
def test_a_setting_that_is_none_is_one_line(
    cli: Cli, paused: dict[str, Any], monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"REVIEW_GRAPH_{name}", value)
    result = cli("ask", paused["id"], "How many?")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"review-graph: REVIEW_GRAPH_{name}: input should be")
    assert len(result.stderr.splitlines()) == 1


def test_an_unknown_review_is_said_before_anything_is_asked(cli: Cli, paused: dict[str, Any], served: Local) -> None:  # noqa: ARG001
    result = cli("ask", "nobody-0000", "How many?")
    assert result.exit_code == 2
    assert "no review has the id" in result.stderr
    assert served.requests == []


def test_escapes_of_a_model_do_not_reach_the_terminal(cli: Cli, paused: dict[str, Any], served: Local) -> None:
    served.will(says("\x1b[Jfine [bold]all[/bold] \u202e"))
    result = cli("ask", paused["id"], "How is it?")
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    assert "[bold]" in result.stdout


def test_approving_ends_as_asking_does(cli: Cli, paused: dict[str, Any], served: Local) -> None:
    served.will(
        says("", [call("calculate", expression="8 / 2")]),
        says("", [call("export_summary", name="x.csv")]),
        says("There are 4711."),
    )
    answer = json.loads(cli("ask", paused["id"], "Write 8 by 2 out.", "--wait", "--format", "json").stdout)
    half = ["approve", paused["id"], answer["run_id"]]
    digest = answer["pending"]["digest"]
    for more in (["--by", "Ada"], ["--call", digest], ["--reject"]):
        result = cli(*half, *more)
        assert (result.exit_code, "takes both" in result.stderr) == (2, True)
    assert cli(*half, "--by", "Ada", "--call", digest, "--reject").exit_code == 2  # its answer is withheld


@pytest.mark.parametrize("name", ["a\nb\x1b[2J", " "])
def test_a_name_that_is_none_is_refused(cli: Cli, paused: dict[str, Any], served: Local, name: str) -> None:
    result = cli("ask", paused["id"], "How many?", "--by", name)
    assert result.exit_code == 2
    assert served.requests == []


def test_what_a_model_asks_for_is_cut_on_the_screen(cli: Cli, paused: dict[str, Any], served: Local) -> None:
    served.will(says("", [call("calculate", expression="8" * 3_000)]), says("No."))
    assert len(cli("ask", paused["id"], "How many?").stdout) < 2_000
