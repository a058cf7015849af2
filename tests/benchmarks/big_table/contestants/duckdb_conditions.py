"""What fails, as DuckDB's SQL, and how the rows of a file are found."""

from __future__ import annotations

from pathlib import Path

import duckdb

from tests.benchmarks.big_table.work import AGE, AVAL, ISO_8601, SEX, SHOWN, TYPES, Answer, Answers

SQL_TYPES = {"string": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "date": "DATE"}
FAILING = {
    "USUBJID given": "USUBJID IS NULL",
    "AVAL given": "AVAL IS NULL",
    "AGE": f"AGE NOT BETWEEN {AGE[0]} AND {AGE[1]}",
    "AVAL": f"AVAL NOT BETWEEN {AVAL[0]} AND {AVAL[1]}",
    "SEX": f"SEX NOT IN {SEX}",
    "LBDTC": f"NOT regexp_matches(LBDTC, '{ISO_8601}')",
    "ADT": "ADT > current_date",
}


def row_checks(table: duckdb.DuckDBPyRelation) -> Answers:
    """Answer what single rows tell: one pass for the counts, then the first rows where something failed."""
    (counts,) = table.aggregate(", ".join(f"count_if({condition})" for condition in FAILING.values())).fetchall()
    answers: Answers = {"types": wrong_types(table)}
    for (check, condition), count in zip(FAILING.items(), counts, strict=True):
        answers[check] = (count, numbers(table.filter(condition)) if count else [])
    return answers


def numbers(failing: duckdb.DuckDBPyRelation) -> list[int]:
    """Return the numbers of the first rows: a top n, which needs no sort of all."""
    first = failing.project("file_row_number + 1 AS n").order("n").limit(SHOWN)
    return [number for (number,) in first.fetchall()]


def wrong_types(table: duckdb.DuckDBPyRelation) -> Answer:
    """Count columns that are missing, too many or of another type."""
    found = {(name, str(kind)) for name, kind in zip(table.columns, table.types, strict=True)}
    expected = {(name, SQL_TYPES[kind]) for name, kind in TYPES.items()}
    return len((found ^ expected) - {("file_row_number", "BIGINT")}), []


def open_table(connection: duckdb.DuckDBPyConnection, path: Path) -> duckdb.DuckDBPyRelation:
    """Return the rows of the file with their numbers, which count from 0."""
    return connection.read_parquet(str(path), file_row_number=True)
