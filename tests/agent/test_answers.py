"""A8, A9, A10: an answer holds what was found, or it is not shown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from review_graph.agent.events import Event, Replaced, Wrote
from review_graph.tools.toolbox import Toolbox
from review_graph.vocabulary import AnswerStatus, ErrorCode
from tests.agent.things import Desk, calls, divide, texts

At = Callable[..., Desk]


def test_a_number_from_nowhere_is_sent_back_once(desk: At) -> None:
    at = desk("There are 77.", divide("6/3"), "There are 2.")
    answer = at.ask()
    assert (answer.status, answer.text) == (AnswerStatus.ANSWERED, "There are 2.")
    assert '["77"]' in texts(at.model.asked[1])[-1]
    assert at.roles(2) == ["system", "human", "ai", "human"]


def test_a_number_from_nowhere_twice_is_withheld(desk: At) -> None:
    at = desk(divide("6/3"), "There are 77.", "Then there are 78.")
    answer = at.ask()
    assert answer.status is AnswerStatus.UNGROUNDED
    assert not any(number in answer.text for number in ("77", "78", "2"))
    assert answer.figures == ()


def test_there_is_no_second_chance_without_a_step_left(desk: At) -> None:
    at = desk("There are 77.", "never", ask_steps=1)
    assert at.ask().status is AnswerStatus.UNGROUNDED
    assert len(at.model.asked) == 1


def test_numbers_of_the_question_and_rounded_ones_are_supported(desk: At) -> None:
    at = desk(divide("28 / 3"), "Of the 300 you name, 9.3 is the third of 28.")
    answer = at.ask("What is 28 by 3, and is 300 a lot?")
    assert answer.status is AnswerStatus.ANSWERED
    assert {figure.written: (figure.call, figure.recomputed) for figure in answer.figures} == {
        "300": (None, None),
        "9.3": (1, True),
        "28": (None, None),
    }


def test_numbers_of_an_error_support_nothing(desk: At) -> None:
    at = desk(calls(("calculate", {"expression": "4711 +"})), "It is 4711.", "It is 4711.")
    assert at.ask().status is AnswerStatus.UNGROUNDED


def test_a_figure_that_is_not_found_again_is_not_shown(desk: At, monkeypatch: pytest.MonkeyPatch) -> None:
    at = desk(divide("6/3"), "There are 2.")
    made: list[str] = []
    real = Toolbox.call

    def other(self: Toolbox, name: str, arguments: dict[str, object], **more: object) -> object:
        made.append(name)
        return real(self, name, {"expression": "7/1"} if len(made) == 2 else arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Toolbox, "call", other)
    answer = at.ask()
    assert answer.status is AnswerStatus.UNGROUNDED
    assert [figure.recomputed for figure in answer.figures] == [False]
    assert "2" not in answer.text


def test_what_no_tool_returned_may_not_be_named(desk: At) -> None:
    at = desk("See [finding:ranges.outside_limits-deadbeef].")
    answer = at.ask()
    assert answer.status is AnswerStatus.UNGROUNDED
    assert "deadbeef" not in answer.text


def test_what_a_tool_returned_is_cited_when_it_is_named(desk: At) -> None:
    at = desk()
    names = [item.finding.id for item in at.review.findings]
    at.model.turns = [calls(("list_findings", {})), f"Look at [finding:{names[0]}]."]
    answer = at.ask()
    assert [(citation.kind, citation.name) for citation in answer.citations] == [("finding", names[0])]


def test_an_honest_cannot_is_an_answer(desk: At) -> None:
    at = desk("I cannot tell that from the tools.")
    assert at.ask().status is AnswerStatus.ANSWERED


def test_an_answer_that_fails_is_replaced_in_the_stream(desk: At) -> None:
    at = desk("There are 77.", "Then 78.")
    events: list[Event] = []
    answer = at.ask(listener=events.append)
    written = "".join(event.text for event in events if isinstance(event, Wrote))
    assert "77" in written
    assert [event.text for event in events if isinstance(event, Replaced)] == ["", answer.text]


def test_an_answer_that_stands_is_not_replaced(desk: At) -> None:
    events: list[Event] = []
    at = desk(divide("6/3"), "There are 2.")
    at.ask(listener=events.append)
    assert not [event for event in events if isinstance(event, Replaced)]


def test_an_empty_answer_is_an_error_of_the_model(desk: At) -> None:
    answer = desk("  ").ask()
    assert (answer.status, answer.error) == (AnswerStatus.FAILED, ErrorCode.MODEL_ERROR)


def test_a_calculation_with_numbers_from_nowhere_is_not_made(desk: At) -> None:
    at = desk(divide("4711 * 1"), "It is 4711.", "It is 4711.")
    answer = at.ask()
    assert answer.status is AnswerStatus.UNGROUNDED
    assert answer.steps[0].result == "error: UnknownNumber: 4711 stands in no result and not in the question"


def test_a_calculation_may_stand_on_another_and_on_a_hundred(desk: At) -> None:
    at = desk(divide("6 / 9"), divide("0.67 * 100"), "It is 67 %.")
    answer = at.ask()
    assert answer.status is AnswerStatus.ANSWERED
    assert [(figure.written, figure.call) for figure in answer.figures] == [("67", 2)]


def test_no_calculation_stands_on_a_percentage_of_all(desk: At) -> None:
    at = desk(divide("6 / 9"), divide("100 * 6 / 6"), divide("100 - 6"), "It is 100 %.")
    answer = at.ask()
    assert answer.status is AnswerStatus.ANSWERED
    assert [step.ok for step in answer.steps] == [True, True, False]
    assert answer.steps[2].result.startswith("error: UnknownNumber: 100 is no number that was found")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("count_rows", {"filter": [{"column": "AGE", "op": "<", "value": 4321}]}),
        ("count_rows", {"filter": [{"column": "SEX", "op": "=", "value": "4321 died"}]}),
        ("sql", {"query": 'SELECT count(*) AS "4321 dead" FROM adsl'}),
        ("sql", {"query": "SELECT count(*) FROM adsl WHERE AGE < 4321"}),
    ],
)
def test_what_a_call_only_repeats_is_not_found(desk: At, tool: str, arguments: dict[str, object]) -> None:
    at = desk(calls((tool, arguments)), "4321 died.", "4321 died.", sql=True)
    answer = at.ask("How many died?")
    assert answer.status is AnswerStatus.UNGROUNDED
    assert "4321" not in answer.text
