"""`review-graph diff` and `migrate`: a review beside the one before, and one that an older version left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from review_graph.doors.cli.exits import Exit, complain, guard, stop
from review_graph.doors.cli.options import Db, Format, OutputFormat, ReviewId, open_service

if TYPE_CHECKING:
    from collections.abc import Sequence

    from review_graph.service import ReviewService


def diff(
    identity: ReviewId,
    *,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="ID", help="The earlier review. Default: the one before it.", show_default=False
        ),
    ] = None,
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """Show what changed since an earlier review of the same dataset: new, persisting, fixed, reopened findings."""
    from review_graph.doors.cli.history_printing import diff_sheet
    from review_graph.doors.cli.sheets import print_sheet

    with guard(), open_service(db) as service:
        print_sheet(diff_sheet(identity, service.diff(identity, against)), output_format)


def migrate(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID...", help="Ids of reviews.", show_default=False)
    ] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="All reviews that have not ended.")] = False,
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """Take over reviews that were paused under another version of the graph: they are judged and routed anew.

    What was found and decided stays. Exit code 2 when one cannot be taken over.
    """
    from review_graph.doors.cli.history_printing import migrated_sheet
    from review_graph.doors.cli.sheets import print_sheet

    if bool(ids) is every:
        complain("name the reviews, or give --all: `review-graph list` shows the ids")
        stop(Exit.WRONG)
    with guard(), open_service(db) as service:
        wanted = _unfinished(service) if every else list(dict.fromkeys(ids or ()))
        results = [_migrated(service, identity, every=every) for identity in wanted]
        print_sheet(migrated_sheet(results), output_format)
    stop(Exit.WRONG if any(outcome == "refused" for _, outcome, _ in results) else Exit.DONE)


def _unfinished(service: ReviewService) -> Sequence[str]:
    return [review.id for review in service.list() if review.id and not review.status.is_final]


def _migrated(service: ReviewService, identity: str, *, every: bool) -> tuple[str, str, str]:
    """Take one review over; say what became of it, and go on with the others."""
    from review_graph.errors import DecisionNotAllowed, GateError, GraphVersionError

    try:
        review = service.migrate(identity)
    except DecisionNotAllowed as error:
        return identity, "left" if every else "refused", str(error)
    except (GateError, GraphVersionError) as error:
        return identity, "refused", str(error)
    return identity, "taken over", f"{review.status.value}, {review.triage.severity.value}: {review.triage.reason}"
