"""`review-graph cache`: the columnar copies of files that are not columnar themselves."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

import typer

from review_graph.doors.cli.exits import guard
from review_graph.doors.cli.options import Db, Format, OutputFormat, settings_for

cache_app = typer.Typer(name="cache", help="Show or clear the columnar copies of files.", no_args_is_help=True)


@cache_app.command("show")
def show(output_format: OutputFormat = Format.TABLE, db: Db = None) -> None:
    """List the copies, those used last first, and their size."""
    from checks.plain import visible
    from review_graph.adapters.sources.cache_folder import entries
    from review_graph.doors.cli.console import print_json, stdout

    with guard():
        settings = settings_for(db)
        found = entries(settings.cache_path)
        total = sum(entry.size_bytes for entry in found)
        if output_format is Format.JSON:
            plain = [
                {
                    "path": str(entry.path),
                    "source": entry.source,
                    "bytes": entry.size_bytes,
                    "used_at": _time(entry.used_at_s),
                }
                for entry in found
            ]
            print_json({"schema_version": 1, "entries": plain, "bytes": total, "limit": settings.cache_bytes})
            return
        console = stdout()
        for entry in found:
            console.print(
                f"{entry.size_bytes:>14,}  {_time(entry.used_at_s)}  {visible(entry.source) or entry.path.name}",
                soft_wrap=True,
            )
        console.print(f"{total:>14,} bytes in {len(found)} of at most {settings.cache_bytes:,}: {settings.cache_path}")


@cache_app.command("clear")
def clear(
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    db: Db = None,
) -> None:
    """Delete all copies; a file that is reviewed again is decoded again."""
    from review_graph.adapters.sources import cache_folder
    from review_graph.doors.cli.console import stdout

    with guard():
        folder = settings_for(db).cache_path
        found = cache_folder.entries(folder)
        if found and not yes:
            typer.confirm(f"Delete {len(found)} copies in {folder}?", abort=True, err=True)
        deleted = cache_folder.clear(folder)
        stdout().print(f"deleted {len(deleted)} copies, {sum(entry.size_bytes for entry in deleted):,} bytes")


def _time(seconds: float) -> str:
    return dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat(timespec="seconds")
