"""What one run works with; none of it is state, all of it is given anew after a pause."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from checks.vocabulary import JSON
from review_graph.agent.events import Listener, nobody
from review_graph.agent.state import InvestigationState
from review_graph.core.spending import Spent
from review_graph.ports import AskLog, ChatModel, Memory
from review_graph.tools.findings import visible_findings
from review_graph.tools.matter import Matter
from review_graph.tools.toolbox import Observation, Toolbox
from review_graph.tools.waiting import within
from review_graph.vocabulary import AnswerStatus, Citation, ErrorCode, Limits, Prices

PARAMETERS = "list_parameters"
"""The tool that knows the parameters of a dataset."""

Once = Callable[[str, str, int], bool]
"""True the first time it is asked with a run, an act and a number, and never again, whoever asks."""


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """What one run works with.

    Attributes:
        matter: The review that is asked about.
        toolbox: The tools over it.
        model: The chat model.
        has_gate: Whether the model is asked first if the question belongs here.
        now: The present time in seconds since 1970.
        memory: Conversations.
        log: The account of calls and runs.
        once: Lets an act with an effect happen once.
        tell: Told what happens on the way.
    """

    matter: Matter
    toolbox: Toolbox
    model: ChatModel
    has_gate: bool
    now: Callable[[], float]
    memory: Memory
    log: AskLog
    once: Once
    tell: Listener = nobody

    def call(
        self,
        state: InvestigationState,
        name: str,
        arguments: Mapping[str, JSON],
        shown: Sequence[Mapping[str, JSON]] = (),
    ) -> Observation:
        """Call a tool, for as long as the run has. One with an effect is waited for: it is not left half done.

        Raises:
            TimeoutError: The time of the run was up before it was done.
        """
        if self.toolbox.needs_approval(name):
            return self.toolbox.call(name, arguments, shown=shown)
        return within(self.seconds_left(state), lambda: self.toolbox.call(name, arguments))

    def known(self, state: InvestigationState) -> frozenset[Citation]:
        """All that can be named: the findings of the review, its datasets, and parameters that may be told of.

        Raises:
            TimeoutError: As `call`.
        """
        return within(self.seconds_left(state), lambda: self._known)

    @cached_property
    def _known(self) -> frozenset[Citation]:
        dataset = self.matter.review.dataset
        datasets = (dataset.name, *(other.name for other in dataset.references))
        names = {Citation(kind="dataset", name=name) for name in datasets}
        names |= {Citation(kind="finding", name=item.finding.id) for item in visible_findings(self.matter)}
        if PARAMETERS in self.toolbox.names:
            names |= self.toolbox.call(PARAMETERS, {}).names
        return frozenset(names)

    def seconds_left(self, state: InvestigationState) -> float:
        """Return how long the run may still take; the time that a person is waited for is not held against it."""
        return limits_of(state).seconds - spent_of(state).elapsed(self.now())


def over(stop: AnswerStatus) -> dict[str, Any]:
    """Return what ends a run that has nothing left of what it may spend."""
    return {"status": stop.value, "error": ErrorCode.USAGE_LIMIT.value}


def spent_of(state: InvestigationState) -> Spent:
    """Return what a run has spent."""
    return Spent.from_plain(state["spent"])


def limits_of(state: InvestigationState) -> Limits:
    """Return what a run may spend, as it was settled when it began."""
    return Limits(**state["limits"])


def prices_of(state: InvestigationState) -> Prices:
    """Return what tokens cost in a run."""
    return Prices(**state["prices"])
