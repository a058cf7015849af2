"""Keeps LangSmith out of what we run ourselves, whatever the environment says: data does not leave for a third place.

Whoever runs the graph as a node of a larger one decides for themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from langsmith import tracing_context


@contextmanager
def untraced() -> Iterator[None]:
    """Give a context in which nothing is told to a tracer."""
    with tracing_context(enabled=False):
        yield
