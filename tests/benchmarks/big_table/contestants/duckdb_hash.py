"""DuckDB: the key grouped by its hash, what agrees compared exactly."""

from __future__ import annotations

from pathlib import Path

import duckdb

from tests.benchmarks.big_table.contestants.duckdb_conditions import open_table, row_checks
from tests.benchmarks.big_table.work import KEY, SHOWN, Answer, Answers


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    with duckdb.connect() as connection:
        table = open_table(connection, path)
        return {**row_checks(table), "key": _repeated(table)}


def _repeated(table: duckdb.DuckDBPyRelation) -> Answer:
    key = ", ".join(KEY)
    repeated = table.aggregate(f"hash({key}) AS h, count(*) AS n", f"hash({key})").filter("n > 1").project("h")
    hashes = [value for (value,) in repeated.fetchall()]
    if not hashes:
        return 0, []
    alike = table.filter(f"hash({key}) IN ({', '.join(map(str, hashes))})").project(f"file_row_number, {key}")
    rows = alike.project(f"file_row_number + 1 AS n, count(*) OVER (PARTITION BY {key}) AS members")
    found = sorted(number for (number,) in rows.filter("members > 1").project("n").fetchall())
    return len(found), found[:SHOWN]
