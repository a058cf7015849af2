"""`review-graph waivers`: known findings that are accepted until a day."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Annotated

import typer

from review_graph.doors.cli import decision_options as of
from review_graph.doors.cli.exits import complain, guard
from review_graph.doors.cli.options import Db, Format, OutputFormat, open_service

if TYPE_CHECKING:
    from collections.abc import Sequence

    from review_graph.service import ReviewService

waivers_app = typer.Typer(
    name="waivers",
    help="Waivers: known findings of a dataset that a named person accepts until a day. List them, make one, take "
    "one back.",
    no_args_is_help=True,
)


@waivers_app.command("list")
def list_waivers(
    *,
    dataset: Annotated[
        str | None, typer.Option("--dataset", metavar="NAME", help="Only those of this dataset.", show_default=False)
    ] = None,
    active: Annotated[bool, typer.Option("--active", help="Only those that hold today.")] = False,
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """List waivers, oldest first: also those that ended or were taken back."""
    from review_graph.doors.cli.sheets import print_sheet
    from review_graph.doors.cli.waiver_printing import waivers_sheet

    with guard(), open_service(db) as service:
        print_sheet(waivers_sheet(service.waivers.list(dataset, active_only=active)), output_format)


@waivers_app.command()
def add(  # noqa: PLR0913 - a command's options are its arguments
    *,
    dataset: Annotated[str, typer.Option("--dataset", metavar="NAME", help="Name of the dataset.", show_default=False)],
    code: Annotated[
        str, typer.Option("--code", metavar="CHECK", help="Code of the check, as findings have it.", show_default=False)
    ],
    by: of.By,
    reason: of.Reason,
    reason_code: Annotated[
        str,
        typer.Option(
            "--reason-code",
            metavar="CODE",
            help="false_positive, expected, will_not_fix, data_corrected or other.",
            show_default=False,
        ),
    ],
    expires: Annotated[
        str,
        typer.Option("--expires", metavar="YYYY-MM-DD", help="Last day on which it holds.", show_default=False),
    ],
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="COLUMN",
            help="The finding's column; may be repeated. Default: any.",
            show_default=False,
        ),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="COLUMN=VALUE",
            help="Only records with this value, as USUBJID=01-701-1015; may be repeated. Default: all.",
            show_default=False,
        ),
    ] = None,
    max_count: Annotated[
        int | None,
        typer.Option(
            "--max-count", metavar="N", help="Rows that it covers at most. Default: no bound.", show_default=False
        ),
    ] = None,
    role: of.Role = "",
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """Make a waiver for the reviews to come; what it covers waits for nobody, and each report says so."""
    from review_graph.doors.cli.sheets import print_sheet
    from review_graph.doors.cli.waiver_printing import waiver_sheet
    from review_graph.vocabulary import Waiver

    with guard(), open_service(db) as service:
        asked = Waiver(
            id="",
            created_at="",
            dataset=dataset,
            code=code,
            columns=tuple(column or ()),
            key=_key(key or ()),
            author=by,
            role=role,
            reason=reason,
            reason_code=reason_code,
            expires_on=expires,
            max_count=max_count,
        )
        waiver = service.waivers.add(asked)
        for doubt in _doubts(service, dataset, waiver.code):
            complain(doubt)
        print_sheet(waiver_sheet(waiver, "made"), output_format)


@waivers_app.command()
def revoke(
    identity: Annotated[str, typer.Argument(metavar="ID", help="Id of the waiver, as `waivers list` shows it.")],
    *,
    by: of.By,
    reason: of.Reason,
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """Take a waiver back: what it covered is open again in the reviews to come."""
    from review_graph.doors.cli.sheets import print_sheet
    from review_graph.doors.cli.waiver_printing import waiver_sheet

    with guard(), open_service(db) as service:
        print_sheet(waiver_sheet(service.waivers.revoke(identity, by=by, reason=reason), "revoked"), output_format)


def _key(given: Sequence[str]) -> dict[str, str]:
    """Return the values that `--key COLUMN=VALUE` names.

    Raises:
        InvalidDecision: One is not written so, or a column is named twice.
    """
    from checks.plain import quote
    from review_graph.errors import InvalidDecision

    found: dict[str, str] = {}
    for text in given:
        column, equals, value = text.partition("=")
        if not column or not equals:
            raise InvalidDecision(f"--key {quote(text)} is not COLUMN=VALUE, such as USUBJID=01-701-1015")
        if column in found:
            raise InvalidDecision(f"--key names {quote(column)} twice: a record has one value there")
        found[column] = value
    return found


def _doubts(service: ReviewService, dataset: str, code: str) -> list[str]:
    """What may be a slip of the pen: such a waiver would never cover anything, and nobody would notice."""
    from checks import codes
    from checks.plain import quote
    from review_graph.ports import ReviewFilter

    doubts, known = [], codes()
    if code not in known and not code.startswith("ranges.rule."):
        near = difflib.get_close_matches(code, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        doubts.append(f"no check is called {quote(code)} here, so the waiver may cover nothing{hint}")
    if not service.list(ReviewFilter(dataset=dataset)):
        doubts.append(f"no dataset {quote(dataset)} was reviewed here yet, so check the spelling")
    return doubts
