"""Reviews on stdout: as tables for people, or as reports. The same reviews give the same bytes."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from checks.plain import count_of, quote, visible
from checks.vocabulary import JSON, Outcome, Verdict
from review_graph.core.addresses import is_address
from review_graph.core.reporting import headline
from review_graph.doors.cli.options import Format, ReportFormat, open_rows
from review_graph.reports import rendered
from review_graph.reports.facts import totals
from review_graph.vocabulary import Action, Review, ReviewedFinding, Status

PLAIN_WIDTH = 160
"""Columns of a table that does not go to a terminal."""

SCREEN = 30
"""Reviews in the table of a run, the most urgent ones when there are more."""

DETAILED = 10
"""Reviews up to which a run also prints their first findings."""

BRIEF = 5
"""Findings of one review shown by `run` and `list`; `show` shows all."""

_COLOURS = {"major": "red", "minor": "yellow", "none": "green"}


class _Stdout(Console):
    """Lets a closed pipe be an error of ours, where rich would end the program."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def stdout() -> Console:
    """A console that prints text as it is: no markup, no guessing at numbers, no emoji."""
    width = None if sys.stdout.isatty() else PLAIN_WIDTH
    return _Stdout(width=width, markup=False, highlight=False, emoji=False, soft_wrap=False)


def print_json(plain: JSON) -> None:
    """Print plain data as JSON, in ASCII: no terminal and no encoding can make anything else of it."""
    sys.stdout.write(json.dumps(plain, indent=2, allow_nan=False) + "\n")


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
        _print_table(reviews, details=details)
    else:
        _print_report(reviews, output_format, skipped=skipped)


def print_review(review: Review, output_format: Format | ReportFormat) -> None:
    """Print one review with its evidence and what can be done."""
    if output_format.value != Format.TABLE:
        _print_report([review], output_format, alone=True)
        return
    console = stdout()
    _print_head(console, review)
    for item in review.findings:
        console.print()
        _print_finding(console, item)
    _print_decisions(console, review)
    _print_unsure(console, review)
    _print_actions(console, review)


def print_decided(review: Review, output_format: Format) -> None:
    """Print what became of a review after a decision, without its evidence."""
    if output_format is not Format.TABLE:
        print_review(review, output_format)
        return
    console = stdout()
    _print_head(console, review)
    _print_decisions(console, review)
    _print_actions(console, review)


def _print_report(
    reviews: Sequence[Review],
    output_format: Format | ReportFormat,
    *,
    skipped: Sequence[str] = (),
    alone: bool = False,
) -> None:
    """Print a report: text for people as the terminal can show it, everything else as the bytes it is."""
    content = rendered(output_format.value, reviews, open_rows=open_rows, skipped=skipped, alone=alone)
    if output_format.value in (Format.JSON, Format.MD):
        sys.stdout.write(content.decode())
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)


def _print_table(reviews: Sequence[Review], *, details: bool) -> None:
    console = stdout()
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    for title in ("review", "dataset", "rows", "status", "severity", "findings", "not judged"):
        justify: Literal["right", "left"] = "right" if title in ("rows", "findings", "not judged") else "left"
        table.add_column(title, overflow="fold", no_wrap=title == "review", justify=justify)
    shown = _most_urgent(reviews, SCREEN) if details else reviews
    for review in shown:
        severity = "" if review.status is Status.FAILED else review.triage.severity.value
        table.add_row(
            _line(review.id or "-"),
            _line(_place(review)),
            "" if review.dataset.rows is None else f"{review.dataset.rows:,}",
            review.status.value,
            Text(severity, style=_COLOURS.get(severity, "")),
            str(len(review.open_findings)),
            str(len(_unsure(review)) or ""),
        )
    console.print(table)
    if len(shown) < len(reviews):
        _say(console, f"… {len(reviews) - len(shown):,} more of {len(reviews):,}, none more urgent: review-graph list")
    console.print()
    if details and len(reviews) <= DETAILED:
        for review in reviews:
            _print_brief(console, review)
    counted = totals(reviews)
    parts = [f"{counted[status.value]} {status.value}" for status in Status if counted[status.value]]
    _say(console, count_of(counted["reviews"], "review") + (f": {', '.join(parts)}" if parts else ""))


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
        _say(console, f"{review.dataset.name}: {review.problem.message}", style="red")
        console.print()
        return
    findings = review.open_findings
    if not findings:
        return
    _say(console, headline(review), style="bold")
    for finding in findings[:BRIEF]:
        _say(console, f"  {finding.severity.value}  {finding.code}: {finding.message}")
    if len(findings) > BRIEF:
        _say(console, f"  … {len(findings) - BRIEF} more of {len(findings)}: review-graph show {review.id}")
    console.print()


def _print_head(console: Console, review: Review) -> None:
    _say(console, headline(review), style="bold")
    for label, value in _facts(review):
        _say(console, f"  {label:<9} {value}")


def _facts(review: Review) -> list[tuple[str, str]]:
    dataset = review.dataset
    facts = [
        ("review", review.id or "-"),
        ("status", f"{review.status.value}, {review.triage.severity.value}: {review.triage.reason}"),
        ("dataset", f"{dataset.uri} ({dataset.rows or 0:,} rows, {dataset.columns or 0} columns)"),
        ("spec", f"{review.spec_name or 'without a name'}, as of {review.today}"),
        *(("note", note) for note in dataset.notes),
    ]
    if review.report:
        facts.append(("report", review.report))
    if review.queries:
        facts.append(("queries", review.queries))
    if review.problem:
        facts.append(("problem", review.problem.message))
    return facts


def _print_finding(console: Console, item: ReviewedFinding) -> None:
    finding = item.finding
    severity = finding.severity.value
    console.print(Text(severity, style=_COLOURS[severity]), _line(f"{finding.code} [{item.status.value}]"))
    _say(console, f"  {finding.message}")
    _say(console, f"  id {finding.id}")
    if not finding.evidence:
        return
    keys = list(finding.evidence[0].key)
    values = [name for name in finding.evidence[0].values if name not in keys]
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    table.add_column("row", justify="right")
    for name in [*keys, *values]:
        table.add_column(_line(name), overflow="fold")
    noted = any(evidence.note for evidence in finding.evidence)
    if noted:
        table.add_column("note", overflow="fold")
    for evidence in finding.evidence:
        cells = [_cell(evidence.key[name]) for name in keys] + [_cell(evidence.values[name]) for name in values]
        table.add_row(str(evidence.row), *cells, *([_line(evidence.note or "")] if noted else []))
    console.print(table)
    if finding.failed > len(finding.evidence):
        where = f", all of them in {finding.evidence_file}" if finding.evidence_file else ""
        _say(console, f"  first {len(finding.evidence)} of {finding.failed:,} rows{where}")


def _print_decisions(console: Console, review: Review) -> None:
    for decision in review.decisions:
        console.print()
        console.print("decision", decision.action.value, style="bold")
        _say(console, f"  {decision.at} {decision.by}: {decision.reason}")
        _say(console, f"  {decision.severity_from.value} → {decision.severity_to.value}")
        for identity in decision.findings:
            _say(console, f"  {identity}")


def _unsure(review: Review) -> list[Verdict]:
    return [v for v in review.verdicts if v.outcome in (Outcome.INCONCLUSIVE, Outcome.ERRORED)]


def _print_unsure(console: Console, review: Review) -> None:
    unsure = _unsure(review)
    if unsure:
        console.print()
        console.print(f"not judged ({len(unsure)} of {len(review.verdicts)} checks)", style="bold")
    for verdict in unsure:
        _say(console, f"  {verdict.code} {' '.join(verdict.columns)}: {verdict.reason}")


def _print_actions(console: Console, review: Review) -> None:
    if Action.CONFIRM not in review.actions:
        return
    example = review.open_findings[0].id if review.open_findings else "FINDING"
    commands = {
        Action.CONFIRM: "",
        Action.OVERRIDE: " --severity minor",
        Action.DISMISS: f" --finding {example} --reason-code expected",
    }
    console.print()
    console.print("what can be done", style="bold")
    for action in filter(commands.__contains__, review.actions):
        command = f"review-graph decide {review.id} --action {action.value}{commands[action]}"
        _say(console, f'  {command} --by NAME --reason "…"')


def _say(console: Console, text: str, style: str = "") -> None:
    """Print one line whole; only a terminal breaks it."""
    console.print(_line(text), style=style, soft_wrap=True)


def _line(text: str) -> Text:
    """Text of data or people as it is, control characters made visible."""
    return Text(visible(text))


def _cell(value: Any) -> Text:  # noqa: ANN401 - any JSON value
    if value is None:
        return Text("(missing)", style="dim")
    return _line(quote(value) if isinstance(value, str) and value != value.strip() else str(value))
