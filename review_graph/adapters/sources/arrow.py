"""Arrow IPC files, also known as Feather version 2: scanned where they lie.

Arrow keeps no checksums, and the fast scanner trusts what it maps into memory: a damaged length can end the
whole process. So the file is proved sound first, batch by batch.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from review_graph.adapters.sources.refusal import one_line, refusal
from review_graph.ports import Decoded

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from review_graph.errors import InputError


def read(path: Path) -> Decoded:
    """Open an Arrow IPC file, once it has proved sound.

    A file with two columns of one name is read into memory, because Polars refuses it: the columns of that
    name are left out and named in `duplicate_columns`.

    Raises:
        InputError: The file is truncated or damaged, holds types that Polars has no equal for, or has no columns.
    """
    import polars as pl

    names = _prove(path)
    if not names:
        raise refusal(path, "has no columns", "expected a table with at least one")
    if len(set(names)) < len(names):
        return _without_duplicates(path, Counter(names))
    frame = pl.scan_ipc(path, glob=False, hive_partitioning=False)
    try:
        frame.select(pl.all().count()).collect(engine="streaming")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise _damaged(path, error) from error
    return Decoded(frame=frame)


def _prove(path: Path) -> list[str]:
    """Read every batch through a reader that checks what it reads; return the names of the columns."""
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as batches:
            for position in range(batches.num_record_batches):
                batches.get_batch(position).validate(full=True)
            return list(batches.schema.names)
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise _damaged(path, error) from error


def _without_duplicates(path: Path, counts: Counter[str]) -> Decoded:
    import polars as pl
    import pyarrow as pa

    kept = [name for name, count in counts.items() if count == 1]
    if not kept:
        raise refusal(path, "has no column whose name occurs only once", "give each column a name of its own")
    with pa.memory_map(str(path)) as source, pa.ipc.open_file(source) as batches:
        table = batches.read_all().select(kept)
        frame: pl.DataFrame = pl.DataFrame(table).rechunk()
    frame.columns = kept  # on the way from Arrow, Polars names a column that has no name
    return Decoded(frame=frame.lazy(), duplicate_columns=tuple(name for name, count in counts.items() if count > 1))


def _damaged(path: Path, error: BaseException) -> InputError:
    found = f"is a truncated or damaged Arrow IPC file ({one_line(error)})"
    return refusal(path, found, "copy it again or ask its sender for a sound file")
