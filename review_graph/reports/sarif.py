"""SARIF 2.1.0, for code scanning pages and editors: a run a dataset, a result a finding.

Sources: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html, §3.11.5 and §3.11.6 (text of messages),
§3.27.10 (level), §3.27.16 (fingerprints), §3.27.23 and §3.35 (suppressions), §3.30.5 (startLine).

A dismissed or waived finding has a suppression for each decision and waiver that closed it. A decision that still needs
another person's approval is one under review, which suppresses nothing. What changed since the review before, notices
about waivers, decisions and the end of the audit trail are properties of the run; the first two are notifications too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from urllib.parse import quote as percent

from checks import Check, catalogue
from checks.plain import visible
from checks.vocabulary import JSON, Evidence, Outcome, Severity
from review_graph.core.approving import waiting_for_approval
from review_graph.core.wording import change_of, change_text, changes, closing_texts, decision_text, diff_headline
from review_graph.reports.facts import listed_text, pairs_text, severity_of, unsure
from review_graph.reports.machine import json_of
from review_graph.vocabulary import FindingStatus, Review, ReviewedFinding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {Severity.MAJOR: "error", Severity.MINOR: "warning", Severity.NONE: "note"}
_IN_MESSAGES = str.maketrans({"\\": "\\\\", "[": "\\[", "]": "\\]", "{": "{{", "}": "}}"})


def sarif(reviews: Sequence[Review]) -> str:
    """Return reviews as SARIF; its rules come from the catalogue of checks."""
    return json_of({"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(review) for review in reviews]})


def _run(review: Review) -> dict[str, JSON]:
    rules = _rules(review)
    at = {rule["id"]: index for index, rule in enumerate(rules)}
    whole, since = review.problem is None, change_of(review)
    return {
        "tool": {"driver": {"name": "review-graph", "rules": rules}},
        "automationDetails": {"id": f"review-graph/{review.id or visible(review.dataset.name)}/"},
        "invocations": [{"executionSuccessful": whole, "toolExecutionNotifications": list(_notifications(review, at))}],
        "artifacts": [{"location": {"uri": _uri(review)}, "hashes": _hashes(review)}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(review, item, at, since.get(item.finding.id, (None, None))[0]) for item in review.findings],
        "properties": {
            "status": review.status.value,
            "severity": severity_of(review),
            "needsHuman": review.triage.needs_human,
            "decisions": [decision.to_plain() for decision in review.decisions],
            "notices": list(review.notices),
            "diff": review.diff.to_plain() if review.diff else None,
            "anchor": review.anchor.to_plain() if review.anchor else None,
        },
    }


def _rules(review: Review) -> list[dict[str, JSON]]:
    """The catalogue's entries of the checks that spoke; a rule of the spec has that of the check that runs rules."""
    entries = {entry.code: entry for entry in catalogue()}
    codes = {verdict.code for verdict in review.verdicts} | {item.finding.code for item in review.findings}
    return [_rule(code, entries.get(code) or entries.get(code.rpartition(".")[0])) for code in sorted(codes)]


def _rule(code: str, entry: Check | None) -> dict[str, JSON]:
    if entry is None:
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": _text(entry.summary)},
        "fullDescription": {"text": _text(f"{entry.summary} {entry.why}")},
        "help": {"text": _text(entry.what_to_do)},
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
        "properties": {"family": entry.family},
    }


def _result(review: Review, item: ReviewedFinding, at: Mapping[str, int], change: str | None) -> dict[str, JSON]:
    finding = item.finding
    first, *others = finding.evidence or (None,)
    result: dict[str, JSON] = {
        "ruleId": finding.code,
        "ruleIndex": at[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": _text(f"{review.dataset.name}: {finding.message}")},
        "locations": [_location(review, first) | _columns(review, finding.columns)],
        "partialFingerprints": {"finding/v1": finding.id},
        "suppressions": _suppressions(review, item),
        "properties": {
            "status": item.status.value,
            "failed": finding.failed,
            "rows": finding.rows,
            "groups": finding.groups,
            "listed": listed_text(finding),
            "evidenceFile": finding.evidence_file,
            "change": change,
        },
    }
    if others:
        result["relatedLocations"] = [_location(review, evidence) for evidence in others]
    return result


def _location(review: Review, evidence: Evidence | None) -> dict[str, JSON]:
    """A place in the dataset; its row, from 1, stands for the line."""
    physical: dict[str, JSON] = {"artifactLocation": {"uri": _uri(review), "index": 0}}
    if evidence is None:
        return {"physicalLocation": physical}
    text = f"row {evidence.row}: {pairs_text({**evidence.key, **evidence.values})}"
    return {
        "physicalLocation": physical | {"region": {"startLine": evidence.row}},
        "message": {"text": _text(text)},
    }


def _columns(review: Review, columns: Sequence[str]) -> dict[str, JSON]:
    if not columns:
        return {}
    dataset = visible(review.dataset.name)
    return {
        "logicalLocations": [
            {"name": visible(name), "fullyQualifiedName": f"{dataset}.{visible(name)}", "kind": "column"}
            for name in columns
        ]
    }


def _suppressions(review: Review, item: ReviewedFinding) -> list[JSON]:
    """Why a finding no longer counts, or what would close it. Empty, and not absent, where there is neither."""
    texts = [("accepted", text) for text in closing_texts(review, item)]
    if item.status is FindingStatus.OPEN:
        texts = [
            ("underReview", decision_text(decision, review.decisions))
            for decision in waiting_for_approval(review.decisions)
            if item.finding.id in decision.findings
        ]
    return [{"kind": "external", "status": status, "justification": visible(text)} for status, text in texts]


def _notifications(review: Review, at: Mapping[str, int]) -> Iterator[dict[str, JSON]]:
    """Why a dataset could not be reviewed, what could not be judged, waivers that do not hold, and what changed."""
    if review.problem is not None:
        yield {
            "level": "error",
            "message": {"text": _text(review.problem.message)},
            "descriptor": {"id": review.problem.kind},
        }
    for verdict in unsure(review):
        columns = ", ".join(verdict.columns)
        yield {
            "level": "error" if verdict.outcome is Outcome.ERRORED else "warning",
            "message": {"text": _text(f"{verdict.outcome.value} ({columns}): {verdict.reason}")},
            "associatedRule": {"id": verdict.code, "index": at[verdict.code]},
        }
    for notice in review.notices:
        yield {"level": "warning", "message": {"text": _text(notice)}, "descriptor": {"id": "waiver"}}
    if review.diff is not None:
        yield {"level": "note", "message": {"text": _text(diff_headline(review.diff))}, "descriptor": {"id": "changes"}}
    for word, change in changes(review.diff):
        if change.after is None:  # there is no result that could tell
            text = f"{word}: {change.finding.code} ({change.finding.id}): {change_text(change)}"
            yield {"level": "note", "message": {"text": _text(text)}, "descriptor": {"id": "changes"}}


def _uri(review: Review) -> str:
    """Where the dataset is, as a URI reference."""
    uri = review.dataset.uri
    if "://" in uri or uri.startswith("memory:"):
        return percent(uri, safe=":/?#@!$&'()*+,;=%~", errors="backslashreplace")
    path = percent(str(PurePosixPath(uri)), errors="backslashreplace")
    return f"file://{path}" if path.startswith("/") else path


def _hashes(review: Review) -> dict[str, str]:
    return {"sha-256": review.dataset.fingerprint} if review.dataset.fingerprint else {}


def _text(text: str) -> str:
    """Text of the data for a message: nothing in it is a link or a placeholder."""
    return visible(text).translate(_IN_MESSAGES)
