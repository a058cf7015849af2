"""What the smaller commands print: facts and lists, as a table for people, as Markdown or as JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from checks.plain import visible
from checks.vocabulary import JSON
from review_graph.doors.cli.console import line, print_json, say, stdout
from review_graph.doors.cli.options import Format
from review_graph.vocabulary import SCHEMA_VERSION

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&$])")


@dataclass(frozen=True, kw_only=True)
class Listing:
    """A list on a sheet.

    Attributes:
        title: Its heading; empty for none.
        columns: Headings of its columns; the first one is never broken.
        rows: Their cells.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What a command has to say.

    Attributes:
        title: Its first line.
        facts: Labels and values.
        listings: Its lists; those without rows are left out.
        notes: Its last lines.
        plain: All of it as plain data.
    """

    title: str
    facts: Sequence[tuple[str, str]] = ()
    listings: Sequence[Listing] = ()
    notes: Sequence[str] = ()
    plain: Mapping[str, JSON] = field(default_factory=dict)


def print_sheet(sheet: Sheet, output_format: Format) -> None:
    """Print a sheet."""
    if output_format is Format.JSON:
        print_json({"schema_version": SCHEMA_VERSION, **sheet.plain})
    elif output_format is Format.MD:
        sys.stdout.write(_markdown(sheet))
    else:
        _print_table(stdout(), sheet)


def _print_table(console: Console, sheet: Sheet) -> None:
    say(console, sheet.title, style="bold")
    width = max((len(label) for label, _ in sheet.facts), default=0)
    for label, value in sheet.facts:
        say(console, f"  {label:<{width}}  {value}")
    for listing in filter(lambda listing: listing.rows, sheet.listings):
        console.print()
        if listing.title:
            say(console, listing.title, style="bold")
        table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
        for place, column in enumerate(listing.columns):
            table.add_column(column, overflow="fold", no_wrap=place == 0)
        for row in listing.rows:
            table.add_row(*map(line, row))
        console.print(table)
    if sheet.notes:
        console.print()
    for note in sheet.notes:
        say(console, note)


def _markdown(sheet: Sheet) -> str:
    lines = [f"# {_escape(sheet.title)}", ""]
    lines += [f"- {label}: {_escape(value)}" for label, value in sheet.facts]
    for listing in filter(lambda listing: listing.rows, sheet.listings):
        lines += ["", f"## {_escape(listing.title)}", ""] if listing.title else [""]
        lines += [_row(listing.columns), _row(["---"] * len(listing.columns))]
        lines += [_row([_escape(text) for text in row]) for row in listing.rows]
    for note in sheet.notes:
        lines += ["", _escape(note)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip("\n") + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escape(text: str) -> str:
    """Text of data or people as Markdown text: no markup, no line breaks, no control characters."""
    return _MARKDOWN.sub(r"\\\1", visible(text))
