"""What is true of a dataset, computed straight from its rows: by nothing that the tools of the investigator use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from operator import and_, eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING, Any

import polars as pl

from checks.plain import quote
from review_graph.errors import InputError
from review_graph.evaluation.questions import Known, Where

if TYPE_CHECKING:
    from checks.table import Table

_COMPARE: Mapping[str, Callable[[Any, Any], pl.Expr]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


def rows_of(table: Table) -> pl.DataFrame:
    """Return the rows of a table, blank text as null."""
    frame = table.frame.drop(table.row).collect().to_polars()
    texts = pl.col(pl.String)
    return frame.with_columns(pl.when(texts.str.strip_chars() != "").then(texts))


def true_figure(rows: pl.DataFrame, known: Known) -> float:
    """Return what a figure really is.

    Raises:
        InputError: It cannot be computed from these rows.
    """
    try:
        return float(_FIGURES[known.compute](rows, known))
    except (pl.exceptions.PolarsError, TypeError) as error:
        told = quote(str(error).partition("\n")[0])
        raise InputError(f"the {known.compute} of a question cannot be computed: {told}") from None


def _meeting(rows: pl.DataFrame, conditions: Iterable[Where]) -> pl.DataFrame:
    return rows.filter(reduce(and_, map(_holds, conditions), pl.lit(value=True)))


def _holds(where: Where) -> pl.Expr:
    if where.op in ("is null", "is not null"):
        missing = pl.col(where.column).is_null()
        return missing if where.op == "is null" else ~missing
    kind = pl.String if isinstance(where.value, str) else pl.Float64
    return _COMPARE[where.op](pl.col(where.column).cast(kind), where.value)


def _count(rows: pl.DataFrame, known: Known) -> int:
    found = _meeting(rows, known.where)
    return found[known.distinct].drop_nulls().n_unique() if known.distinct else found.height


def _percent(rows: pl.DataFrame, known: Known) -> float:
    whole = _count(rows, known.model_copy(update={"where": known.of}))
    return 100 * _count(rows, known.model_copy(update={"where": (*known.of, *known.where)})) / whole


def _numbers(rows: pl.DataFrame, known: Known) -> pl.Series:
    return _meeting(rows, known.where)[known.column].cast(pl.Float64)


_FIGURES: Mapping[str, Callable[[pl.DataFrame, Known], Any]] = {
    "count": _count,
    "percent": _percent,
    "mean": lambda rows, known: _numbers(rows, known).mean(),
    "sd": lambda rows, known: _numbers(rows, known).std(),
    "values": lambda rows, known: _meeting(rows, known.where)[known.column].drop_nulls().n_unique(),
    "columns": lambda rows, known: rows.width,  # noqa: ARG005 - each takes both
}
