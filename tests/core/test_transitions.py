"""Every pair of statuses is either in the table of transitions or refused."""

from __future__ import annotations

from itertools import product

import pytest

from review_graph.core.transitions import demand
from review_graph.errors import DecisionNotAllowed
from review_graph.vocabulary import Status

LEGAL = {
    ("running", "paused"),
    ("running", "summarised"),
    ("running", "escalated"),
    ("running", "failed"),
    ("paused", "running"),
    ("failed", "running"),
}


@pytest.mark.parametrize(("present", "to"), sorted(LEGAL))
def test_legal_transition_passes(present: str, to: str) -> None:
    demand(Status(present), Status(to))


@pytest.mark.parametrize(("present", "to"), sorted(set(product(map(str, Status), repeat=2)) - LEGAL))
def test_any_other_transition_is_refused(present: str, to: str) -> None:
    with pytest.raises(DecisionNotAllowed, match=f"a review that is {present} cannot become {to}"):
        demand(Status(present), Status(to))


@pytest.mark.parametrize("status", Status)
def test_what_is_final_has_no_way_on(status: Status) -> None:
    refused = []
    for to in Status:
        try:
            demand(status, to)
        except DecisionNotAllowed:
            refused.append(to)
    assert (len(refused) == len(Status)) is status.is_final
