"""`review-graph spec`: show, validate and draft specs. What each command needs is imported when it runs."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_graph.doors.cli.exits import Exit, complain, guard, stop

if TYPE_CHECKING:
    from checks.drafts import Draft

app = typer.Typer(
    help="Specs, which say what is expected of a table: show the built-in ones, validate yours, draft one from a "
    "dataset or a Define-XML.",
    no_args_is_help=True,
)


class SpecFormat(StrEnum):
    """How a spec is printed."""

    YAML = "yaml"
    JSON = "json"


class ValidateFormat(StrEnum):
    """How the outcome of validation is printed."""

    TEXT = "text"
    JSON = "json"


Print = Annotated[
    SpecFormat | None,
    typer.Option(
        "--format", help="How to write it. Default: by the suffix of --output, else yaml.", show_default=False
    ),
]
Resource = Annotated[
    str | None,
    typer.Option("--dataset", metavar="NAME", help="Only this dataset of several, in any case.", show_default=False),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="PATH", help="Write there instead of on stdout.", show_default=False),
]
Force = Annotated[bool, typer.Option("--force", help="Write over files that are there already.")]


@app.command()
def show(
    source: Annotated[
        str | None, typer.Argument(metavar="[NAME|PATH]", help="A built-in spec, or a file.", show_default=False)
    ] = None,
    dataset: Resource = None,
    output_format: Annotated[SpecFormat, typer.Option("--format", help="How to print it.")] = SpecFormat.YAML,
) -> None:
    """Show a built-in spec, or your own as it is understood; without an argument, list the built-in ones.

    A built-in spec is printed with its sources as comments: save it under a name of your own to start from it.
    """
    from review_graph.doors.cli.spec_printing import print_builtins, print_spec

    with guard():
        if source is None:
            print_builtins(as_json=output_format is SpecFormat.JSON)
        else:
            print_spec(source, dataset, as_json=output_format is SpecFormat.JSON)


@app.command()
def validate(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Specs in YAML or JSON.", show_default=False)],
    output_format: Annotated[
        ValidateFormat, typer.Option("--format", help="How to print the outcome.")
    ] = ValidateFormat.TEXT,
) -> None:
    """Say all that is wrong with specs, by file and line; exit code 2 when something is.

    Of a Data Package every resource is looked at. Properties that Table Schema allows and nothing here uses are listed.
    """
    from checks import codes
    from checks.drafts.validate import validate_file
    from review_graph.doors.cli.spec_printing import print_validated

    with guard():
        found = [item for path in paths for item in validate_file(path, codes())]
        print_validated(found, as_json=output_format is ValidateFormat.JSON)
    stop(Exit.WRONG if any(item.problems for item in found) else Exit.DONE)


@app.command()
def infer(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="A dataset you trust.", show_default=False)],
    output: Output = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the dataset. Default: the file's name.", show_default=False)
    ] = None,
    output_format: Print = None,
    force: Force = False,  # noqa: FBT002 - an option of the command
) -> None:
    """Draft a spec from a dataset you trust: types, required, key, codelists, limits.

    Everything that is a guess is marked `draft`. The same dataset gives the same draft. Of the values, the draft
    holds codelists and, with room, the least and the greatest; no others.
    """
    from checks import adopt
    from checks.drafts import infer as draft_of
    from review_graph.adapters.datasets import Datasets
    from review_graph.adapters.sources.columnar import ColumnarCache

    with guard():
        sources = Datasets(ColumnarCache(None))
        located = sources.locate(str(dataset))
        decoded = sources.open(located)
        table = adopt(decoded.frame, duplicate_columns=decoded.duplicate_columns, labels=decoded.labels)
        draft = draft_of(table, name=name or located.name, origin=dataset.name, fingerprint=located.fingerprint)
        _put([draft], output, output_format, force=force)
        if output_format is not SpecFormat.YAML and (output_format or (output and output.suffix == ".json")):
            complain("JSON has no comments: the marks of what is a guess are only in YAML")


@app.command("from-define")
def from_define(
    define: Annotated[Path, typer.Argument(metavar="DEFINE.XML", help="A Define-XML 2.0 or 2.1.", show_default=False)],
    dataset: Resource = None,
    output: Output = None,
    output_format: Print = None,
    force: Force = False,  # noqa: FBT002 - an option of the command
) -> None:
    """Read the specs of a study from its Define-XML: types, lengths, mandatory variables, codelists, keys.

    With `--output FOLDER` each dataset gets a file; otherwise several of them make one Data Package, of which
    `run --spec` takes the resource that is named as the dataset.
    """
    from checks.drafts import read_define

    with guard():
        _put(read_define(define, dataset=dataset), output, output_format, force=force, name=define.stem)


def _put(
    drafts: list[Draft], output: Path | None, chosen: SpecFormat | None, *, force: bool, name: str | None = None
) -> None:
    """Print drafts, or write them to a file or, a name for several being given, to a folder."""
    from review_graph.doors.cli.spec_printing import text_of_drafts, write_text

    suffix = output.suffix.lower() if output is not None else ""
    as_json = chosen is SpecFormat.JSON or (chosen is None and suffix == ".json")
    if output is None:
        sys.stdout.write(text_of_drafts(drafts, name or "", as_json=as_json))
    elif name is not None and (output.is_dir() or not suffix):
        ending = "json" if as_json else "yaml"
        files = {output / f"{draft.spec.name}.{ending}".lower(): [draft] for draft in drafts}
        write_text({path: text_of_drafts(one, name, as_json=as_json) for path, one in files.items()}, force=force)
    else:
        write_text({output: text_of_drafts(drafts, name or "", as_json=as_json)}, force=force)
