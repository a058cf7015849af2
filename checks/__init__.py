"""Checks for tables: a library in its own right.

    from checks import review_table
    result = review_table(frame, "spec.yaml")
    for finding in result.findings:
        print(finding.severity, finding.message)

It knows nothing of reviews, graphs or models. Its public names are those below.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from checks import ranges, structure
from checks.adopt import adopt
from checks.builtin import choose_builtin
from checks.column import Column
from checks.engine import EvidenceSink, run_families, run_family
from checks.errors import CannotJudge, ChecksError, SpecError, TableError
from checks.examination import Examination, Key, Rule
from checks.probes import Fact, Failure, Measure, Query, RowCheck
from checks.registry import Check, catalogue, check, codes, families
from checks.spec import Spec
from checks.specfile import LoadedSpec, load_spec, read_spec
from checks.table import Table
from checks.vocabulary import Evidence, Finding, Outcome, Severity, TableReview, Verdict

__all__ = [
    "CannotJudge",
    "Check",
    "ChecksError",
    "Column",
    "Evidence",
    "EvidenceSink",
    "Examination",
    "Fact",
    "Failure",
    "Finding",
    "Key",
    "LoadedSpec",
    "Measure",
    "Outcome",
    "Query",
    "RowCheck",
    "Rule",
    "Severity",
    "Spec",
    "SpecError",
    "Table",
    "TableError",
    "TableReview",
    "Verdict",
    "adopt",
    "catalogue",
    "check",
    "choose_builtin",
    "codes",
    "families",
    "load_spec",
    "ranges",
    "read_spec",
    "review_table",
    "run_families",
    "run_family",
    "structure",
]


def review_table(
    frame: object,
    spec: Spec | Mapping[str, Any] | str | Path | None = None,
    *,
    name: str = "",
    today: dt.date | None = None,
    references: Mapping[str, object] | None = None,
    sink: EvidenceSink | None = None,
    draw: bool = True,
) -> TableReview:
    """Check one table against a spec.

    Args:
        frame: polars, pandas or pyarrow table, DuckDB relation, the path of a Parquet file, or a `Table`; a lazy
            one must give its rows in the same order each time, see `adopt`.
        spec: A spec, plain data in Table Schema's spelling, or the path of a YAML or JSON file. Without one,
            a built-in spec is chosen by `name` and the columns.
        name: Name of the dataset, for instance `adsl`.
        today: What `today` means in limits and rules; the current date in UTC when not given.
        references: The other tables that foreign keys of the spec refer to, by name, for instance `dm`.
        sink: Keeps all offending rows of a finding that has more of them than its evidence holds.
        draw: Whether to count what a drawing of each finding needs; a pass or two over columns beyond their limits.

    Returns:
        Findings, most severe first, and the outcome of every check that applied.

    Raises:
        SpecError: The spec is wrong.
        TableError: `frame` is not a table that can be checked.
    """
    table = frame if isinstance(frame, Table) else adopt(frame)
    if spec is None:
        spec = choose_builtin(name, table.columns)
    elif not isinstance(spec, Spec):
        spec = load_spec(spec, resource=name or None, known_codes=codes())
    day = today if today is not None else dt.datetime.now(dt.UTC).date()
    others = {resource: _examined(other, resource, day) for resource, other in (references or {}).items()}
    return run_families(Examination(table=table, spec=spec, today=day, references=others), sink, draw=draw)


def _examined(frame: object, name: str, today: dt.date) -> Examination:
    table = frame if isinstance(frame, Table) else adopt(frame)
    return Examination(table=table, spec=choose_builtin(name, table.columns), today=today)
