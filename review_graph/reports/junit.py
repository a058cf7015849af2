"""JUnit XML, for the test page of a CI server: a suite a dataset, a case a check.

A check that failed is a `failure` that lists its open findings, one that crashed is an `error`, one that could not
tell is `skipped`, and so is one whose findings are waived: a page shows both as not passed. A check whose findings were
dismissed passes, and its `system-out` says by whom and why. Where a check came out differently for different columns,
the worst counts and the rest is told in its text. The `system-out` of a suite tells of waivers that do not hold, of
what changed since the review before, of the decisions and of the audit trail.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from checks.plain import count_of, visible
from checks.vocabulary import Outcome
from review_graph.core.reporting import headline
from review_graph.core.wording import (
    anchor_text,
    change_text,
    changes,
    closing_text,
    decision_text,
    diff_headline,
)
from review_graph.reports.facts import listed_text, pairs_text, severity_of
from review_graph.vocabulary import FindingStatus, Review, ReviewedFinding

if TYPE_CHECKING:
    from collections.abc import Sequence
    from xml.etree.ElementTree import Element

_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def junit(reviews: Sequence[Review]) -> bytes:
    """Return reviews as JUnit XML in UTF-8."""
    from xml.etree import ElementTree as ET

    root = ET.Element("testsuites", name="review-graph")
    root.extend([_suite(review) for review in reviews])
    _count(root)
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _suite(review: Review) -> Element:
    from xml.etree.ElementTree import Element, SubElement

    suite = Element("testsuite", name=visible(review.dataset.name))
    properties = SubElement(suite, "properties")
    facts = {
        "review": review.id or "",
        "status": review.status.value,
        "severity": severity_of(review),
        "dataset": review.dataset.uri,
        "fingerprint": review.dataset.fingerprint,
        "outcome": headline(review),
        "anchor": str(review.anchor or ""),
    }
    for name, value in facts.items():
        SubElement(properties, "property", name=name, value=visible(value))
    suite.extend(_cases(review))
    if lines := list(_told(review)):
        _add(suite, "system-out", "", "", lines)
    _count(suite)
    return suite


def _told(review: Review) -> Iterator[str]:
    """What concerns the review as a whole."""
    yield from review.notices
    if review.diff is not None:
        yield f"since the review before: {diff_headline(review.diff)}"
    for word, change in changes(review.diff):
        text = change_text(change)
        yield f"{word}: {change.finding.code} ({change.finding.id}){f': {text}' if text else ''}"
    for decision in review.decisions:
        about = f" ({', '.join(decision.findings)})" if decision.findings else ""
        yield f"decision {decision.number}{about}: {decision_text(decision, review.decisions)}"
    if review.anchor is not None:
        yield anchor_text(review.anchor)


def _cases(review: Review) -> Iterator[Element]:
    if review.problem is not None:
        case = _case(review, "review")
        _add(case, "error", f"{review.problem.kind}: {review.problem.message}", review.problem.kind, [])
        yield case
    found: dict[str, list[ReviewedFinding]] = {}
    for item in review.findings:
        found.setdefault(item.finding.code, []).append(item)
    for code in sorted({verdict.code for verdict in review.verdicts} | set(found)):
        yield _judged(review, code, found.get(code, []))


def _judged(review: Review, code: str, found: Sequence[ReviewedFinding]) -> Element:
    """The case of one check: what is worst decides."""
    case = _case(review, code)
    still = [item.finding for item in found if item.status is FindingStatus.OPEN]
    verdicts = [verdict for verdict in review.verdicts if verdict.code == code]
    lines = [_finding_line(review, item) for item in found]
    lines += [
        f"{verdict.outcome.value} ({', '.join(verdict.columns)}): {verdict.reason}"
        for verdict in verdicts
        if verdict.reason is not None
    ]
    first = still[0].severity.value if still else ""
    unsure = [verdict for verdict in verdicts if verdict.outcome is Outcome.INCONCLUSIVE]
    crashed = [finding for finding in still if finding.outcome is Outcome.ERRORED]
    waived = [item for item in found if item.status is FindingStatus.WAIVED]
    if crashed:
        _add(case, "error", crashed[0].message, first, lines)
    elif still:
        message = still[0].message if len(still) == 1 else count_of(len(still), "open finding")
        _add(case, "failure", message, first, lines)
    elif unsure:
        _add(case, "skipped", unsure[0].reason or "inconclusive", "", lines)
    elif waived:
        _add(case, "skipped", f"waived: {closing_text(review, waived[0])}", "", lines)
    elif lines:
        _add(case, "system-out", "", "", lines)
    return case


def _finding_line(review: Review, item: ReviewedFinding) -> str:
    finding = item.finding
    rows = "; ".join(f"row {e.row} ({pairs_text({**e.key, **e.values})})" for e in finding.evidence)
    closed = closing_text(review, item)
    listed = f" {listed_text(finding)}: {rows}" if rows else ""
    return f"[{item.status.value}] {finding.severity.value} {finding.message}. {finding.id}. {closed}{listed}"


def _case(review: Review, code: str) -> Element:
    from xml.etree.ElementTree import Element

    return Element("testcase", classname=visible(review.dataset.name), name=visible(code))


def _add(parent: Element, tag: str, message: str, kind: str, lines: Sequence[str]) -> None:
    """Add an outcome. Only what XML can hold gets in: everything else is made visible."""
    from xml.etree.ElementTree import SubElement

    outcome = SubElement(parent, tag)
    for name, value in (("message", message), ("type", kind)):
        if value:
            outcome.set(name, visible(value))
    if lines:
        outcome.text = "\n".join(visible(line) for line in lines)


def _count(parent: Element) -> None:
    """Set the totals of a suite or of all suites."""
    parent.set("tests", str(sum(1 for _ in parent.iter("testcase"))))
    for tag, name in _COUNTED.items():
        parent.set(name, str(sum(1 for _ in parent.iter(tag))))
