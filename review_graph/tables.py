"""Datasets opened as tables, the last few of them kept: what one family of checks finds out, the other knows."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from checks.adopt import adopt
from review_graph.ports import Decoded, Located, Sources

if TYPE_CHECKING:
    from checks.table import Table

KEPT = 4
"""Tables kept: the one under review and those it refers to. A table is a plan to read, and some counts."""


class Tables:
    """Opens datasets as tables.

    Args:
        sources: Where datasets come from.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str], tuple[Table, Decoded]] = {}

    def open(self, located: Located) -> tuple[Table, Decoded]:
        """Return a dataset as a table, and how it was read.

        Raises:
            InputError: It cannot be read, or is no longer what was located.
        """
        decoded = self._sources.open(located)  # also says whether the content is still the same
        key = (decoded.place, located.fingerprint)
        with self._lock:
            if key not in self._kept:
                table = adopt(
                    decoded.frame,
                    duplicate_columns=decoded.duplicate_columns,
                    labels=decoded.labels,
                    files=decoded.files,
                )
                self._kept[key] = (table, decoded)
                while len(self._kept) > KEPT:
                    del self._kept[next(iter(self._kept))]
            return self._kept[key]
