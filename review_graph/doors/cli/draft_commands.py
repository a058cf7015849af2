"""`review-graph draft`: decisions gathered on a review and submitted at once, all or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from review_graph.doors.cli import decision_options as of
from review_graph.doors.cli.decide_commands import request_of
from review_graph.doors.cli.exits import guard
from review_graph.doors.cli.options import Db, Format, OutputFormat, ReviewId, open_service

if TYPE_CHECKING:
    from review_graph.core.deciding import Preview
    from review_graph.doors.cli.sheets import Sheet
    from review_graph.errors import GateError
    from review_graph.service import ReviewService
    from review_graph.vocabulary import DecisionRequest

draft_app = typer.Typer(
    name="draft",
    help="Gather decisions on a review, look at them, and submit them at once: all or none.",
    no_args_is_help=True,
)


@draft_app.command()
def add(  # noqa: PLR0913 - a command's options are its arguments
    identity: ReviewId,
    *,
    action: of.Action,
    by: of.By,
    reason: of.Reason,
    severity: of.Severity = None,
    finding: of.Findings = None,
    reason_code: of.ReasonCode = None,
    role: of.Role = "",
    meaning: of.Meaning = "",
    expires: of.Expires = None,
    max_count: of.MaxCount = None,
    approves: of.Approves = None,
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """Add a decision to your draft; nobody is bound by it, and it is held against the rules when it is submitted."""
    from review_graph.doors.cli.sheets import print_sheet

    request = request_of(
        action=action,
        by=by.strip(),
        reason=reason,
        severity=severity,
        finding=finding,
        reason_code=reason_code,
        role=role,
        meaning=meaning,
        expires=expires,
        max_count=max_count,
        approves=approves,
    )
    with guard(), open_service(db) as service:
        known = service.draft(identity, by)
        service.save_draft(identity, by, [*(known.requests if known else ()), request])
        print_sheet(_sheet(service, identity, by), output_format)


@draft_app.command()
def show(identity: ReviewId, *, by: of.By, output_format: OutputFormat = Format.TABLE, db: Db = None) -> None:
    """Show your draft, and where each decision in it would lead."""
    from review_graph.doors.cli.sheets import print_sheet

    with guard(), open_service(db) as service:
        print_sheet(_sheet(service, identity, by), output_format)


@draft_app.command()
def drop(identity: ReviewId, *, by: of.By, output_format: OutputFormat = Format.TABLE, db: Db = None) -> None:
    """Forget your draft."""
    from review_graph.doors.cli.sheets import Sheet, print_sheet

    with guard(), open_service(db) as service:
        if not service.drop_draft(identity, by):
            raise _no_draft(identity, by)
        title = f"{identity}: the draft of {by.strip()} is dropped"
        print_sheet(Sheet(title=title, plain={"review": identity, "dropped": True}), output_format)


@draft_app.command()
def submit(identity: ReviewId, *, by: of.By, output_format: OutputFormat = Format.TABLE, db: Db = None) -> None:
    """Decide what you gathered, all or none; after a refusal the draft is still there."""
    from review_graph.doors.cli.review_printing import print_decided

    with guard(), open_service(db) as service:
        print_decided(service.submit_draft(identity, by), output_format)


def _sheet(service: ReviewService, identity: str, by: str) -> Sheet:
    from review_graph.doors.cli.decision_printing import draft_sheet

    review = service.get(identity)
    draft = service.draft(identity, by)
    if draft is None:
        raise _no_draft(identity, by)
    return draft_sheet(
        draft, [_preview(service, identity, draft.requests[: n + 1]) for n in range(len(draft.requests))], review
    )


def _preview(service: ReviewService, identity: str, requests: Sequence[DecisionRequest]) -> Preview | GateError:
    """What the last of some decisions would do after the others."""
    from review_graph.errors import GateError

    try:
        return service.preview(identity, *requests)
    except GateError as error:
        return error


def _no_draft(identity: str, by: str) -> GateError:
    from review_graph.errors import InvalidDecision

    return InvalidDecision(f"there is no draft of {by.strip()} for review {identity}: `draft add` begins one")
