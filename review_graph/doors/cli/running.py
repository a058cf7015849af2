"""`review-graph run`: many datasets, one after the other; a bad one never stops the others."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from checks.plain import count_of, visible
from review_graph.adapters.sources.folders import find_tables
from review_graph.doors.cli.exits import Exit, complain, exit_of_run, reader_may_leave
from review_graph.doors.cli.options import FailOn, Format, OnPause
from review_graph.doors.cli.render import print_reviews
from review_graph.vocabulary import Review, Status

if TYPE_CHECKING:
    from review_graph.service import ReviewService

POLL_S = 1.0
"""How often a waiting run looks whether a reviewer has decided."""


_UNFINISHED = (Status.PAUSED, Status.RUNNING)


class _Advance(Protocol):
    def __call__(self, path: Path, /) -> None: ...


def run_paths(
    service: ReviewService,
    paths: Sequence[str],
    *,
    spec: Path | None,
    output_format: Format,
    on_pause: OnPause,
    fail_on: FailOn | None,
    fresh: bool,
    quiet: bool,
) -> Exit:
    """Review what the paths name, print the result, and return the exit code."""
    found = find_tables(paths)
    for problem in found.missing:
        complain(problem)
    if found.skipped and not quiet:
        names = ", ".join(path.name for path in found.skipped)
        complain(f"skipped {count_of(len(found.skipped), 'file')} without a table: {names}")
    reviews: list[Review] = []
    complaints: list[str] = []
    with _progress(len(found.tables), quiet=quiet) as advance:
        for path in found.tables:
            advance(path)
            review = service.start(path, spec, fresh=fresh)
            reviews.append(review)
            if review.problem is not None and review.problem.message not in complaints:
                complaints.append(review.problem.message)
                complain(review.problem.message)
    if on_pause is OnPause.WAIT:
        reviews = _wait(service, reviews, quiet=quiet)
    with reader_may_leave():
        print_reviews(reviews, output_format, skipped=[visible(str(path)) for path in found.skipped], details=True)
    _hint(reviews, quiet=quiet)
    return exit_of_run(
        reviews,
        fail_on=fail_on.value if fail_on else None,
        pause_fails=on_pause is not OnPause.OK,
        incomplete=bool(found.missing),
    )


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[_Advance]:
    """A progress bar on stderr when a person looks at it, else nothing."""
    if quiet or total < 2 or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True, markup=False), transient=True) as progress:
        task = progress.add_task("reviewing", total=total)

        def advance(path: Path) -> None:
            progress.update(task, advance=1, description=path.name)

        yield advance


def _wait(service: ReviewService, reviews: Sequence[Review], *, quiet: bool) -> list[Review]:
    """Wait until all reviews of the run have come to an end; go on with one whose process died."""
    current = list(reviews)
    waiting = [review.id for review in current if review.status is Status.PAUSED]
    if waiting and not quiet:
        complain(f"waiting for a reviewer: {', '.join(identity or '' for identity in waiting)} (Ctrl+C stops waiting)")
    while any(review.status in _UNFINISHED for review in current):
        time.sleep(POLL_S)
        current = [service.resume(r.id) if r.status in _UNFINISHED and r.id else r for r in current]
    return current


def _hint(reviews: Sequence[Review], *, quiet: bool) -> None:
    paused = [review.id for review in reviews if review.status is Status.PAUSED]
    if paused and not quiet:
        complain(f"{len(paused)} paused for a reviewer: review-graph show {paused[0]}")
