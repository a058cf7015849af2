"""Where datasets come from: files, objects elsewhere, and frames that a caller handed in."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import polars as pl

from checks.adopt import adopt
from checks.plain import visible
from review_graph.adapters.sources.columnar import ColumnarCache
from review_graph.adapters.sources.files import fingerprint
from review_graph.adapters.sources.formats import name_of
from review_graph.adapters.sources.refusal import shown
from review_graph.adapters.sources.remote import RemoteFiles
from review_graph.core.addresses import is_address, local_path, shown_address
from review_graph.errors import InputError
from review_graph.ports import Decoded, Located

MEMORY = "memory:"
"""Start of the uri of a frame that lives in this process."""


class Datasets:
    """Files, objects elsewhere and frames in hand; implements `ports.Sources`.

    Args:
        cache: Keeps columnar copies of files that are not columnar. Objects are fetched into its folder.
    """

    def __init__(self, cache: ColumnarCache) -> None:
        self._cache = cache
        self._remote = RemoteFiles(cache.folder, cache.bound)
        self._frames: dict[str, tuple[str, Decoded]] = {}
        self._places: dict[str, Path] = {}
        self._seen: dict[str, tuple[tuple[int, int, int], str]] = {}

    def hold(self, frame: object, name: str) -> Located:
        """Take a frame in hand.

        A lazy frame is collected once, so that what is fingerprinted is what is reviewed.

        Args:
            frame: Any table that `checks.adopt` takes.
            name: Name of the dataset.
        """
        table = adopt(frame)
        collected = cast("pl.DataFrame", table.frame.collect(backend="polars").to_native()).drop(table.row)
        digest = _content_digest(collected)
        decoded = Decoded(frame=collected.lazy(), duplicate_columns=table.duplicate_columns)
        self._frames[digest] = (name, decoded)
        return Located(name=name, uri=f"{MEMORY}{digest}", fingerprint=digest)

    def locate(self, uri: str) -> Located:
        """Find a file, fetch an object, or find a frame that was taken in hand.

        The uri of an object is its address without what may be secret.
        """
        try:
            uri.encode()
        except UnicodeEncodeError:
            raise InputError(
                f"the file name {visible(uri)} is not UTF-8, which reports need: rename the file"
            ) from None
        if is_address(uri):
            copy = self._remote.locate(uri)
            return Located(name=name_of(copy.path), uri=shown_address(uri), fingerprint=copy.fingerprint)
        if uri.startswith(MEMORY):
            digest = uri.removeprefix(MEMORY)
            name, _ = self._frame(digest)
            return Located(name=name, uri=uri, fingerprint=digest)
        path = Path(local_path(uri))
        digest = self._fingerprint(path)
        self._places[digest] = path.absolute()
        return Located(name=name_of(path), uri=str(path.absolute()), fingerprint=digest)

    def open(self, located: Located) -> Decoded:
        """Read a dataset whose content is still what was located."""
        if is_address(located.uri):
            return self._open_copy(located)
        if located.uri.startswith(MEMORY):
            return self._frame(located.fingerprint)[1]
        # The same content may have been found elsewhere since: a file that was moved is still the same dataset.
        path = self._places.get(located.fingerprint, Path(located.uri))
        if self._fingerprint(path) != located.fingerprint:
            raise _changed(str(path))
        return self._read(path, located.fingerprint)

    def _read(self, path: Path, fingerprint: str) -> Decoded:
        return replace(self._cache.open(path, fingerprint), place=str(path))

    def _open_copy(self, located: Located) -> Decoded:
        """Read the copy of an object; it is fetched again when the copy is gone or damaged."""
        path = self._remote.kept(located.uri, located.fingerprint)
        if path is None or self._fingerprint(path) != located.fingerprint:
            copy = self._remote.locate(located.uri)
            if copy.fingerprint != located.fingerprint:
                raise _changed(located.uri)
            path = copy.path
        try:
            return self._read(path, located.fingerprint)
        except InputError as error:  # a reader names the file that it read
            raise InputError(str(error).replace(shown(path), visible(located.uri))) from None

    def _frame(self, digest: str) -> tuple[str, Decoded]:
        if digest not in self._frames:
            raise InputError("the frame under review lived in another process: call review() with it again")
        return self._frames[digest]

    def _fingerprint(self, path: Path) -> str:
        """The content's fingerprint, taken again only when the file was touched."""
        try:
            stat = path.stat()
        except (OSError, ValueError):  # what is wrong with it is said there
            return fingerprint(path)
        if path.is_dir():
            return fingerprint(path)  # a part can change while the folder's own times stay
        signature = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        seen = self._seen.get(str(path.absolute()))
        if seen is None or seen[0] != signature:
            seen = (signature, fingerprint(path))
            self._seen[str(path.absolute())] = seen
        return seen[1]


def _changed(what: str) -> InputError:
    return InputError(f"{what} was changed after its review started: run it again to review the new content")


class _Digest:
    """A file to write to that keeps only the sha256 of what was written."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def write(self, data: Any) -> int:  # noqa: ANN401 - whatever buffer the writer has
        """Take some bytes in."""
        self._hash.update(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def hexdigest(self) -> str:
        """Sha256 of everything written, in hexadecimal."""
        return self._hash.hexdigest()


def _content_digest(frame: pl.DataFrame) -> str:
    """Sha256 over names, types and values; how the values lie in memory does not matter.

    What lies under a null, or behind the end of a bitmap, is not part of the content: values and nulls are
    taken in separately, and truth values as bytes.
    """
    digest = _Digest()
    digest.write(repr(list(frame.schema.items())).encode())
    truths = pl.selectors.boolean().cast(pl.UInt8)
    whole_bytes = frame.with_columns(truths)
    for name in frame.columns:
        column = pl.col(name)
        for part in (
            whole_bytes.select(column.is_null().cast(pl.UInt8)),
            whole_bytes.select(column.drop_nulls().reverse()),  # reversed, it is written anew and has no bitmap
        ):
            part.rechunk().write_ipc_stream(cast("Any", digest), compat_level=pl.CompatLevel.oldest())
    return digest.hexdigest()
