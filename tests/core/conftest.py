"""What tests of the middle share: findings, decisions and waivers that are in order but for what a test says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from checks.vocabulary import Evidence, Finding, Severity
from review_graph.vocabulary import Action, Decision, Waiver, waiver_id

MakeFinding = Callable[..., Finding]
MakeDecision = Callable[..., Decision]
MakeWaiver = Callable[..., Waiver]


@pytest.fixture(scope="session")
def found() -> MakeFinding:
    """Makes a major finding on AGE with 3 offending rows, of the subjects S-1 to S-3."""

    def make(**fields: Any) -> Finding:
        failed = fields.get("failed", 3)
        rows = tuple(
            Evidence(row=row, key={"USUBJID": f"S-{row}", "AESEQ": float(row)}, values={"AGE": 130 + row})
            for row in range(1, min(failed, 20) + 1)
        )
        plain: dict[str, Any] = {
            "code": "ranges.outside_limits",
            "severity": Severity.MAJOR,
            "columns": ("AGE",),
            "message": f"{failed} of 90 rows",
            "failed": failed,
            "rows": 90,
            "evidence": rows,
        }
        return Finding(**plain | fields)

    return make


@pytest.fixture(scope="session")
def decided() -> MakeDecision:
    """Makes a decision of Ada's."""

    def make(action: str, *findings: Finding, **fields: Any) -> Decision:
        plain: dict[str, Any] = {
            "number": 1,
            "by": "Ada",
            "at": "2026-03-04T05:06:07+00:00",
            "reason": "seen",
            "severity_from": Severity.MAJOR,
            "severity_to": Severity.MAJOR,
        }
        return Decision(action=Action(action), findings=tuple(finding.id for finding in findings), **plain | fields)

    return make


@pytest.fixture(scope="session")
def waiver() -> MakeWaiver:
    """Makes a waiver of Ada's on ages in dm that holds until the end of September 2026."""

    def make(**fields: Any) -> Waiver:
        plain: dict[str, Any] = {
            "dataset": "dm",
            "code": "ranges.outside_limits",
            "columns": ("AGE",),
            "author": "Ada",
            "reason": "a known issue",
            "reason_code": "expected",
            "created_at": "2026-03-04T05:06:07+00:00",
            "expires_on": "2026-09-30",
        } | fields
        scope = {
            name: plain[name]
            for name in ("dataset", "code", "columns", "author", "created_at", "key", "findings")
            if name in plain
        }
        return Waiver(**{"id": waiver_id(**scope)} | plain)

    return make
