"""What a model is told of a review to write of it, and what becomes of what it wrote."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

from checks.plain import count_of, name_text, names_text, quote, visible
from review_graph.core.citing import uncited
from review_graph.core.grounding import unsupported
from review_graph.errors import ModelTrouble, SetupError
from review_graph.ports import Narrator
from review_graph.vocabulary import Citation, ErrorCode, Narrative, Review, ReviewedFinding

MAX_FINDINGS = 40
"""Findings that a model is told of, the most severe first; it is told how many there are."""

MAX_MESSAGE = 200
"""Characters of one message that it is told."""

MAX_TEXT = 1_500
"""Characters of a narrative."""

_SHOWN = 5

_WHY = {
    ErrorCode.USAGE_LIMIT: "it would have used more than it may",
    ErrorCode.MODEL_UNAVAILABLE: "the model did not answer",
    ErrorCode.MODEL_ERROR: "the model gave no reply that can be used",
    ErrorCode.NOT_PERMITTED: "it is not permitted",
}


def material(review: Review) -> str:
    """Return all that a model is told: counts, and the messages of the findings in quotes. No row, no evidence."""
    dataset, findings = review.dataset, review.findings
    size = f"{count_of(dataset.rows or 0, 'row')}, {count_of(dataset.columns or 0, 'column')}"
    lines = [
        f"dataset {name_text(dataset.name)}: {size}",
        f"severity of the review: {review.triage.severity.value}",
        f"{count_of(len(findings), 'finding')}: {_counts(review)}",
        *map(_line, findings[:MAX_FINDINGS]),
    ]
    if len(findings) > MAX_FINDINGS:
        lines.append(f"{count_of(len(findings) - MAX_FINDINGS, 'more finding')} not listed here")
    return "\n".join(lines)


def narrated(review: Review, narrator: Narrator) -> Review:
    """Return a review with what a narrator wrote of it. No trouble with that is one of the review."""
    try:
        narrative = narrator(review)
    except Exception as trouble:  # noqa: BLE001 - the review is whole without it
        return replace(review, narrative=left_out(trouble))
    return review if narrative is None else replace(review, narrative=grounded(narrative, review))


def grounded(narrative: Narrative, review: Review) -> Narrative:
    """Return a narrative as a review keeps it: on one line, and left out when it says what the material does not."""
    said = " ".join(narrative.text.split())
    text = visible(said)
    if not text:
        return Narrative(model=narrative.model, left_out="the model wrote nothing")
    if len(text) > MAX_TEXT:
        return Narrative(model=narrative.model, left_out=f"it is longer than {MAX_TEXT:,} characters")
    if wanting := unsupported(said, [material(review)]):
        shown = names_text(wanting, _SHOWN)
        return Narrative(model=narrative.model, left_out=f"it names numbers that are not among the findings: {shown}")
    if strange := _made_up(said, review):
        return Narrative(
            model=narrative.model, left_out=f"it names findings that there are not: {names_text(strange, _SHOWN)}"
        )
    return Narrative(text=text, model=visible(narrative.model))


def left_out(trouble: Exception) -> Narrative:
    """Return what a review keeps when the narrator failed. What an error says is not for its readers."""
    if isinstance(trouble, SetupError):  # written for a person, and says what to set
        return Narrative(left_out=visible(str(trouble)))
    code = trouble.code if isinstance(trouble, ModelTrouble) else ErrorCode.GENERIC
    return Narrative(left_out=f"{_WHY.get(code, 'something went wrong')} ({code.value})")


def _made_up(said: str, review: Review) -> list[str]:
    """The findings and codes that a text names and the review does not have."""
    there = [Citation(kind="finding", name=item.finding.id) for item in review.findings]
    return [item.name for item in uncited(said, there, ()) if item.kind == "finding"]


def _counts(review: Review) -> str:
    counted = Counter(f"{item.status.value} and {item.finding.severity.value}" for item in review.findings)
    return ", ".join(f"{number} {kind}" for kind, number in sorted(counted.items())) or "nothing was found"


def _line(item: ReviewedFinding) -> str:
    finding = item.finding
    on = f" on {names_text(finding.columns)}" if finding.columns else ""
    counted = f"{finding.failed:,} of {count_of(finding.rows, 'row')}"
    kind = f"{item.status.value}, {finding.severity.value}, {quote(finding.code)}{on}"
    return f"- {kind}, {counted}: {_message(finding.message)}"


def _message(text: str) -> str:
    """A message in quotes that no text of the data can close."""
    shown = visible(text)
    return json.dumps(shown if len(shown) <= MAX_MESSAGE else f"{shown[:MAX_MESSAGE]}…", ensure_ascii=False)
