"""Which findings are waived by what, and which waivers do not hold any more."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from checks.plain import MAX_TEXT, count_of, quote
from checks.vocabulary import JSON, Evidence, Finding, Outcome
from review_graph.core.persons import says_something
from review_graph.vocabulary import Waiver


@dataclass(frozen=True, kw_only=True)
class Waived:
    """What the waivers at hand do to the findings of one review.

    Attributes:
        dataset: Name of the dataset under review.
        by_finding: The waivers that cover a finding, by its id.
        revoked: Ids of the waivers that were taken back.
        notices: What a reviewer should know about waivers that do not hold.
        today: The day on which they are held against the findings; None for whatever day.
    """

    dataset: str = ""
    by_finding: Mapping[str, tuple[Waiver, ...]] = field(default_factory=dict)
    revoked: frozenset[str] = frozenset()
    notices: tuple[str, ...] = ()
    today: dt.date | None = None


NOTHING_WAIVED = Waived()


def apply_waivers(findings: Iterable[Finding], waivers: Iterable[Waiver], *, dataset: str, today: dt.date) -> Waived:
    """Hold findings against waivers.

    A waiver that is not for certain records covers a finding as a whole. Those for certain records cover one
    together, when each of its offending rows is in the evidence and is one of theirs.

    Args:
        findings: The findings of a review.
        waivers: All waivers at hand, also those that ended.
        dataset: Name of the dataset under review.
        today: The present day, from the clock: not the day that the data are reviewed as of, which is the caller's.
    """
    listed = sorted(waivers, key=lambda waiver: (waiver.created_at, waiver.id))
    covered: dict[str, tuple[Waiver, ...]] = {}
    notices: dict[str, None] = {}
    for finding in sorted(findings, key=lambda finding: finding.sort_key):
        concerned = [waiver for waiver in listed if _concerns(waiver, finding, dataset)]
        holding, why_not = _covering(concerned, finding, today)
        if holding:
            covered[finding.id] = holding
        else:
            notices.update(dict.fromkeys(why_not))
    revoked = frozenset(waiver.id for waiver in listed if waiver.revoked_at is not None)
    return Waived(dataset=dataset, by_finding=covered, revoked=revoked, notices=tuple(notices), today=today)


def can_be_waived(finding: Finding) -> bool:
    """Whether a finding may be waived at all: that a family of checks could not run says nothing of the data."""
    return finding.code != f"{finding.family}.not_run"


def day_of(text: object) -> dt.date | None:
    """Return the day that text in ISO 8601 names, such as 2026-12-31; None for anything else."""
    try:
        day = dt.date.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return day if day is not None and day.isoformat() == text else None


def _concerns(waiver: Waiver, finding: Finding, dataset: str) -> bool:
    return (
        waiver.dataset == dataset
        and waiver.code == finding.code
        and (not waiver.columns or set(waiver.columns) == set(finding.columns))
        and (not waiver.findings or finding.id in waiver.findings)
    )


def _covering(
    concerned: Sequence[Waiver], finding: Finding, today: dt.date
) -> tuple[tuple[Waiver, ...], tuple[str, ...]]:
    """The waivers that cover a finding, else why those that might do not."""
    why_not: list[str] = []
    for_records: list[Waiver] = []
    for waiver in concerned:
        trouble = _trouble(waiver, finding, today)
        if trouble:
            why_not.append(trouble)
        elif waiver.key:
            for_records.append(waiver)
        else:
            return (waiver,), ()
    if for_records:
        trouble = _uncovered(for_records, finding)
        if not trouble:
            return tuple(for_records), ()
        why_not.append(trouble)
    return (), tuple(why_not)


def _trouble(waiver: Waiver, finding: Finding, today: dt.date) -> str | None:
    """Why a waiver does not hold for a finding, whatever its records."""
    stays = f"the finding {finding.id} is open"
    if not can_be_waived(finding):
        return f"waiver {waiver.id} does not cover what could not be judged: {stays}"
    if waiver.revoked_at is not None:
        return f"waiver {waiver.id} was revoked by {waiver.revoked_by} at {waiver.revoked_at}: {stays} again"
    if not (says_something(waiver.author) and says_something(waiver.reason)):
        return f"waiver {waiver.id} lacks an author or a reason: {stays}"
    last = day_of(waiver.expires_on)
    if last is None:
        return f"waiver {waiver.id} has no day on which it ends but {quote(waiver.expires_on)}: {stays}"
    if last < today:
        return f"waiver {waiver.id} expired on {waiver.expires_on}: {stays} again"
    if waiver.max_count is None:
        return None
    if finding.outcome is Outcome.ERRORED:
        return f"waiver {waiver.id} covers {_rows(waiver.max_count)}, and the check crashed and counted none: {stays}"
    count = _count(waiver, finding)
    if count > waiver.max_count:
        return (
            f"grown from {waiver.max_count} to {count}: waiver {waiver.id} does not cover so many rows, {stays} again"
        )
    return None


def _count(waiver: Waiver, finding: Finding) -> int:
    if not waiver.key:
        return finding.failed
    return sum(_is_of(waiver, row) for row in finding.evidence)


def _uncovered(waivers: Sequence[Waiver], finding: Finding) -> str | None:
    """What keeps waivers for certain records from covering a finding."""
    stays = f"the finding {finding.id} is open"
    names = ", ".join(waiver.id for waiver in waivers)
    rows = len(finding.evidence)
    if not rows or rows < finding.failed:
        seen = f"{rows} of {count_of(finding.failed, 'offending row')} are in the evidence"
        return f"waivers for certain records ({names}) cannot be held against all rows, since {seen}: {stays}"
    others = sum(not any(_is_of(waiver, row) for waiver in waivers) for row in finding.evidence)
    if others:
        return f"waivers for certain records ({names}) do not cover {others} of {_rows(finding.failed)}: {stays}"
    return None


def _is_of(waiver: Waiver, row: Evidence) -> bool:
    known = {**row.values, **row.key}
    return all(column in known and _same(known[column], wanted) for column, wanted in waiver.key.items())


def _same(found: JSON, wanted: JSON) -> bool:
    """Whether a value of the evidence is the one a waiver names; a number may be given as text, cut text is unknown."""
    if isinstance(found, str) and len(found) > MAX_TEXT:
        return False
    if not isinstance(wanted, str) or found is None:
        return type(found) is type(wanted) and bool(found == wanted)
    return str(int(found) if isinstance(found, float) and found.is_integer() else found) == wanted


def _rows(count: int) -> str:
    return count_of(count, "offending row")
