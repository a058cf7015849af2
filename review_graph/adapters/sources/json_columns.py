"""Columns of Dataset-JSON: JSON values into columns of the type that the file declares.

A value that is not of its declared type is kept as it is, and a note says so: it is for the checks to judge.
Source: CDISC Dataset-JSON 1.1 specification, supported column data type combinations.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from review_graph.adapters.sources.sas_values import as_temporal

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

_LONGEST_DECIMAL = 38
"""Digits of the longest decimal number that a column can hold."""
_ISO = {
    "date": r"^\d{4}-\d{2}-\d{2}$",
    "datetime": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?$",
    "time": r"^\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?$",
}
"""Whole ISO 8601 dates and times. Partial ones, and those with a time zone, stay text."""
_SAS_FORMAT = {"date": "E8601DA", "datetime": "E8601DT", "time": "E8601TM"}
"""What a number in such a column means when no format says it: SAS's own count."""
_PLURAL = {"date": "dates", "datetime": "datetimes", "time": "times of day"}


@dataclass(frozen=True, kw_only=True)
class Column:
    """What the file says of a column.

    Attributes:
        name: Its name.
        data_type: Its logical type, for instance `decimal`.
        target: The type it should have where it is used, when that is another.
        display_format: Its SAS format.
        label: For people.
        key_sequence: Its place in the key, from 1; 0 when it is not in the key.
    """

    name: str
    data_type: str
    target: str = ""
    display_format: str = ""
    label: str = ""
    key_sequence: int = 0

    @classmethod
    def from_plain(cls, item: object) -> Column | None:
        """Return what an entry of `columns` says; None when name or type is missing."""
        if not isinstance(item, dict):
            return None
        texts = ("name", "dataType", "targetDataType", "displayFormat", "label")
        name, data_type, target, display_format, label = (
            value if isinstance(value := item.get(text), str) else "" for text in texts
        )
        key = item.get("keySequence")
        if not isinstance(item.get("name"), str) or not data_type:
            return None
        return cls(
            name=name,
            data_type=data_type,
            target=target,
            display_format=display_format,
            label=label,
            key_sequence=key if isinstance(key, int) else 0,
        )


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """Some values of a column.

    Attributes:
        values: As text, numbers or truth values; as text when they are mixed.
        mixed: Whether they are.
    """

    values: pl.Series
    mixed: bool = False


def chunk(column: Column, values: Sequence[Any]) -> Chunk:
    """Take some values out of Python.

    Raises:
        TypeError: One is an array or an object.
    """
    import polars as pl

    kinds = set(map(type, values)) - {type(None)}
    if kinds & {list, dict}:
        raise TypeError(column.name)
    dtype: pl.DataType | type[pl.DataType]
    if not kinds:
        dtype = pl.Null
    elif kinds == {str}:
        dtype = pl.String
    elif kinds == {bool}:
        dtype = pl.Boolean
    elif kinds == {int} and all(value is None or -(2**63) <= value < 2**63 for value in values):
        dtype = pl.Int64
    elif kinds <= {int, float} and float in kinds:
        dtype = pl.Float64
    else:
        texts = [value if value is None or isinstance(value, str) else _json(value) for value in values]
        return Chunk(values=pl.Series(column.name, texts, dtype=pl.String), mixed=True)
    return Chunk(values=pl.Series(column.name, values, dtype=dtype))


def finished(column: Column, chunks: Sequence[Chunk]) -> tuple[pl.Series, str | None]:
    """Return a column as its type says, and a note when its values do not fit."""
    values, mixed = _joined(column.name, chunks)
    if mixed:
        return values, _misfit(column, "text and other values", "text")
    dtype = type(values.dtype).__name__
    if dtype == "Null":
        return _nothing(column, values), None
    if column.data_type in _ISO:
        return _temporal(column, values)
    if column.data_type == "decimal":
        return _decimal(column, values)
    if column.data_type in ("integer", "float", "double"):
        return _number(column, values)
    if column.data_type == "boolean":
        return values, None if dtype == "Boolean" else _misfit(column, "other values", "what they are")
    if column.data_type not in ("string", "URI"):
        return values, f"{column.name} has the dataType {column.data_type}, which the standard does not have."
    return values, None if dtype == "String" else _misfit(column, "numbers or truth values", "what they are")


def _joined(name: str, chunks: Sequence[Chunk]) -> tuple[pl.Series, bool]:
    import polars as pl

    dtypes = {part.values.dtype for part in chunks} - {pl.Null()}
    mixed = any(part.mixed for part in chunks)
    if len(dtypes) > 1 and dtypes != {pl.Int64(), pl.Float64()}:
        mixed = True
        parts = [part.values.cast(pl.String) for part in chunks]
    else:
        dtype = pl.Float64() if len(dtypes) > 1 else next(iter(dtypes), pl.Null())
        parts = [part.values.cast(dtype) for part in chunks]
    return pl.concat(parts).alias(name), mixed


def _nothing(column: Column, values: pl.Series) -> pl.Series:
    """A column without a value still has a type."""
    import polars as pl

    if column.data_type in _ISO and (column.target or column.display_format):
        temporal = {"date": pl.Date(), "datetime": pl.Datetime("us"), "time": pl.Time()}
        return values.cast(temporal[column.data_type])
    plain = {"integer": pl.Int64, "float": pl.Float64, "double": pl.Float64, "boolean": pl.Boolean}
    if column.data_type == "decimal":
        return values.cast(pl.Decimal(_LONGEST_DECIMAL, 0))
    return values.cast(plain.get(column.data_type, pl.String))


def _number(column: Column, values: pl.Series) -> tuple[pl.Series, str | None]:
    import polars as pl

    if not values.dtype.is_numeric():
        return values, _misfit(column, "text or truth values", "what they are")
    temporal, note = as_temporal(values.cast(pl.Float64), column.display_format)
    if temporal.dtype != pl.Float64:
        return temporal, None
    if column.data_type != "integer":
        return temporal, note
    if values.dtype == pl.Float64 and (((whole := values.round()) != values) | (values.abs() >= 2**63)).any():
        return values, _misfit(column, "numbers that are not whole", "numbers")
    return (values if values.dtype == pl.Int64 else whole.cast(pl.Int64)), note


def _decimal(column: Column, values: pl.Series) -> tuple[pl.Series, str | None]:
    """Decimals are sent as text, so that no digit is lost."""
    import polars as pl

    if values.dtype.is_numeric():
        return values.cast(pl.Float64), _misfit(column, "JSON numbers in place of text", "64-bit numbers")
    if values.dtype != pl.String:
        return values, _misfit(column, "truth values", "what they are")
    try:
        exact = [Decimal(text.replace(",", "")) if text else None for text in values]
    except InvalidOperation:
        return values, _misfit(column, "text that is no number", "text")
    numbers = [number for number in exact if number is not None]
    if not all(number.is_finite() for number in numbers):
        return values, _misfit(column, "text that is no number", "text")
    scale = max((-int(number.as_tuple().exponent) for number in numbers), default=0)
    whole_digits = max((number.adjusted() + 1 for number in numbers if number), default=0)
    if max(scale, 0) + max(whole_digits, 0) > _LONGEST_DECIMAL:
        return values, _misfit(column, f"numbers of more than {_LONGEST_DECIMAL} digits", "text")
    return pl.Series(column.name, exact, dtype=pl.Decimal(_LONGEST_DECIMAL, max(scale, 0))), None


def _temporal(column: Column, values: pl.Series) -> tuple[pl.Series, str | None]:
    """ISO text stays text, as in SDTM, unless the file says that it is to be a number, as in ADaM."""
    import polars as pl

    if values.dtype.is_numeric():
        sas_format = column.display_format or _SAS_FORMAT[column.data_type]
        return as_temporal(values.cast(pl.Float64), sas_format)
    if values.dtype != pl.String or not column.target:
        return values, None if values.dtype == pl.String else _misfit(column, "truth values", "what they are")
    present = values.set(values == "", None)
    whole = present.str.contains(_ISO[column.data_type])
    seconds = (present.str.count_matches(":") == 1).fill_null(value=False)
    text = pl.select(pl.when(seconds).then(present + ":00").otherwise(present)).to_series()
    if column.data_type == "date":
        made = text.str.to_date("%Y-%m-%d", strict=False)
    elif column.data_type == "datetime":
        made = text.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False, time_unit="us")
    else:
        made = text.str.to_time("%H:%M:%S%.f", strict=False)
    wrong = int((present.is_not_null() & (made.is_null() | ~whole.fill_null(value=False))).sum())
    if wrong:
        held = f"{wrong} of {present.len()} values that are no whole {_PLURAL[column.data_type]} in ISO 8601"
        return values, _misfit(column, held, "text")
    return made.alias(column.name), None


def _json(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _misfit(column: Column, held: str, kept: str) -> str:
    declared = f"the dataType {column.data_type}" + (f" and is to be {column.target}" if column.target else "")
    return f"{column.name} has {declared}, but holds {held}; the column was read as {kept}."
