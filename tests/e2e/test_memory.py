"""A table much larger than the memory it is reviewed in."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.benchmarks.big_table.measuring import data_file, judge, run_module, truth_of

ROWS = 50_000_000
MOST_MB = 2_000


@pytest.mark.slow
def test_fifty_million_rows_are_reviewed_in_two_gigabytes(tmp_path: Path) -> None:
    path = data_file(tmp_path, ROWS, "faulty", print)
    module = "tests.benchmarks.big_table.contestants.ours"
    found = json.loads(run_module(sys.executable, "tests.benchmarks.big_table.child", module, str(path)))
    assert judge(found["answers"], truth_of(path), "failing") == []
    assert found["peak_mb"] < MOST_MB
