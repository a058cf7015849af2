"""What every report says of decisions, waivers, changes and the audit trail, in the same words.

The texts hold what people and data wrote as it is: each format makes it visible and escapes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checks.plain import count_of, quote
from review_graph.core.approving import can_approve, effective, is_recorded
from review_graph.vocabulary import (
    Action,
    Anchor,
    Decision,
    FindingChange,
    FindingStatus,
    Narrative,
    Review,
    ReviewDiff,
    ReviewedFinding,
    Waiver,
)


def narrative_note(narrative: Narrative) -> str:
    """Who wrote a narrative and what was checked of it; or that there is none, and why."""
    if narrative.left_out:
        return f"The model's narrative was left out: {narrative.left_out}"
    model = narrative.model or "of no known name"
    return f"Written by the model {model}. Its numbers were found among the findings; its words were not checked."


def closing(review: Review, item: ReviewedFinding) -> tuple[Decision, ...]:
    """The decisions in effect that closed a finding; none while it is open, or when a waiver from before did."""
    action = {FindingStatus.DISMISSED: Action.DISMISS, FindingStatus.WAIVED: Action.WAIVE}.get(item.status)
    made = {waiver.id for waiver in item.waivers}
    return tuple(
        decision
        for decision in effective(review.decisions)
        if decision.action is action
        and item.finding.id in decision.findings
        and (action is Action.DISMISS or decision.waiver in made)
    )


def closing_texts(review: Review, item: ReviewedFinding) -> tuple[str, ...]:
    """Why a finding no longer counts, a text a decision and a waiver; nothing while it is open."""
    if item.status is FindingStatus.OPEN:
        return ()
    decided = [decision_text(decision, review.decisions) for decision in closing(review, item)]
    return (*decided, *map(waiver_text, item.waivers)) or (item.status.value,)


def closing_text(review: Review, item: ReviewedFinding) -> str:
    """Why a finding no longer counts, in one line; nothing while it is open."""
    return "; ".join(closing_texts(review, item))


def decision_text(decision: Decision, decisions: Sequence[Decision]) -> str:
    """Who decided what, when, why, and what their signature means, in one line.

    Args:
        decision: The decision.
        decisions: All of the review, among which may be its approval.
    """
    change = f"{decision.severity_from.value} → {decision.severity_to.value}"
    code = f", {decision.reason_code}" if decision.reason_code else ""
    said = f"{decision.action.value} by {person_text(decision)} at {decision.at}, {change}{code}: {decision.reason}"
    return "; ".join([said, *signature_texts(decision, decisions)])


def person_text(decision: Decision) -> str:
    """Who decided, and in what role."""
    return f"{decision.by} ({decision.role})" if decision.role else decision.by


def signature_texts(decision: Decision, decisions: Sequence[Decision]) -> tuple[str, ...]:
    """What a decision says beyond who, what and why: its waiver, its meaning, its approval."""
    texts = [scope_text(decision), f"signed as: {decision.meaning}" if decision.meaning else ""]
    return tuple(filter(None, [*texts, approval_text(decision, decisions)]))


def scope_text(decision: Decision) -> str:
    """The waiver that a decision makes; nothing for all others."""
    if decision.action is not Action.WAIVE:
        return ""
    most = f" for at most {count_of(decision.max_count, 'row')}" if decision.max_count is not None else ""
    return f"waiver {decision.waiver} until {decision.expires}{most}"


def approval_text(decision: Decision, decisions: Sequence[Decision]) -> str:
    """Whose approval a decision has or lacks, or which one it approves; nothing where it needs none."""
    if decision.action is Action.APPROVE:
        return f"approves decision {decision.approves}"
    if not decision.needs_approval:
        return ""
    approval = approval_of(decision, decisions)
    if approval is None:
        return "needs the approval of another person and has no effect until then"
    return f"needed approval; approved by {person_text(approval)} at {approval.at}, decision {approval.number}"


def approval_of(decision: Decision, decisions: Sequence[Decision]) -> Decision | None:
    """The decision by which another person approved this one; the first where there are several."""
    later = (other for other in decisions if other.number > decision.number)
    return next((other for other in later if _approves(other, decision)), None)


def _approves(other: Decision, decision: Decision) -> bool:
    return (
        other.action is Action.APPROVE
        and other.approves == decision.number
        and not other.needs_approval
        and is_recorded(other)
        and can_approve(other.by, decision, other.at)
    )


def waiver_text(waiver: Waiver) -> str:
    """Who accepts what until when, and why, in one line."""
    who = f"{waiver.author} ({waiver.role})" if waiver.role else waiver.author
    most = f", at most {count_of(waiver.max_count, 'row')}" if waiver.max_count is not None else ""
    code = f", {waiver.reason_code}" if waiver.reason_code else ""
    records = f", records with {records_text(waiver)}" if waiver.key else ""
    return f"waiver {waiver.id} by {who} until {waiver.expires_on}{most}{code}{records}: {waiver.reason}"


def records_text(waiver: Waiver) -> str:
    """The records that a waiver is for: `SEX='F', VISITNUM=3`; nothing where it is for all."""
    return ", ".join(f"{name}={quote(value)}" for name, value in waiver.key.items())


KINDS = {
    "new": "new",
    "reopened": "reopened",
    "persisting": "persisting",
    "fixed": "fixed",
    "unjudged": "no longer judged",
}
"""The changes of a diff, most urgent first, and what a reader calls them."""


def changes(diff: ReviewDiff | None) -> Iterator[tuple[str, FindingChange]]:
    """Yield each change with what it is called."""
    if diff is not None:
        for kind, word in KINDS.items():
            for change in getattr(diff, kind):
                yield word, change


def change_of(review: Review) -> dict[str, tuple[str, FindingChange]]:
    """What became of each finding since the review before, by finding id; empty where there was none."""
    return {change.finding.id: (word, change) for word, change in changes(review.diff)}


def diff_headline(diff: ReviewDiff | None) -> str:
    """How much changed since which review, in one line."""
    if diff is None:
        return "no earlier review of this dataset is known"
    counts = ", ".join(f"{len(getattr(diff, kind))} {word}" for kind, word in KINDS.items())
    spec = "" if diff.same_spec else "; it was held against another spec"
    return f"{counts}, compared with review {diff.before or 'without an id'}{spec}"


def change_text(change: FindingChange) -> str:
    """How many rows and which status a finding had before and has now, and why it is not judged any more."""
    return "; ".join(filter(None, (_rows_text(*change.counts), _status_text(change), change.reason)))


def _rows_text(before: int | None, after: int | None) -> str:
    if not (before or after):
        return ""  # not a matter of rows
    if before is None:
        return count_of(after or 0, "row")
    if after is None:
        return f"{count_of(before, 'row')} before"
    return f"{count_of(before, 'row')} before" + (f", {after:,} now" if before != after else " and now")


def _status_text(change: FindingChange) -> str:
    was = change.before.status.value if change.before else None
    now = change.after.status.value if change.after else None
    if was is None or now is None:
        only = now or was
        return "" if only == FindingStatus.OPEN else f"{only}{' before' if now is None else ''}"
    return f"{was} before, {now} now" if was != now else ("" if now == FindingStatus.OPEN else f"{now} before and now")


def anchor_text(anchor: Anchor) -> str:
    """Where the audit trail stood, and how to show later that it still leads there."""
    where = f"entry {anchor.number}, sha256 {anchor.hash}"
    return f"Audit trail: {where}; `{anchor_command(anchor)}` shows that it still stands"


def anchor_command(anchor: Anchor) -> str:
    """The command that holds a trail against an anchor."""
    return f"review-graph audit verify --anchor {anchor}"
