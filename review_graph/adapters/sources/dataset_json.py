"""Dataset-JSON 1.1, as one document (`.json`) and with a line for each record (`.ndjson`).

Source: CDISC Dataset-JSON 1.1 specification. The file says what its columns are, how many records it has and
what its key is; all of that is used, and held against what it holds.
"""

from __future__ import annotations

import codecs
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from review_graph.adapters.sources.json_columns import Chunk, Column, chunk, finished
from review_graph.adapters.sources.refusal import one_line, refusal
from review_graph.ports import Decoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import polars as pl

    from review_graph.errors import InputError

VERSION = "1.1"
ROWS_AT_ONCE = 20_000
"""Records of an NDJSON file that are Python objects at the same time."""
_AGAIN = "copy it again, or ask its sender for a sound file"


def read_json(path: Path) -> Decoded:
    """Read Dataset-JSON that is one document.

    Raises:
        InputError: It is no JSON, or not Dataset-JSON 1.1, or its records are not what it says they are.
    """
    document = _parsed(path, path.read_bytes().removeprefix(codecs.BOM_UTF8), None)
    if not isinstance(document, dict):
        raise _not_ours(path)
    rows = document.pop("rows", [])
    if not isinstance(rows, list):
        raise refusal(path, "is Dataset-JSON whose rows are no array", _AGAIN)
    return _decoded(path, document, iter([rows]))


def read_ndjson(path: Path) -> Decoded:
    """Read Dataset-JSON that has its metadata on the first line and a record on each of the others.

    Raises:
        InputError: As `read_json`.
    """
    with path.open("rb") as stream:
        header = _parsed(path, stream.readline().removeprefix(codecs.BOM_UTF8), 1)
        if not isinstance(header, dict):
            raise _not_ours(path)
        if "rows" in header:
            raise refusal(path, "is Dataset-JSON in one document, not NDJSON", f"rename it to {path.stem}.json")

        def batches() -> Iterator[list[Any]]:
            batch: list[Any] = []
            for number, line in enumerate(stream, start=2):
                if line.strip():
                    batch.append(_parsed(path, line, number))
                if len(batch) == ROWS_AT_ONCE:
                    yield batch
                    batch = []
            yield batch

        return _decoded(path, header, batches())


def _parsed(path: Path, data: bytes, line: int | None) -> Any:  # noqa: ANN401 - whatever JSON it is
    try:
        return json.loads(data.decode(), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise refusal(path, f"is not UTF-8 (byte 0x{data[error.start]:02X})", "save it as UTF-8") from error
    except json.JSONDecodeError as error:
        where = f"line {line or error.lineno}, column {error.colno}"
        advice = _AGAIN
        if line is None and error.msg == "Extra data":
            advice = f"if each record has a line of its own, rename it to {path.stem}.ndjson"
        if line == 1:
            advice = f"if the whole file is one document, rename it to {path.stem}.json; else {_AGAIN}"
        raise refusal(path, f"is truncated or damaged JSON ({error.msg}: {where})", advice) from error
    except (ValueError, RecursionError) as error:
        raise refusal(path, f"is damaged JSON ({one_line(error)})", _AGAIN) from error


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _decoded(path: Path, document: dict[str, Any], batches: Iterator[list[Any]]) -> Decoded:
    import polars as pl

    columns = _columns(path, document)
    counts = Counter(column.name for column in columns)
    kept = [position for position, column in enumerate(columns) if counts[column.name] == 1]
    if not kept:
        raise refusal(path, "has no column whose name occurs only once", "give each column a name of its own")
    chunks: dict[int, list[Chunk]] = {position: [] for position in kept}
    total = 0
    for rows in batches:
        _check_rows(path, rows, len(columns), total)
        total += len(rows)
        transposed = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
        for position in kept:
            chunks[position].append(_chunk(path, columns[position], transposed[position]))
    notes = _check_records(path, document, total)
    series: dict[str, pl.Series] = {}
    for position in kept:
        values, note = finished(columns[position], chunks.pop(position))
        series[columns[position].name] = values
        notes += (note,) if note else ()
    declared_key = sorted((column.key_sequence, column.name) for column in columns if column.key_sequence)
    return Decoded(
        frame=pl.DataFrame(series).lazy(),
        duplicate_columns=tuple(name for name, count in counts.items() if count > 1),
        labels={column.name: column.label for column in columns if column.label and counts[column.name] == 1},
        notes=notes,
        name=document["name"] if isinstance(document.get("name"), str) else "",
        key=tuple(name for _, name in declared_key),
    )


def _columns(path: Path, document: dict[str, Any]) -> list[Column]:
    version = document.get("datasetJSONVersion")
    if version is None:
        raise _not_ours(path)
    if not isinstance(version, str) or not f"{version}.".startswith(f"{VERSION}."):
        found = f"is Dataset-JSON of version {one_line(version, 20)}, expected {VERSION}"
        raise refusal(path, found, f"have it written as version {VERSION}")
    described = document.get("columns")
    if not isinstance(described, list) or not described:
        raise refusal(path, "is Dataset-JSON without columns", "expected at least one: ask its sender for a sound file")
    columns = [Column.from_plain(item) for item in described]
    if wrong := [str(position) for position, column in enumerate(columns, start=1) if column is None]:
        found = f"is Dataset-JSON whose column {wrong[0]} has no name or no dataType"
        raise refusal(path, found, "each column needs both: ask its sender for a sound file")
    return [column for column in columns if column is not None]


def _check_rows(path: Path, rows: Sequence[Any], width: int, before: int) -> None:
    for number, row in enumerate(rows, start=before + 1):
        if not isinstance(row, list) or len(row) != width:
            held = f"{len(row)} values" if isinstance(row, list) else "no array"
            found = f"is Dataset-JSON with {width} columns whose row {number} holds {held}"
            raise refusal(path, found, "it is damaged: ask its sender for a sound file")


def _chunk(path: Path, column: Column, values: Sequence[Any]) -> Chunk:
    try:
        return chunk(column, values)
    except UnicodeEncodeError as error:
        raise refusal(path, f"holds half a character in column {one_line(column.name, 40)}", _AGAIN) from error
    except TypeError as error:
        found = f"holds an array or an object as a value of column {one_line(column.name, 40)}"
        raise refusal(
            path, found, "expected text, numbers, true, false or null: ask its sender for a sound file"
        ) from error


def _check_records(path: Path, document: dict[str, Any], rows: int) -> tuple[str, ...]:
    records = document.get("records")
    if records is None:
        return ("The file does not say how many records it has, so that a cut cannot be noticed.",)
    if records != rows or isinstance(records, bool):
        what = "truncated" if isinstance(records, int) and records > rows else "damaged"
        raise refusal(path, f"is {what}: it declares {one_line(records, 20)} records and holds {rows}", _AGAIN)
    return ()


def _not_ours(path: Path) -> InputError:
    found = "is JSON, but not Dataset-JSON: it has no datasetJSONVersion"
    return refusal(path, found, "export the table as Dataset-JSON 1.1, CSV or Parquet")
