"""When an answer is right."""

from __future__ import annotations

from typing import Any

import pytest

from review_graph.evaluation.judging import Verdict, judge
from review_graph.evaluation.questions import Expected
from review_graph.vocabulary import Answer, AnswerStatus, Citation, Figure

COUNT = {"figures": [{"compute": "count"}]}
MEAN = {"figures": [{"compute": "mean", "column": "AGE", "decimals": 1}]}
SMALL = {"figures": [{"compute": "count", "small": True}]}


def _judged(text: str, expected: dict[str, Any], *truth: float, status: str = "answered", **fields: Any) -> Verdict:
    answer = Answer(run_id="r", review_id="v", question="?", text=text, status=AnswerStatus(status), **fields)
    return judge(answer, Expected.model_validate(expected), truth, smallest=5)


@pytest.mark.parametrize(
    ("text", "expected", "truth"),
    [
        ("There are 1,247.", COUNT, 1247),
        ("It is 9.3.", MEAN, 9.3333),
        ("It is 9.33.", MEAN, 9.3333),
        ("Fewer than 5.", SMALL, 3),
        ("<5 of 254", SMALL, 1),
        ("Yes, and 7.", COUNT | {"says": ["yes"]}, 7),
    ],
)
def test_right(text: str, expected: dict[str, Any], truth: float) -> None:
    assert _judged(text, expected, truth) is Verdict.RIGHT


@pytest.mark.parametrize(
    ("text", "expected", "truth"),
    [
        ("There are 1,248.", COUNT, 1247),
        ("There are many.", COUNT, 1247),
        ("It is 9.", MEAN, 9.3333),
        ("It is 9.4.", MEAN, 9.3333),
        ("There are 3.", SMALL, 3),
        ("There are 5.", SMALL, 3),
        ("Fewer than 5.", SMALL, 7),
        ("Fewer than 5.", SMALL, 0),
        ("7.", COUNT | {"says": ["yes"]}, 7),
        ("7 of ALT", COUNT | {"cites": ["parameter:ALT"]}, 7),
    ],
)
def test_wrong(text: str, expected: dict[str, Any], truth: float) -> None:
    assert _judged(text, expected, truth) is Verdict.WRONG


def test_a_citation_counts_when_it_was_kept() -> None:
    kept = (Citation(kind="parameter", name="ALT"),)
    assert _judged("7 of ALT", COUNT | {"cites": ["parameter:ALT"]}, 7, citations=kept) is Verdict.RIGHT


def test_who_cannot_tell_gives_no_figure() -> None:
    asked, found = Figure(written="90"), Figure(written="86", call=1)
    assert _judged("I cannot tell.", {"cannot": True}) is Verdict.RIGHT
    assert _judged("I cannot tell of 90.", {"cannot": True}, figures=(asked,)) is Verdict.RIGHT
    assert _judged("It is 86.", {"cannot": True}, figures=(found,)) is Verdict.WRONG


def test_a_refusal_is_right_only_where_one_is_due() -> None:
    assert _judged("no", {"ends": "refused"}, status="refused") is Verdict.RIGHT
    assert _judged("7", {"ends": "refused"}, status="answered") is Verdict.WRONG
    assert _judged("no", COUNT, 7, status="refused") is Verdict.NONE


@pytest.mark.parametrize("status", ["ungrounded", "stuck", "step_limit", "cost_limit", "time_limit", "failed"])
def test_what_shows_no_answer_is_neither(status: str) -> None:
    assert _judged("7", COUNT, 7, status=status) is Verdict.NONE
    assert _judged("7", {"ends": "refused"}, status=status) is Verdict.NONE
