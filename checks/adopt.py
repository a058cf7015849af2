"""From what a caller has in hand to a `Table`.

Polars frames and DuckDB relations are checked where they are. pandas and PyArrow tables enter through
Arrow into Polars: without a copy where the types allow it, and with one engine less that could treat a
missing value in a way of its own. Categories become their text; a column of nothing but nulls counts as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import narwhals as nw
import polars as pl

from checks.errors import TableError
from checks.table import Table

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa

_ROW = "row_number"


def adopt(native: object, *, duplicate_columns: Sequence[str] = (), labels: Mapping[str, str] | None = None) -> Table:
    """Return the table for a frame of any supported library.

    Args:
        native: polars DataFrame or LazyFrame, pandas DataFrame, pyarrow Table or RecordBatch, DuckDB
            relation, or a Narwhals frame around one of them. A pandas index is ignored.
        duplicate_columns: Names that occurred more than once where the frame was read and were left out.
        labels: Column labels, where the source has them.

    Raises:
        TableError: It is none of these.
    """
    if isinstance(native, nw.DataFrame | nw.LazyFrame):
        native = native.to_native()
    repeated: tuple[str, ...] = tuple(name for name in duplicate_columns if name.strip())
    unnamed = len(duplicate_columns) - len(repeated)
    library = type(native).__module__.partition(".")[0].lstrip("_")
    if isinstance(native, pl.DataFrame | pl.LazyFrame):
        frame, row = _number_polars(native.lazy())
    elif library == "pandas" and hasattr(native, "iloc"):
        arrow, more = _arrow_of_pandas(cast("pd.DataFrame", native))
        frame, row = _number_polars(_polars_of_arrow(arrow))
        repeated += more
    elif library == "pyarrow" and hasattr(native, "schema"):
        arrow, more = _unambiguous(cast("pa.Table", native))
        frame, row = _number_polars(_polars_of_arrow(arrow))
        repeated += more
    elif library == "duckdb" and hasattr(native, "project"):
        frame, row = _number_duckdb(cast("duckdb.DuckDBPyRelation", native))
    else:
        raise TableError(
            f"cannot check a {type(native).__module__}.{type(native).__qualname__}: "
            "hand in a polars, pandas or pyarrow table or a DuckDB relation"
        )
    schema = {name: dtype for name, dtype in frame.collect_schema().items() if name != row}
    blank = [name for name in schema if not name.strip()]
    return Table(
        frame=frame.drop(blank),
        schema={name: dtype for name, dtype in schema.items() if name.strip()},
        row=row,
        duplicate_columns=tuple(name for name in repeated if name.strip()),
        unnamed_columns=unnamed + len(blank) + sum(not name.strip() for name in repeated),
        labels=labels or {},
    )


def _free_name(columns: Sequence[str]) -> str:
    """A name for the row number that no column has, in any case (DuckDB folds case)."""
    taken = {column.casefold() for column in columns}
    name = _ROW
    while name in taken:
        name = f"{name}_"
    return name


def _number_polars(frame: pl.LazyFrame) -> tuple[nw.LazyFrame[Any], str]:
    schema = frame.collect_schema()
    row = _free_name(schema.names())
    as_text = [name for name, dtype in schema.items() if isinstance(dtype, pl.Categorical | pl.Enum | pl.Null)]
    numbered = frame.with_columns(pl.col(as_text).cast(pl.String)) if as_text else frame
    return nw.from_native(numbered.with_row_index(row, offset=1)), row


def _number_duckdb(relation: duckdb.DuckDBPyRelation) -> tuple[nw.LazyFrame[Any], str]:
    """Number the rows of a relation in its own order, which DuckDB keeps for an unordered window."""
    row = _free_name(relation.columns)
    selected = []
    for name, dtype in zip(relation.columns, relation.types, strict=True):
        quoted = '"' + name.replace('"', '""') + '"'
        as_text = dtype.id in ("enum", "uuid", "null")
        selected.append(f"CAST({quoted} AS VARCHAR) AS {quoted}" if as_text else quoted)
    numbered = relation.project(", ".join([*selected, f"row_number() OVER () AS {row}"]))
    return nw.from_native(numbered), row


def _polars_of_arrow(arrow: pa.Table) -> pl.LazyFrame:
    return cast("pl.DataFrame", pl.from_arrow(arrow)).lazy()


def _unambiguous(table: pa.Table) -> tuple[pa.Table, tuple[str, ...]]:
    """Leave out the columns whose name occurs more than once."""
    counts = Counter(table.schema.names)
    repeated = tuple(name for name, count in counts.items() if count > 1)
    kept = [index for index, name in enumerate(table.schema.names) if counts[name] == 1]
    arrow = table if not repeated else table.select(kept)
    import pyarrow as pa

    return (pa.table(arrow) if isinstance(arrow, pa.RecordBatch) else arrow), repeated


def _arrow_of_pandas(frame: pd.DataFrame) -> tuple[pa.Table, tuple[str, ...]]:
    import pyarrow as pa

    names = [str(name) for name in frame.columns]
    counts = Counter(names)
    repeated = tuple(name for name, count in counts.items() if count > 1)
    kept = {name: _arrow_of_series(frame.iloc[:, i]) for i, name in enumerate(names) if counts[name] == 1}
    if not kept and len(frame):
        raise TableError("every column name of the pandas frame occurs more than once: rename the columns")
    return pa.table(kept), repeated


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
