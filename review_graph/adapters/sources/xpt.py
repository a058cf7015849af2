"""SAS transport files, versions 5 and 8.

Text stays text (blank is the empty text), numbers are 64-bit floats with null where missing, and variables
with a date, datetime or time format become that.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from review_graph.adapters.sources.refusal import one_line, refusal
from review_graph.adapters.sources.sas_columns import CP1252, typed
from review_graph.adapters.sources.xpt_layout import check_complete, read_layout
from review_graph.ports import Decoded

if TYPE_CHECKING:
    from pathlib import Path

    from review_graph.errors import InputError


def read(path: Path) -> Decoded:
    """Read the one dataset of a SAS transport file.

    A file that is cut exactly between two rows and between two records cannot be told from a whole one in
    version 5, which does not say how many rows it has.

    Raises:
        InputError: It is truncated or damaged, holds several datasets, or its text is neither UTF-8 nor
            Windows-1252.
    """
    import polars as pl

    layout = read_layout(path)
    values, metadata, notes = _decode(path)
    names = list(metadata.column_names)
    if len(names) != len(layout.names):
        raise _damaged(path, f"{len(layout.names)} variables are described, {len(names)} were read")
    check_complete(path, layout, metadata.number_rows)
    kept = [name for described, name in zip(layout.names, names, strict=True) if described not in layout.duplicates]
    if not kept:
        raise refusal(path, "has no variable whose name occurs only once", "give each variable a name of its own")
    table = typed(values, metadata, kept)  # of two variables of one name, the library has renamed the second
    return Decoded(
        frame=pl.DataFrame(table.columns).lazy(),
        duplicate_columns=layout.duplicates,
        labels=table.labels,
        notes=notes + table.notes,
        name=metadata.table_name or "",
    )


def _decode(path: Path) -> tuple[dict[str, list[Any]], Any, tuple[str, ...]]:
    """Return the values by column, the metadata and notes; first as UTF-8, then as Windows-1252."""
    try:
        return *_read_xport(path, None), ()
    except UnicodeDecodeError:
        note = "The text in the file is not UTF-8; it was read as Windows-1252 (cp1252)."
    try:
        return *_read_xport(path, CP1252), (note,)
    except UnicodeDecodeError as error:  # names and formats are never converted
        raise _damaged(path, "a name or a format is not UTF-8") from error


def _read_xport(path: Path, encoding: str | None) -> tuple[dict[str, list[Any]], Any]:
    import pyreadstat

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="column .* is duplicated", category=UserWarning)
            values, metadata = pyreadstat.read_xport(
                path, output_format="dict", disable_datetime_conversion=True, encoding=encoding
            )
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
        raise _damaged(path, one_line(error)) from error
    return values, metadata


def _damaged(path: Path, reason: str) -> InputError:
    return refusal(path, f"is a damaged SAS transport file ({reason})", "ask its sender for a sound file")
