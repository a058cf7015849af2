"""Files of a review: reports, query lists, full lists of offending rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import polars as pl

from checks.engine import EvidenceSink
from checks.table import Frame
from checks.vocabulary import Finding
from review_graph.adapters.own_files import own_folder, write_whole
from review_graph.errors import SetupError


class ReviewFolder:
    """One folder a review below a root; implements `ports.Artifacts`.

    Args:
        root: Folder of all reviews; made when first needed.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()

    def evidence_sink(self, review_id: str) -> EvidenceSink:
        """Keep all offending rows of a finding as Parquet."""

        def keep(finding: Finding, offending: Frame) -> str:
            path = self._root / review_id / "evidence" / f"{finding.id}.parquet"
            rows = cast("pl.DataFrame", offending.collect(backend="polars").to_native())
            _write(self._root, path, rows.write_parquet)
            return str(path)

        return keep

    def write(self, review_id: str, name: str, text: str) -> str:
        """Write a text file in UTF-8."""
        path = self._root / review_id / name
        _write(self._root, path, lambda temporary: temporary.write_text(text, encoding="utf-8", newline="\n"))
        return str(path)


class NoFiles:
    """Keeps nothing: for a graph inside another one that has its own place for results."""

    def evidence_sink(self, review_id: str) -> None:
        """There is no sink."""
        del review_id

    def write(self, review_id: str, name: str, text: str) -> None:
        """Nothing is written."""
        del review_id, name, text


def _write(root: Path, path: Path, write: Callable[[Path], object]) -> None:
    try:
        own_folder(root)
        write_whole(path, write)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SetupError(f"cannot write {path}: {reason}; choose another folder with --out") from error
