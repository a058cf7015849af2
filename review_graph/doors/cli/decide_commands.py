"""`review-graph decide` and `assign`: what a reviewer does to one review. The service decides what is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from review_graph.doors.cli import decision_options as of
from review_graph.doors.cli.exits import guard
from review_graph.doors.cli.options import Db, Format, OutputFormat, ReviewId, open_service

if TYPE_CHECKING:
    from review_graph.vocabulary import DecisionRequest


def decide(  # noqa: PLR0913 - a command's options are its arguments
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
    expect: Annotated[
        int | None,
        typer.Option(
            "--expect",
            metavar="N",
            help="Refuse unless the review has N decisions: those you have seen.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what the decision would do; record nothing.")] = False,
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """Decide on a review; a paused one goes on from its checkpoint as far as the decision carries."""
    from review_graph.doors.cli.decision_printing import preview_sheet
    from review_graph.doors.cli.review_printing import print_decided
    from review_graph.doors.cli.sheets import print_sheet

    request = request_of(
        action=action,
        by=by,
        reason=reason,
        severity=severity,
        finding=finding,
        reason_code=reason_code,
        role=role,
        meaning=meaning,
        expires=expires,
        max_count=max_count,
        approves=approves,
        expect=expect,
    )
    with guard(), open_service(db) as service:
        if dry_run:
            print_sheet(preview_sheet(service.get(identity), service.preview(identity, request)), output_format)
        else:
            print_decided(service.decide(identity, request), output_format)


def assign(
    identity: ReviewId,
    assignee: Annotated[str, typer.Argument(metavar="NAME", help="Who is to look at it; '' for nobody.")],
    *,
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who says so.", show_default=False)],
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """Say whose review it is; `list --assignee NAME` shows them their own."""
    from review_graph.doors.cli.sheets import Sheet, print_sheet

    with guard(), open_service(db) as service:
        name = service.assign(identity, assignee, by=by).assignee
        title = f"{identity}: {f'{name} is to look at it' if name else 'nobody is to look at it'}"
        print_sheet(Sheet(title=title, plain={"review": identity, "assignee": name}), output_format)


def request_of(  # noqa: PLR0913 - one for each option
    *,
    action: str,
    by: str,
    reason: str,
    severity: str | None,
    finding: list[str] | None,
    reason_code: str | None,
    role: str,
    meaning: str,
    expires: str | None,
    max_count: int | None,
    approves: int | None,
    expect: int | None = None,
) -> DecisionRequest:
    """Return what the options of a command line ask for."""
    from review_graph.vocabulary import DecisionRequest

    return DecisionRequest(
        action=action,
        by=by,
        reason=reason,
        severity=severity,
        findings=tuple(finding or ()),
        expected_decisions=expect,
        role=role,
        reason_code=reason_code,
        meaning=meaning,
        approves=approves,
        expires=expires,
        max_count=max_count,
    )
