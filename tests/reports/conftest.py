"""Reviews to report on: one with all that can happen, and its twin with hostile text in every place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl
import pytest

from checks.vocabulary import Evidence, Finding, Outcome, Severity, Verdict
from review_graph.core.triage import apply_decisions
from review_graph.reports import rendered
from review_graph.vocabulary import Action, Dataset, Decision, Problem, Review, Status, Triage

MakeReview = Callable[..., Review]
Render = Callable[..., bytes]

FILE = "evidence/ages.parquet"


def decision(finding: Finding, by: str, reason: str) -> Decision:
    return Decision(
        number=1,
        action=Action.DISMISS,
        by=by,
        at="2026-03-04T05:06:07+00:00",
        reason=reason,
        severity_from=Severity.MAJOR,
        severity_to=Severity.MAJOR,
        findings=(finding.id,),
    )


@pytest.fixture
def make_review() -> MakeReview:
    """A paused review with an open finding of many rows, a dismissed one, a crashed check and one that cannot tell."""

    def make(text: str = "text", **more: object) -> Review:
        key, column = f"K{text}", f"C{text}".encode(errors="ignore").decode()  # no table has half a letter in a name
        many = Finding(
            code="ranges.outside_limits",
            severity=Severity.MAJOR,
            columns=(column,),
            message=f"25 of 90 rows: {text}",
            failed=25,
            rows=90,
            evidence=tuple(
                Evidence(row=row, key={key: text}, values={column: row, "T": text}, note=text) for row in range(1, 21)
            ),
            evidence_file=FILE,
        )
        closed = Finding(
            code="structure.padded_text",
            severity=Severity.MINOR,
            columns=("SEX",),
            message=f"1 of 90 rows: SEX is padded {text}",
            failed=1,
            rows=90,
            evidence=(Evidence(row=7, key={key: text}, values={"SEX": " F", "row": None}),),
        )
        crashed = Finding(
            code="ranges.rule.sum",
            severity=Severity.MINOR,
            columns=(),
            message=f"the check crashed: {text}",
            failed=0,
            rows=90,
            outcome=Outcome.ERRORED,
        )
        decisions = (decision(closed, f"Ada {text}", f"known {text}"),)
        fields: dict[str, object] = {
            "id": "dm-1",
            "dataset": Dataset(
                name=f"dm{text}",
                uri=f"/data/{text}/dm.csv",
                fingerprint="ab" * 32,
                rows=90,
                columns=3,
                notes=(f"note {text}",),
            ),
            "status": Status.PAUSED,
            "triage": Triage(severity=Severity.MAJOR, needs_human=True, reason=f"why {text}"),
            "findings": apply_decisions([many, closed, crashed], decisions),
            "decisions": decisions,
            "verdicts": (
                Verdict(code=many.code, outcome=Outcome.FAILED, columns=(column,)),
                Verdict(code=many.code, outcome=Outcome.INCONCLUSIVE, columns=("X",), reason=f"absent {text}"),
                Verdict(code=crashed.code, outcome=Outcome.ERRORED, columns=(), reason=text),
                Verdict(code="structure.duplicate_key", outcome=Outcome.INCONCLUSIVE, columns=("ID",), reason=text),
                Verdict(code="structure.empty_table", outcome=Outcome.PASSED, columns=()),
                Verdict(code=closed.code, outcome=Outcome.FAILED, columns=("SEX",)),
            ),
            "spec_name": f"spec {text}",
            "today": "2026-03-04",
            "created_at": "2026-03-04T05:06:07.123456+00:00",
        }
        return Review(**(fields | more))  # type: ignore[arg-type]

    return make


@pytest.fixture
def failed() -> Review:
    """A dataset that could not be reviewed."""
    return Review(
        id=None,
        dataset=Dataset(name="broken", uri="broken.csv", fingerprint=""),
        status=Status.FAILED,
        problem=Problem(kind="input", message="cut in the middle"),
    )


@pytest.fixture
def render() -> Render:
    """Renders reviews; the file of all offending rows has 25 of them."""

    def open_rows(path: str) -> pl.DataFrame:
        assert path == FILE
        return pl.DataFrame(
            {"row_number": range(1, 26), "Ktext": ["=1+1"] * 25, "Ctext": [float(n) for n in range(25)]}
        )

    def call(name: str, *reviews: Review, skipped: Sequence[str] = (), alone: bool = False) -> bytes:
        return rendered(name, reviews, open_rows=open_rows, skipped=skipped, alone=alone)

    return call
