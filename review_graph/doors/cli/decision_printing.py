"""What a decision would do, and what a draft holds, for `decide --dry-run` and `draft`."""

from __future__ import annotations

from collections.abc import Sequence

from checks.vocabulary import JSON
from review_graph.core.deciding import Preview
from review_graph.core.wording import decision_text
from review_graph.doors.cli.sheets import Listing, Sheet
from review_graph.errors import GateError
from review_graph.vocabulary import Action, DecisionRequest, Draft, Review, Route


def preview_sheet(review: Review, preview: Preview) -> Sheet:
    """Return what a decision would do to a review."""
    triage = preview.triage
    return Sheet(
        title=f"{review.id}: nothing was recorded; this decision would do the following",
        facts=[
            ("decision", f"{preview.decision.number}: {decision_text(preview.decision, review.decisions)}"),
            ("severity", f"{review.triage.severity.value} → {triage.severity.value}: {triage.reason}"),
            ("road", road_text(review, preview)),
        ],
        plain={"review": review.id, "recorded": False, **plain_preview(preview)},
    )


def plain_preview(preview: Preview) -> dict[str, JSON]:
    """Return a preview as plain data."""
    return {
        "decision": preview.decision.to_plain(),
        "severity": preview.triage.severity.value,
        "needs_human": preview.triage.needs_human,
        "triage": preview.triage.reason,
        "route": preview.route.value,
    }


def road_text(review: Review, preview: Preview) -> str:
    """Say which way a review would go."""
    if review.status.is_final:
        return f"none: the review is {review.status.value} and stays so"
    if preview.route is Route.SUMMARISE:
        return "summarise: the review would go on and end with a report"
    if preview.decision.action is Action.CONFIRM:
        return "escalate: the review would go on and end with a query list"
    return "none yet: the review would wait for a reviewer as before"


def draft_sheet(draft: Draft, previews: Sequence[Preview | GateError], review: Review) -> Sheet:
    """Return what a draft holds, and what each decision in it would do after those before it."""
    rows = [
        (str(place), request.action, _about(request), request.reason, _would(review, preview))
        for place, (request, preview) in enumerate(zip(draft.requests, previews, strict=True), start=1)
    ]
    return Sheet(
        title=f"{draft.review_id}: draft of {draft.author}, saved at {draft.saved_at}",
        listings=[Listing(columns=("no.", "action", "about", "reason", "leads to"), rows=rows)],
        notes=[f'submit it as a whole: review-graph draft submit {draft.review_id} --by "{draft.author}"'],
        plain={
            "draft": draft.to_plain(),
            "previews": [
                {"refused": str(preview)} if isinstance(preview, GateError) else plain_preview(preview)
                for preview in previews
            ],
        },
    )


def _about(request: DecisionRequest) -> str:
    parts = [
        *request.findings,
        f"severity {request.severity}" if request.severity else "",
        f"decision {request.approves}" if request.approves is not None else "",
        f"until {request.expires}" if request.expires else "",
        request.reason_code or "",
    ]
    return ", ".join(filter(None, parts))


def _would(review: Review, preview: Preview | GateError) -> str:
    if isinstance(preview, GateError):
        return f"a refusal: {preview}"
    return f"{preview.triage.severity.value}; {road_text(review, preview)}"
