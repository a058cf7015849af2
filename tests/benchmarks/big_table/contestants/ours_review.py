"""Ours in full: fingerprint, graph, SQLite checkpoints, report, and a file with all offending rows of each finding.

What a review needs besides is imported here, since imports are not timed for anybody; see `ours`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import narwhals._polars.namespace  # noqa: F401 - see above
import pyarrow.parquet  # noqa: F401 - see above
import sqlalchemy.dialects.sqlite  # noqa: F401 - see above

import review_graph.adapters.store.facade  # noqa: F401 - see above
from review_graph import Settings, review
from tests.benchmarks.big_table.contestants.our_spec import as_answers, make_spec
from tests.benchmarks.big_table.work import Answers


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    with tempfile.TemporaryDirectory() as folder:
        reviewed = review(path, make_spec(), settings=Settings(db=str(Path(folder) / "reviews.sqlite")))
    return as_answers(judged.finding for judged in reviewed.findings)
