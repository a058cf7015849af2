"""What the SAS readers share: values by variable into typed columns, with labels and notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from review_graph.adapters.sources.sas_values import as_temporal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

CP1252 = "WINDOWS-1252"
"""What text is taken for that is not in the encoding it should be in."""


@dataclass(frozen=True, kw_only=True)
class SasColumns:
    """Columns of one dataset.

    Attributes:
        columns: By name, in file order.
        labels: Of the columns that have one.
        notes: On values that do not fit the format of their variable.
    """

    columns: dict[str, pl.Series] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def typed(values: Mapping[str, Sequence[Any]], metadata: Any, names: Sequence[str]) -> SasColumns:  # noqa: ANN401 - pyreadstat has no types
    """Return columns as their variables say: text, numbers, dates, datetimes or times.

    Args:
        values: By name; blank text is the empty text, a missing number is None.
        metadata: What pyreadstat says of the variables.
        names: The variables wanted, in file order.
    """
    import polars as pl

    columns: dict[str, pl.Series] = {}
    notes: tuple[str, ...] = ()
    for name in names:
        is_text = metadata.readstat_variable_types[name] == "string"
        column = pl.Series(name, values[name], dtype=pl.String if is_text else pl.Float64)
        if not is_text:
            column, note = as_temporal(column, metadata.original_variable_types[name])
            notes += (note,) if note else ()
        columns[name] = column
    labels = {name: label for name in names if (label := metadata.column_names_to_labels[name])}
    return SasColumns(columns=columns, labels=labels, notes=notes)
