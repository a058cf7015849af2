"""Exit codes, and how a run comes to one."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from review_graph.vocabulary import Decision, Review


class Exit(IntEnum):
    """What a program that calls us can tell from the exit code."""

    DONE = 0
    FINDINGS = 1
    FAULT = 1
    WRONG = 2
    PAUSED = 3
    CHECK_ERRORED = 4
    BUG = 70
    INTERRUPTED = 130
    TERMINATED = 143


def exit_of_run(reviews: Sequence[Review], *, fail_on: str | None, pause_fails: bool, incomplete: bool) -> Exit:
    """Return the exit code of a run; where several apply, the first of 70, 2, 3, 4, 1.

    Args:
        reviews: The reviews of the run.
        fail_on: Severity from which open findings make the run fail; None: never.
        pause_fails: Whether a paused review counts.
        incomplete: Whether something that was asked for could not be found.
    """
    from checks.vocabulary import Outcome, Severity
    from review_graph.vocabulary import Status

    if any(review.problem is not None and review.problem.kind == "bug" for review in reviews):
        return Exit.BUG
    if incomplete or any(review.status is Status.FAILED for review in reviews):
        return Exit.WRONG
    if any(review.status is Status.RUNNING for review in reviews):
        return Exit.PAUSED  # in the hands of another process: nobody knows yet how it ends
    if pause_fails and any(review.status is Status.PAUSED for review in reviews):
        return Exit.PAUSED
    if any(verdict.outcome is Outcome.ERRORED for review in reviews for verdict in review.verdicts):
        return Exit.CHECK_ERRORED
    # What a reviewer lowered counts as what they lowered it to, and three minor findings as what they add up to.
    found = [review.triage.severity.rank for review in reviews if review.open_findings]
    if fail_on is not None and any(rank >= Severity(fail_on).rank for rank in found):
        return Exit.FINDINGS
    return Exit.DONE


def complain(message: str) -> None:
    """Say on stderr what is wrong, each line marked as ours and without control characters."""
    from checks.plain import visible

    for line in message.split("\n"):
        sys.stderr.write(f"review-graph: {visible(line)}\n")


def stop(code: Exit) -> NoReturn:
    """End the command with a code."""
    raise typer.Exit(int(code))


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Around output: when its reader went away, as `| head` does, there is nobody to tell."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def guard(then: str = "the same command goes on where this one stopped") -> Iterator[None]:
    """Around a command: whatever goes wrong becomes one line and an exit code, never a traceback.

    Args:
        then: What can be done after an interruption.
    """
    from checks.errors import ChecksError
    from review_graph.errors import DecisionConflict, ReviewGraphError

    try:
        with reader_may_leave():
            yield
    except DecisionConflict as conflict:
        complain(str(conflict))
        if conflict.decision is not None:
            complain(_not_seen(conflict.decision))
        stop(Exit.WRONG)
    except (ChecksError, ReviewGraphError) as error:
        complain(str(error))
        stop(Exit.WRONG)
    except KeyboardInterrupt:
        complain(f"interrupted; {then}")
        stop(Exit.INTERRUPTED)
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:
        logging.getLogger("review_graph").debug("command", exc_info=True)
        complain(
            f"this is a bug of review-graph, please report it: {type(error).__name__}: {error} "
            "(REVIEW_GRAPH_DEBUG=1 shows where)"
        )
        stop(Exit.BUG)


def _not_seen(decision: Decision) -> str:
    who = f"{decision.by} ({decision.role})" if decision.role else decision.by
    about = f", on {', '.join(decision.findings)}" if decision.findings else ""
    change = f"{decision.severity_from.value} → {decision.severity_to.value}"
    return f"decision {decision.number} is {decision.action.value} by {who}, {change}{about}"


def terminate(_signal: int, _frame: FrameType | None) -> NoReturn:
    """End on SIGTERM as on Ctrl+C: every finished step is kept."""
    complain("terminated; the same command goes on where this one stopped")
    sys.exit(int(Exit.TERMINATED))
