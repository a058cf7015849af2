"""review-graph: reviews tables before anyone uses them.

    from review_graph import review
    result = review("adsl.parquet")
    print(result.status, result.triage.severity)

The names below load what they need when they are first used, so that importing the package is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from review_graph.bootstrap import build, build_graph, review
    from review_graph.embedding import review_node
    from review_graph.gate import Pending, pending, record
    from review_graph.service import ReviewService
    from review_graph.settings import Settings
    from review_graph.vocabulary import Answer, AnswerStatus, Decision, DecisionRequest, Review, Status

_HOMES = {
    "build": "bootstrap",
    "build_graph": "bootstrap",
    "review": "bootstrap",
    "review_node": "embedding",
    "Pending": "gate",
    "pending": "gate",
    "record": "gate",
    "ReviewService": "service",
    "Settings": "settings",
    "Answer": "vocabulary",
    "AnswerStatus": "vocabulary",
    "Decision": "vocabulary",
    "DecisionRequest": "vocabulary",
    "Review": "vocabulary",
    "Status": "vocabulary",
}

__all__ = [
    "Answer",
    "AnswerStatus",
    "Decision",
    "DecisionRequest",
    "Pending",
    "Review",
    "ReviewService",
    "Settings",
    "Status",
    "build",
    "build_graph",
    "pending",
    "record",
    "review",
    "review_node",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Load a public name from its home when it is first used (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'review_graph' has no attribute {name!r}")
    return getattr(import_module(f"review_graph.{_HOMES[name]}"), name)
