"""`review-graph ask` and `approve`: questions about one review, answered from its data or not at all."""

from __future__ import annotations

import sys
import uuid
from typing import TYPE_CHECKING, Annotated

import typer

from review_graph.doors.cli.exits import Exit, guard, stop
from review_graph.doors.cli.options import Db, Format, OutputFormat, ReviewId, open_service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from review_graph.agent.events import Approver
    from review_graph.doors.cli.ask_printing import Screen
    from review_graph.vocabulary import Answer

ASK_AGAIN = "ask again; what was done so far stands in investigations.jsonl"
"""What somebody who interrupted an investigation can do: it does not go on by itself."""

LEAVE = ("/quit", "/exit", "quit", "exit")
"""What ends a conversation, besides the end of the input."""

By = Annotated[
    str | None,
    typer.Option(
        "--by", metavar="NAME", help="Who asks, and who approves. Default: REVIEW_GRAPH_USER.", show_default=False
    ),
]


def ask(
    identity: ReviewId,
    question: Annotated[
        str | None,
        typer.Argument(metavar="QUESTION", help="What to ask. Without it, a conversation.", show_default=False),
    ] = None,
    *,
    session: Annotated[
        str | None,
        typer.Option("--session", metavar="KEY", help="Go on with the conversation of this key.", show_default=False),
    ] = None,
    wait: Annotated[
        bool,
        typer.Option("--wait", help="Let a call that needs approval wait for `approve`; it is rejected otherwise."),
    ] = False,
    by: By = None,
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """Ask about a review: its findings, its columns, its subjects in aggregate.

    A model that you set (REVIEW_GRAPH_MODEL) asks the tools; each number of its answer is traced to the data, or the
    answer is withheld. It can decide nothing. Exit code 0 for an answer, 3 when a call waits for approval, else 2.
    """
    from review_graph.doors.cli.ask_printing import print_answer, progress

    interactive = question is None
    key = session or (uuid.uuid4().hex if interactive else "")
    ended = Exit.DONE
    with guard(ASK_AGAIN), open_service(db) as service:
        service.get(identity)  # what is wrong with it is said before anything is asked
        for text in _questions() if interactive else [question or ""]:
            with progress(output_format) as screen:
                answer = service.asking.ask(
                    identity,
                    text,
                    session=key,
                    by=by,
                    listener=screen.tell,
                    approver=None if wait else _approver(screen, by),
                    wait=wait,
                )
            print_answer(answer, output_format)
            ended = _exit_of(answer)
    stop(Exit.DONE if interactive else ended)


def approve(
    identity: ReviewId,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of the run that waits, as `ask --wait` shows it.")],
    *,
    by: Annotated[
        str | None, typer.Option("--by", metavar="NAME", help="Who approves or rejects.", show_default=False)
    ] = None,
    call: Annotated[
        str | None,
        typer.Option("--call", metavar="DIGEST", help="The call that you looked at.", show_default=False),
    ] = None,
    reject: Annotated[bool, typer.Option("--reject", help="Reject it; the investigation goes on without.")] = False,
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """Show a call of `ask` that waits for approval; with --by and --call, approve or reject it and go on.

    An approval is for this tool with these arguments and for no other call.
    """
    from review_graph.agent.events import Approval
    from review_graph.doors.cli.ask_printing import pending_sheet, print_answer, progress
    from review_graph.doors.cli.sheets import print_sheet
    from review_graph.errors import SetupError

    with guard(ASK_AGAIN), open_service(db) as service:
        if by is None and call is None and not reject:
            print_sheet(pending_sheet(identity, run, service.asking.pending(identity, run)), output_format)
            stop(Exit.PAUSED)
        if by is None or call is None:
            raise SetupError(
                "to approve or reject takes both --by NAME and --call DIGEST; without them the call is shown"
            )
        with progress(output_format) as screen:
            answer = service.asking.settle(
                identity, run, Approval(approved=not reject, by=by), of=call, listener=screen.tell
            )
        print_answer(answer, output_format)
    stop(_exit_of(answer))


def _exit_of(answer: Answer) -> Exit:
    from review_graph.vocabulary import AnswerStatus

    codes = {AnswerStatus.ANSWERED: Exit.DONE, AnswerStatus.WAITING: Exit.PAUSED}
    return codes.get(answer.status, Exit.WRONG)


def _questions() -> Iterator[str]:
    """Yield what is typed, line by line, until there is no more or somebody leaves."""
    from review_graph.doors.cli.console import read_line

    while True:
        if sys.stdin.isatty():
            sys.stderr.write("? ")
            sys.stderr.flush()
        text = read_line()
        if not text or text.strip().casefold() in LEAVE:
            return
        if text.strip():
            yield text.strip()


def _approver(screen: Screen, by: str | None) -> Approver | None:
    """Return what asks at a terminal; None without one."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    from review_graph.agent.events import Approval
    from review_graph.settings import Settings

    name = by or Settings.from_environment().operator
    return lambda pending: Approval(approved=screen.allows(pending), by=name)
