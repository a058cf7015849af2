"""Keeps LangSmith out of what we run ourselves, whatever the environment says: data does not leave for a third place.

Whoever runs the graph as a node of a larger one decides for themselves.
"""

from __future__ import annotations

from langsmith import tracing_context


def untraced() -> tracing_context:
    """Return a context in which nothing is told to a tracer."""
    return tracing_context(enabled=False)
