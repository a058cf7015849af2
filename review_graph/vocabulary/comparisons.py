"""What changed between two reviews of one dataset."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from checks.vocabulary import JSON, Finding
from review_graph.vocabulary.findings import ReviewedFinding


@dataclass(frozen=True, kw_only=True)
class FindingChange:
    """One finding before and after.

    Attributes:
        before: As it stood in the earlier review; None when it was not there.
        after: As it stands in the later one; None when it is not there.
        reason: Why it is no longer judged; None for every other change.
    """

    before: ReviewedFinding | None = None
    after: ReviewedFinding | None = None
    reason: str | None = None

    @property
    def finding(self) -> Finding:
        """The finding, as the later review has it if it has it."""
        item = self.after or self.before
        if item is None:
            raise ValueError("a change is one of a finding")
        return item.finding

    @property
    def counts(self) -> tuple[int | None, int | None]:
        """Offending rows before and after."""
        return (_failed(self.before), _failed(self.after))

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data: what the finding is, its counts and its statuses."""
        finding, (before, after) = self.finding, self.counts
        return {
            "id": finding.id,
            "code": finding.code,
            "severity": finding.severity.value,
            "columns": list(finding.columns),
            "message": finding.message,
            "before": before,
            "after": after,
            "status_before": _status(self.before),
            "status_after": _status(self.after),
            "reason": self.reason,
        }


@dataclass(frozen=True, kw_only=True)
class ReviewDiff:
    """What changed from one review of a dataset to a later one, by finding id.

    Attributes:
        dataset: Name of the dataset.
        before: Id of the earlier review.
        after: Id of the later one.
        same_spec: Whether both were held against the same spec.
        new: Found now and not before.
        persisting: Found both times.
        fixed: Found before, and judged now without being found.
        reopened: Closed before, and open now.
        unjudged: Found before, and no longer judged; never counted as fixed.
    """

    dataset: str
    before: str | None
    after: str | None
    same_spec: bool = True
    new: tuple[FindingChange, ...] = ()
    persisting: tuple[FindingChange, ...] = ()
    fixed: tuple[FindingChange, ...] = ()
    reopened: tuple[FindingChange, ...] = ()
    unjudged: tuple[FindingChange, ...] = ()

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {
            "dataset": self.dataset,
            "before": self.before,
            "after": self.after,
            "same_spec": self.same_spec,
            "new": _plain(self.new),
            "persisting": _plain(self.persisting),
            "fixed": _plain(self.fixed),
            "reopened": _plain(self.reopened),
            "unjudged": _plain(self.unjudged),
        }


def _plain(changes: Iterable[FindingChange]) -> list[JSON]:
    return [change.to_plain() for change in changes]


def _failed(item: ReviewedFinding | None) -> int | None:
    return None if item is None else item.finding.failed


def _status(item: ReviewedFinding | None) -> str | None:
    return None if item is None else item.status.value
