"""The commands of `review-graph`. What each needs is imported when it runs, so that --help is quick."""

from __future__ import annotations

import gc
import io
import logging
import os
import signal
import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer

from review_graph.doors.cli.ask_commands import approve, ask
from review_graph.doors.cli.audit_commands import audit_app
from review_graph.doors.cli.cache_commands import cache_app
from review_graph.doors.cli.decide_commands import assign, decide
from review_graph.doors.cli.draft_commands import draft_app
from review_graph.doors.cli.eval_commands import evaluate_questions
from review_graph.doors.cli.exits import Exit, complain, guard, reader_may_leave, stop, terminate
from review_graph.doors.cli.history_commands import diff, migrate
from review_graph.doors.cli.options import (
    Db,
    FailOn,
    Format,
    OnPause,
    Output,
    OutputFormat,
    OutputReport,
    Outputs,
    ReportFormat,
    ReviewId,
    lacking_database,
    open_service,
    references_of,
    settings_for,
)
from review_graph.doors.cli.queue import MAX_DAYS, SeverityName, StatusName, wanted_of
from review_graph.doors.cli.spec_commands import app as spec_app
from review_graph.doors.cli.waiver_commands import waivers_app

GARBAGE_THRESHOLD = 100_000
"""New objects after which Python looks for garbage; its default is 700."""

app = typer.Typer(
    name="review-graph",
    epilog="Exit codes: 0 done, 1 findings as severe as --fail-on says or a fault in the audit trail, "
    "2 wrong usage, spec or input, 3 paused for a reviewer or still running elsewhere, 4 a check errored, "
    "130 interrupted, 143 terminated.",
    no_args_is_help=True,
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def about(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    """Review tables before anyone uses them: run checks, stop in front of a human, go on from there."""
    if version:
        from importlib.metadata import version as installed

        sys.stdout.write(f"review-graph {installed('review-graph')}\n")
        stop(Exit.DONE)


@app.command()
def run(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...", help="Files, folders, globs; also at addresses (s3://…, https://…).", show_default=False
        ),
    ],
    spec: Annotated[
        Path | None,
        typer.Option(
            "--spec", help="Spec (YAML or JSON) for all of them. Default: a built-in one.", show_default=False
        ),
    ] = None,
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="NAME=PATH",
            help="A dataset that rules refer to, as dm=dm.xpt; may be repeated. Default: that in the same folder.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder of reports and evidence. Default: beside the database.", show_default=False),
    ] = None,
    output_format: OutputReport = ReportFormat.TABLE,
    output: Output = None,
    on_pause: Annotated[
        OnPause,
        typer.Option(help="A paused review: exit with 3 (fail), leave it (ok), or wait for the reviewer (wait)."),
    ] = OnPause.FAIL,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(help="Exit with 1 when a review is of this severity or above.", show_default=False),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start another review of what was reviewed before.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=0, help="Processes; 0 for none. Default: one a processor from 8 datasets on.", show_default=False
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no hints on stderr; errors stay.")] = False,
    db: Db = None,
) -> None:
    """Review datasets; what was reviewed before is found again, what was interrupted goes on."""
    from review_graph.doors.cli.running import run_paths

    with guard():
        code = run_paths(
            settings_for(db, out),
            paths,
            spec=spec,
            references=(references := references_of(with_)),
            output_format=output_format,
            outputs=Outputs(
                output,
                output_format,
                inputs=[
                    *(place for place in references.values() if isinstance(place, Path)),
                    *([spec] if spec else []),
                ],
            ),
            on_pause=on_pause,
            fail_on=fail_on,
            fresh=fresh,
            workers=workers,
            quiet=quiet,
        )
    stop(code)


@app.command("list")
def list_reviews(
    status: Annotated[
        list[StatusName] | None,
        typer.Option("--status", help="Only reviews that stand so; may be repeated.", show_default=False),
    ] = None,
    severity: Annotated[
        list[SeverityName] | None,
        typer.Option("--severity", help="Only reviews of this severity; may be repeated.", show_default=False),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only reviews of this dataset.", show_default=False)
    ] = None,
    assignee: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this person's; '' for nobody's.", show_default=False)
    ] = None,
    older_than: Annotated[
        int | None,
        typer.Option(min=0, max=MAX_DAYS, metavar="DAYS", help="Only those started longer ago.", show_default=False),
    ] = None,
    output_format: OutputFormat = Format.TABLE,
    db: Db = None,
) -> None:
    """List the reviews: those that wait for a reviewer first, the most severe first, then the oldest."""
    from review_graph.doors.cli.render import print_queue

    with guard():
        if (lacking := lacking_database(settings_for(db))) is not None:
            complain(lacking)
            print_queue([], output_format)
            return
        wanted = wanted_of(status, severity, dataset=dataset, assignee=assignee, older_than_days=older_than)
        with open_service(db) as service:
            print_queue(service.list(wanted), output_format)


@app.command()
def show(
    identity: ReviewId,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Who looks, for the audit trail. Default: REVIEW_GRAPH_USER.", show_default=False
        ),
    ] = None,
    output_format: OutputReport = ReportFormat.TABLE,
    output: Output = None,
    db: Db = None,
) -> None:
    """Show a review: findings, evidence, what changed, decisions, and what can be done."""
    from review_graph.doors.cli.review_printing import print_review

    with guard():
        outputs = Outputs(output, output_format)
        with open_service(db) as service:
            review = service.inspect(identity, by=by)
            outputs.spare([Path(review.dataset.uri)])
            for name in outputs.formats:  # put down before it is written: nothing leaves without a trace
                review = service.export(identity, as_=name, by=by)
        with reader_may_leave():
            print_review(review, output_format)
        complete = outputs.write([review], alone=True)
    if not complete:
        stop(Exit.WRONG)


app.command()(diff)
app.command()(decide)
app.add_typer(draft_app)
app.command()(assign)


@app.command()
def resume(identity: ReviewId, output_format: OutputFormat = Format.TABLE, db: Db = None) -> None:
    """Go on with a review whose process died; a paused one needs a decision instead."""
    from review_graph.doors.cli.review_printing import print_review
    from review_graph.vocabulary import Status

    with guard(), open_service(db) as service:
        review = service.resume(identity)
        print_review(review, output_format)
    codes = {Status.PAUSED: Exit.PAUSED, Status.RUNNING: Exit.PAUSED, Status.FAILED: Exit.WRONG}
    stop(codes.get(review.status, Exit.DONE))


app.command()(migrate)
app.add_typer(waivers_app)
app.add_typer(audit_app)
app.command()(ask)
app.command()(approve)
app.command("eval")(evaluate_questions)


@app.command()
def checks(
    family: Annotated[str | None, typer.Option(help="Only this family.", show_default=False)] = None,
    output_format: OutputFormat = Format.TABLE,
) -> None:
    """Print the catalogue of checks: what each looks for, why it matters, what to do."""
    from review_graph.doors.cli.catalogue import print_catalogue

    with guard():
        print_catalogue(family, output_format)


app.add_typer(spec_app, name="spec")
app.add_typer(cache_app)


def main() -> None:
    """Run the command line."""
    # Imports make many objects that live to the end; looking for garbage among them costs a tenth of a second.
    gc.set_threshold(GARBAGE_THRESHOLD)
    signal.signal(signal.SIGTERM, terminate)
    if os.environ.get("REVIEW_GRAPH_DEBUG"):
        logging.basicConfig(format="%(name)s: %(message)s")
        for package in ("review_graph", "checks"):
            logging.getLogger(package).setLevel(logging.DEBUG)
    _open_closed_streams()
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # of libraries, for those who build with them
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a letter shows its number
    app()


def _open_closed_streams() -> None:
    """Whoever closes a stream (`<&-`) has nothing to say there and wants to hear nothing."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - for as long as we run
