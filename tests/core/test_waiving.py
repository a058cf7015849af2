"""What a waiver covers, and that what it does not cover stays open and is said."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.vocabulary import Evidence, Outcome
from review_graph.core.waiving import Waived, apply_waivers
from tests.core.conftest import MakeFinding, MakeWaiver

TODAY = dt.date(2026, 9, 30)


def held(finding: Any, *waivers: Any, today: dt.date = TODAY, dataset: str = "dm") -> Waived:
    return apply_waivers([finding], waivers, dataset=dataset, today=today)


def test_a_waiver_covers_a_finding_to_the_end_of_its_last_day(found: MakeFinding, waiver: MakeWaiver) -> None:
    finding, ours = found(), waiver()
    assert held(finding, ours).by_finding == {finding.id: (ours,)}
    expired = held(finding, ours, today=TODAY + dt.timedelta(days=1))
    assert (expired.by_finding, expired.notices) == (
        {},
        (f"waiver {ours.id} expired on 2026-09-30: the finding {finding.id} is open again",),
    )


@pytest.mark.parametrize(
    "change",
    [
        {"dataset": "ae"},
        {"code": "ranges.not_in_codelist"},
        {"columns": ("SEX",)},
        {"columns": ("AGE", "SEX")},
        {"findings": ("ranges.outside_limits-00000000",)},
    ],
    ids=str,
)
def test_a_waiver_of_another_scope_is_silent(found: MakeFinding, waiver: MakeWaiver, change: dict[str, Any]) -> None:
    assert held(found(), waiver(**change)) == Waived(dataset="dm", today=TODAY)


def test_a_waiver_without_columns_is_for_any(found: MakeFinding, waiver: MakeWaiver) -> None:
    finding = found(columns=("SEX", "AGE"))
    assert held(finding, waiver(columns=())).by_finding
    assert held(finding, waiver(columns=("AGE", "SEX"))).by_finding


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"max_count": 2}, "grown from 2 to 3: waiver"),
        ({"revoked_at": "2026-05-01", "revoked_by": "Bob"}, "was revoked by Bob at 2026-05-01: the finding"),
        ({"expires_on": "1 October"}, "has no day on which it ends but '1 October'"),
        ({"expires_on": "20261231"}, "has no day on which it ends but '20261231'"),
        ({"author": " "}, "lacks an author or a reason"),
        ({"reason": "…"}, "lacks an author or a reason"),
    ],
    ids=str,
)
def test_a_waiver_that_does_not_hold_leaves_the_finding_open_and_says_why(
    found: MakeFinding, waiver: MakeWaiver, change: dict[str, Any], why: str
) -> None:
    waived = held(found(), waiver(**change))
    assert waived.by_finding == {}
    (notice,) = waived.notices
    assert why in notice
    assert found().id in notice


def test_what_did_not_grow_stays_waived(found: MakeFinding, waiver: MakeWaiver) -> None:
    assert held(found(failed=3), waiver(max_count=3)).by_finding


def test_a_waiver_that_ended_is_not_spoken_of_where_another_holds(found: MakeFinding, waiver: MakeWaiver) -> None:
    renewed = waiver(created_at="2026-04-01T00:00:00+00:00")
    waived = held(found(), waiver(expires_on="2026-03-31"), renewed)
    assert (waived.by_finding, waived.notices) == ({found().id: (renewed,)}, ())


def test_what_could_not_be_judged_is_never_waived(found: MakeFinding, waiver: MakeWaiver) -> None:
    finding = found(code="ranges.not_run", columns=(), failed=0, outcome=Outcome.ERRORED)
    waived = held(finding, waiver(code="ranges.not_run", columns=()))
    assert waived.by_finding == {}
    assert "does not cover what could not be judged" in waived.notices[0]


def test_a_crashed_check_is_covered_only_where_no_count_bounds_the_waiver(
    found: MakeFinding, waiver: MakeWaiver
) -> None:
    crashed = found(failed=0, outcome=Outcome.ERRORED)
    assert held(crashed, waiver()).by_finding
    assert held(crashed, waiver(max_count=9)).by_finding == {}
    assert held(crashed, waiver(findings=(found().id,))).by_finding == {}


def test_waivers_for_records_cover_a_finding_together(found: MakeFinding, waiver: MakeWaiver) -> None:
    by_subject = [waiver(key={"USUBJID": f"S-{number}"}) for number in (1, 2)]
    by_number = waiver(key={"AESEQ": "3"})
    finding = found()
    waived = held(finding, *by_subject, by_number)
    assert {item.id for item in waived.by_finding[finding.id]} == {item.id for item in (*by_subject, by_number)}
    without = held(finding, *by_subject)
    assert without.by_finding == {}
    assert "do not cover 1 of 3 offending rows" in without.notices[0]


def test_a_waiver_for_records_does_not_reach_beyond_the_evidence(found: MakeFinding, waiver: MakeWaiver) -> None:
    same = tuple(Evidence(row=row, key={"USUBJID": "S-1"}, values={}) for row in range(1, 21))
    waived = held(found(failed=25, evidence=same), waiver(key={"USUBJID": "S-1"}))
    assert waived.by_finding == {}
    assert "20 of 25 offending rows are in the evidence" in waived.notices[0]
    assert held(found(failed=20, evidence=same), waiver(key={"USUBJID": "S-1"})).by_finding


@pytest.mark.parametrize(
    ("value", "wanted", "same"),
    [
        ("S-1", "S-1", True),
        ("S-1", "s-1", False),
        (1, "1", True),
        (1.0, "1", True),
        (1.5, "1.5", True),
        (1, True, False),
        (None, "None", False),
        (None, None, True),
        ("x" * 201, "x" * 201, False),
    ],
    ids=lambda value: str(value)[:9],
)
def test_a_key_is_matched_by_value(
    found: MakeFinding, waiver: MakeWaiver, value: object, wanted: object, *, same: bool
) -> None:
    finding = found(failed=1, evidence=(Evidence(row=1, key={"K": value}, values={}),))
    assert bool(held(finding, waiver(key={"K": wanted})).by_finding) is same
    assert not held(finding, waiver(key={"L": wanted})).by_finding


def test_a_waiver_for_records_has_its_own_bound(found: MakeFinding, waiver: MakeWaiver) -> None:
    rows = tuple(Evidence(row=row, key={"USUBJID": "S-1"}, values={}) for row in range(1, 4))
    finding = found(evidence=rows)
    assert held(finding, waiver(key={"USUBJID": "S-1"}, max_count=3)).by_finding
    assert "grown from 2 to 3" in held(finding, waiver(key={"USUBJID": "S-1"}, max_count=2)).notices[0]


@given(
    failed=st.integers(0, 30),
    max_count=st.none() | st.integers(1, 30),
    last=st.dates(dt.date(2026, 9, 1), dt.date(2026, 10, 30)),
    revoked=st.booleans(),
)
def test_covered_exactly_when_in_time_not_grown_and_not_revoked(
    found: MakeFinding, waiver: MakeWaiver, failed: int, max_count: int | None, last: dt.date, *, revoked: bool
) -> None:
    ours = waiver(expires_on=last.isoformat(), max_count=max_count, revoked_at="2026-05-01" if revoked else None)
    waived = held(found(failed=failed), ours)
    holds = last >= TODAY and not revoked and (max_count is None or failed <= max_count)
    assert bool(waived.by_finding) is holds
    assert len(waived.notices) == (not holds)
    assert (ours.id in waived.revoked) is revoked
