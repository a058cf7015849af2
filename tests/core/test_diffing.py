"""What changed between two reviews; what is no longer judged is never said to be fixed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.vocabulary import Finding, Outcome, Verdict
from review_graph.core.diffing import diff
from review_graph.errors import InputError
from review_graph.vocabulary import Dataset, FindingStatus, Review, ReviewedFinding, Status
from tests.core.conftest import MakeFinding

OPEN, DISMISSED, WAIVED = FindingStatus
GROUPS = ("new", "persisting", "fixed", "reopened", "unjudged")


def verdict(outcome: str = "passed", *columns: str, code: str = "ranges.outside_limits") -> Verdict:
    return Verdict(code=code, outcome=Outcome(outcome), columns=columns, reason="why" if outcome != "passed" else None)


def review(
    identity: str, *items: Finding | ReviewedFinding, verdicts: tuple[Verdict, ...] = (), name: str = "dm"
) -> Review:
    found = tuple(item if isinstance(item, ReviewedFinding) else ReviewedFinding(finding=item) for item in items)
    dataset = Dataset(name=name, uri="dm.csv", fingerprint=identity)
    return Review(id=identity, dataset=dataset, status=Status.PAUSED, findings=found, verdicts=verdicts)


def groups(before: Review, after: Review, **more: Any) -> dict[str, list[str]]:
    compared = diff(before, after, **more)
    return {
        name: [change.finding.id for change in getattr(compared, name)] for name in GROUPS if getattr(compared, name)
    }


def test_new_and_persisting_with_counts(found: MakeFinding) -> None:
    sex = found(columns=("SEX",))
    compared = diff(review("a", found(failed=3)), review("b", found(failed=7), sex))
    assert [change.counts for change in compared.persisting] == [(3, 7)]
    assert [change.finding.id for change in compared.new] == [sex.id]
    assert [change.counts for change in compared.new] == [(None, 3)]
    assert (compared.before, compared.after, compared.dataset) == ("a", "b", "dm")


def test_what_was_judged_again_and_not_found_is_fixed(found: MakeFinding) -> None:
    after = review("b", verdicts=(verdict("passed", "AGE", "SEX"),))
    assert groups(review("a", found()), after) == {"fixed": [found().id]}


@pytest.mark.parametrize(
    ("verdicts", "why"),
    [
        ((), "the check did not run on these columns now"),
        ((verdict("passed", "SEX"),), "the check did not run on these columns now"),
        ((verdict("passed", "AGE", code="ranges.rule"),), "the check did not run on these columns now"),
        ((verdict("inconclusive", "AGE"),), "inconclusive now: why"),
        ((verdict("passed", "AGE"), verdict("inconclusive", "AGE")), "inconclusive now: why"),
        ((verdict("inconclusive", "AGE"), verdict("errored", "AGE")), "errored now: why"),
        ((verdict("errored"),), "errored now: why"),
    ],
)
def test_what_is_not_judged_now_is_not_fixed(found: MakeFinding, verdicts: tuple[Verdict, ...], why: str) -> None:
    compared = diff(review("a", found()), review("b", verdicts=verdicts))
    assert [change.reason for change in compared.unjudged] == [why]
    assert compared.fixed == ()


def test_a_finding_of_many_columns_is_fixed_when_all_were_judged(found: MakeFinding) -> None:
    key = found(columns=("A", "B"))
    partly, wholly = (
        review("b", verdicts=(verdict("passed", "A"),)),
        review("b", verdicts=(verdict("passed", "B", "A"),)),
    )
    assert groups(review("a", key), partly) == {"unjudged": [key.id]}
    assert groups(review("a", key), wholly) == {"fixed": [key.id]}


def test_a_check_of_the_whole_table_judges_all_columns(found: MakeFinding) -> None:
    assert groups(review("a", found()), review("b", verdicts=(verdict(),))) == {"fixed": [found().id]}


def test_a_check_that_crashed_before_and_passes_now_is_fixed(found: MakeFinding) -> None:
    crashed = found(failed=0, outcome=Outcome.ERRORED)
    assert groups(review("a", crashed), review("b", verdicts=(verdict("passed", "AGE"),))) == {"fixed": [crashed.id]}


def test_what_is_found_by_other_limits_now_is_not_fixed(found: MakeFinding) -> None:
    before, after = found(parameters={"maximum": 120}), found(parameters={"maximum": 90})
    compared = groups(review("a", before), review("b", after, verdicts=(verdict("failed", "AGE"),)))
    assert compared == {"new": [after.id], "unjudged": [before.id]}


def test_one_of_two_findings_on_the_same_columns_can_be_fixed(found: MakeFinding) -> None:
    first, second = found(parameters={"key": 1}), found(parameters={"key": 2})
    compared = groups(review("a", first, second), review("b", second, verdicts=(verdict("failed", "AGE"),)))
    assert compared == {"persisting": [second.id], "fixed": [first.id]}


def test_under_another_spec_what_depends_on_it_is_not_fixed(found: MakeFinding) -> None:
    bound, free = found(parameters={"maximum": 120}), found(columns=("SEX",))
    after = review("b", verdicts=(verdict("passed", "AGE", "SEX"),))
    assert groups(review("a", bound, free), after, same_spec=False) == {"fixed": [free.id], "unjudged": [bound.id]}


@pytest.mark.parametrize("before", FindingStatus)
@pytest.mark.parametrize("after", FindingStatus)
def test_reopened_is_what_was_closed_and_is_open(
    found: MakeFinding, before: FindingStatus, after: FindingStatus
) -> None:
    finding = found()
    compared = diff(
        review("a", ReviewedFinding(finding=finding, status=before)),
        review("b", ReviewedFinding(finding=finding, status=after)),
    )
    is_reopened = before is not OPEN and after is OPEN
    assert (len(compared.reopened), len(compared.persisting)) == (is_reopened, not is_reopened)


def test_reviews_of_different_datasets_are_not_compared() -> None:
    with pytest.raises(InputError, match="reviews of 'dm' and 'ae' cannot be compared"):
        diff(review("a"), review("b", name="ae"))


COLUMNS = st.sets(st.sampled_from("ABCD"))


@given(before=COLUMNS, after=COLUMNS, judged=COLUMNS)
def test_each_finding_is_in_one_group_and_the_diff_is_plain_json(
    found: MakeFinding, before: set[str], after: set[str], judged: set[str]
) -> None:
    ids = {column: found(columns=(column,)).id for column in "ABCD"}
    verdicts = tuple(verdict("passed", column) for column in judged)
    compared = diff(
        review("a", *(found(columns=(column,)) for column in before)),
        review("b", *(found(columns=(column,)) for column in after), verdicts=verdicts),
    )
    listed = {name: {change.finding.id for change in getattr(compared, name)} for name in GROUPS}
    assert listed == {
        "new": {ids[column] for column in after - before},
        "persisting": {ids[column] for column in after & before},
        "fixed": {ids[column] for column in (before - after) & judged},
        "reopened": set(),
        "unjudged": {ids[column] for column in before - after - judged},
    }
    plain = compared.to_plain()
    assert json.loads(json.dumps(plain)) == plain
