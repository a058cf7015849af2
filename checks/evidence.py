"""The offending rows of a finding: which columns are shown of them, and the first of them as plain data."""

from __future__ import annotations

from collections.abc import Container

import narwhals as nw
import polars as pl

from checks.examination import Examination
from checks.frame import Frame, collected
from checks.plain import plain_value, quote
from checks.probes import Failure, Probe, Query, RowCheck
from checks.vocabulary import EVIDENCE_ROWS, Evidence


def shown_columns(examination: Examination, probe: Probe, rows: Frame) -> list[str]:
    """Return the names of row number, key and values, as far as some rows have such columns."""
    # A wide table's schema takes long to ask for, and is known.
    is_table = rows is examination.table.frame
    there = examination.table.schema if is_table else set(rows.collect_schema().names())
    return list(dict.fromkeys([examination.table.row, *examination.record_key, *_values(there, probe)]))


def shown_rows(
    examination: Examination, probe: Probe, failure: Failure, offending: Frame, first: pl.DataFrame | None = None
) -> Frame:
    """Return row number, key and values of the offending rows, in file order.

    Args:
        examination: The table held against its spec.
        probe: What found them.
        failure: What was found.
        offending: They, with all their columns.
        first: What is shown of the first of them, or of all, where that is at hand.
    """
    if first is not None and len(first) == failure.failed:
        return nw.from_native(first.lazy())
    row = examination.table.row
    shown = offending.select(
        *shown_columns(examination, probe, examination.table.frame if failure.filtered else offending)
    )
    # Polars keeps rows in order when it picks some, so that the first of them are found without all others.
    return shown if failure.filtered and offending.implementation.is_polars() else shown.sort(row)


def first_rows(
    examination: Examination, probe: Probe, shown: Frame, first: pl.DataFrame | None = None
) -> tuple[Evidence, ...]:
    """Return the first of the rows that `shown_rows` gave, as evidence.

    Args:
        examination: The table held against its spec.
        probe: What found them.
        shown: All of them.
        first: The first of them, or all, where they are at hand.
    """
    key, values = examination.record_key, _values(set(shown.collect_schema().names()), probe)
    rows = collected(shown.head(EVIDENCE_ROWS)) if first is None else first.head(EVIDENCE_ROWS)
    evidence = []
    for row in rows.iter_rows(named=True):
        plain = {name: plain_value(value) for name, value in row.items()}
        offending = {name: plain[name] for name in values}
        evidence.append(
            Evidence(
                row=row[examination.table.row],
                key={name: plain[name] for name in key},
                values=offending,
                note=probe.note(offending) if probe.note else None,
            )
        )
    return tuple(evidence)


def example(probe: Probe, evidence: tuple[Evidence, ...]) -> str:
    """Return the first offending row as the end of a message, to make it concrete."""
    by_row = isinstance(probe, RowCheck) or (isinstance(probe, Query) and probe.by_row)
    if not evidence or not by_row:
        return ""
    first = evidence[0]
    known = {name: quote(value) for name, value in first.values.items() if value is not None}
    values = ", ".join(known.values() if len(first.values) == 1 else (f"{n}={v}" for n, v in known.items()))
    return f", e.g. {values} in row {first.row}" if values else f", e.g. row {first.row}"


def _values(there: Container[str], probe: Probe) -> list[str]:
    """The columns whose values stand in the evidence, as far as there are such columns."""
    return [name for name in dict.fromkeys(probe.show or probe.columns) if name in there]
