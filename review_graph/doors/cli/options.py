"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from review_graph.service import ReviewService


class Format(StrEnum):
    """How a result is printed."""

    TABLE = "table"
    JSON = "json"
    MD = "md"


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
        help="Database: a path or sqlite:///path. Default: REVIEW_GRAPH_DB, else checkpoints/reviews.sqlite.",
        show_default=False,
    ),
]
OutputFormat = Annotated[Format, typer.Option("--format", help="How to print the result on stdout.")]
ReviewId = Annotated[str, typer.Argument(metavar="ID", help="Id of the review, as `review-graph list` shows it.")]


def open_service(db: str | None, out: Path | None = None) -> ReviewService:
    """Return the service on the chosen database; what is not given comes from the environment."""
    from review_graph.bootstrap import build
    from review_graph.settings import Settings

    settings = Settings()
    given = {name: value for name, value in (("db", db), ("out", out)) if value is not None}
    return build(settings.model_copy(update=given))
