"""One file: its fingerprint and its table."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from review_graph.adapters.sources import parts
from review_graph.adapters.sources.formats import Format, format_of
from review_graph.adapters.sources.refusal import cause, refusal

if TYPE_CHECKING:
    from pathlib import Path

    from review_graph.ports import Decoded


def fingerprint(path: Path) -> str:
    """Return the sha256 of a file's content as hexadecimal text; the file is streamed.

    Of a dataset in many parts it is taken over the name and the content of each part.

    Raises:
        InputError: It cannot be read.
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise refusal(path, "is no plain file", "name a file with a table")  # a pipe would be waited for for ever
        if parts.is_partitioned(path):
            digest = hashlib.sha256()
            for part in parts.parts(path):
                digest.update(f"{part.relative_to(path).as_posix()}\0{fingerprint(part)}\n".encode())
            return digest.hexdigest()
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        reason = cause(error) if isinstance(error, OSError) else "no such path"
        raise refusal(path, f"cannot be read ({reason})", "check the path and its permissions") from error


def decode(path: Path) -> Decoded:
    """Read a file as a table, by the reader for its suffix.

    Raises:
        InputError: The file is not what its suffix says, or its content cannot be read as one table.
    """
    return decode_as(format_of(path), path)


def decode_as(known: Format, path: Path) -> Decoded:
    """Read a file whose format is known.

    Raises:
        InputError: Its content cannot be read as one table.
    """
    try:
        return known.read(path)
    except OSError as error:
        raise refusal(path, f"cannot be read ({cause(error)})", "copy it to a local drive and try again") from error
