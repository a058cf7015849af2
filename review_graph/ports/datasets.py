"""What a review needs from outside to be made: datasets, and a place for its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from checks.engine import EvidenceSink


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """A table as a reader found it.

    Attributes:
        frame: The rows, in file order. Columns whose name occurs twice are left out.
        duplicate_columns: Names that occur more than once, in file order.
        labels: Column labels, where the format has them.
        notes: What a reviewer should know about how the file was read, for instance its encoding.
        name: What the file itself calls the table, for instance `DM`; empty when the format has no such thing.
        key: Names of the columns that the file itself declares as its key, in order.
        place: The file that was read; the same content may be found in another one later.
        files: The Parquet files that `frame` scans whole, where it does.
    """

    frame: pl.LazyFrame
    duplicate_columns: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    name: str = ""
    key: tuple[str, ...] = ()
    place: str = ""
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Located:
    """A dataset that was found and can be read.

    Attributes:
        name: Name for people: file name without suffix, or as handed in.
        uri: Where it is; absolute, so that another process finds it.
        fingerprint: Sha256 of its content.
    """

    name: str
    uri: str
    fingerprint: str


class Sources(Protocol):
    """Finds and reads datasets. Raises `InputError` for what cannot be read."""

    def locate(self, uri: str) -> Located:
        """Find a dataset and take the fingerprint of its content."""

    def open(self, located: Located) -> Decoded:
        """Read a dataset; refuse it when its content is no longer what was located."""


class Artifacts(Protocol):
    """Keeps the files of a review. Writing the same again changes nothing."""

    def folder(self, review_id: str) -> str | None:
        """Say where the files of a review go, for good: a place that ends in its id; None when none are kept."""

    def evidence_sink(self, folder: str) -> EvidenceSink:
        """Return what keeps all offending rows of a finding in a review's folder."""

    def write(self, folder: str, name: str, text: str) -> str:
        """Write a text file in a review's folder, as a whole or not at all, and say where it is."""
