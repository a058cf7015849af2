"""Files of questions: what they hold, and what is said of one that is wrong."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from review_graph.errors import InputError, SetupError
from review_graph.evaluation.questions import load_questions
from review_graph.evaluation.recorded import recorded_model

PLAIN: dict[str, Any] = {
    "datasets": {"adsl": {"path": "../adsl.parquet", "spec": "adsl.yaml", "hidden": ["SUBJID"]}},
    "questions": [
        {
            "id": "Q1",
            "dataset": "adsl",
            "ask": "How many?",
            "expected": {"figures": [{"compute": "count"}]},
            "recorded": {"turns": ["7."]},
        }
    ],
}
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Any], Path]:
    def write(plain: Any) -> Path:
        path = tmp_path / "questions.yaml"
        path.write_text(yaml.safe_dump(plain), encoding="utf-8")
        return path

    return write


def test_places_start_from_the_folder_of_the_file(written: Callable[[Any], Path], tmp_path: Path) -> None:
    asked = load_questions(written(PLAIN)).datasets["adsl"]
    assert (asked.path, asked.spec) == (tmp_path / "../adsl.parquet", tmp_path / "adsl.yaml")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda plain: plain["questions"].clear(), "questions: "),
        (lambda plain: plain["questions"].append(plain["questions"][0]), "question Q1 occurs twice"),
        (
            lambda plain: plain["questions"][0].update(dataset="dm"),
            "question Q1 is about 'dm', which is no dataset here",
        ),
        (lambda plain: plain["questions"][0].update(id="no blanks"), "questions.0.id: "),
        (lambda plain: plain["questions"][0].update(more=1), "questions.0.more: "),
        (lambda plain: plain["questions"][0].update(expected={}), "questions.0.expected: .*either cannot tell, or"),
        (lambda plain: plain["questions"][0]["expected"].update(cannot=True), "either cannot tell, or"),
        (lambda plain: plain["questions"][0]["recorded"].update(status="fine"), "questions.0.recorded.status: "),
        (
            lambda plain: plain["questions"][0]["expected"]["figures"][0].update(compute="median"),
            r"questions.0.expected.figures.0.compute: Input should be 'count', 'mean'",
        ),
    ],
)
def test_what_is_wrong_is_named(written: Callable[[Any], Path], change: Change, message: str) -> None:
    plain = copy.deepcopy(PLAIN)
    change(plain)
    with pytest.raises(InputError, match=message) as raised:
        load_questions(written(plain))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"a: [", b"just text", b""])
def test_what_is_no_such_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "questions.yaml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"questions\.yaml"):
        load_questions(path)
    with pytest.raises(InputError, match="cannot read the questions"):
        load_questions(tmp_path / "none.yaml")


def test_a_turn_that_is_none(question: Callable[..., Any]) -> None:
    with pytest.raises(SetupError, match="turn 1 of a script is none"):
        recorded_model(question({"say": "hello"}))


def test_recorded_tokens_are_told(question: Callable[..., Any]) -> None:
    counted = recorded_model(question({"text": "7.", "tokens_in": 90, "tokens_out": 3}))
    reply = counted.reply([{"role": "user", "content": "How many?"}], seconds=5)
    assert (reply.tokens_in, reply.tokens_out) == (90, 3)
    silent = recorded_model(question("7.")).reply([{"role": "user", "content": "How many?"}], seconds=5)
    assert (silent.tokens_in, silent.tokens_out) == (None, None)
