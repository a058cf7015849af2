"""Parquet: scanned where it lies, never loaded."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from checks.frame import schema_of
from review_graph.adapters.sources.refusal import one_line, refusal
from review_graph.ports import Decoded

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from review_graph.errors import InputError

_MAGIC = b"PAR1"
_ENCRYPTED = b"PARE"
_AGAIN = "copy it again or ask its sender for a sound file"


def read(path: Path) -> Decoded:
    """Open a Parquet file; its footer is read now, its pages when they are needed.

    A file with two columns of one name is read into memory, because Polars refuses it: the
    columns of that name are left out and named in `duplicate_columns`.

    Raises:
        InputError: The file is truncated, encrypted, damaged, or has no columns.
    """
    import polars as pl

    _check_end(path)
    try:
        frame = scan(path)
        schema = schema_of(frame)
    except pl.exceptions.DuplicateError:
        return _without_duplicates(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise damaged(path, error) from error
    if not schema:
        raise refusal(path, "has no columns", "expected a table with at least one")
    return Decoded(frame=frame, files=(path,))


def scan(path: Path) -> pl.LazyFrame:
    """Return the lazy frame of exactly this file: no pattern in its name, no partition in its folder is read."""
    import polars as pl

    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


def _check_end(path: Path) -> None:
    """The last bytes are the cheapest proof that a Parquet file is whole."""
    with path.open("rb") as stream:
        start = stream.read(len(_MAGIC))
        stream.seek(0, 2)
        size = stream.tell()
        stream.seek(max(0, size - len(_MAGIC)))
        end = stream.read()
    if _ENCRYPTED in (start, end):
        raise refusal(path, "is an encrypted Parquet file", "decrypt it first")
    if size < 3 * len(_MAGIC) or end != _MAGIC:
        raise refusal(path, "is a truncated Parquet file: its footer is missing", _AGAIN)


def _without_duplicates(path: Path) -> Decoded:
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            counts = Counter(file.schema_arrow.names)
            unique = [name for name, count in counts.items() if count == 1]
            table = file.read(columns=unique)
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, error) from error
    if not unique:
        raise refusal(path, "has no column whose name occurs only once", "give each column a name of its own")
    frame = pl.DataFrame(table)
    frame.columns = unique  # on the way from Arrow, Polars names a column that has no name
    return Decoded(
        frame=frame.lazy(),
        duplicate_columns=tuple(name for name, count in counts.items() if count > 1),
    )


def damaged(path: Path, error: BaseException) -> InputError:
    """Return the error for a file that the library refuses."""
    return refusal(path, f"is a damaged Parquet file ({one_line(error)})", _AGAIN)
