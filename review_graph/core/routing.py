"""Which road a review takes. Code decides this, never a model."""

from __future__ import annotations

from review_graph.vocabulary import Route, Triage


def route(triage: Triage) -> Route:
    """Return `escalate` when a human is needed, else `summarise`."""
    return Route.ESCALATE if triage.needs_human else Route.SUMMARISE
