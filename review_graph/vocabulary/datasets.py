"""What is under review: a dataset, and the others it is held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Self

from checks.vocabulary import JSON


@dataclass(frozen=True, kw_only=True)
class Referenced:
    """Another dataset that the one under review was held against.

    Attributes:
        name: What the spec calls it, for instance `dm`.
        uri: Where it came from.
        fingerprint: Sha256 of its content.
    """

    name: str
    uri: str
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """One table under review.

    Attributes:
        name: Name without folder and suffix, or as the caller gave it.
        uri: Where it came from: a path, or `memory:<fingerprint>` for a frame handed in.
        fingerprint: Sha256 of the content.
        rows: Number of rows; None before it was looked at.
        columns: Number of columns; None before it was looked at.
        notes: What a reviewer should know about how it was read.
        references: The other datasets it was held against, sorted by name.
    """

    name: str
    uri: str
    fingerprint: str
    rows: int | None = None
    columns: int | None = None
    notes: tuple[str, ...] = ()
    references: tuple[Referenced, ...] = ()

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {
            "name": self.name,
            "uri": self.uri,
            "fingerprint": self.fingerprint,
            "rows": self.rows,
            "columns": self.columns,
            "notes": list(self.notes),
            "references": [asdict(reference) for reference in self.references],
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        references = tuple(Referenced(**reference) for reference in plain.get("references", ()))
        return cls(**{**plain, "notes": tuple(plain["notes"]), "references": references})
