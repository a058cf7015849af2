"""`review-graph checks`: the catalogue, made from the checks' docstrings."""

from __future__ import annotations

import sys

from checks import Check, catalogue, families
from review_graph.doors.cli.console import print_json, stdout
from review_graph.doors.cli.exits import Exit, complain, stop
from review_graph.doors.cli.options import Format


def print_catalogue(family: str | None, output_format: Format) -> None:
    """Print the checks of one family or of all."""
    if family is not None and family not in families():
        complain(f"unknown family {family!r}: there are {', '.join(families())}")
        stop(Exit.WRONG)
    entries = catalogue(family)
    if output_format is Format.JSON:
        print_json([_plain(entry) for entry in entries])
    elif output_format is Format.MD:
        sys.stdout.write("\n".join(_markdown(entry) for entry in entries))
    else:
        console = stdout()
        for entry in entries:
            console.print(f"{entry.code} ({entry.severity.value})", style="bold")
            console.print(f"  {entry.summary}\n  Why it matters: {entry.why}\n  What to do: {entry.what_to_do}")


def _plain(entry: Check) -> dict[str, str]:
    return {
        "code": entry.code,
        "family": entry.family,
        "severity": entry.severity.value,
        "summary": entry.summary,
        "why": entry.why,
        "what_to_do": entry.what_to_do,
    }


def _markdown(entry: Check) -> str:
    return (
        f"### {entry.code} ({entry.severity.value})\n\n{entry.summary}\n\n"
        f"*Why it matters:* {entry.why}\n\n*What to do:* {entry.what_to_do}\n"
    )
