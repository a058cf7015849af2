"""What lies in the folder of the columnar cache: listed, kept within its bound, and cleared.

An entry is a Parquet file and a JSON file of one name; the later time of change of the two is when it was used last.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

from review_graph.adapters.own_files import MARK

GRACE_S = 900
"""Entries used within this many seconds stay, whatever the bound: a review may be about to read them."""


@dataclass(frozen=True, kw_only=True)
class CacheEntry:
    """One table in the cache.

    Attributes:
        path: Its Parquet file.
        source: Name of the file it was made of; empty when the entry is not whole.
        size_bytes: Of its files.
        used_at_s: When it was used last, in seconds since 1970.
    """

    path: Path
    source: str
    size_bytes: int
    used_at_s: float


def entries(folder: Path) -> list[CacheEntry]:
    """Return what is in a cache folder, the most recently used first; empty when there is no such folder.

    What a killed process left behind is an entry too, without a source.

    Raises:
        OSError: The folder cannot be listed.
    """
    return sorted(map(_entry, _tables(folder)), key=lambda entry: (-entry.used_at_s, entry.path))


def clear(folder: Path) -> list[CacheEntry]:
    """Delete everything in a cache folder and return what it was; a review that is running decodes anew.

    Raises:
        OSError: The folder cannot be listed or changed.
    """
    found = entries(folder)
    for entry in found:
        _delete(entry.path)
    return found


def trim(folder: Path, max_bytes: int, *, now_s: float | None = None) -> list[CacheEntry]:
    """Delete the least recently used entries until the rest fits, and return them.

    Entries used within `GRACE_S` stay, so that a cache that is too small for what runs at the moment is too
    large for a while, and does not take away what is being read.

    Args:
        folder: A cache folder.
        max_bytes: How much may stay.
        now_s: The time, in seconds since 1970.

    Raises:
        OSError: The folder cannot be listed or changed.
    """
    oldest_kept_s = (time.time() if now_s is None else now_s) - GRACE_S
    found = entries(folder)
    total = sum(entry.size_bytes for entry in found)
    gone = []
    for entry in reversed(found):
        if total <= max_bytes:
            break
        if entry.used_at_s < oldest_kept_s and _entry(entry.path).used_at_s == entry.used_at_s:
            _delete(entry.path)
            total -= entry.size_bytes
            gone.append(entry)
    return gone


def _tables(folder: Path) -> set[Path]:
    """The Parquet file of each entry, there or not."""
    if not folder.is_dir():
        return set()
    ours = (path for path in folder.iterdir() if path.name != MARK and path.suffix in (".parquet", ".json"))
    return {path.with_suffix(".parquet") for path in ours}


def _entry(table: Path) -> CacheEntry:
    size_bytes, used_at_s = 0, 0.0
    for path in (table, table.with_suffix(".json")):
        try:
            stat = path.stat()
        except FileNotFoundError:
            continue
        size_bytes, used_at_s = size_bytes + stat.st_size, max(used_at_s, stat.st_mtime)
    try:
        source = str(json.loads(table.with_suffix(".json").read_bytes())["source"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        source = ""
    return CacheEntry(path=table, source=source, size_bytes=size_bytes, used_at_s=used_at_s)


def _delete(table: Path) -> None:
    """The JSON file goes first: without it there is no entry."""
    table.with_suffix(".json").unlink(missing_ok=True)
    table.unlink(missing_ok=True)
