"""Which file is what: the table of readers, and the check that a file's content is what its suffix says."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from review_graph.adapters.sources import (
    arrow,
    content,
    dataset_json,
    delimited,
    excel,
    packed,
    parquet,
    parts,
    sas7bdat,
    xpt,
)
from review_graph.adapters.sources.refusal import cause, refusal
from review_graph.errors import InputError

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
        common: Whether files with this suffix are often no tables, so that in a folder their content is asked too.
    """

    title: str
    contents: tuple[Content, ...]
    read: Callable[[Path], Decoded]
    version: int = 1
    columnar: bool = False
    common: bool = False


_TEXT, _GZIP, _ZSTD = (content.TEXT,), (content.GZIP,), (content.ZSTD,)
_JSON = (content.DATASET_JSON, content.JSON)
_XPT = (content.XPT_V5, content.XPT_V8)
_IPC = Format(title="an Arrow IPC (Feather) file", contents=(content.ARROW,), read=arrow.read, columnar=True)
FORMATS: dict[str, Format] = {
    ".arrow": _IPC,
    ".csv": Format(title="CSV text", contents=_TEXT, read=delimited.read_csv),
    ".csv.gz": Format(title="gzip-compressed CSV text", contents=_GZIP, read=delimited.read_csv),
    ".csv.zst": Format(title="zstd-compressed CSV text", contents=_ZSTD, read=delimited.read_csv),
    ".feather": _IPC,
    ".ipc": _IPC,
    ".json": Format(title="Dataset-JSON", contents=_JSON, read=dataset_json.read_json, common=True),
    ".ndjson": Format(title="Dataset-JSON (NDJSON)", contents=_JSON, read=dataset_json.read_ndjson, common=True),
    ".parquet": Format(title="Parquet", contents=(content.PARQUET,), read=parquet.read, columnar=True),
    ".sas7bdat": Format(title="a SAS dataset (SAS7BDAT)", contents=(content.SAS7BDAT,), read=sas7bdat.read),
    ".tsv": Format(title="TSV text", contents=_TEXT, read=delimited.read_tsv),
    ".tsv.gz": Format(title="gzip-compressed TSV text", contents=_GZIP, read=delimited.read_tsv),
    ".tsv.zst": Format(title="zstd-compressed TSV text", contents=_ZSTD, read=delimited.read_tsv),
    ".xlsx": Format(title="an Excel workbook", contents=(content.EXCEL,), read=excel.read, version=2),
    ".xpt": Format(title="a SAS transport file (XPT)", contents=_XPT, read=xpt.read),
}
"""By suffix in lower case. A new reader is one line here (and its signature in `content.py`)."""

READABLE = " ".join(suffix for suffix in FORMATS if suffix.count(".") == 1)
"""The suffixes as a message lists them; those of compressed text go without saying."""

PARTITIONED = Format(title="a partitioned Parquet folder", contents=(), read=parts.read, columnar=True)
"""The one format that is a folder."""

_LOCK = "~$"
"""Start of the name of the file that Excel keeps beside an open workbook."""


def suffix_of(path: Path) -> str:
    """Return the suffix that says what a file is, in lower case: of `dm.CSV.gz` it is `.csv.gz`."""
    last = path.suffix.lower()
    if last in packed.CODECS and (inner := path.with_suffix("").suffix.lower()):
        return inner + last
    return last


def name_of(path: Path) -> str:
    """Return the name of the dataset in a file: its own name without the suffix."""
    return path.name[: -len(suffix)] if (suffix := suffix_of(path)) in FORMATS and suffix else path.stem


def is_recognised(path: Path) -> bool:
    """Say whether a file found in a folder is taken for a table.

    A suffix that a reader exists for is enough, except where it is common: a `.json` must begin as Dataset-JSON.
    """
    known = FORMATS.get(suffix_of(path))
    if known is None or path.name.startswith(_LOCK):
        return False
    if not known.common:
        return True
    try:
        return content.sniff(_head(path)) is content.DATASET_JSON
    except InputError:
        return False


def format_of(path: Path) -> Format:
    """Return the format of a file, once its suffix and its content agree.

    Raises:
        InputError: There is no such file, it is no regular file, it may not be read, it is empty,
            no reader exists for its suffix, or it holds something else than its suffix says.
    """
    if parts.is_partitioned(path):
        return PARTITIONED
    head = _head(path)
    found = content.sniff(head)
    suffix = suffix_of(path)
    known = FORMATS.get(suffix)
    if known is None:
        named = f"has the suffix {path.name[-len(suffix) :]!r}" if suffix else "has no suffix"
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
            advice = "name a file in it, or rename it to NAME.parquet if it holds one table in Parquet parts"
            raise refusal(path, "is a folder, not a file", advice)
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
    if found.suffix and found.suffix != suffix_of(path):
        name = name_of(path) + found.suffix
        return f"rename it to {name}" if found is not content.TEXT else f"if it is delimited text, rename it to {name}"
    return found.advice or f"expected one of {READABLE}"
