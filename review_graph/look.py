"""A review as it is seen at one moment: its thread beside what is recorded of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from review_graph import gate
from review_graph.core.deciding import available_actions
from review_graph.nodes import GRAPH_VERSION
from review_graph.ports import Dossier
from review_graph.soundness import is_from_before, standing, waivers_on
from review_graph.state import decisions_of, review_of, waivers_matter
from review_graph.vocabulary import Anchor, Dataset, Decision, Problem, Review, Status

if TYPE_CHECKING:
    from langgraph.types import StateSnapshot


@dataclass(frozen=True, kw_only=True)
class Look:
    """One look at a review. What follows from it is worked out when it is first asked for.

    Attributes:
        dossier: What is recorded of the review.
        kept: State of its thread.
        today: The present day in UTC.
    """

    dossier: Dossier
    kept: StateSnapshot
    today: dt.date

    @cached_property
    def thread(self) -> StateSnapshot:
        """The state of the thread; one that waits is seen with the waivers as they are today."""
        if not self.can_be_judged_anew:
            return self.kept
        return self.kept._replace(values={**self.kept.values, **waivers_on(self.dossier, self.today)})

    @property
    def values(self) -> Mapping[str, Any]:
        """The channels, with the waivers as `thread` has them."""
        return self.thread.values

    @cached_property
    def standing(self) -> tuple[Status, Problem | None]:
        """Where the review stands by its thread, and what is wrong with the thread."""
        return standing(self.by_thread, self.values, self.dossier, self.today)

    @cached_property
    def by_thread(self) -> Status:
        """Where the review stands by its thread alone, whatever was recorded of it."""
        return gate.status_of(self.kept)

    @property
    def has_begun(self) -> bool:
        """Whether its graph was ever asked to run."""
        return bool(self.kept.values or self.kept.next)

    @property
    def can_be_judged_anew(self) -> bool:
        """Whether it waits, in this version of the graph."""
        return self.by_thread is Status.PAUSED and self.kept.values.get("graph_version") == GRAPH_VERSION

    @property
    def was_sent_on(self) -> bool:
        """Whether it is on its way after its triage, in this version of the graph."""
        values = self.kept.values
        judged = "severity" in values and values.get("graph_version") == GRAPH_VERSION
        return judged and self.by_thread is Status.RUNNING

    @property
    def is_outdated(self) -> bool:
        """Whether the waivers of today do something else to it than those with which it was judged last."""
        return waivers_matter(self.kept.values, waivers_on(self.dossier, self.today))

    @property
    def decided_before(self) -> tuple[Decision, ...]:
        """The decisions in the thread of a review from before there was a store."""
        return decisions_of(self.kept.values) if is_from_before(self.dossier) else ()

    @cached_property
    def review(self) -> Review:
        """The review as it stands."""
        known, (status, trouble) = self.dossier.entry, self.standing
        if status is Status.RUNNING and known.problem is not None:
            status = Status.FAILED
        more: dict[str, Any] = {
            "problem": known.problem or (trouble if status is Status.FAILED else None),
            "created_at": known.created_at,
            "assignee": known.assignee,
            "anchor": Anchor.of(self.dossier.last),
        }
        if "dataset" not in self.values:
            dataset = Dataset(**{f: getattr(known.located, f) for f in ("name", "uri", "fingerprint")})
            return Review(id=known.id, dataset=dataset, status=status, **more)
        if self.dossier.decisions:
            more["decisions"] = self.dossier.decisions
        review = review_of(self.values, status, **more)
        return replace(review, actions=available_actions(status, review.findings, review.decisions))
