"""The recommended budget, two evaluations beside each other, and the page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from review_graph.evaluation.page import page, panels
from review_graph.evaluation.results import Budget, Evaluation, differing
from review_graph.vocabulary import AnswerStatus


class _Tags(HTMLParser):
    """Collects tags and what of them asks for something or names something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


@pytest.mark.parametrize(
    ("answered", "recommended"),
    [((0, 2, 5, 7, 7), 4), ((3, 3, 3), 1), ((0, 0), None), ((), None), ((1, 4, 3), 2)],
)
def test_the_smallest_that_answers_the_most(
    evaluation: Evaluation, answered: tuple[int, ...], recommended: int | None
) -> None:
    budgets = tuple(
        Budget(steps=n, questions=10, answered=count, credits=0.0) for n, count in enumerate(answered, start=1)
    )
    assert replace(evaluation, budgets=budgets).recommended == recommended


def test_it_is_plain_data(evaluation: Evaluation) -> None:
    plain = evaluation.to_plain()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert (plain["questions"], plain["wrong"], len(plain["runs"])) == (28, 0, 28)


def test_what_ended_differently_is_listed(evaluation: Evaluation) -> None:
    plain = evaluation.to_plain()
    assert differing(plain, plain) == []
    worse = replace(evaluation.runs[0], answer=replace(evaluation.runs[0].answer, status=AnswerStatus.STUCK))
    other = replace(evaluation, runs=(worse, *evaluation.runs[2:])).to_plain()
    assert differing(plain, other) == [
        ("Q01", "answered, right", "stuck, right"),
        ("Q02", "answered, right", "not asked"),
    ]


def test_the_page_asks_nobody_for_anything(evaluation: Evaluation) -> None:
    found = _Tags(page(evaluation))
    assert not {"script", "link", "img", "iframe", "object", "form"} & set(found.tags)
    assert {value for name, value in found.attributes if name in ("src", "href")} == {
        f"#{run.question.id}" for run in evaluation.runs
    }
    assert not [name for name, _ in found.attributes if name.startswith("on") or name == "style"]
    assert "http" not in re.sub(r"http-equiv", "", page(evaluation))


def test_the_arrow_keys_go_through_the_steps_of_each_run(evaluation: Evaluation) -> None:
    text = page(evaluation)
    for run in evaluation.runs:
        radios = re.findall(rf'<input type="radio" name="{run.question.id}" id="([^"]+)"( checked)?>', text)
        assert len(radios) == len(run.exchanges) + 1
        assert [bool(checked) for _, checked in radios] == [True] + [False] * len(run.exchanges)
        assert all(text.count(f'<label for="{name}">') == 1 for name, _ in radios)


def test_text_of_data_and_models_is_no_markup(evaluation: Evaluation) -> None:
    run = evaluation.runs[0]
    hostile = "<script>alert(1)</script>\x1b[31m\u202e\n</pre>"
    said = run.exchanges[0].reply
    assert said is not None
    told = replace(run.exchanges[1], messages=(*run.exchanges[1].messages, {"role": "tool", "content": hostile}))
    changed = replace(
        run,
        answer=replace(run.answer, text=hostile),
        exchanges=(replace(run.exchanges[0], reply=replace(said, text=hostile)), told),
    )
    text = page(replace(evaluation, model=hostile, runs=(changed,)))
    assert _Tags(text).tags.count("script") == 0
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[31m\\u202e\n&lt;/pre&gt;") == 5
    assert not {"\x1b", "\u202e"} & set(text)


def test_a_panel_tells_what_was_new_what_was_said_what_held_and_what_it_cost(evaluation: Evaluation) -> None:
    runs = {run.question.id: run for run in evaluation.runs}
    first, second, third = panels(runs["Q03"])
    assert [role for role, _ in first.shown] == ["system", "user"]
    assert second.shown[0][1].startswith("error: InvalidJSON")
    assert second.guards == ("a call failed; the model is told why, and goes on",)
    assert first.said == ('count_subjects {"age_min": 75',)
    assert third.said == ("149 subjects of the safety population are 75 or older.",)
    assert third.so_far == pytest.approx(runs["Q03"].credits)
    assert panels(runs["Q25"])[2].guards == ("an answer was sent back: it held numbers that were found nowhere",)
    assert "a call was made before; the model is told so" in panels(runs["Q09"])[2].guards
    assert panels(runs["Q10"])[7].guards == ("no tools are shown",)


def test_the_end_of_a_run_tells_its_grounding(evaluation: Evaluation) -> None:
    text = page(evaluation)
    assert "<td>33.9</td>\n<td>call 3, calculate</td>" in text
    assert "<td>90</td>\n<td>the question</td>" in text
    assert "stopped before the same call was made a third time in a row" in text
    assert "Cited: finding structure.missing_values-35dfe702" in text
