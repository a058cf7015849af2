"""Which way a review may go from where it stands: one table."""

from __future__ import annotations

from collections.abc import Mapping

from review_graph.errors import DecisionNotAllowed
from review_graph.vocabulary import Status

TRANSITIONS: Mapping[Status, tuple[Status, ...]] = {
    Status.RUNNING: (Status.PAUSED, Status.SUMMARISED, Status.ESCALATED, Status.FAILED),
    Status.PAUSED: (Status.RUNNING,),
    Status.FAILED: (Status.RUNNING,),
    Status.SUMMARISED: (),
    Status.ESCALATED: (),
}
"""What may follow: a decision was taken up, a failed review goes on, and what ended stays as it ended."""


def demand(present: Status, to: Status) -> None:
    """Demand that a review may go from one status to another; staying where it is, is no transition.

    Raises:
        DecisionNotAllowed: It may not; the message says what it may.
    """
    allowed = TRANSITIONS[present]
    if to not in allowed:
        choices = f"can become {', '.join(allowed)}" if allowed else "stays as it is"
        raise DecisionNotAllowed(f"a review that is {present.value} cannot become {to.value}: it {choices}")
