"""The units of a table: whose each row is, and by what subjects and rows are known again in another version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import narwhals as nw
import numpy as np
import polars as pl

from checks.frame import collected
from checks.plain import quote
from review_graph.core.disclosure import Hashes, Identities, Units, Whole, mixed
from review_graph.errors import InputError

if TYPE_CHECKING:
    from checks.table import Table

SUBJECT_COLUMNS = ("USUBJID", "SUBJID")
"""CDISC's identifiers of a subject: of a submission, and within a study. Two people of different sites who share a
SUBJID count as one, which tells less and not more."""

MAX_IDENTITIES = 1_000_000
"""Rows of a table up to which units are known again in another version."""

_PORTION = 100_000

_FIRST_ROWS = 10_000
"""Rows in which a subject is looked for first."""


def units_of(table: Table) -> Units:
    """Return the units of a table, without what they are known by in other versions."""
    column = subject_column(table)
    if column is None:
        return Units(subjects=table.rows, owner_of=None)
    codes = subject_codes(table, column)
    subjects = int(codes.max(initial=-1)) + 1
    return Units(subjects=subjects, owner_of=None if subjects == len(codes) else codes)


def subject_column(table: Table) -> str | None:
    """Return the column that says whose a row is; None where there is none with a value.

    It does so with a single value too: then there is one subject, and not as many as rows.

    Raises:
        InputError: Such a column is there more than once, so that nobody can tell whose a row is.
    """
    doubled = [name for name in table.duplicate_columns if name.upper() in SUBJECT_COLUMNS]
    if doubled:
        raise InputError(
            f"the column {quote(doubled[0])} is there more than once, so whose each row is cannot be told, and nothing "
            "can be asked of the dataset: ask for the file again, with one"
        )
    names = {name.upper(): name for name in table.schema} | {name: name for name in table.schema}
    there = [names[wanted] for wanted in SUBJECT_COLUMNS if wanted in names]
    return next((name for name in there if _names_somebody(table, name)), None)


def _names_somebody(table: Table, column: str) -> bool:
    """Whether there is a value other than blanks: mostly so among the first rows, and all are looked at otherwise."""
    values = table.frame.select(nw.col(column))
    return any(
        any(str(value).strip() for value in collected(part.drop_nulls().unique())[column].to_list())
        for part in (values.head(_FIRST_ROWS), values)
    )


def subject_codes(table: Table, column: str) -> Whole:
    """Return the subject of each row in file order, numbered as they come; rows without one share one."""
    physical = _texts(table, [column]).to_series().cast(pl.Categorical).to_physical()
    codes: Whole = physical.to_numpy().astype(np.int64)
    first = np.full(int(codes.max(initial=-1)) + 1, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # of several, the last one stays: the first row
    used = np.flatnonzero(first >= 0)
    number = np.zeros(len(first), np.int64)
    number[used[np.argsort(first[used])]] = np.arange(len(used))
    return number[codes]


def with_identities(table: Table, units: Units) -> Units:
    """Return the units with what they are known by in other versions."""
    contents = np.concatenate([np.zeros(0, np.uint64), *_contents(table)])
    column = subject_column(table)
    if column is None:
        known = mixed(contents, _occurrence(contents))
        return replace(units, subject_identities=Identities(keys=known, contents=known))
    ids = _texts(table, [column]).to_series()
    if units.owner_of is None:
        return replace(units, subject_identities=Identities(keys=_hashes(ids), contents=contents))
    first = np.unique(units.owner_of, return_index=True)[1]
    keys, together = _hashes(ids.gather(first)), np.zeros(units.subjects, np.uint64)
    np.add.at(together, units.owner_of, contents)
    places, repeats = _occurrence(units.owner_of), _occurrence(contents)
    return replace(
        units,
        subject_identities=Identities(keys=keys, contents=together),
        row_identities=Identities(keys=mixed(keys[units.owner_of], places), contents=mixed(contents, repeats)),
    )


def _contents(table: Table) -> Iterator[Hashes]:
    """The hash of all values of each row, a portion of rows at a time."""
    names = [name for name, dtype in table.schema.items() if not dtype.is_nested()]
    for start in range(0, table.rows, _PORTION):
        part = nw.col(table.row).is_between(start + 1, start + _PORTION)
        texts = _texts(replace(table, frame=table.frame.filter(part)), names)
        yield _hashes(texts.select(pl.concat_str(pl.all(), separator="\x1f")).to_series())


def _texts(table: Table, names: list[str]) -> pl.DataFrame:
    """Some columns as text, in file order; what is missing is a text of its own."""
    found: pl.DataFrame = collected(table.frame.select(table.row, *names)).to_native()
    if not found.get_column(table.row).is_sorted():
        found = found.sort(table.row)
    return found.select(pl.col(names).cast(pl.String, strict=False).fill_null("\x00"))


def _hashes(texts: pl.Series) -> Hashes:
    """64 bits of each text, the same in every process and with every version of every library."""
    digests = [blake2b(text, digest_size=8).digest() for text in texts.cast(pl.Binary).to_list()]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def _occurrence(values: Whole | Hashes) -> Hashes:
    """Of each value, how often it came before."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    lengths = np.diff(np.append(starts, len(values)))
    before = np.zeros(len(values), np.uint64)
    before[order] = np.arange(len(values)) - np.repeat(starts, lengths)
    return before
