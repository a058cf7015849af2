"""Which file is what: the table of readers, and the check that a file's content is what its suffix says."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from review_graph.adapters.sources import content, delimited, parquet, xpt
from review_graph.adapters.sources.refusal import cause, refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from review_graph.adapters.sources.content import Content
    from review_graph.ports import Decoded


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format that can be read.

    Attributes:
        title: As people call it.
        contents: What a file of this format may hold.
        read: The reader. Raises InputError for content it cannot read, OSError for what the system refuses.
        version: Goes up whenever the reader decodes the same bytes into another table; names the cache entry.
        columnar: Whether the file can be scanned as it is, so that a columnar copy would be a waste.
    """

    title: str
    contents: tuple[Content, ...]
    read: Callable[[Path], Decoded]
    version: int = 1
    columnar: bool = False


FORMATS: dict[str, Format] = {
    ".csv": Format(title="CSV text", contents=(content.TEXT,), read=delimited.read_csv),
    ".parquet": Format(title="Parquet", contents=(content.PARQUET,), read=parquet.read, columnar=True),
    ".tsv": Format(title="TSV text", contents=(content.TEXT,), read=delimited.read_tsv),
    ".xpt": Format(title="a SAS transport file (XPT)", contents=(content.XPT_V5, content.XPT_V8), read=xpt.read),
}
"""By suffix in lower case. A new reader is one line here (and its signature in `content.py`)."""


def is_recognised(path: Path) -> bool:
    """Say whether a reader exists for files with this suffix."""
    return path.suffix.lower() in FORMATS


def format_of(path: Path) -> Format:
    """Return the format of a file, once its suffix and its content agree.

    Raises:
        InputError: There is no such file, it is no regular file, it may not be read, it is empty,
            no reader exists for its suffix, or it holds something else than its suffix says.
    """
    head = _head(path)
    found = content.sniff(head)
    suffix = path.suffix.lower()
    known = FORMATS.get(suffix)
    if known is None:
        named = f"has the suffix {path.suffix!r}" if path.suffix else "has no suffix"
        raise refusal(path, f"{named}, for which there is no reader, and holds {found.title}", _advice(path, found))
    if not head:
        raise refusal(path, f"is empty (0 bytes), not {known.title}", "copy it again or ask its sender")
    if found not in known.contents:
        raise refusal(path, f"holds {found.title}, not {known.title}", _advice(path, found))
    return known


def _head(path: Path) -> bytes:
    """Return the first bytes, having made sure that this is a regular file: a pipe would wait for ever."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise refusal(path, "is a folder, not a file", f"name a file in it: {' '.join(FORMATS)}")
        if not stat.S_ISREG(mode):
            raise refusal(path, "is a device or a pipe, not a file", "save its content as a file first")
        with path.open("rb") as stream:
            return stream.read(content.HEAD_BYTES)
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise refusal(path, "does not exist", "check the path and the spelling") from error
    except PermissionError as error:
        raise refusal(path, "may not be read by this user", "ask its owner for read permission") from error
    except OSError as error:
        raise refusal(path, f"cannot be read ({cause(error)})", "check the path and the drive it is on") from error


def _advice(path: Path, found: Content) -> str:
    if found.suffix and found.suffix != path.suffix.lower():
        name = path.with_suffix(found.suffix).name
        return f"rename it to {name}" if found is not content.TEXT else f"if it is delimited text, rename it to {name}"
    return found.advice or f"expected one of {' '.join(FORMATS)}"
