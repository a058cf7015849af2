"""Soda on DuckDB: a contract over a view of the file; counts, no rows; of the key the rows beyond the distinct ones."""

# mypy: disable-error-code="import-not-found,import-untyped,misc"
from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

os.environ["SODA_CORE_TELEMETRY_ENABLED"] = "false"  # before it is imported: nothing is sent anywhere

import duckdb
from soda_core.contracts import verify_contract_locally
from soda_duckdb.common.data_sources.duckdb_data_source import DuckDBDataSourceImpl

from tests.benchmarks.big_table.work import AGE, AVAL, ISO_8601, KEY, SEX, TYPES, Answers

SQL_TYPES = {"string": "varchar", "integer": "bigint", "number": "double", "date": "date"}

NAMES = {
    (None, "schema"): ("types", "schema_events_count"),
    (None, "duplicate"): ("key", "duplicate_count"),
    (None, "failed_rows"): ("ADT", "failed_rows_count"),
    ("USUBJID", "missing"): ("USUBJID given", "missing_count"),
    ("AVAL", "missing"): ("AVAL given", "missing_count"),
    **{(name, "invalid"): (name, "invalid_count") for name in ("AGE", "AVAL", "SEX", "LBDTC")},
}


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        contract = Path(folder) / "lab.yml"
        contract.write_text(json.dumps(_contract()), encoding="utf-8")  # JSON is YAML
        connection.execute(f"CREATE VIEW lab AS FROM read_parquet('{path}')")
        source = DuckDBDataSourceImpl.from_existing_cursor(connection, "bench")
        result = verify_contract_locally(data_sources=[source], contract_file_path=str(contract))
    (verified,) = result.contract_verification_results
    answers: Answers = {}
    for found in verified.check_results:
        name, metric = NAMES[found.check.column_name, found.check.type]
        answers[name] = (int(found.diagnostic_metric_values[metric]), None)
    return answers


def _contract() -> dict[str, object]:
    checks: dict[str, list[object]] = {
        "USUBJID": [{"missing": None}],
        "AVAL": [{"missing": None}, {"invalid": {"valid_min": AVAL[0], "valid_max": AVAL[1]}}],
        "AGE": [{"invalid": {"valid_min": AGE[0], "valid_max": AGE[1]}}],
        "SEX": [{"invalid": {"valid_values": list(SEX)}}],
        "LBDTC": [{"invalid": {"valid_format": {"name": "ISO 8601", "regex": ISO_8601}}}],
    }
    return {
        "dataset": "bench/main/lab",
        "columns": [
            {"name": name, "data_type": SQL_TYPES[kind], **({"checks": checks[name]} if name in checks else {})}
            for name, kind in TYPES.items()
        ],
        "checks": [
            {"schema": None},
            {"duplicate": {"columns": list(KEY)}},
            {"failed_rows": {"name": "ADT", "expression": "ADT > current_date"}},
        ],
    }
