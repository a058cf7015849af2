"""`review-graph eval`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.model_server import MODEL, Local, says
from tests.model_server import model_server as model_server  # noqa: PLC0414 - a fixture

SHIPPED = Path(__file__).parents[2] / "data" / "questions" / "questions.yaml"
Cli = Callable[..., Any]


@pytest.fixture
def asked(table: Callable[..., Path], tmp_path: Path) -> Callable[..., str]:
    """Writes a file of questions on a small table of 9 rows; each question has a turn, or several."""
    table("numbers", ID=[f"S-{number}" for number in range(9)], A=list(range(9)))

    def write(*turns: Any) -> str:
        questions = [
            {
                "id": f"Q{number}",
                "dataset": "numbers",
                "ask": "How many rows are there?",
                "expected": {"figures": [{"compute": "count"}]},
                "recorded": {"turns": turn if isinstance(turn, list) else [turn]},
            }
            for number, turn in enumerate(turns, start=1)
        ]
        plain = {"datasets": {"numbers": {"path": "numbers.parquet"}}, "questions": questions}
        (tmp_path / "asked.yaml").write_text(yaml.safe_dump(plain))
        return "asked.yaml"

    return write


COUNTED = [{"calls": [{"name": "count_rows", "arguments": {}}]}, "There are 9 rows."]
WRONG = [{"calls": [{"name": "count_rows", "arguments": {}}]}, "I will not say how many."]


def test_a_line_a_run_the_budgets_and_the_recommendation(cli: Cli, asked: Callable[..., str]) -> None:
    result = cli("eval", asked(COUNTED))
    assert result.exit_code == 0, result.stderr
    told = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert told[0] == "recorded-2026-11-30: 1 of 1 questions answered"
    assert any(line.startswith("Q1 numbers answered right 2 ~") for line in told)
    assert [line.split()[:2] for line in told if line and line.split()[0].isdigit()] == [
        [str(steps), str(int(steps > 1))] for steps in range(1, 11)
    ]
    assert "recommended: 2 steps, the smallest number that answers the most" in told


def test_a_wrong_answer_is_exit_code_1(cli: Cli, asked: Callable[..., str]) -> None:
    result = cli("eval", asked(COUNTED, WRONG), "--format", "json", "--no-budgets")
    plain = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [run["verdict"] for run in plain["runs"]] == ["right", "wrong"]
    assert plain["budgets"] == []
    assert "to be looked into: Q2" in cli("eval", "asked.yaml", "--no-budgets").stdout


def test_the_shipped_questions(cli: Cli) -> None:
    result = cli("eval", str(SHIPPED), "--no-budgets", "--only", "Q01", "--only", "Q18", "--format", "json")
    assert result.exit_code == 0, result.stderr
    assert [run["status"] for run in json.loads(result.stdout)["runs"]] == ["answered", "refused"]


def test_limits_of_steps_and_credits(cli: Cli, asked: Callable[..., str]) -> None:
    def statuses(*options: str) -> list[str]:
        result = cli("eval", asked(COUNTED), "--no-budgets", "--format", "json", *options)
        assert result.exit_code == 1, "it does not end as it was recorded"
        return [run["status"] for run in json.loads(result.stdout)["runs"]]

    assert statuses("--max-steps", "1") == ["step_limit"]
    assert statuses("--credits", "0") == ["cost_limit"]


def test_an_evaluation_is_kept_and_held_against_a_later_one(cli: Cli, asked: Callable[..., str]) -> None:
    assert cli("eval", asked(COUNTED), "--no-budgets", "--output", "json:kept.json").exit_code == 0
    result = cli("eval", asked(WRONG), "--no-budgets", "--compare", "kept.json")
    told = " ".join(result.stdout.split())
    assert "Q1 answered, wrong answered, right" in told
    assert "right 0 1" in told
    plain = json.loads(cli("eval", "asked.yaml", "--no-budgets", "--compare", "kept.json", "--format", "json").stdout)
    assert plain["compared_with"]["right"] == 1


@pytest.mark.parametrize(
    ("name", "value", "at"),
    [
        ("runs", "zz", "'runs'"),
        ("runs", [{"question": "Q1"}], "'runs.0.status'"),
        ("runs", [None], "'runs.0'"),
        ("right", "many", "'right'"),
        ("model", None, "'model'"),
    ],
)
def test_an_evaluation_that_was_edited_is_refused(
    cli: Cli, refused: Cli, asked: Callable[..., str], name: str, value: Any, at: str
) -> None:
    assert cli("eval", asked(COUNTED), "--no-budgets", "--output", "json:kept.json").exit_code == 0
    plain = json.loads(Path("kept.json").read_text())
    Path("edited").write_text(json.dumps(plain | {name: value}))
    said = refused("eval", "asked.yaml", "--no-budgets", "--compare", "edited")
    assert f"edited is no evaluation: {at}: " in said
    assert "make one with `review-graph eval --output json:edited`" in said


def test_a_kept_evaluation_may_have_any_name(cli: Cli, asked: Callable[..., str]) -> None:
    assert cli("eval", asked(COUNTED), "--no-budgets", "--output", "json:kept").exit_code == 0
    result = cli("eval", "asked.yaml", "--no-budgets", "--compare", "kept", "--format", "json")
    assert json.dumps(json.loads(result.stdout)["compared_with"]) == json.dumps(json.loads(Path("kept").read_text()))


def test_a_page_is_written(cli: Cli, asked: Callable[..., str]) -> None:
    assert cli("eval", asked(COUNTED), "--no-budgets", "--output", "html:pages/runs.html").exit_code == 0
    page = Path("pages/runs.html").read_text(encoding="utf-8")
    assert "<h1>Evaluation of recorded-2026-11-30</h1>" in page


def test_nothing_is_kept_of_an_evaluation(cli: Cli, asked: Callable[..., str]) -> None:
    before = {path.name for path in Path().iterdir()}
    cli("eval", asked(COUNTED), "--no-budgets")
    assert {path.name for path in Path().iterdir()} - before == {"asked.yaml"}


CALL = {"id": "a", "type": "function", "function": {"name": "count_rows", "arguments": "{}"}}


@pytest.fixture
def live(model_server: Local, monkeypatch: pytest.MonkeyPatch) -> Local:
    """A model at a server of the test's own."""
    monkeypatch.setenv("REVIEW_GRAPH_MODEL_URL", model_server.url)
    monkeypatch.setenv("REVIEW_GRAPH_ASK_GATE", "false")
    return model_server


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_live_model(cli: Cli, asked: Callable[..., str], live: Local) -> None:
    live.will(says("", [CALL]), says("There are 9 rows."))
    result = cli("eval", asked(COUNTED), "--model", MODEL, "--format", "json")
    plain = json.loads(result.stdout)
    assert (result.exit_code, plain["model"], plain["right"], plain["budgets"]) == (0, MODEL, 1, [])
    assert [(run["tokens_in"], run["tokens_out"], run["as_recorded"]) for run in plain["runs"]] == [(240, 14, None)]
    assert len(live.requests) == 2


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_two_models_beside_each_other(cli: Cli, asked: Callable[..., str], live: Local) -> None:
    live.will(says("There are 11 rows."))
    result = cli("eval", asked(COUNTED), "--no-budgets", "--compare", MODEL)
    told = " ".join(result.stdout.split())
    assert result.exit_code == 0, "what it is held against is not judged"
    assert f"this: recorded-2026-11-30 other: {MODEL}" in told
    assert "grounded 1 0 ungrounded 0 1 right 1 0" in told
    assert "Q1 answered, right ungrounded, none" in told


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_model_that_fails_is_exit_code_1(cli: Cli, asked: Callable[..., str], live: Local) -> None:
    live.will("500")
    result = cli("eval", asked(COUNTED), "--model", MODEL, "--format", "json")
    assert result.exit_code == 1
    assert [(run["status"], run["error"]) for run in json.loads(result.stdout)["runs"]] == [
        ("failed", "model_unavailable")
    ]


@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize(
    ("pages", "options", "status"),
    [
        (["There are 11 rows."] * 2, (), "ungrounded"),
        (["I cannot tell."], (), "answered"),
        ([], ("--credits", "0"), "cost_limit"),
    ],
    ids=["ungrounded", "wrong", "over the limit"],
)
def test_whatever_is_not_answered_right_is_exit_code_1(
    cli: Cli, asked: Callable[..., str], live: Local, pages: list[str], options: tuple[str, ...], status: str
) -> None:
    live.will(*map(says, pages))
    result = cli("eval", asked(COUNTED), "--model", MODEL, "--format", "json", *options)
    assert (result.exit_code, [run["status"] for run in json.loads(result.stdout)["runs"]]) == (1, [status])


def test_what_is_recorded_to_end_without_an_answer_may_do_so(cli: Cli, asked: Callable[..., str]) -> None:
    path = Path(asked(["There are 11 rows."] * 2))
    assert cli("eval", str(path), "--no-budgets").exit_code == 1
    plain = yaml.safe_load(path.read_text())
    plain["questions"][0]["recorded"]["status"] = "ungrounded"
    path.write_text(yaml.safe_dump(plain))
    assert cli("eval", str(path), "--no-budgets").exit_code == 0


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_without_a_model_none_is_called_whatever_is_set(
    cli: Cli, asked: Callable[..., str], live: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.will(says("Fine."))
    monkeypatch.setenv("REVIEW_GRAPH_MODEL", MODEL)
    monkeypatch.setenv("REVIEW_GRAPH_NARRATIVE", "true")
    result = cli("eval", asked(COUNTED), "--no-budgets")
    assert (result.exit_code, live.requests) == (0, []), result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("none.yaml",), "cannot read the questions none.yaml"),
        (("asked.yaml", "--only", "Q9"), "there is no question Q9"),
        (("asked.yaml", "--reference"), "there is no question left"),
        (("asked.yaml", "--output", "pdf:x"), "is not FMT:PATH with one of the formats html, json"),
        (("asked.yaml", "--output", "html:"), "is not FMT:PATH"),
        (("asked.yaml", "--compare", "none.json"), "cannot read the evaluation none.json"),
        (("asked.yaml", "--compare", "spec.json"), "spec.json is no evaluation"),
        (("asked.yaml", "--compare", "asked.yaml"), "asked.yaml is no evaluation"),
        (("asked.yaml", "--compare", "."), "cannot read the evaluation ."),
        (("asked.yaml", "--model", "gpt-5-2026-08-07"), "the model has neither a key nor an address"),
        (("asked.yaml", "--model", ""), "--model needs the name of a model"),
    ],
)
def test_what_is_refused(refused: Cli, asked: Callable[..., str], options: tuple[str, ...], message: str) -> None:
    asked(COUNTED)
    assert message in refused("eval", *options)
