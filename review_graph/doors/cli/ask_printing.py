"""An investigation for people: its steps as they happen, its answer, and what it stands on."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live

from checks.plain import count_of, visible
from checks.vocabulary import JSON, canonical
from review_graph.agent.events import Calls, Event, Replaced, Wrote
from review_graph.doors.cli.console import line, read_line, say, stdout
from review_graph.doors.cli.options import Format
from review_graph.doors.cli.sheets import Listing, Sheet, print_sheet
from review_graph.vocabulary import Answer, AnswerStatus, Pending, Step

SHOWN = 160
"""Characters of a call, and of its result, in a list."""


class Screen:
    """Shows on a terminal what happens while it happens; what was only written on the way is gone at the end.

    Args:
        live: Where it is shown; None where nothing is shown before it was checked.
    """

    def __init__(self, live: Live | None = None) -> None:
        self._live = live
        self._written = ""

    def tell(self, event: Event) -> None:
        """Show what happens."""
        if self._live is None:
            return
        if isinstance(event, Wrote):
            self._written += event.text
        elif isinstance(event, Replaced):
            self._written = event.text
        elif isinstance(event, Calls):
            self._written = ""
            self._print(f"  {_cut(call_text(event.tool, event.arguments))}", style="dim")
        elif not event.step.ok:
            self._print(f"    {_cut(event.step.result)}", style="yellow")
        self._live.update(line(" ".join(self._written.split())))

    def allows(self, pending: Pending) -> bool:
        """Ask whether a call may be made; whoever only presses return says no."""
        if self._live is None:
            return False
        self._live.stop()  # or it would draw over the question
        sys.stderr.write(f"allow {visible(call_text(pending.tool, pending.arguments))}? [y/N] ")
        sys.stderr.flush()
        said = read_line().strip().casefold()
        self._live.start()
        return said in ("y", "yes")

    def _print(self, text: str, style: str) -> None:
        if self._live is not None:
            self._live.console.print(line(text), style=style, soft_wrap=True)


@contextmanager
def progress(output_format: Format) -> Iterator[Screen]:
    """Give a screen for the time of an investigation."""
    if output_format is Format.JSON or not sys.stderr.isatty():
        yield Screen()
        return
    with Live(console=Console(stderr=True, markup=False, highlight=False), transient=True) as live:
        yield Screen(live)


def print_answer(answer: Answer, output_format: Format) -> None:
    """Print an answer: its text, and the calls that it stands on."""
    if output_format is not Format.TABLE:
        print_sheet(_sheet(answer), output_format)
        return
    console = stdout()
    for each in answer.text.splitlines():
        say(console, each)
    sheet = _sheet(answer)
    if answer.steps or answer.pending:
        console.print()
        print_sheet(Sheet(title="From", listings=sheet.listings, notes=sheet.notes), output_format)
    else:
        say(console, sheet.notes[-1], style="dim")


def pending_sheet(identity: str, run: str, pending: Pending) -> Sheet:
    """Return what waits for approval, and how to say yes or no."""
    return Sheet(
        title=f"{run} waits: {call_text(pending.tool, pending.arguments)}",
        notes=[_how_to_settle(identity, run, pending)],
        plain={
            "run_id": run,
            "tool": pending.tool,
            "arguments": dict(pending.arguments),
            "digest": pending.digest,
        },
    )


def call_text(tool: str, arguments: Mapping[str, JSON]) -> str:
    """Return a call as one line, without the model's reasoning."""
    given = (f"{name}={canonical(value)}" for name, value in arguments.items() if name != "reasoning")
    return f"{tool}({', '.join(given)})"


def _sheet(answer: Answer) -> Sheet:
    facts = [("status", answer.status.value)]
    if answer.error is not None:
        facts.append(("error", answer.error.value))
    notes = [f"{figure.written}: {_origin(answer, figure.call, figure.recomputed)}" for figure in answer.figures]
    if answer.pending is not None:
        notes.append(f"Waits for approval: {call_text(answer.pending.tool, answer.pending.arguments)}")
        notes.append(_how_to_settle(answer.review_id, answer.run_id, answer.pending))
    calls = Listing(
        columns=("call", "step", "tool", "result"),
        rows=[_row(place, step) for place, step in enumerate(answer.steps, start=1)],
    )
    title = answer.text or "Nothing is answered yet."
    return Sheet(title=title, facts=facts, listings=[calls], notes=[*notes, _bill(answer)], plain=answer.to_plain())


def _row(place: int, step: Step) -> tuple[str, str, str, str]:
    said = "" if step.approved is None else " (approved)" if step.approved else " (rejected)"
    return str(place), str(step.step), f"{_cut(call_text(step.tool, step.arguments))}{said}", _cut(step.result)


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _origin(answer: Answer, call: int | None, recomputed: bool | None) -> str:  # noqa: FBT001 - yes, no or unknown
    if call is None:
        return "from the question"
    again = "" if recomputed is None else ", found again" if recomputed else ", NOT found again"
    return f"call {call}, {answer.steps[call - 1].tool}{again}"


def _bill(answer: Answer) -> str:
    about = "about " if answer.tokens_estimated else ""
    tokens = f"{about}{answer.tokens_in:,} tokens in, {answer.tokens_out:,} out"
    status = "" if answer.status is AnswerStatus.ANSWERED else f"{answer.status.value}; "
    cost = f"{count_of(answer.model_calls, 'step')}, {tokens}, {answer.cost:.4f} USD, {answer.elapsed:.1f} s"
    return f"{status}{cost}; {answer.model or 'no model was called'}; run {answer.run_id}"


def _how_to_settle(identity: str, run: str, pending: Pending) -> str:
    return f"review-graph approve {identity} {run} --call {pending.digest} --by NAME    (or --reject)"
