"""The report and the query list of a review: text from a review, nothing else. Same review, same bytes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from checks.plain import count_of, visible
from checks.vocabulary import Finding, Outcome
from review_graph.vocabulary import FindingStatus, Review, ReviewedFinding, Status

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~])")
_FORMULA = ("=", "+", "-", "@")


def headline(review: Review) -> str:
    """One line: what was reviewed and how it came out."""
    name, found = review.dataset.name, count_of(len(review.open_findings), "open finding")
    if review.status is Status.FAILED:
        return f"{name}: could not be reviewed"
    if review.status is Status.SUMMARISED and not review.findings:
        return f"{name}: no findings in {count_of(review.dataset.rows or 0, 'row')}"
    ending = {
        Status.RUNNING: "not finished",
        Status.PAUSED: "waits for a reviewer",
        Status.SUMMARISED: "summarised",
        Status.ESCALATED: "escalated",
        Status.FAILED: "failed",
    }[review.status]
    return f"{name}: {review.triage.severity.value}, {found}, {ending}"


def report(review: Review) -> str:
    """The report as Markdown. A review without findings gets one line that says so."""
    if not review.findings and not review.problem and not _unsure(review):
        return f"{_escape(headline(review))}\n"
    dataset = review.dataset
    lines = [
        f"# Review of {_escape(dataset.name)}",
        "",
        f"- **Severity: {review.triage.severity.value}** ({_escape(review.triage.reason)})",
        f"- Status: {review.status.value}",
        f"- Dataset: {_code(dataset.uri)}, {dataset.rows or 0:,} rows, {dataset.columns or 0} columns",
        f"- Content: sha256 {dataset.fingerprint}",
        f"- Review: {review.id}, spec {_escape(review.spec_name or 'none')}, as of {review.today}",
    ]
    if review.problem:
        lines.append(f"- Could not be reviewed: {_escape(review.problem.message)}")
    lines += [f"- Note: {_escape(note)}" for note in dataset.notes]
    lines += _section("Findings", [bullet(item) for item in review.findings])
    lines += _section("Decisions", _decisions(review))
    lines += _section("Not judged", _unsure(review))
    return "\n".join(lines) + "\n"


def bullet(item: ReviewedFinding) -> str:
    """One finding as a Markdown bullet's text."""
    finding = item.finding
    status = "" if item.status is FindingStatus.OPEN else f" [{item.status.value}]"
    file = f" All rows: {_code(finding.evidence_file)}." if finding.evidence_file else ""
    waivers = "".join(
        f" Waiver {_code(w.id)} by {_escape(w.author)} until {_escape(w.expires_on)}: {_escape(w.reason)}."
        for w in item.waivers
    )
    message = f"{_escape(finding.message)}.{file}{waivers} Finding {_code(finding.id)}"
    return f"**{finding.severity.value}** {_escape(finding.code)}{status}: {message}"


def _decisions(review: Review) -> list[str]:
    lines = []
    for decision in review.decisions:
        change = f"{decision.severity_from.value} → {decision.severity_to.value}"
        about = f" ({', '.join(decision.findings)})" if decision.findings else ""
        who = f"{decision.at} {_escape(decision.by)}"
        lines.append(f"{who}: **{decision.action.value}** {change}{about}: {_escape(decision.reason)}")
    return lines


def _unsure(review: Review) -> list[str]:
    """What could not be told; it never counts as passed."""
    unsure = [verdict for verdict in review.verdicts if verdict.outcome in (Outcome.INCONCLUSIVE, Outcome.ERRORED)]
    return [
        f"{v.outcome.value} {_escape(v.code)} ({_escape(', '.join(v.columns))}): {_escape(v.reason or '')}"
        for v in unsure
    ]


def _section(title: str, bullets: Iterable[str]) -> list[str]:
    lines = [f"- {text}" for text in bullets]
    return ["", f"## {title}", "", *lines] if lines else []


def _escape(text: str) -> str:
    """Text of the data or of a person as Markdown text: no markup, no line breaks, no control characters."""
    return _MARKDOWN.sub(r"\\\1", visible(text))


def _code(text: str) -> str:
    """A path or id as Markdown code, which can be copied as it is."""
    return f"`{visible(text).replace('`', chr(39))}`"


QUERY_COLUMNS = ("query", "dataset", "finding", "severity", "check", "columns", "records", "first_records", "text")


def query_list(review: Review) -> str:
    """The queries for the data provider as CSV, one for each open finding, ready to send."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(QUERY_COLUMNS)
    for number, finding in enumerate(review.open_findings, start=1):
        writer.writerow([number, *(_cell(value) for value in _query(review, finding))])
    return out.getvalue()


def _query(review: Review, finding: Finding) -> tuple[object, ...]:
    total = finding.failed
    listed = "; ".join(_record(item.row, item.key) for item in finding.evidence)
    if total > len(finding.evidence) and finding.evidence:
        listed += f" (first {len(finding.evidence)} of {total})"
    return (
        review.dataset.name,
        finding.id,
        finding.severity.value,
        finding.code,
        " ".join(finding.columns),
        total,
        listed,
        f"Please check and correct, or explain: {finding.message}.",
    )


def _record(row: int, key: object) -> str:
    parts = ", ".join(f"{name}={value}" for name, value in key.items()) if isinstance(key, dict) else ""
    return f"row {row}" + (f" ({parts})" if parts else "")


def _cell(value: object) -> object:
    """A cell without control characters, which no spreadsheet takes for a formula."""
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
