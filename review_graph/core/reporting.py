"""The report and the query list of a review: text from a review, nothing else. Same review, same bytes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from checks.plain import count_of, names_text, visible
from checks.vocabulary import Finding, Outcome
from review_graph.core.wording import (
    anchor_text,
    change_text,
    changes,
    diff_headline,
    narrative_note,
    person_text,
    signature_texts,
    waiver_text,
)
from review_graph.vocabulary import Decision, FindingStatus, Review, ReviewedFinding, Status

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&$]|:(?=//)|(?<=\bwww)\.)", re.IGNORECASE)
"""What Markdown and its dialects take for markup, anywhere in a line: signs, entities, formulas, bare addresses."""

_AT_START = re.compile(r" +|[-+=]|\d{1,9}(?=[.)])")
"""What they take for it at the start of a line: an indented block, a list, an underline."""

_FORMULA = "=+-@＝＋－＠"  # noqa: RUF001 - the wide ones begin a formula as well
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_BEGINS_FORMULA = re.compile(rf" *[{re.escape(_FORMULA)}]")
_SPLITS_INTO_FORMULA = re.compile(rf"(;[ \"]*)(?=[{re.escape(_FORMULA)}])(?!{_NUMBER.pattern}(?:;|$))")


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
    if _has_nothing_to_tell(review):
        return "\n".join([_at_start(_escape(headline(review))), *_anchor(review)]) + "\n"
    lines = [f"# Review of {_escape(review.dataset.name)}", "", *_facts(review), *_narrative(review)]
    lines += _section("Findings", [bullet(item) for item in review.findings])
    lines += _section("Waivers that do not hold", map(_escape, review.notices))
    lines += _section("Changes", _changes(review))
    lines += _section("Decisions", _decisions(review))
    lines += _section("Not judged", _unsure(review))
    return "\n".join([*lines, *_anchor(review)]) + "\n"


def _has_nothing_to_tell(review: Review) -> bool:
    """Whether one line says all: nothing was found, decided or left unjudged, and nothing found before is gone."""
    told = (review.findings, review.problem, review.notices, review.decisions, _unsure(review), _changes(review))
    return not any(told) and review.narrative is None


def _facts(review: Review) -> list[str]:
    dataset = review.dataset
    lines = [
        f"- **Severity: {review.triage.severity.value}** ({_escape(review.triage.reason)})",
        f"- Status: {review.status.value}",
        f"- Dataset: {_code(dataset.uri)}, {dataset.rows or 0:,} rows, {dataset.columns or 0} columns",
        f"- Content: sha256 {dataset.fingerprint}",
        f"- Review: {review.id}, spec {_escape(review.spec_name or 'none')}, as of {review.today}",
    ]
    if review.problem:
        lines.append(f"- Could not be reviewed: {_escape(review.problem.message)}")
    else:
        lines.append(f"- Since the review before: {_escape(diff_headline(review.diff))}")
    return lines + [f"- Note: {_escape(note)}" for note in dataset.notes]


def _narrative(review: Review) -> list[str]:
    """What a model wrote, as a quotation: nothing of it can be taken for ours."""
    if review.narrative is None:
        return []
    note, text = _escape(narrative_note(review.narrative)), review.narrative.text
    return ["", "## Narrative", "", note, *(["", f"> {_at_start(_escape(text))}"] if text else [])]


def bullet(item: ReviewedFinding) -> str:
    """One finding as a Markdown bullet's text."""
    finding = item.finding
    status = "" if item.status is FindingStatus.OPEN else f" [{item.status.value}]"
    file = f" All rows: {_code(finding.evidence_file)}." if finding.evidence_file else ""
    waivers = "".join(f" Accepted by {_escape(waiver_text(waiver))}." for waiver in item.waivers)
    message = f"{_escape(finding.message)}.{file}{waivers} Finding {_code(finding.id)}"
    return f"**{finding.severity.value}** {_escape(finding.code)}{status}: {message}"


def _changes(review: Review) -> list[str]:
    lines = []
    for word, change in changes(review.diff):
        finding, text = change.finding, change_text(change)
        lines.append(f"**{word}** {_escape(finding.code)}{f': {_escape(text)}' if text else ''}. {_named(finding)}")
    return lines


def _named(finding: Finding) -> str:
    columns = f" on {_escape(names_text(finding.columns))}" if finding.columns else ""
    return f"Finding {_code(finding.id)}{columns}"


def _decisions(review: Review) -> list[str]:
    return [_decision(decision, review) for decision in review.decisions]


def _decision(decision: Decision, review: Review) -> str:
    change = f"{decision.severity_from.value} → {decision.severity_to.value}"
    about = f" ({', '.join(map(_escape, decision.findings))})" if decision.findings else ""
    code = f", {_escape(decision.reason_code)}" if decision.reason_code else ""
    who = f"Decision {decision.number}, {decision.at} {_escape(person_text(decision))}"
    what = f"**{decision.action.value}** {change}{about}{code}: {_escape(decision.reason)}"
    return "; ".join([f"{who}: {what}", *map(_escape, signature_texts(decision, review.decisions))])


def _anchor(review: Review) -> list[str]:
    return [] if review.anchor is None else ["", anchor_text(review.anchor)]


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


def _at_start(text: str) -> str:
    """Escaped text that may begin a line."""
    found = _AT_START.match(text)
    if found is None:
        return text
    start, rest = found.group(), text[found.end() :]
    if start.isspace():
        return "&#32;" * len(start) + rest
    return f"{start}\\{rest}" if start.isdigit() else f"\\{start}{rest}"


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
        writer.writerow([number, *(cell(value) for value in _query(review, finding))])
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


def cell(value: object) -> object:
    """A cell without control characters, which no spreadsheet takes for a formula; a number stays one.

    A spreadsheet that parts cells at semicolons finds none after one either.
    """
    if not isinstance(value, str):
        return value
    text = value if value.isprintable() else visible(value)
    if ";" in text:
        text = _SPLITS_INTO_FORMULA.sub(r"\1'", text)
    return f"'{text}" if begins_formula(text) else text


def begins_formula(text: str) -> bool:
    """Whether a spreadsheet may take text for a formula when it is typed in or read from CSV."""
    return _BEGINS_FORMULA.match(text) is not None and not _NUMBER.fullmatch(text)
