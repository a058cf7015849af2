"""The columnar cache: a file that is not columnar is decoded once, and scanned ever after."""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from review_graph.adapters.own_files import own_folder, write_whole
from review_graph.adapters.sources import files, parquet
from review_graph.adapters.sources.cache_folder import Bound
from review_graph.adapters.sources.formats import Format, format_of, suffix_of
from review_graph.adapters.sources.refusal import cause, one_line, shown
from review_graph.errors import InputError, SetupError

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from review_graph.ports import Decoded

FRAMES_IN_MEMORY = 8
"""Decoded tables that a cache without a folder keeps; the least recently used goes first."""


class ColumnarCache:
    """Decodes each content once.

    An entry is a Parquet file and beside it a JSON file with the rest of the table (labels, notes, duplicate
    columns) and the Parquet file's sha256. Both are put in place in one step each, the JSON last, so that other
    processes see a whole entry, or one whose sha256 does not fit and which they make anew.

    Args:
        folder: Where entries are kept, made when needed; None keeps a few tables in memory instead.
        max_bytes: How large the folder may grow; the least recently used entries go first. None sets no bound.
    """

    def __init__(self, folder: Path | None, *, max_bytes: int | None = None) -> None:
        self.folder = folder
        self.bound = None if folder is None or max_bytes is None else Bound(folder, max_bytes)
        self._memory: OrderedDict[str, Decoded] = OrderedDict()
        self._lock = Lock()

    def open(self, path: Path, fingerprint: str) -> Decoded:
        """Return the table in a file.

        Args:
            path: The file. Its suffix and its content must agree even when its content is in the cache.
            fingerprint: The sha256 of its content: see `files.fingerprint`.

        Raises:
            InputError: The file cannot be read as a table.
            SetupError: The folder of the cache cannot be used.
        """
        known = format_of(path)
        if known.columnar:
            return files.decode_as(known, path)
        key = f"{fingerprint}-{suffix_of(path).removeprefix('.')}{known.version}"
        if self.folder is None:
            return self._from_memory(key, known, path)
        entry = self.folder / f"{key}.parquet"
        try:
            if (loaded := _load(entry)) is not None:
                return loaded
            stored = _store(entry, files.decode_as(known, path), path.name)
            if self.bound is not None:
                self.bound.added(entry.stat().st_size)
        except OSError as error:
            raise _unusable(self.folder, cause(error)) from error
        return stored

    def _from_memory(self, key: str, known: Format, path: Path) -> Decoded:
        with self._lock:
            if key in self._memory:
                self._memory.move_to_end(key)
                return self._memory[key]
        decoded = files.decode_as(known, path)
        with self._lock:
            self._memory[key] = decoded
            while len(self._memory) > FRAMES_IN_MEMORY:
                self._memory.popitem(last=False)
        return decoded


def _load(entry: Path) -> Decoded | None:
    """Return what an entry holds, or None when there is none or it is damaged in any way."""
    try:
        rest = entry.with_suffix(".json")
        plain = json.loads(rest.read_bytes())
        _mark_as_used(rest)
        if plain["sha256"] != files.fingerprint(entry):
            return None
        return replace(
            parquet.read(entry),
            duplicate_columns=tuple(plain["duplicate_columns"]),
            labels=dict(plain["labels"]),
            notes=tuple(plain["notes"]),
            name=str(plain["name"]),
            key=tuple(plain["key"]),
        )
    except (FileNotFoundError, InputError, ValueError, KeyError, TypeError):
        return None


def _mark_as_used(rest: Path) -> None:
    """The time of change says when an entry was used last; a folder that may only be read keeps its times."""
    with suppress(PermissionError):
        os.utime(rest)


def _store(entry: Path, decoded: Decoded, source: str) -> Decoded:
    """Write an entry and return it as a scan, so that the decoded frame's memory is free again."""
    own_folder(entry.parent)
    write_whole(entry, lambda path: _write_parquet(decoded.frame, path))
    plain = {
        "source": source.encode(errors="backslashreplace").decode(),
        "sha256": files.fingerprint(entry),
        "duplicate_columns": list(decoded.duplicate_columns),
        "labels": dict(decoded.labels),
        "notes": list(decoded.notes),
        "name": decoded.name,
        "key": list(decoded.key),
    }
    text = json.dumps(plain, ensure_ascii=False, indent=1)
    write_whole(entry.with_suffix(".json"), lambda path: path.write_text(text, encoding="utf-8"))
    return replace(decoded, frame=parquet.scan(entry), files=(entry,))


def _write_parquet(frame: pl.LazyFrame, path: Path) -> None:
    import polars as pl

    try:
        frame.sink_parquet(path)
    except pl.exceptions.PolarsError as error:
        raise OSError(one_line(error)) from error
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())


def _unusable(folder: Path, reason: str) -> SetupError:
    found = f"the cache folder {shown(folder)} cannot be used ({reason})"
    return SetupError(f"{found}; make it writable, free some space, or name another folder")
