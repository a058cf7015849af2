"""Reviews on stdout: as tables for people, or as reports. The same reviews give the same bytes."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from checks.plain import count_of
from checks.vocabulary import Outcome, Verdict
from review_graph.adapters.files import offending_rows
from review_graph.core.addresses import is_address
from review_graph.core.reporting import headline
from review_graph.doors.cli.console import COLOURS, line, present_time, say, stdout
from review_graph.doors.cli.options import Format, ReportFormat
from review_graph.reports import rendered
from review_graph.reports.facts import totals
from review_graph.vocabulary import Review, Status

SCREEN = 30
"""Reviews in the table of a run, the most urgent ones when there are more."""

DETAILED = 10
"""Reviews up to which a run also prints their first findings."""

BRIEF = 5
"""Findings of one review shown by `run`; `show` shows all."""

_NUMBERS = ("rows", "findings", "not judged", "age")


def print_reviews(
    reviews: Sequence[Review],
    output_format: Format | ReportFormat,
    *,
    skipped: Sequence[str] = (),
    details: bool = False,
) -> None:
    """Print several reviews.

    Args:
        reviews: What to print.
        output_format: How.
        skipped: Files that are not tables and were left out.
        details: Whether the first findings of each review follow the table.
    """
    if output_format.value == Format.TABLE:
        console = stdout()
        _print_table(console, reviews, _most_urgent(reviews, SCREEN) if details else reviews)
        for review in reviews if details and len(reviews) <= DETAILED else ():
            _print_brief(console, review)
        _print_totals(console, reviews)
    else:
        print_report(reviews, output_format, skipped=skipped)


def print_queue(reviews: Sequence[Review], output_format: Format) -> None:
    """Print reviews as a queue: with their age, and whose they are.

    Args:
        reviews: What to print, in order.
        output_format: How.
    """
    if output_format is Format.TABLE:
        console, now = stdout(), present_time()
        more = {"age": [_age(review, now) for review in reviews]}
        more["assignee"] = [review.assignee for review in reviews]
        _print_table(console, reviews, reviews, more)
        _print_totals(console, reviews)
    else:
        print_report(reviews, output_format)


def print_report(
    reviews: Sequence[Review],
    output_format: Format | ReportFormat,
    *,
    skipped: Sequence[str] = (),
    alone: bool = False,
) -> None:
    """Print a report: text for people as the terminal can show it, everything else as the bytes it is."""
    content = rendered(output_format.value, reviews, open_rows=offending_rows, skipped=skipped, alone=alone)
    if output_format.value in (Format.JSON, Format.MD):
        sys.stdout.write(content.decode())
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)


def _print_table(
    console: Console,
    reviews: Sequence[Review],
    shown: Sequence[Review],
    more: Mapping[str, Sequence[str]] | None = None,
) -> None:
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    further = more or {}
    for title in ("review", "dataset", "rows", "status", "severity", "findings", "not judged", *further):
        justify: Literal["right", "left"] = "right" if title in _NUMBERS else "left"
        table.add_column(title, overflow="fold", no_wrap=title == "review", justify=justify)
    for place, review in enumerate(shown):
        severity = "" if review.status is Status.FAILED else review.triage.severity.value
        table.add_row(
            line(review.id or "-"),
            line(_place(review)),
            "" if review.dataset.rows is None else f"{review.dataset.rows:,}",
            review.status.value,
            Text(severity, style=COLOURS.get(severity, "")),
            str(len(review.open_findings)),
            str(len(unsure(review)) or ""),
            *(line(cells[place]) for cells in further.values()),
        )
    console.print(table)
    if len(shown) < len(reviews):
        say(console, f"… {len(reviews) - len(shown):,} more of {len(reviews):,}, none more urgent: review-graph list")
    console.print()


def _print_totals(console: Console, reviews: Sequence[Review]) -> None:
    counted = totals(reviews)
    parts = [f"{counted[status.value]} {status.value}" for status in Status if counted[status.value]]
    say(console, count_of(counted["reviews"], "review") + (f": {', '.join(parts)}" if parts else ""))


def _age(review: Review, now: dt.datetime) -> str:
    if review.created_at is None:
        return ""
    return count_of(max((now - dt.datetime.fromisoformat(review.created_at)).days, 0), "day")


def unsure(review: Review) -> list[Verdict]:
    """The verdicts of what could not be told."""
    return [v for v in review.verdicts if v.outcome in (Outcome.INCONCLUSIVE, Outcome.ERRORED)]


def _place(review: Review) -> str:
    """Where the dataset is, as short as can be; the name of a frame that was handed in."""
    if is_address(review.dataset.uri):
        return review.dataset.uri
    path = Path(review.dataset.uri)
    if not path.is_absolute():
        return review.dataset.name
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _most_urgent(reviews: Sequence[Review], limit: int) -> Sequence[Review]:
    """All reviews as they come, or those that need somebody first when they are too many."""
    if len(reviews) <= limit:
        return reviews
    order = [Status.FAILED, Status.PAUSED, Status.RUNNING, Status.ESCALATED, Status.SUMMARISED]

    def urgency(review: Review) -> tuple[int, int, int]:
        return (order.index(review.status), -review.triage.severity.rank, -len(review.open_findings))

    return sorted(reviews, key=urgency)[:limit]


def _print_brief(console: Console, review: Review) -> None:
    """The first findings of a review; how many more there are is said."""
    if review.problem is not None:
        say(console, f"{review.dataset.name}: {review.problem.message}", style="red")
        console.print()
        return
    findings = review.open_findings
    if not findings:
        return
    say(console, headline(review), style="bold")
    for finding in findings[:BRIEF]:
        say(console, f"  {finding.severity.value}  {finding.code}: {finding.message}")
    if len(findings) > BRIEF:
        say(console, f"  … {len(findings) - BRIEF} more of {len(findings)}: review-graph show {review.id}")
    console.print()
