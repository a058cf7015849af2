"""From what a caller has in hand to a `Table`.

Polars frames and DuckDB relations are checked where they are. pandas and PyArrow tables enter through
Arrow into Polars: without a copy where the types allow it, and with one engine less that could treat a
missing value in a way of its own. Categories become their text; a column of nothing but nulls counts as text.
Floats of 16 and 32 bits become such of 64, which changes none of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import narwhals as nw
import polars as pl

from checks.errors import TableError
from checks.frame import schema_of
from checks.table import Table

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa

_ROW = "row_number"
_BITS: Mapping[type[nw.dtypes.DType], int] = {nw.Float16: 16, nw.Float32: 32}


def adopt(
    native: object,
    *,
    duplicate_columns: Sequence[str] = (),
    labels: Mapping[str, str] | None = None,
    files: Sequence[Path] = (),
) -> Table:
    """Return the table for a frame of any supported library.

    Args:
        native: polars DataFrame or LazyFrame, pandas DataFrame, pyarrow Table or RecordBatch, DuckDB
            relation, or a Narwhals frame around one of them; or the path of a Parquet file. A pandas index is ignored.
            A lazy frame and a relation are run several times and must give their rows in the same order each time:
            collect one that ends in a join, a group or a `unique` without `maintain_order`, or row numbers mislead.
        duplicate_columns: Names that occurred more than once where the frame was read and were left out.
        labels: Column labels, where the source has them.
        files: The Parquet files that `native` scans whole, where it does; what their footers prove is not read.

    Raises:
        TableError: It is none of these.
    """
    if isinstance(native, str | Path):
        files = (Path(native),)
        native = _scan(files[0])
    if isinstance(native, nw.DataFrame | nw.LazyFrame):
        native = native.to_native()
    repeated: tuple[str, ...] = ()
    library = type(native).__module__.partition(".")[0].lstrip("_")
    if isinstance(native, pl.DataFrame | pl.LazyFrame):
        frame, row, unusable = _number_polars(native.lazy())
    elif library == "pandas" and hasattr(native, "columns") and hasattr(native, "iloc"):
        frame, row, repeated, unusable = _number_arrow(*_arrow_of_pandas(cast("pd.DataFrame", native)))
    elif library == "pyarrow" and hasattr(native, "schema"):
        table = cast("pa.Table", native)
        frame, row, repeated, unusable = _number_arrow(table.schema.names, table.columns)
    elif library == "duckdb" and hasattr(native, "project"):
        frame, row, repeated, unusable = _number_duckdb(cast("duckdb.DuckDBPyRelation", native))
    else:
        raise TableError(
            f"cannot check a {type(native).__module__}.{type(native).__qualname__}: "
            "hand in a polars, pandas or pyarrow table or a DuckDB relation"
        )
    schema = {name: dtype for name, dtype in frame.head(0).collect_schema().items() if name != row}
    bits = {name: _BITS[type(dtype)] for name, dtype in schema.items() if type(dtype) in _BITS}
    if bits:
        frame = frame.with_columns(nw.col(name).cast(nw.Float64) for name in bits)
    return Table(
        frame=frame,
        schema=schema | dict.fromkeys(bits, nw.Float64()),
        row=row,
        bits=bits,
        duplicate_columns=(*duplicate_columns, *repeated),
        unusable_columns=unusable,
        labels=labels or {},
        files=tuple(files),
    )


def _scan(path: Path) -> pl.LazyFrame:
    frame = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    try:
        schema_of(frame)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise TableError(f"{path} cannot be read as a Parquet file: {reason}") from error
    return frame


def _is_usable(name: str) -> bool:
    """Whether a column can be addressed by its name: a blank one cannot, and some are patterns to Polars."""
    return bool(name.strip()) and name != "*" and not (name.startswith("^") and name.endswith("$"))


def _free_name(columns: Sequence[str]) -> str:
    """A name for the row number that no column has, in any case (DuckDB folds case)."""
    taken = {column.casefold() for column in columns}
    name = _ROW
    while name in taken:
        name = f"{name}_"
    return name


def _number_polars(frame: pl.LazyFrame) -> tuple[nw.LazyFrame[Any], str, tuple[str, ...]]:
    schema = schema_of(frame)
    unusable = tuple(name for name in schema if not _is_usable(name))
    if unusable:
        frame = frame.select(pl.selectors.by_index([i for i, name in enumerate(schema) if _is_usable(name)]))
        schema = schema_of(frame)
    row = _free_name(schema.names())
    as_text = [name for name, dtype in schema.items() if isinstance(dtype, pl.Categorical | pl.Enum | pl.Null)]
    numbered = frame.with_columns(pl.col(as_text).cast(pl.String)) if as_text else frame
    return nw.from_native(numbered.with_row_index(row, offset=1)), row, unusable


def _number_duckdb(
    relation: duckdb.DuckDBPyRelation,
) -> tuple[nw.LazyFrame[Any], str, tuple[str, ...], tuple[str, ...]]:
    """Number the rows of a relation in its own order, which DuckDB keeps for an unordered window.

    Names that differ only in case are one name to DuckDB, so none of their columns can be addressed.
    """
    counts = Counter(name.casefold() for name in relation.columns)
    repeated = tuple(dict.fromkeys(name for name in relation.columns if counts[name.casefold()] > 1))
    row = _free_name(relation.columns)
    selected = []
    for name, dtype in zip(relation.columns, relation.types, strict=True):
        if name in repeated or not _is_usable(name):
            continue
        quoted = '"' + name.replace('"', '""') + '"'
        selected.append(f"{_as_checked(quoted, dtype.id)} AS {quoted}")
    numbered = relation.project(", ".join([*selected, f"row_number() OVER () AS {row}"]))
    unusable = tuple(name for name in relation.columns if name not in repeated and not _is_usable(name))
    return nw.from_native(numbered), row, repeated, unusable


def _as_checked(quoted: str, kind: str) -> str:
    """The SQL for one column of a relation.

    The statistics of a Parquet file leave NaN out, and DuckDB takes from them that `isnan` is false in every row. A
    branch that may give NaN, on a condition of which statistics tell nothing, keeps it from that; no value changes.
    """
    if kind in ("enum", "uuid", "null"):
        return f"CAST({quoted} AS VARCHAR)"
    if kind in ("float", "double"):
        nan = f"CAST('nan' AS {kind})"
        return f"CASE WHEN hash({quoted}) = hash({nan}) THEN {nan} ELSE {quoted} END"
    return quoted


def _number_arrow(
    names: Sequence[str], columns: Sequence[pa.Array]
) -> tuple[nw.LazyFrame[Any], str, tuple[str, ...], tuple[str, ...]]:
    """Number the rows of Arrow columns, without those whose names are repeated or cannot be used.

    They are left out here already, because Polars would give a blank name another one without a word.
    """
    import pyarrow as pa

    counts = Counter(names)
    repeated = tuple(name for name, count in counts.items() if count > 1)
    unusable = tuple(name for name, count in counts.items() if count == 1 and not _is_usable(name))
    kept = {name: column for name, column in zip(names, columns, strict=True) if counts[name] == 1 and _is_usable(name)}
    if not kept and any(map(len, columns)):
        raise TableError("no column has a name of its own: rename the columns")
    frame, row, _ = _number_polars(cast("pl.DataFrame", pl.from_arrow(pa.table(kept))).lazy())
    return frame, row, repeated, unusable


def _arrow_of_pandas(frame: pd.DataFrame) -> tuple[list[str], list[pa.Array]]:
    names = [str(name) for name in frame.columns]
    return names, [_arrow_of_series(frame.iloc[:, index]) for index in range(len(names))]


def _arrow_of_series(series: pd.Series[Any]) -> pa.Array:
    """One pandas column by value: categories as their text, objects by what they hold."""
    import pandas as pd
    import pyarrow as pa

    if series.dtype == object:
        kind = pd.api.types.infer_dtype(series, skipna=True)
        if kind in ("mixed", "mixed-integer", "mixed-integer-float", "unknown-array"):
            return pa.array([_text(value) for value in series], type=pa.large_string())
    try:
        array = pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, UnicodeEncodeError):
        return pa.array([_text(value) for value in series], type=pa.large_string())
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    return array.dictionary_decode() if isinstance(array, pa.DictionaryArray) else array


def _text(value: Any) -> str | None:  # noqa: ANN401 - whatever pandas holds
    """A value of a column with mixed types as text; what pandas calls missing stays missing."""
    import pandas as pd

    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()  # half a surrogate pair is no text to anybody else
    if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return None
    return str(value)
