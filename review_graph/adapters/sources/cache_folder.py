"""What lies in the folder of the columnar cache: listed, kept within its bound, and cleared.

An entry is a Parquet file and a JSON file of one name; the later time of change of the two is when it was used last.
Beside them lie copies of what was fetched from elsewhere, each in a folder named by its content; one was used last
when it was read.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from review_graph.adapters.own_files import MARK

GRACE_S = 900
"""Entries used within this many seconds stay, whatever the bound: a review may be about to read them."""

LOOKS = 16
"""How often a process looks at the whole folder while it adds as much as the bound allows."""

ROOM = 8
"""When the bound is passed, this part of it is made free, so that the next addition does not pass it again."""


@dataclass(frozen=True, kw_only=True)
class CacheEntry:
    """One table in the cache.

    Attributes:
        path: Its Parquet file, or the copy of what was fetched.
        source: Name of the file it was made of or fetched from; empty when the entry is not whole.
        size_bytes: Of its files.
        used_at_s: When it was used last, in seconds since 1970.
    """

    path: Path
    source: str
    size_bytes: int
    used_at_s: float


def copies_in(folder: Path) -> Path:
    """Return where in a cache folder the copies lie of what was fetched."""
    return folder / "fetched"


def entries(folder: Path) -> list[CacheEntry]:
    """Return what is in a cache folder, the most recently used first; empty when there is no such folder.

    What a killed process left behind is an entry too, without a source.

    Raises:
        OSError: The folder cannot be listed.
    """
    found = (_entry(folder, path) for path in _paths(folder))
    return sorted(found, key=lambda entry: (-entry.used_at_s, entry.path))


def clear(folder: Path) -> list[CacheEntry]:
    """Delete everything in a cache folder and return what it was; a review that is running decodes anew.

    Raises:
        OSError: The folder cannot be listed or changed.
    """
    found = entries(folder)
    for entry in found:
        _delete(folder, entry.path)
    return found


class Bound:
    """Keeps a cache folder within its bound, without a look at all of it whenever something is added.

    Each process looks at what it adds itself, so that the folder may pass its bound for a while, by a sixteenth of
    it for each process that adds to it.

    Args:
        folder: A cache folder.
        max_bytes: How much may stay.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._folder = folder
        self._unseen_bytes = 0
        self._looked = False

    def added(self, size_bytes: int) -> None:
        """Take note of an addition, and delete what was used least recently if it is time.

        Raises:
            OSError: The folder cannot be listed or changed.
        """
        self._unseen_bytes += size_bytes
        if self._looked and self._unseen_bytes < self.max_bytes // LOOKS:
            return
        self._looked, self._unseen_bytes = True, 0
        if sum(entry.size_bytes for entry in entries(self._folder)) > self.max_bytes:
            trim(self._folder, self.max_bytes - self.max_bytes // ROOM)


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
        if entry.used_at_s < oldest_kept_s and _entry(folder, entry.path).used_at_s == entry.used_at_s:
            _delete(folder, entry.path)
            total -= entry.size_bytes
            gone.append(entry)
    return gone


def _paths(folder: Path) -> set[Path]:
    """The Parquet file of each table, there or not; each copy, and what a killed process left of one."""
    if not folder.is_dir():
        return set()
    ours = (path for path in folder.iterdir() if path.name != MARK and path.suffix in (".parquet", ".json"))
    copies = copies_in(folder)
    fetched = (path for path in (*copies.glob("*"), *copies.glob("*/*")) if path.name != MARK and path.is_file())
    return {*(path.with_suffix(".parquet") for path in ours), *fetched}


def _entry(folder: Path, path: Path) -> CacheEntry:
    if copies_in(folder) in path.parents:
        return _copy(path, is_whole=path.parent != copies_in(folder))
    size_bytes, used_at_s = 0, 0.0
    for part in (path, path.with_suffix(".json")):
        try:
            stat = part.stat()
        except FileNotFoundError:
            continue
        size_bytes, used_at_s = size_bytes + stat.st_size, max(used_at_s, stat.st_mtime)
    try:
        source = str(json.loads(path.with_suffix(".json").read_bytes())["source"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        source = ""
    return CacheEntry(path=path, source=source, size_bytes=size_bytes, used_at_s=used_at_s)


def _copy(path: Path, *, is_whole: bool) -> CacheEntry:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return CacheEntry(path=path, source="", size_bytes=0, used_at_s=0.0)
    return CacheEntry(
        path=path,
        source=path.name if is_whole else "",
        size_bytes=stat.st_size,
        used_at_s=max(stat.st_atime, stat.st_mtime),
    )


def _delete(folder: Path, path: Path) -> None:
    """The JSON file goes first: without it there is no entry."""
    copies = copies_in(folder)
    if copies not in path.parents:
        path.with_suffix(".json").unlink(missing_ok=True)
    path.unlink(missing_ok=True)
    if copies in path.parent.parents:
        with suppress(OSError):  # the same content is there under another name too, or a process was quicker
            path.parent.rmdir()
