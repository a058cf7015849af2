"""Options that several commands share, and what they open: the service, and files for reports."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_graph.doors.cli.exits import complain

if TYPE_CHECKING:
    from review_graph.service import ReviewService
    from review_graph.settings import Settings
    from review_graph.vocabulary import Review


class Format(StrEnum):
    """How a result is printed."""

    TABLE = "table"
    JSON = "json"
    MD = "md"


class ReportFormat(StrEnum):
    """How `run` and `show` give their result: printed, or as a report for other programs and for paper."""

    TABLE = "table"
    JSON = "json"
    NDJSON = "ndjson"
    MD = "md"
    HTML = "html"
    JUNIT = "junit"
    SARIF = "sarif"
    XLSX = "xlsx"
    CSV = "csv"
    PARQUET = "parquet"


class OnPause(StrEnum):
    """What a paused review means for the run."""

    FAIL = "fail"
    OK = "ok"
    WAIT = "wait"


class FailOn(StrEnum):
    """From which severity on open findings make the run fail."""

    MINOR = "minor"
    MAJOR = "major"


Db = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="PATH|URL",
        help="Database: a path, sqlite:///… or postgresql://…. Default: REVIEW_GRAPH_DB or checkpoints/reviews.sqlite.",
        show_default=False,
    ),
]
OutputFormat = Annotated[Format, typer.Option("--format", help="How to print the result on stdout.")]
OutputReport = Annotated[
    ReportFormat,
    typer.Option("--format", help="What to write to stdout; csv and parquet hold all offending rows."),
]
Output = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        metavar="FMT:PATH",
        help="Write a report into a file too, whole or not at all, in any --format but table; may be repeated.",
        show_default=False,
    ),
]
ReviewId = Annotated[str, typer.Argument(metavar="ID", help="Id of the review, as `review-graph list` shows it.")]


def references_of(given: Sequence[str] | None) -> dict[str, Path | str]:
    """Return the datasets that `--with NAME=PATH` names: files, or addresses as text.

    Raises:
        SetupError: One is not written so, is named twice, or is not there.
    """
    from review_graph.core.addresses import is_address, local_path, shown_address
    from review_graph.errors import SetupError

    found: dict[str, Path | str] = {}
    for text in given or ():
        name, equals, place = text.partition("=")
        key = name.strip().casefold()
        if not key or not equals or not place or "://" in key:
            raise SetupError(f"--with {shown_address(text)!r} is not NAME=PATH, such as dm=study/dm.xpt")
        if key in found:
            raise SetupError(f"--with names {key} twice; each dataset has one place")
        path = Path(local_path(place))
        if not is_address(place) and not path.exists():
            raise SetupError(f"--with {key}: {place} does not exist; check the path and the spelling")
        found[key] = place if is_address(place) else path
    return found


def open_service(db: str | None) -> ReviewService:
    """Return the service on the chosen database, which has to be there; where, the environment says otherwise."""
    from review_graph.bootstrap import build
    from review_graph.errors import SetupError

    settings = settings_for(db)
    if (lacking := lacking_database(settings)) is not None:
        raise SetupError(lacking)
    return build(settings)


def lacking_database(settings: Settings) -> str | None:
    """Say that there is no database yet, where that can be told without making it."""
    from review_graph.adapters.store import SqlitePlace, place_of

    place = place_of(settings.db)
    if not isinstance(place, SqlitePlace) or place.path.exists():
        return None
    return f"there is no database {place.path} yet: `review-graph run` makes it, --db names another"


def settings_for(db: str | None, out: Path | None = None) -> Settings:
    """Return the settings of the environment with what a command line says instead."""
    from review_graph.settings import Settings

    given = {name: value for name, value in (("db", db), ("out", out)) if value is not None}
    return Settings.from_environment().model_copy(update=given)


class Outputs:
    """The reports that go into files. What is wrong with them is found before anything is reviewed.

    Args:
        given: The values of `--output`, each `FMT:PATH`.
        shown: What goes to stdout.
        inputs: Files that are read and must not be written over.

    Raises:
        SetupError: A format is unknown, or a file cannot be written.
    """

    def __init__(self, given: Sequence[str] | None, shown: ReportFormat, inputs: Iterable[Path] = ()) -> None:
        from review_graph.errors import SetupError
        from review_graph.reports import BINARY

        if shown.value in BINARY and _is_terminal():
            raise SetupError(f"{shown.value} is not for a terminal: give --output {shown.value}:PATH, or send it on")
        self._targets: dict[Path, str] = {}
        for text in given or ():
            name, path = _target(text)
            if path in self._targets:
                raise SetupError(f"--output names {path} twice; each report needs a file of its own")
            self._targets[path] = name
        self.spare(inputs)

    @property
    def formats(self) -> tuple[str, ...]:
        """What will be written, a format for each file."""
        return tuple(self._targets.values())

    def spare(self, inputs: Iterable[Path]) -> None:
        """Refuse to write over files that are read.

        Raises:
            SetupError: A report would.
        """
        from review_graph.errors import SetupError

        for path in inputs:
            if Path(os.path.realpath(path)) in self._targets:
                raise SetupError(f"--output would write over {path}, which is read; give the report another path")

    def write(self, reviews: Sequence[Review], *, skipped: Sequence[str] = (), alone: bool = False) -> bool:
        """Write all reports, each as a whole or not at all; say which cannot be, and whether all were written."""
        from review_graph.adapters.files import offending_rows
        from review_graph.adapters.own_files import write_whole
        from review_graph.errors import SetupError
        from review_graph.reports import rendered

        complete = True
        for path, name in self._targets.items():
            try:
                content = rendered(name, reviews, open_rows=offending_rows, skipped=skipped, alone=alone)
                write_whole(path, lambda temporary, content=content: temporary.write_bytes(content))  # type: ignore[misc]
            except SetupError as error:
                complain(str(error))
                complete = False
            except OSError as error:
                complain(_cannot_write(path, error.strerror or str(error)))
                complete = False
        return complete


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _target(text: str) -> tuple[str, Path]:
    """The format and the path of an `--output`, once both can be used."""
    from review_graph.core.addresses import shown_address
    from review_graph.errors import SetupError
    from review_graph.reports import NAMES

    name, colon, place = text.partition(":")
    if "://" in place:
        raise SetupError(
            f"--output {name}: {shown_address(place)} is an address; reports go into files of this machine"
        )
    if name not in NAMES or not colon or not place or "\0" in place:
        raise SetupError(f"--output {text!r} is not FMT:PATH with one of the formats {', '.join(NAMES)}")
    path = Path(os.path.realpath(os.path.expanduser(place)))  # noqa: PTH111 - never raises
    try:
        _demand_writable(path)
    except OSError as error:
        raise SetupError(_cannot_write(path, error.strerror or str(error))) from error
    return name, path


def _demand_writable(path: Path) -> None:
    """Raise OSError where a file could not be written; nothing is written to find out."""
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        raise OSError("it exists and is no file")
    parent = next(parent for parent in path.parents if parent.exists())
    if not parent.is_dir():
        raise OSError(f"{parent} is no folder")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise OSError(f"{parent} is not writable")


def _cannot_write(path: Path, reason: str) -> str:
    return f"cannot write {path}: {reason}; give --output another path"
