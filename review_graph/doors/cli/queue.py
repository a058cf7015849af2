"""Which reviews `list` is asked for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from review_graph.ports import ReviewFilter

MAX_DAYS = 36500
"""A hundred years; beyond the first year of the calendar there is no date to compare with."""


class StatusName(StrEnum):
    """Where a review stands; the words of `vocabulary.Status`, which takes longer to import."""

    RUNNING = "running"
    PAUSED = "paused"
    SUMMARISED = "summarised"
    ESCALATED = "escalated"
    FAILED = "failed"


class SeverityName(StrEnum):
    """How severe it is; the words of `checks.Severity`."""

    NONE = "none"
    MINOR = "minor"
    MAJOR = "major"


def wanted_of(
    status: Sequence[StatusName] | None,
    severity: Sequence[SeverityName] | None,
    *,
    dataset: str | None,
    assignee: str | None,
    older_than_days: int | None,
) -> ReviewFilter:
    """Return which reviews the options of a command line name."""
    from checks.vocabulary import Severity
    from review_graph.doors.cli.console import present_time
    from review_graph.ports import ReviewFilter
    from review_graph.vocabulary import Status

    before = None
    if older_than_days is not None:
        before = (present_time() - dt.timedelta(days=older_than_days)).isoformat(timespec="seconds")
    return ReviewFilter(
        status=tuple(Status(name) for name in status or ()),
        severity=tuple(Severity(name) for name in severity or ()),
        dataset=dataset,
        assignee=assignee,
        created_before=before,
    )
