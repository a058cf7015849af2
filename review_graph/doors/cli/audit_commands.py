"""`review-graph audit`: reading the audit trail, proving that it is whole, and taking a copy away."""

from __future__ import annotations

import json
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_graph.doors.cli.exits import Exit, guard, stop
from review_graph.doors.cli.options import Db, Format, OutputFormat, open_service, settings_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from review_graph.vocabulary import Anchor, AuditEntry

SHOWN = 50
"""Entries that `audit show` prints when nothing else is said."""

audit_app = typer.Typer(
    name="audit",
    help="The audit trail: who did what to which review, when and why; each entry holds the hash of the one before.",
    no_args_is_help=True,
)


@audit_app.command()
def show(
    identity: Annotated[
        str | None, typer.Argument(metavar="ID", help="Only the entries of this review.", show_default=False)
    ] = None,
    *,
    limit: Annotated[
        int, typer.Option("--limit", min=0, metavar="N", help="How many of the last entries; 0 for all.")
    ] = SHOWN,
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """Show the audit trail, the newest entry last."""
    from review_graph.doors.cli.audit_printing import trail_sheet
    from review_graph.doors.cli.sheets import print_sheet

    with guard(), open_service(db) as service:
        if identity is not None:
            service.get(identity)
        total, kept = 0, deque["AuditEntry"](maxlen=limit or None)
        for entry in service.trail.entries(identity):
            total += 1
            kept.append(entry)
        print_sheet(trail_sheet(tuple(kept), total), output_format)


@audit_app.command()
def verify(
    *,
    anchor: Annotated[
        str | None,
        typer.Option(
            "--anchor",
            metavar="N:HASH",
            help="Number and hash of an entry, as a report prints them: shows also that no end was cut off.",
            show_default=False,
        ),
    ] = None,
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """Prove that the audit trail is whole and decisions are as recorded; exit code 1 when not."""
    from review_graph.doors.cli.audit_printing import verified_sheet
    from review_graph.doors.cli.sheets import print_sheet

    with guard(), open_service(db) as service:
        given = None if anchor is None else _anchor(anchor)
        fault = service.trail.verify(given)
        print_sheet(verified_sheet(fault, service.trail.last(), given), output_format)
    stop(Exit.DONE if fault is None else Exit.FAULT)


@audit_app.command()
def export(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="File to write.", show_default=False)],
    *,
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """Write the whole audit trail into a file, one entry a line as JSON; whole or not at all."""
    from review_graph.adapters.own_files import write_whole
    from review_graph.doors.cli.sheets import Sheet, print_sheet
    from review_graph.errors import SetupError

    with guard(), open_service(db) as service:
        _demand_other_file(path, db)
        written: list[AuditEntry] = []

        def write(temporary: Path) -> None:
            with temporary.open("w", encoding="ascii", newline="\n") as file:
                for entry in service.trail.entries():
                    file.write(json.dumps(entry.to_plain(), allow_nan=False) + "\n")
                    written[:] = [entry]

        try:
            write_whole(path, write)
        except OSError as error:
            raise SetupError(f"cannot write {path}: {error.strerror or error}; give another path") from error
        service.trail.note_export(str(path), len(written) and written[0].number)
        number, digest = (written[0].number, written[0].hash) if written else (0, "")
        print_sheet(
            Sheet(
                title=f"wrote {number:,} of {number:,} entries to {path}",
                facts=[("last", f"{number}:{digest}")] if written else [],
                plain={"path": str(path), "entries": number, "hash": digest},
            ),
            output_format,
        )


def _anchor(text: str) -> Anchor:
    """Read what a report prints.

    Raises:
        SetupError: It is not written so.
    """
    from checks.plain import quote
    from review_graph.errors import SetupError
    from review_graph.vocabulary import Anchor

    number, colon, digest = text.strip().partition(":")
    wanted = digest.lower()
    if not (
        number.isascii()
        and number.isdecimal()
        and colon
        and len(wanted) == 64
        and set(wanted) <= set("0123456789abcdef")
    ):
        raise SetupError(f"--anchor {quote(text)} is not N:HASH, the number and the 64 digits that a report prints")
    return Anchor(number=int(number), hash=wanted)


def _demand_other_file(path: Path, db: str | None) -> None:
    from review_graph.adapters.store import SqlitePlace, place_of
    from review_graph.errors import SetupError

    place = place_of(settings_for(db).db)
    if isinstance(place, SqlitePlace) and any(path.resolve() == other for other in _files_of(place.path.resolve())):
        raise SetupError(f"{path} is the database itself: give another path")


def _files_of(database: Path) -> Iterator[Path]:
    """A SQLite database and the files that it keeps beside itself."""
    yield database
    for ending in ("-wal", "-shm", "-journal"):
        yield database.with_name(database.name + ending)
