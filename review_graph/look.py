"""A review as it is seen at one moment: its thread beside what is recorded of it."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from review_graph import gate
from review_graph.core.deciding import available_actions
from review_graph.nodes import GRAPH_VERSION
from review_graph.ports import Dossier
from review_graph.soundness import OF_ANOTHER, UNREADABLE, is_from_before, standing, waivers_on
from review_graph.state import MALFORMED, decisions_of, review_of, waivers_matter
from review_graph.vocabulary import Anchor, Dataset, Decision, Problem, Review, Status, Triage

if TYPE_CHECKING:
    from langgraph.types import StateSnapshot

_log = logging.getLogger("review_graph")


@dataclass(frozen=True, kw_only=True)
class Look:
    """One look at a review. What follows from it is worked out when it is first asked for.

    Attributes:
        dossier: What is recorded of the review.
        kept: State of its thread.
        today: The present day in UTC.
        is_damaged: Whether the thread could not be decoded; `kept` is empty then.
    """

    dossier: Dossier
    kept: StateSnapshot
    today: dt.date
    is_damaged: bool = False

    @cached_property
    def by_thread(self) -> Status:
        """Where the review stands by its thread alone, whatever was recorded of it; failed when it makes no sense."""
        try:
            return Status.FAILED if self.is_damaged else gate.status_of(self.kept)
        except MALFORMED:
            return Status.FAILED

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """The channels; of a review that waits with the waivers as they are today."""
        waivers = waivers_on(self.dossier, self.today) if self.can_be_judged_anew else {}
        return {**self.kept.values, **waivers}

    @cached_property
    def standing(self) -> tuple[Status, Problem | None]:
        """Where the review stands, and what is wrong with its thread."""
        try:
            if self._makes_sense:
                return standing(self.by_thread, self.values, self.dossier, self.today)
        except MALFORMED:
            _log.debug("judging the thread of %s", self.dossier.entry.id, exc_info=True)
        return Status.FAILED, UNREADABLE

    @property
    def is_readable(self) -> bool:
        """Whether its thread holds what nodes write, whoever wrote it."""
        return self.standing[1] is not UNREADABLE

    @property
    def thread(self) -> StateSnapshot:
        """The state of the thread, with the channels as `values` has them."""
        return self.kept._replace(values=dict(self.values))

    @property
    def has_begun(self) -> bool:
        """Whether its graph was ever asked to run."""
        return self.is_damaged or bool(self.kept.values or self.kept.next)

    @property
    def can_be_judged_anew(self) -> bool:
        """Whether it waits, in this version of the graph."""
        return self.by_thread is Status.PAUSED and self._is_of_this_version

    @property
    def was_sent_on(self) -> bool:
        """Whether it is on its way after its triage, in this version of the graph."""
        return self.by_thread is Status.RUNNING and "severity" in self.values and self._is_of_this_version

    @property
    def is_outdated(self) -> bool:
        """Whether the waivers of today do something else to it than those with which it was judged last."""
        try:
            return waivers_matter(self.kept.values, waivers_on(self.dossier, self.today))
        except MALFORMED:
            return True

    @property
    def decided_before(self) -> tuple[Decision, ...]:
        """The decisions in the thread of a review from before there was a store."""
        return decisions_of(self.values) if is_from_before(self.dossier) and self._makes_sense else ()

    @cached_property
    def triage(self) -> Triage | None:
        """What its findings and decisions come to; None as long as it was not judged."""
        return self._read.triage if self._read is not None and "severity" in self.values else None

    @cached_property
    def review(self) -> Review:
        """The review as it stands."""
        known, (status, trouble) = self.dossier.entry, self.standing
        if status is Status.RUNNING and known.problem is not None:
            status = Status.FAILED
        more: dict[str, Any] = {
            "status": status,
            "problem": known.problem or (trouble if status is Status.FAILED else None),
            "created_at": known.created_at,
            "assignee": known.assignee,
            "anchor": Anchor.of(self.dossier.last),
        }
        if self.dossier.decisions:
            more["decisions"] = self.dossier.decisions
        if self._read is None or trouble is OF_ANOTHER:
            dataset = Dataset(**{f: getattr(known.located, f) for f in ("name", "uri", "fingerprint")})
            return Review(id=known.id, dataset=dataset, **more)
        review = replace(self._read, **more)
        return replace(review, actions=available_actions(status, review.findings, review.decisions))

    @property
    def _is_of_this_version(self) -> bool:
        return bool(self.kept.values.get("graph_version") == GRAPH_VERSION)

    @property
    def _makes_sense(self) -> bool:
        if self.is_damaged or (self._read is None and "dataset" in self.values):
            return False
        kinds = {"folder": str, "graph_version": int}
        return all(isinstance(self.values.get(name), kind | None) for name, kind in kinds.items())

    @cached_property
    def _read(self) -> Review | None:
        """The review as its thread has it; None where that holds none, or nothing that makes sense."""
        try:
            return review_of(self.values, self.by_thread) if "dataset" in self.values else None
        except MALFORMED:
            _log.debug("reading the thread of %s", self.dossier.entry.id, exc_info=True)
            return None
