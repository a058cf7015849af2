"""The figures that were shown, as a file. The only tool with an effect outside, so somebody has to allow it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from checks.vocabulary import JSON
from review_graph.core.reporting import cell
from review_graph.tools.tool import Arguments, InvalidArguments, NoRecords, Result, Tool

if TYPE_CHECKING:
    from review_graph.tools.matter import Matter

FOLDER = "exports"
"""Folder in that of the review, so that no export takes the place of a file of the review."""

MAX_NAME = 64

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_ -]*\.csv")
_DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{port}{number}" for port in ("COM", "LPT") for number in range(10))}
"""What Windows takes for devices, whatever the ending; source: Microsoft, Naming Files, Paths, and Namespaces."""


class ExportArguments(Arguments):
    """Where the figures go."""

    name: str = Field(
        max_length=MAX_NAME, description="Name of the file, ending in .csv; letters, digits, _ - and blanks."
    )


class ExportSummary(Tool[ExportArguments]):
    """Writes the figures that were shown into a file."""

    name: ClassVar[str] = "export_summary"
    description: ClassVar[str] = (
        "Write the figures of the results so far into a CSV file in the folder of the review. Somebody has to allow it."
    )
    arguments: ClassVar[type[ExportArguments]] = ExportArguments
    needs_approval: ClassVar[bool] = True
    reads_data: ClassVar[bool] = False

    def applies_to(self, matter: Matter) -> bool:
        """Where there is a folder to write into."""
        return matter.write is not None

    def answer(self, arguments: ExportArguments, matter: Matter) -> Result:
        """Write them; a file of that name is replaced."""
        name = arguments.name
        if not _NAME.fullmatch(name) or len(name) > MAX_NAME or name.partition(".")[0].strip().upper() in _DEVICES:
            raise InvalidArguments(
                "the name is a file's own, without a folder: letters, digits, _, - and blanks, then .csv, "
                f"at most {MAX_NAME} characters"
            )
        if matter.write is None:
            raise InvalidArguments("there is no folder to write into")
        if not matter.shown:
            raise NoRecords("nothing was found yet that could be written: call the tools for the figures first")
        matter.write(f"{FOLDER}/{name}", figures_csv(matter.shown))
        data: dict[str, JSON] = {"file": f"{FOLDER}/{name}", "results": len(matter.shown)}
        return Result(data=data, echo=frozenset(data))  # nothing of it was found in the dataset


def figures_csv(results: Sequence[Mapping[str, JSON]]) -> str:
    """Return results as CSV, a figure a line; no cell is a formula or holds a control character."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["result", "figure", "value"])
    for number, result in enumerate(results, start=1):
        writer.writerows([number, cell(path), cell(value)] for path, value in _leaves(result, ""))
    return out.getvalue()


def _leaves(data: JSON, path: str) -> Iterator[tuple[str, JSON]]:
    """Yield what is no list or mapping, by where it stands: `by_arm 2 mean`."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield from _leaves(value, f"{path} {key}".strip())
    elif isinstance(data, list | tuple):
        for number, value in enumerate(data, start=1):
            yield from _leaves(value, f"{path} {number}".strip())
    else:
        yield path, data
