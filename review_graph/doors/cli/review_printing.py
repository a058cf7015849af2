"""One review on stdout, for a person: findings with evidence, what changed, decisions, and what can be done."""

from __future__ import annotations

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from review_graph.core.approving import waiting_for_approval
from review_graph.core.reporting import headline
from review_graph.core.wording import anchor_text, diff_headline, person_text, signature_texts, waiver_text
from review_graph.doors.cli.console import COLOURS, cell, line, say, stdout
from review_graph.doors.cli.options import Format, ReportFormat
from review_graph.doors.cli.render import print_report, unsure
from review_graph.vocabulary import Action, FindingStatus, Review, ReviewedFinding


def print_review(review: Review, output_format: Format | ReportFormat) -> None:
    """Print one review with its evidence and what can be done."""
    if output_format.value != Format.TABLE:
        print_report([review], output_format, alone=True)
        return
    console = stdout()
    _print_head(console, review)
    _print_notices(console, review)
    for item in review.findings:
        console.print()
        _print_finding(console, item)
    _print_decisions(console, review)
    _print_unsure(console, review)
    _print_actions(console, review)
    if review.anchor is not None:
        console.print()
        say(console, anchor_text(review.anchor))


def print_decided(review: Review, output_format: Format) -> None:
    """Print what became of a review after a decision, without its evidence."""
    if output_format is not Format.TABLE:
        print_review(review, output_format)
        return
    console = stdout()
    _print_head(console, review)
    _print_notices(console, review)
    _print_decisions(console, review)
    _print_actions(console, review)


def _print_head(console: Console, review: Review) -> None:
    say(console, headline(review), style="bold")
    for label, value in _facts(review):
        say(console, f"  {label:<9} {value}")


def _facts(review: Review) -> list[tuple[str, str]]:
    dataset = review.dataset
    facts = [
        ("review", review.id or "-"),
        ("status", f"{review.status.value}, {review.triage.severity.value}: {review.triage.reason}"),
        ("dataset", f"{dataset.uri} ({dataset.rows or 0:,} rows, {dataset.columns or 0} columns)"),
        ("spec", f"{review.spec_name or 'without a name'}, as of {review.today}"),
        *(("note", note) for note in dataset.notes),
    ]
    if review.diff:
        facts.append(("changes", f"{diff_headline(review.diff)}: review-graph diff {review.id}"))
    if review.report:
        facts.append(("report", review.report))
    if review.queries:
        facts.append(("queries", review.queries))
    if review.problem:
        facts.append(("problem", review.problem.message))
    return facts


def _print_notices(console: Console, review: Review) -> None:
    if review.notices:
        console.print()
        console.print("waivers that do not hold", style="bold")
    for notice in review.notices:
        say(console, f"  {notice}")


def _print_finding(console: Console, item: ReviewedFinding) -> None:
    finding = item.finding
    severity = finding.severity.value
    console.print(Text(severity, style=COLOURS[severity]), line(f"{finding.code} [{item.status.value}]"))
    say(console, f"  {finding.message}")
    say(console, f"  id {finding.id}")
    for waiver in item.waivers:
        say(console, f"  {waiver_text(waiver)}")
    if finding.evidence:
        _print_evidence(console, item)


def _print_evidence(console: Console, item: ReviewedFinding) -> None:
    finding = item.finding
    keys = list(finding.evidence[0].key)
    values = [name for name in finding.evidence[0].values if name not in keys]
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    table.add_column("row", justify="right")
    for name in [*keys, *values]:
        table.add_column(line(name), overflow="fold")
    noted = any(evidence.note for evidence in finding.evidence)
    if noted:
        table.add_column("note", overflow="fold")
    for evidence in finding.evidence:
        cells = [cell(evidence.key[name]) for name in keys] + [cell(evidence.values[name]) for name in values]
        table.add_row(str(evidence.row), *cells, *([line(evidence.note or "")] if noted else []))
    console.print(table)
    if finding.failed > len(finding.evidence):
        where = f", all of them in {finding.evidence_file}" if finding.evidence_file else ""
        say(console, f"  first {len(finding.evidence)} of {finding.failed:,} rows{where}")


def _print_decisions(console: Console, review: Review) -> None:
    for decision in review.decisions:
        console.print()
        console.print("decision", str(decision.number), decision.action.value, style="bold")
        say(console, f"  {decision.at} {person_text(decision)}: {decision.reason}")
        code = f", {decision.reason_code}" if decision.reason_code else ""
        say(console, f"  {decision.severity_from.value} → {decision.severity_to.value}{code}")
        for text in signature_texts(decision, review.decisions):
            say(console, f"  {text}")
        for identity in decision.findings:
            say(console, f"  {identity}")


def _print_unsure(console: Console, review: Review) -> None:
    verdicts = unsure(review)
    if verdicts:
        console.print()
        console.print(f"not judged ({len(verdicts)} of {len(review.verdicts)} checks)", style="bold")
    for verdict in verdicts:
        say(console, f"  {verdict.code} {' '.join(verdict.columns)}: {verdict.reason}")


def _print_actions(console: Console, review: Review) -> None:
    if Action.CONFIRM not in review.actions:
        return
    open_ = review.open_findings[0].id if review.open_findings else "FINDING"
    closed = [item.finding.id for item in review.findings if item.status is not FindingStatus.OPEN]
    waiting = [str(decision.number) for decision in waiting_for_approval(review.decisions)]
    options = {
        Action.OVERRIDE: " --severity minor",
        Action.DISMISS: f" --finding {open_} --reason-code expected",
        Action.WAIVE: f" --finding {open_} --reason-code expected --expires YYYY-MM-DD",
        Action.REOPEN: f" --finding {(closed or ['FINDING'])[0]}",
        Action.APPROVE: f" --approves {(waiting or ['NUMBER'])[0]}",
    }
    console.print()
    console.print("what can be done", style="bold")
    for action in review.actions:
        command = f"review-graph decide {review.id} --action {action.value}{options.get(action, '')}"
        say(console, f'  {command} --by NAME --reason "…"')
