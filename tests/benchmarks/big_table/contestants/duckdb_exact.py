"""DuckDB: the key grouped by its four columns."""

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
    repeated = table.aggregate(f"{key}, count(*) AS n", key).filter("n > 1").project(key)
    alike = table.project(f"file_row_number + 1 AS n, {key}").set_alias("t").join(repeated.set_alias("r"), key, "semi")
    found = sorted(number for (number,) in alike.project("n").fetchall())
    return len(found), found[:SHOWN]
