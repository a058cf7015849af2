"""`review-graph run`: many datasets, several at once; a bad one never stops the others."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from checks.plain import count_of, visible
from checks.standards import REFERRED_TO
from review_graph.adapters.sources.companions import Place, companions
from review_graph.adapters.sources.folders import find_tables
from review_graph.batch import Task, run_batch, workers_for
from review_graph.bootstrap import build
from review_graph.doors.cli.exits import Exit, complain, exit_of_run, reader_may_leave
from review_graph.doors.cli.options import FailOn, OnPause, Outputs, ReportFormat
from review_graph.doors.cli.render import print_reviews
from review_graph.errors import InputError
from review_graph.vocabulary import Review, Status

if TYPE_CHECKING:
    from checks.specfile import LoadedSpec
    from review_graph.service import ReviewService
    from review_graph.settings import Settings

POLL_S = 1.0
"""How often a waiting run looks whether a reviewer has decided."""


_UNFINISHED = (Status.PAUSED, Status.RUNNING)


class _Advance(Protocol):
    def __call__(self, review: Review, /) -> None: ...


def run_paths(
    settings: Settings,
    paths: Sequence[str],
    *,
    spec: Path | None,
    references: Mapping[str, Path | str],
    output_format: ReportFormat,
    outputs: Outputs,
    on_pause: OnPause,
    fail_on: FailOn | None,
    fresh: bool,
    workers: int | None,
    quiet: bool,
) -> Exit:
    """Review what the paths name, print the result, and return the exit code."""
    found = find_tables(paths)
    outputs.spare(found.tables)
    _demand_readable(references, settings)
    for problem in found.missing:
        complain(problem)
    skipped = [*map(str, found.skipped), *found.skipped_addresses]
    if skipped and not quiet:
        names = ", ".join(Path(place).name for place in skipped)
        complain(f"skipped {count_of(len(skipped), 'file')} without a table: {names}")
    given = _read_once(spec)
    places: list[Place] = [*found.tables, *found.addresses]
    beside = companions(places, _referred_to(given))
    for line in () if quiet else beside.unclear:
        complain(line)
    tasks = [
        Task(path=place, spec=given, references={**beside.of.get(place, {}), **references}, fresh=fresh)
        for place in places
    ]
    reviews = _review_all(tasks, settings, workers=workers_for(len(tasks), workers), quiet=quiet)
    if on_pause is OnPause.WAIT:
        with build(settings) as service:
            reviews = _wait(service, reviews, quiet=quiet)
    skipped = [visible(place) for place in skipped]
    with reader_may_leave():
        print_reviews(reviews, output_format, skipped=skipped, details=True)
    _put_down_exports(reviews, outputs.formats, settings)
    complete = outputs.write(reviews, skipped=skipped)
    _hint(reviews, quiet=quiet)
    for name in _unused(references, reviews):
        complain(f"--with {name}: no dataset of this run was held against {name}")
    return exit_of_run(
        reviews,
        fail_on=fail_on.value if fail_on else None,
        pause_fails=on_pause is not OnPause.OK,
        incomplete=bool(found.missing) or not complete,
    )


def _put_down_exports(reviews: Sequence[Review], formats: Sequence[str], settings: Settings) -> None:
    """Tell the audit trail which reviews go into files, before they do."""
    ids = [review.id for review in reviews if review.id is not None]
    if not ids or not formats:
        return
    with build(settings) as service:
        for identity in ids:
            for name in formats:
                service.export(identity, as_=name)


def _read_once(spec: Path | None) -> LoadedSpec | Path | None:
    """Read the spec of the run once for all datasets, unless it holds one for each."""
    if spec is None:
        return None
    from checks.errors import SpecError
    from checks.registry import codes
    from checks.specfile import read_spec

    try:
        return read_spec(spec, known_codes=codes())
    except SpecError:
        return spec  # what is wrong with it, and that nothing was reviewed, is said of each dataset


def _demand_readable(references: Mapping[str, Path | str], settings: Settings) -> None:
    """Refuse what `--with` names before anything is reviewed, where it is no dataset.

    Raises:
        InputError: It is none.
    """
    if not references:
        return
    with build(settings) as service:
        for name, place in references.items():
            try:
                service.demand_readable(str(place))
            except InputError as error:
                raise InputError(f"--with {name}: {error}") from error


def _referred_to(given: LoadedSpec | Path | None) -> frozenset[str] | None:
    """The names of datasets that the specs of the run may refer to; None for any."""
    if isinstance(given, Path):
        return None
    return REFERRED_TO if given is None else frozenset(map(str.casefold, given.spec.references))


def _unused(references: Mapping[str, Path | str], reviews: Sequence[Review]) -> list[str]:
    used = {reference.name.casefold() for review in reviews for reference in review.dataset.references}
    return sorted(set(references) - used)


def _review_all(tasks: Sequence[Task], settings: Settings, *, workers: int, quiet: bool) -> list[Review]:
    """Review all datasets and return the reviews in the order of the tasks; each problem is said once."""
    reviews: dict[int, Review] = {}
    complaints: set[str] = set()
    with _progress(len(tasks), quiet=quiet) as advance:
        for index, review in run_batch(tasks, settings, workers=workers):
            reviews[index] = review
            advance(review)
            if review.problem is not None and review.problem.message not in complaints:
                complaints.add(review.problem.message)
                complain(review.problem.message)
    return [reviews[index] for index in sorted(reviews)]


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[_Advance]:
    """How far the run is, how fast and how it comes out, on stderr when a person looks at it; else nothing."""
    if quiet or total < 2 or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}", markup=False),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[endings]}", markup=False),
        TextColumn("{task.fields[last]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, expand=True) as progress:
        task = progress.add_task("reviewing", total=total, pace="", endings="", last="")
        counts: Counter[str] = Counter()
        rows, start = 0, time.monotonic()

        def advance(review: Review) -> None:
            nonlocal rows
            rows += review.dataset.rows or 0
            counts[review.status.value] += 1
            passed_s = max(time.monotonic() - start, 1e-3)
            progress.update(
                task,
                advance=1,
                pace=f"{counts.total() / passed_s:.1f} datasets/s, {rows / passed_s:,.0f} rows/s",
                last=visible(Path(review.dataset.uri).name),
                endings=" ".join(f"{count} {status}" for status, count in sorted(counts.items())),
            )

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
        others = f" (and {len(paused) - 1} more: review-graph list)" if len(paused) > 1 else ""
        complain(f"{len(paused)} paused for a reviewer: review-graph show {paused[0]}{others}")
