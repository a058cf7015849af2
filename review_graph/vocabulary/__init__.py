"""The nouns of a review, its decisions, its waivers and its audit trail. Frozen, and plain JSON data at the edges."""

from review_graph.vocabulary.audit import FIRST_PREVIOUS, AuditAction, AuditDraft, AuditEntry
from review_graph.vocabulary.comparisons import FindingChange, ReviewDiff
from review_graph.vocabulary.datasets import Dataset, Referenced
from review_graph.vocabulary.decisions import Action, Assignment, Decision, DecisionRequest, Draft, ReasonCode
from review_graph.vocabulary.findings import FindingStatus, ReviewedFinding
from review_graph.vocabulary.reviews import (
    SCHEMA_VERSION,
    UNTRIAGED,
    Anchor,
    Problem,
    Review,
    Route,
    Status,
    Triage,
)
from review_graph.vocabulary.waivers import Waiver, waiver_id

__all__ = [
    "FIRST_PREVIOUS",
    "SCHEMA_VERSION",
    "UNTRIAGED",
    "Action",
    "Anchor",
    "Assignment",
    "AuditAction",
    "AuditDraft",
    "AuditEntry",
    "Dataset",
    "Decision",
    "DecisionRequest",
    "Draft",
    "FindingChange",
    "FindingStatus",
    "Problem",
    "ReasonCode",
    "Referenced",
    "Review",
    "ReviewDiff",
    "ReviewedFinding",
    "Route",
    "Status",
    "Triage",
    "Waiver",
    "waiver_id",
]
