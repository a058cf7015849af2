"""What changed between two reviews of one dataset."""

from __future__ import annotations

from collections.abc import Iterable

from checks.plain import quote
from checks.vocabulary import Finding, Outcome, Verdict
from review_graph.errors import InputError
from review_graph.vocabulary import FindingChange, FindingStatus, Review, ReviewDiff, ReviewedFinding

_UNSURE = (Outcome.INCONCLUSIVE, Outcome.ERRORED)


def diff(before: Review, after: Review, *, same_spec: bool = True) -> ReviewDiff:
    """Compare two reviews by the ids of their findings.

    A finding that is gone is fixed only when its check judged its columns again; otherwise it is no longer judged.

    Args:
        before: The earlier review.
        after: The later review of a dataset with the same name.
        same_spec: Whether both were held against the same spec.

    Raises:
        InputError: They are reviews of different datasets.
    """
    names = before.dataset.name, after.dataset.name
    if names[0] != names[1]:
        raise InputError(
            f"reviews of {quote(names[0])} and {quote(names[1])} cannot be compared: two of one dataset can"
        )
    earlier, later = _by_id(before.findings), _by_id(after.findings)
    both = [
        FindingChange(before=earlier[identity], after=item) for identity, item in later.items() if identity in earlier
    ]
    gone = [
        FindingChange(before=item, reason=_why_unjudged(item.finding, earlier, after, same_spec=same_spec))
        for identity, item in earlier.items()
        if identity not in later
    ]
    return ReviewDiff(
        dataset=after.dataset.name,
        before=before.id,
        after=after.id,
        same_spec=same_spec,
        new=tuple(FindingChange(after=item) for identity, item in later.items() if identity not in earlier),
        persisting=tuple(change for change in both if not _is_reopened(change)),
        fixed=tuple(change for change in gone if change.reason is None),
        reopened=tuple(change for change in both if _is_reopened(change)),
        unjudged=tuple(change for change in gone if change.reason is not None),
    )


def _by_id(items: Iterable[ReviewedFinding]) -> dict[str, ReviewedFinding]:
    return {item.finding.id: item for item in sorted(items, key=lambda item: item.finding.sort_key)}


def _is_reopened(change: FindingChange) -> bool:
    was, now = change.before, change.after
    return was is not None and now is not None and was.status is not FindingStatus.OPEN is now.status


def _why_unjudged(
    finding: Finding, earlier: dict[str, ReviewedFinding], after: Review, *, same_spec: bool
) -> str | None:
    """Why a finding that is gone cannot be said to be fixed; None when it can."""
    if finding.parameters and not same_spec:
        return "the spec changed, and with it perhaps what is looked for"
    verdicts = [verdict for verdict in after.verdicts if verdict.code == finding.code and _touches(verdict, finding)]
    unsure = [verdict for verdict in verdicts if verdict.outcome in _UNSURE]
    if unsure:
        worst = max(unsure, key=lambda verdict: verdict.outcome.rank)
        return f"{worst.outcome.value} now: {worst.reason or 'no reason given'}"
    judged = {column for verdict in verdicts for column in verdict.columns}
    if not verdicts or not (judged.issuperset(finding.columns) or any(not verdict.columns for verdict in verdicts)):
        return "the check did not run on these columns now"
    otherwise = [item.finding.id for item in after.findings if _is_twin(item.finding, finding)]
    if unknown := [identity for identity in otherwise if identity not in earlier]:
        return f"the check found it otherwise now: {', '.join(unknown)}"
    return None


def _is_twin(found: Finding, gone: Finding) -> bool:
    """Whether a check found something on the same columns, or some of them, as it did before."""
    shared = not set(found.columns).isdisjoint(gone.columns) or not (found.columns or gone.columns)
    return found.code == gone.code and shared


def _touches(verdict: Verdict, finding: Finding) -> bool:
    """Whether a verdict tells of a finding's columns; one of a table as a whole has none."""
    return not verdict.columns or not finding.columns or not set(verdict.columns).isdisjoint(finding.columns)
