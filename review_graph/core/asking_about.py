"""What a question asks about by name, and whether that exists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from review_graph.core.citing import named_in, sorted_citations
from review_graph.vocabulary import Citation


@dataclass(frozen=True, kw_only=True)
class AskedAbout:
    """What a question names.

    Attributes:
        there: What exists; its records are looked up before anything else.
        missing: What does not exist.
    """

    there: tuple[Citation, ...]
    missing: tuple[Citation, ...]


def asked_about(question: str, known: Iterable[Citation]) -> AskedAbout:
    """Return the findings, parameters and datasets that a question names, by kind and name."""
    existing = frozenset(known)
    named = named_in(question, existing)
    return AskedAbout(there=sorted_citations(named & existing), missing=sorted_citations(named - existing))
