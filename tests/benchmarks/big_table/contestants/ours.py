"""Ours: `checks.review_table` on a file, with a spec that states the eight checks; nothing is drawn, as by no peer.

PyArrow and what Narwhals has for Polars are imported here, and not when they are first needed, since imports are not
timed for anybody.
"""

from __future__ import annotations

from pathlib import Path

import narwhals._polars.namespace  # noqa: F401 - see above
import pyarrow.parquet  # noqa: F401 - see above

from checks import review_table
from tests.benchmarks.big_table.contestants.our_spec import as_answers, make_spec
from tests.benchmarks.big_table.work import Answers


def run(path: Path) -> Answers:
    """Answer the eight checks."""
    return as_answers(review_table(path, make_spec(), draw=False).findings)
