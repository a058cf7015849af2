"""The options of a decision, which `decide` and `draft add` share."""

from __future__ import annotations

from typing import Annotated

import typer

Action = Annotated[
    str,
    typer.Option(
        "--action",
        metavar="ACTION",
        help="confirm, override, dismiss, waive, reopen, comment or approve.",
        show_default=False,
    ),
]
By = Annotated[str, typer.Option("--by", metavar="NAME", help="Name of the reviewer.", show_default=False)]
Reason = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why; it stands in the report.", show_default=False)
]
Severity = Annotated[
    str | None,
    typer.Option("--severity", metavar="none|minor", help="New severity, with override.", show_default=False),
]
Findings = Annotated[
    list[str] | None,
    typer.Option(
        "--finding",
        metavar="FINDING",
        help="Id of a finding, with dismiss, waive, reopen or comment; may be repeated.",
        show_default=False,
    ),
]
ReasonCode = Annotated[
    str | None,
    typer.Option(
        "--reason-code",
        metavar="CODE",
        help="false_positive, expected, will_not_fix, data_corrected or other; dismiss and waive need one.",
        show_default=False,
    ),
]
Role = Annotated[
    str, typer.Option("--role", metavar="ROLE", help="In what role, for instance data manager.", show_default=False)
]
Meaning = Annotated[
    str,
    typer.Option(
        "--meaning", metavar="TEXT", help="What the signature means. Default: what the action says.", show_default=False
    ),
]
Expires = Annotated[
    str | None,
    typer.Option("--expires", metavar="YYYY-MM-DD", help="Last day of a waiver, with waive.", show_default=False),
]
MaxCount = Annotated[
    int | None,
    typer.Option(
        "--max-count",
        metavar="N",
        help="Rows that a waiver covers, with waive. Default: as many as there are.",
        show_default=False,
    ),
]
Approves = Annotated[
    int | None,
    typer.Option(
        "--approves", metavar="N", help="Number of the decision that is approved, with approve.", show_default=False
    ),
]
