"""Files of a review: reports, query lists, full lists of offending rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import polars as pl

from checks.engine import EvidenceSink
from checks.frame import Frame, collected
from checks.vocabulary import Finding
from review_graph.adapters.own_files import own_folder, write_whole
from review_graph.errors import SetupError


class ReviewFiles:
    """One folder a review; implements `ports.Artifacts`.

    Args:
        root: Where the folders of new reviews are made; None keeps no files.
    """

    def __init__(self, root: Path | None) -> None:
        self._root = root

    def folder(self, review_id: str) -> str | None:
        """Say where the files of a new review go; the review remembers it."""
        if self._root is None:
            return None
        try:
            own_folder(self._root.absolute())
        except OSError as error:
            raise SetupError(
                f"cannot keep files in {self._root}: {error.strerror}; choose another with --out"
            ) from error
        return str(self._root.absolute() / review_id)

    def evidence_sink(self, folder: str) -> EvidenceSink:
        """Keep all offending rows of a finding as Parquet."""

        def keep(finding: Finding, offending: Frame) -> str:
            return _write(Path(folder), f"evidence/{finding.id}.parquet", lambda path: _stream(offending, path))

        return keep

    def write(self, folder: str, name: str, text: str) -> str:
        """Write a text file in UTF-8."""
        return _write(Path(folder), name, lambda path: path.write_text(text, encoding="utf-8", newline="\n"))


def offending_rows(place: str) -> pl.DataFrame:
    """Read a file of offending rows.

    Raises:
        SetupError: It is no longer there or no longer whole.
    """
    try:
        return pl.read_parquet(place)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise SetupError(
            f"cannot read the offending rows in {place}: review the dataset again with --fresh, or use another format"
        ) from error


def _stream(rows: Frame, path: Path) -> None:
    """Write rows without holding all of them, where the engine can; millions may fail."""
    if rows.implementation.is_polars():
        cast("pl.LazyFrame", rows.to_native()).sink_parquet(path)
    else:
        cast("pl.DataFrame", collected(rows).to_native()).write_parquet(path)


def _write(folder: Path, name: str, write: Callable[[Path], object]) -> str:
    path = folder / name
    try:
        own_folder(folder.parent)
        write_whole(path, write)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SetupError(f"cannot write {path}: {reason}; make room or make the folder writable") from error
    return str(path)
