"""What the sheets of a workbook hold: what was found, its rows, waivers, changes, datasets, decisions, the unjudged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from review_graph.core.wording import (
    anchor_text,
    approval_text,
    change_of,
    change_text,
    changes,
    closing_text,
    diff_headline,
    records_text,
    scope_text,
)
from review_graph.reports.facts import listed_text, pairs_text, severity_of, unsure
from review_graph.vocabulary import Review

Row = tuple[str | int | None, ...]

_ISSUES = {
    "Review": 24,
    "Dataset": 14,
    "Finding": 34,
    "Severity": 9,
    "Status": 11,
    "Check": 30,
    "Columns": 20,
    "Offending rows": 14,
    "Rows": 10,
    "Groups": 9,
    "Message": 80,
    "Decision": 50,
    "Change": 13,
    "In Details": 24,
    "File of all rows": 40,
}
_DETAILS = {
    "Review": 24,
    "Dataset": 14,
    "Finding": 34,
    "Check": 30,
    "Row": 10,
    "Key": 40,
    "Values": 50,
    "Note": 30,
    "Listed": 24,
}
_DATASETS = {
    "Review": 24,
    "Dataset": 14,
    "Status": 12,
    "Severity": 9,
    "Why": 40,
    "Rows": 10,
    "Columns": 9,
    "Open findings": 13,
    "Spec": 14,
    "As of": 12,
    "Source": 50,
    "Sha256": 66,
    "Notes": 50,
    "Waivers that do not hold": 50,
    "Since the review before": 50,
    "Decisions": 10,
    "Audit trail": 60,
}
_UNSURE = {"Review": 24, "Dataset": 14, "Outcome": 13, "Check": 30, "Columns": 30, "Reason": 80}
_WAIVERS = {
    "Review": 24,
    "Dataset": 14,
    "Finding": 34,
    "Check": 30,
    "Waiver": 18,
    "Author": 20,
    "Role": 16,
    "Reason code": 14,
    "Reason": 60,
    "Until": 12,
    "At most rows": 12,
    "Records": 30,
}
_CHANGES = {
    "Review": 24,
    "Dataset": 14,
    "Change": 16,
    "Finding": 34,
    "Severity": 9,
    "Check": 30,
    "Columns": 20,
    "Rows before": 12,
    "Rows now": 12,
    "Message": 80,
    "Rows and status": 50,
}
_DECISIONS = {
    "Review": 24,
    "Dataset": 14,
    "Number": 9,
    "At": 26,
    "By": 20,
    "Role": 16,
    "Action": 10,
    "From": 9,
    "To": 9,
    "Reason code": 14,
    "Reason": 60,
    "Signed as": 50,
    "Waiver": 40,
    "Approval": 40,
    "Findings": 34,
}


def _issues(reviews: Sequence[Review]) -> Iterator[Row]:
    for review in reviews:
        since = change_of(review)
        for item in review.findings:
            finding = item.finding
            change, _ = since.get(finding.id, (None, None))
            yield (
                review.id,
                review.dataset.name,
                finding.id,
                finding.severity.value,
                item.status.value,
                finding.code,
                ", ".join(finding.columns),
                finding.failed,
                finding.rows,
                finding.groups,
                finding.message,
                closing_text(review, item),
                change,
                listed_text(finding),
                finding.evidence_file,
            )


def _details(reviews: Sequence[Review]) -> Iterator[Row]:
    for review in reviews:
        for item in review.findings:
            finding, about = item.finding, listed_text(item.finding)
            for evidence in finding.evidence:
                key, values = pairs_text(evidence.key), pairs_text(evidence.values)
                place: Row = (review.id, review.dataset.name, finding.id, finding.code, evidence.row)
                yield (*place, key, values, evidence.note, about)


def _waivers(reviews: Sequence[Review]) -> Iterator[Row]:
    for review in reviews:
        for item in review.findings:
            for waiver in item.waivers:
                place: Row = (review.id, review.dataset.name, item.finding.id, item.finding.code)
                who: Row = (waiver.id, waiver.author, waiver.role, waiver.reason_code, waiver.reason)
                yield (*place, *who, waiver.expires_on, waiver.max_count, records_text(waiver))


def _changes(reviews: Sequence[Review]) -> Iterator[Row]:
    for review in reviews:
        for word, change in changes(review.diff):
            finding, counts = change.finding, change.counts
            place: Row = (review.id, review.dataset.name, word, finding.id, finding.severity.value, finding.code)
            yield (*place, ", ".join(finding.columns), *counts, finding.message, change_text(change))


def _decisions(reviews: Sequence[Review]) -> Iterator[Row]:
    for review in reviews:
        for decision in review.decisions:
            yield (
                review.id,
                review.dataset.name,
                decision.number,
                decision.at,
                decision.by,
                decision.role,
                decision.action.value,
                decision.severity_from.value,
                decision.severity_to.value,
                decision.reason_code,
                decision.reason,
                decision.meaning,
                scope_text(decision),
                approval_text(decision, review.decisions),
                ", ".join(decision.findings),
            )


def _datasets(reviews: Sequence[Review]) -> Iterator[Row]:
    for review in reviews:
        dataset = review.dataset
        yield (
            review.id,
            dataset.name,
            review.status.value,
            severity_of(review),
            review.problem.message if review.problem else review.triage.reason,
            dataset.rows,
            dataset.columns,
            len(review.open_findings),
            review.spec_name,
            review.today,
            dataset.uri,
            dataset.fingerprint,
            "; ".join(dataset.notes),
            "; ".join(review.notices),
            None if review.problem else diff_headline(review.diff),
            len(review.decisions),
            anchor_text(review.anchor) if review.anchor else None,
        )


def _unsure(reviews: Sequence[Review]) -> Iterator[Row]:
    for review in reviews:
        for verdict in unsure(review):
            columns = ", ".join(verdict.columns)
            yield (review.id, review.dataset.name, verdict.outcome.value, verdict.code, columns, verdict.reason)


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """One sheet: its columns with their widths in characters, and its rows."""

    name: str
    columns: Mapping[str, int]
    rows: Callable[[Sequence[Review]], Iterator[Row]]


SHEETS = (
    Sheet(name="Issues", columns=_ISSUES, rows=_issues),
    Sheet(name="Details", columns=_DETAILS, rows=_details),
    Sheet(name="Waivers", columns=_WAIVERS, rows=_waivers),
    Sheet(name="Changes", columns=_CHANGES, rows=_changes),
    Sheet(name="Datasets", columns=_DATASETS, rows=_datasets),
    Sheet(name="Decisions", columns=_DECISIONS, rows=_decisions),
    Sheet(name="Not judged", columns=_UNSURE, rows=_unsure),
)
"""The workbook's table of contents."""
