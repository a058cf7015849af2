"""Text on stdout as it is: nothing in it is acted on, by the terminal or by us."""

from __future__ import annotations

import datetime as dt
import json
import signal
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from checks.plain import quote, visible
from checks.vocabulary import JSON

PLAIN_WIDTH = 160
"""Columns of a table that does not go to a terminal."""

COLOURS = {"major": "red", "minor": "yellow", "none": "green"}
"""Of severities."""


class _Stdout(Console):
    """Lets a closed pipe be an error of ours, where rich would end the program."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def stdout() -> Console:
    """A console that prints text as it is: no markup, no guessing at numbers, no emoji."""
    width = None if sys.stdout.isatty() else PLAIN_WIDTH
    return _Stdout(width=width, markup=False, highlight=False, emoji=False, soft_wrap=False)


def present_time() -> dt.datetime:
    """Return the time that it is, in UTC: by it ages are told, and waivers end."""
    return dt.datetime.now(dt.UTC)


def print_json(plain: JSON) -> None:
    """Print plain data as JSON, in ASCII: no terminal and no encoding can make anything else of it."""
    sys.stdout.write(json.dumps(plain, indent=2, allow_nan=False) + "\n")


def read_line() -> str:
    """Read a line that somebody types; empty at the end of the input. Ctrl+C is not waited for."""
    if hasattr(signal, "siginterrupt"):  # Polars lets a read go on after a signal
        signal.siginterrupt(signal.SIGINT, True)  # noqa: FBT003 - Python's
    return sys.stdin.readline()


def say(console: Console, text: str, style: str = "") -> None:
    """Print one line whole; only a terminal breaks it."""
    console.print(line(text), style=style, soft_wrap=True)


def line(text: str) -> Text:
    """Text of data or people as it is, control characters made visible."""
    return Text(visible(text))


def cell(value: Any) -> Text:  # noqa: ANN401 - any JSON value
    """A value of the data for a table."""
    if value is None:
        return Text("(missing)", style="dim")
    return line(quote(value) if isinstance(value, str) and value != value.strip() else str(value))
