"""Which files a list of arguments means: files, folders and patterns."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from review_graph.adapters.own_files import is_own
from review_graph.adapters.sources.formats import READABLE, is_recognised
from review_graph.adapters.sources.parts import is_partitioned
from review_graph.adapters.sources.refusal import cause, shown
from review_graph.adapters.sources.remote_listing import list_tables
from review_graph.core.addresses import is_address, local_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a list of arguments means.

    Attributes:
        tables: The files to read, and the folders that are one dataset in Parquet parts, in the order of the
            arguments, those of a folder or pattern sorted; each once.
        skipped: Files in folders and patterns that no reader exists for, or that are no tables (a spec in JSON).
        missing: One line for each argument that yields no table, and for each folder that cannot be listed.
        addresses: The objects elsewhere to read, as they are to be fetched, with whatever secrets they hold.
        skipped_addresses: Objects in folders and patterns elsewhere that are no tables, as they may be shown.
    """

    tables: tuple[Path, ...]
    skipped: tuple[Path, ...]
    missing: tuple[str, ...]
    addresses: tuple[str, ...] = ()
    skipped_addresses: tuple[str, ...] = ()


def find_tables(paths: Sequence[str]) -> Found:
    """Find the tables that the arguments mean; one that means nothing does not stop the others.

    A file is taken as it is, whatever its suffix. A folder gives the files with a recognised suffix in it and
    in the folders below, without hidden ones, those review-graph made, and links to folders; a `.json` or
    `.ndjson` only when it begins as Dataset-JSON. A folder that says it is one dataset in Parquet parts is one
    table, by itself and within another (see `parts`). Anything else is a pattern (`*`, `?`, `[…]`, `**`); what it
    matches is treated as in a folder. An address (`s3://bucket/dm.xpt`) is listed where it leads; `file://` is a path.

    Args:
        paths: As given by a user.
    """
    tables: dict[Path, Path] = {}
    skipped: dict[Path, Path] = {}
    missing: list[str] = []
    elsewhere: dict[str, None] = {}
    skipped_elsewhere: dict[str, None] = {}
    for argument in map(local_path, paths):
        if is_address(argument):
            listing = list_tables(argument)
            elsewhere |= dict.fromkeys(listing.tables)
            skipped_elsewhere |= dict.fromkeys(listing.skipped)
            missing += listing.missing
            continue
        path = Path(argument)
        if argument and (path.is_file() or is_partitioned(path)):
            tables.setdefault(_identity(path), path)
            continue
        files = _below(path, missing) if argument and path.is_dir() else _matching(argument, missing)
        recognised = {file for file in files if is_partitioned(file) or is_recognised(file)}
        for file in files:
            (tables if file in recognised else skipped).setdefault(_identity(file), file)
        if not recognised:
            missing.append(_nothing(argument))
    return Found(
        tables=tuple(tables.values()),
        skipped=tuple(path for identity, path in skipped.items() if identity not in tables),
        missing=tuple(missing),
        addresses=tuple(elsewhere),
        skipped_addresses=tuple(skipped_elsewhere),
    )


def _below(folder: Path, missing: list[str]) -> list[Path]:
    """Files in a folder and below, sorted; folders that cannot be listed are reported."""

    def report(error: OSError) -> None:
        missing.append(f"{shown(error.filename)} cannot be listed ({cause(error)}); check its permissions")

    return sorted(_walk(folder, report))


def _walk(folder: Path, report: Callable[[OSError], None]) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder, onerror=report):
        folders[:] = [name for name in folders if not name.startswith(".") and not is_own(Path(parent, name))]
        datasets = {name for name in folders if is_partitioned(Path(parent, name))}
        folders[:] = [name for name in folders if name not in datasets]
        yield from (Path(parent, name) for name in datasets if not Path(parent, name).is_symlink())
        yield from (Path(parent, name) for name in files if not name.startswith("."))


def _matching(pattern: str, missing: list[str]) -> list[Path]:
    found: set[Path] = set()
    for match in glob.iglob(pattern, recursive=True):  # noqa: PTH207 - Path.glob takes no absolute pattern
        path = Path(match)
        found.update(_below(path, missing) if path.is_dir() and not is_partitioned(path) else [path])
    return sorted(found)


def _identity(path: Path) -> Path:
    """The same for all names of a file."""
    return Path(os.path.realpath(path))


def _nothing(argument: str) -> str:
    readable = f"a file {READABLE}"
    if "://" in argument:
        return f"{shown(argument)} is an address on another machine; give file:///path, s3://… or https://…"
    if not argument:
        return "an empty path was given; name a file, a folder or a pattern"
    if Path(argument).is_dir():
        return f"{shown(argument)} is a folder without {readable}; name another"
    if glob.has_magic(argument):
        return f"{shown(argument)} matches no {readable.removeprefix('a ')}; check the pattern"
    return f"{shown(argument)} does not exist; check the path and the spelling"
