"""One HTML page that steps through runs: what the model was shown and said at each call, guards, cost and grounding.

There is no script and no outside request: the steps of a run are radio buttons, so that the arrow keys go through them.
All text is made visible and then escaped by the environment.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from checks.plain import visible
from checks.vocabulary import canonical
from review_graph.agent.prompts import NUDGE
from review_graph.core.spending import credits_of
from review_graph.evaluation.results import Evaluation, Run
from review_graph.evaluation.watching import Exchange
from review_graph.vocabulary import AnswerStatus, Message

if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One call of the model, as the page shows it.

    Attributes:
        shown: The messages that it had not seen before, each as role and text.
        tools: How many tools it was shown.
        guards: What kept it within its bounds.
        said: What it said: its text, then its calls.
        tokens_in: Tokens of the request.
        tokens_out: Tokens of the reply.
        credits: What the call cost.
        so_far: What the run had cost after it.
    """

    shown: tuple[tuple[str, str], ...]
    tools: int
    guards: tuple[str, ...]
    said: tuple[str, ...]
    tokens_in: int
    tokens_out: int
    credits: float
    so_far: float


def page(evaluation: Evaluation) -> str:
    """Return the runs of an evaluation as one page."""
    from markupsafe import Markup

    environment = _environment()
    style = "".join(_source(environment, name) for name in ("report.css", "runs.css"))
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment.get_template("runs.html").render(
        evaluation=evaluation,
        style=Markup(style),  # noqa: S704 - our own file
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
    )


def panels(run: Run) -> tuple[Panel, ...]:
    """Return the calls of the model of a run, in order."""
    found: list[Panel] = []
    before: tuple[Message, ...] = ()
    so_far = 0.0
    for exchange in run.exchanges:
        known = len(before) if exchange.messages[: len(before)] == before else 0
        fresh = exchange.messages[known:]
        cost = credits_of(exchange.tokens_in, exchange.tokens_out, run.prices)
        so_far += cost
        found.append(
            Panel(
                shown=tuple(_told(fresh)),
                tools=len(exchange.tools),
                guards=tuple(_guards(exchange, fresh, is_first=known == 0)),
                said=tuple(_said(exchange)),
                tokens_in=exchange.tokens_in,
                tokens_out=exchange.tokens_out,
                credits=cost,
                so_far=so_far,
            )
        )
        before = exchange.messages
    return tuple(found)


_ENDS = {
    AnswerStatus.STUCK: "stopped before the same call was made a third time in a row",
    AnswerStatus.STEP_LIMIT: "stopped: no call of the model was left",
    AnswerStatus.TOKEN_LIMIT: "stopped before the limit of tokens was broken",
    AnswerStatus.COST_LIMIT: "stopped before the limit of cost was broken",
    AnswerStatus.TIME_LIMIT: "stopped: the time was up",
    AnswerStatus.UNGROUNDED: "the answer is withheld: it held what was found nowhere",
}


def ending(run: Run) -> str:
    """Say which guard ended a run; empty where none did."""
    return _ENDS.get(run.answer.status, "")


def _told(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    for message in messages:
        if message["role"] != "assistant":  # what it said itself stands at the call before
            yield str(message["role"]), str(message["content"])


def _said(exchange: Exchange) -> Iterator[str]:
    if exchange.reply is None:
        yield f"nothing that can be used: {exchange.trouble}"
        return
    if exchange.reply.text:
        yield exchange.reply.text
    for call in exchange.reply.calls:
        yield f"{call.name} {call.broken if call.arguments is None else canonical(dict(call.arguments))}"


def _guards(exchange: Exchange, fresh: Sequence[Message], *, is_first: bool) -> Iterator[str]:
    results = [str(message["content"]) for message in fresh if message["role"] == "tool"]
    if any(text.startswith("error:") for text in results):
        yield "a call failed; the model is told why, and goes on"
    if any(text.endswith(NUDGE) for text in results):
        yield "a call was made before; the model is told so"
    if not is_first and any(message["role"] == "user" for message in fresh):
        yield "an answer was sent back: it held numbers that were found nowhere"
    if not exchange.tools:
        yield "no tools are shown"


@cache
def _environment() -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader("review_graph.evaluation"), PackageLoader("review_graph.reports")]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {"ending": ending, "panels": panels}
    return environment


def _shown(value: object) -> object:
    """Text without control characters but line breaks; what is marked as markup is our own."""
    return "\n".join(map(visible, value.split("\n"))) if type(value) is str else value


def _source(environment: Environment, name: str) -> str:
    assert environment.loader is not None  # noqa: S101 - set above
    return environment.loader.get_source(environment, name)[0]
