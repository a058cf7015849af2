"""What the model is shown at each call, to the letter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from review_graph.agent.prompts import RULES
from review_graph.evaluation.results import Run

RunOf = Callable[[str], Run]

ABOUT = 'The review in hand, as data: {"dataset":"adsl","severity":"minor","spec":"adsl","status":"summarised"}'
SYSTEM = {"role": "system", "content": f"{RULES}\n\n{ABOUT}"}
TOOLS = (
    *("calculate", "count_rows", "count_subjects", "demographics_summary", "export_summary", "finding_detail"),
    *("list_columns", "list_findings", "summarise_column", "value_counts"),
)


def _called(*calls: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "", "calls": list(calls)}


def _call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": f"call_{number}", "name": name, "arguments": arguments}


def _result(number: int, content: str) -> dict[str, Any]:
    return {"role": "tool", "content": content, "call_id": f"call_{number}"}


def _shown(run: Run) -> list[list[dict[str, Any]]]:
    return [[dict(message) for message in exchange.messages] for exchange in run.exchanges]


def test_one_call(run_of: RunOf) -> None:
    run = run_of("Q01")
    opening = [SYSTEM, {"role": "user", "content": "How many subjects of the safety population received placebo?"}]
    result = (
        '{"dataset":"adsl","filter":["SAFFL = \'Y\'","TRT01A = \'Placebo\'"],'
        '"population":"safety population","subjects":86}'
    )
    assert _shown(run) == [
        opening,
        [*opening, _called(_call(1, "count_subjects", arm="Placebo")), _result(1, result)],
    ]
    assert [exchange.tools for exchange in run.exchanges] == [TOOLS, TOOLS]
    assert run.answer.text == "86 subjects of the safety population received placebo."


def test_several_calls_in_one_reply_are_each_answered(run_of: RunOf) -> None:
    run = run_of("Q05")
    opening = [SYSTEM, {"role": "user", "content": "What percentage of the safety population received placebo?"}]
    everyone = '{"dataset":"adsl","filter":["SAFFL = \'Y\'"],"population":"safety population","subjects":254}'
    placebo = (
        '{"dataset":"adsl","filter":["SAFFL = \'Y\'","TRT01A = \'Placebo\'"],'
        '"population":"safety population","subjects":86}'
    )
    counted = [
        *opening,
        _called(_call(1, "count_subjects"), _call(2, "count_subjects", arm="Placebo")),
        _result(1, everyone),
        _result(2, placebo),
    ]
    calculated = _called(_call(3, "calculate", expression="100 * 86 / 254"))
    assert _shown(run) == [opening, counted, [*counted, calculated, _result(3, '{"value":33.85826771653543}')]]
    assert [(figure.written, figure.call) for figure in run.answer.figures] == [("33.9", 3), ("86", 2), ("254", 1)]


def test_broken_arguments_are_answered_too(run_of: RunOf) -> None:
    run = run_of("Q03")
    broken = _called({"id": "call_1", "name": "count_subjects", "broken": '{"age_min": 75'})
    second = _shown(run)[1]
    assert second[2] == broken
    said = "error: InvalidJSON: the arguments of 'count_subjects' are no JSON object of up to 4000 characters"
    assert second[3] == _result(1, said)


def test_a_repeated_call_is_answered_with_a_nudge(run_of: RunOf) -> None:
    results = [message["content"] for message in _shown(run_of("Q09"))[2] if message["role"] == "tool"]
    assert [text.count("\n") for text in results] == [0, 1]
    assert results[1].splitlines()[0].startswith("error: UnknownName: there is no column ")
    assert results[1].endswith("\nYou made this very call before. Use its result, or make another call.")


def test_at_its_last_step_the_model_sees_no_tools_and_is_told_so(run_of: RunOf) -> None:
    last = run_of("Q10").exchanges[-1]
    assert last.tools == ()
    assert last.messages[-1] == {
        "role": "system",
        "content": "No more tools can be called. Answer now from the results above, or say that you cannot.",
    }
