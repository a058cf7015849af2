"""A Parquet table in many parts: one folder that Spark, Dask, Polars or pandas wrote as one dataset.

A folder is one dataset when it says so, since a folder of datasets holds Parquet files as well. It says so

- by its name, `adlb.parquet/`, which is what those libraries are usually told;
- by a marker that their writers leave: `_SUCCESS`, `_metadata` or `_common_metadata`;
- by partitions: all it holds are folders named `column=value`.

And below it lies nothing but Parquet parts, markers, and `column=value` folders. Any other folder is a folder
of datasets; rename it to NAME.parquet if it is one.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from checks.frame import schema_of
from review_graph.adapters.sources import parquet
from review_graph.adapters.sources.refusal import cause, refusal
from review_graph.ports import Decoded

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

_MARKERS = frozenset({"_SUCCESS", "_metadata", "_common_metadata"})
_NOT_DATA = ("_", ".")
"""First characters of names that are no data, by the convention of all those writers."""


def is_partitioned(folder: Path) -> bool:
    """Say whether a path is a folder that holds one dataset in Parquet parts."""
    try:
        if not folder.is_dir():
            return False
        with os.scandir(folder) as listing:
            entries = [entry for entry in listing if not entry.name.startswith(".")]
        says_so = (
            folder.suffix.lower() == ".parquet"
            or any(entry.name in _MARKERS for entry in entries)
            or all(entry.is_dir() and "=" in entry.name for entry in entries)
        )
        return says_so and _holds_only_parts(folder) and bool(parts(folder))
    except (OSError, ValueError):
        return False


def parts(folder: Path) -> list[Path]:
    """Return the Parquet files of a partitioned dataset in the order of their names, which is that of its rows.

    Raises:
        OSError: A folder cannot be listed.
    """

    def refuse(error: OSError) -> None:
        raise error

    found = []
    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(_NOT_DATA)]
        found += [folder.__class__(parent, name) for name in names if not name.startswith(_NOT_DATA)]
    return sorted(found)


def read(folder: Path) -> Decoded:
    """Open a partitioned dataset; its parts are scanned where they lie.

    Columns that stand in the names of folders (`site=007`) come last and are text, as it stands there. Rows are
    in the order of the names of their parts.

    Raises:
        InputError: A part is truncated or damaged, or its columns are not those of the first part.
    """
    import polars as pl

    try:
        files = parts(folder)
    except OSError as error:
        raise refusal(folder, f"cannot be read ({cause(error)})", "check its permissions") from error
    _check_alike(folder, files)
    partitions = {name.partition("=")[0]: pl.String for name in files[0].relative_to(folder).parts[:-1] if "=" in name}
    try:
        frame = pl.scan_parquet(
            folder,
            glob=False,
            hive_partitioning=bool(partitions),
            hive_schema=partitions or None,
            hidden_file_prefix=_NOT_DATA,
        )
        schema_of(frame)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise parquet.damaged(folder, error) from error
    count = f"{len(files)} parts" if len(files) > 1 else "1 part"
    notes = (f"The table has {count}; its rows are in the order of their names.",)
    return Decoded(frame=frame, notes=notes, files=tuple(files))


def _holds_only_parts(folder: Path) -> bool:
    """Whether nothing below a folder is something else than a part, a marker or a partition."""
    with os.scandir(folder) as listing:
        entries = [entry for entry in listing if not entry.name.startswith(_NOT_DATA)]
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if "=" not in entry.name or not _holds_only_parts(folder / entry.name):
                return False
        elif not entry.name.lower().endswith(".parquet"):
            return False
    return True


def _check_alike(folder: Path, files: list[Path]) -> None:
    """The footers are read now, so that a part that does not fit is named and not met in the middle of a check."""
    first: pl.Schema | None = None
    for file in files:
        schema = schema_of(parquet.read(file).frame)
        first = schema if first is None else first
        levels = len(file.relative_to(folder).parts)
        if schema != first or levels != len(files[0].relative_to(folder).parts):
            differ = ", ".join(sorted({name for name, _ in set(schema.items()) ^ set(first.items())})[:3])
            found = f"is no part of one table with {files[0].relative_to(folder)}: their columns differ"
            raise refusal(
                file, f"{found} ({differ or 'their order or their folders'})", "name the files to review each by itself"
            )
