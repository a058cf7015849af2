"""Reviews to report on: one with all that can happen, and its twin with hostile text in every place."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import replace

import polars as pl
import pytest

from checks.vocabulary import Evidence, Finding, Outcome, Severity, Verdict
from review_graph.core.diffing import diff
from review_graph.core.triage import apply_decisions
from review_graph.core.waiving import apply_waivers
from review_graph.reports import rendered
from review_graph.vocabulary import (
    Action,
    Anchor,
    Dataset,
    Decision,
    FindingStatus,
    Problem,
    Review,
    ReviewedFinding,
    Status,
    Triage,
    Waiver,
)

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


ANCHOR = Anchor(number=12, hash="c0de" * 16)


def waiver(review: Review, text: str, **more: object) -> Waiver:
    """A waiver for the finding of many rows."""
    many = review.findings[0].finding
    fields: dict[str, object] = {
        "id": "w-0123456789ab",
        "dataset": review.dataset.name,
        "code": many.code,
        "columns": many.columns,
        "author": f"Grace {text}",
        "role": f"lead {text}",
        "reason": f"ages are in months {text}",
        "reason_code": "expected",
        "created_at": "2026-03-01T00:00:00+00:00",
        "expires_on": "2026-12-31",
        "max_count": 30,
    }
    return Waiver(**(fields | more))  # type: ignore[arg-type]


def decisions_with_an_approval(review: Review, text: str) -> tuple[Decision, ...]:
    """A signed dismissal that is approved, one that waits for an approval, and the approval."""
    closed, crashed = review.findings[2].finding, review.findings[1].finding
    signed = replace(
        decision(closed, f"Ada {text}", f"known {text}"),
        role=f"data manager {text}",
        reason_code="expected",
        meaning=f"I looked {text}",
        needs_approval=True,
    )
    waits = replace(signed, number=2, findings=(crashed.id,), reason=f"crash {text}")
    approval = replace(
        decision(closed, f"Bob {text}", f"agreed {text}"),
        number=3,
        action=Action.APPROVE,
        approves=1,
        role=f"lead {text}",
        findings=(),
    )
    return signed, waits, approval


@pytest.fixture
def make_full(make_review: MakeReview) -> MakeReview:
    """The same review, waived, decided by two and compared with one before: all that a report has to tell.

    Since the review before the crashed check is new, the waived finding has grown, the dismissed one was dismissed
    before, one more was found before and is fixed, one was waived and is open again, and one is not judged any more.
    """

    def make(text: str = "text", **more: object) -> Review:
        plain = make_review(text)
        many, crashed, closed = (item.finding for item in plain.findings)
        again = replace(closed, code="structure.blank_text", columns=("RACE",), message=f"again {text}")
        findings = (many, crashed, closed, again)
        decisions = decisions_with_an_approval(plain, text)
        today = dt.date(2026, 3, 4)
        expired = waiver(plain, text, id="w-ffffffffffff", code=again.code, columns=(), expires_on="2026-03-03")
        waived = apply_waivers(findings, [waiver(plain, text), expired], dataset=plain.dataset.name, today=today)
        now = replace(
            plain,
            findings=apply_decisions(findings, decisions, waived),
            decisions=decisions,
            notices=(*waived.notices, f"notice {text}"),
            anchor=ANCHOR,
        )
        gone = replace(closed, code="structure.empty_table", columns=(), message=f"gone {text}", failed=3)
        unjudged = replace(closed, code="ranges.outside_limits", columns=("X",), message=f"unjudged {text}")
        before = replace(
            plain,
            id="dm-0",
            findings=(
                ReviewedFinding(finding=replace(many, failed=20)),
                ReviewedFinding(finding=closed, status=FindingStatus.DISMISSED),
                ReviewedFinding(finding=again, status=FindingStatus.WAIVED),
                ReviewedFinding(finding=gone),
                ReviewedFinding(finding=unjudged),
            ),
        )
        return replace(now, diff=diff(before, now, same_spec=False), **more)  # type: ignore[arg-type]

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
