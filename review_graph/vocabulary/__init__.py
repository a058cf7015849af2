"""The nouns of reviews, decisions, waivers, audit trail and investigations. Frozen, and plain JSON at the edges."""

from review_graph.vocabulary.answers import (
    SHOWN_RESULT,
    Answer,
    AnswerStatus,
    Citation,
    Figure,
    Limits,
    Pending,
    Prices,
    Step,
)
from review_graph.vocabulary.audit import FIRST_PREVIOUS, AuditAction, AuditDraft, AuditEntry
from review_graph.vocabulary.comparisons import FindingChange, ReviewDiff
from review_graph.vocabulary.datasets import Dataset, Referenced
from review_graph.vocabulary.decisions import Action, Assignment, Decision, DecisionRequest, Draft, ReasonCode
from review_graph.vocabulary.findings import FindingStatus, ReviewedFinding
from review_graph.vocabulary.reviews import (
    SCHEMA_VERSION,
    UNTRIAGED,
    Anchor,
    Narrative,
    Problem,
    Review,
    Route,
    Status,
    Triage,
)
from review_graph.vocabulary.talking import Disclosed, ErrorCode, Message, ModelCall, ModelReply, Turn
from review_graph.vocabulary.waivers import Waiver, waiver_id

__all__ = [
    "FIRST_PREVIOUS",
    "SCHEMA_VERSION",
    "SHOWN_RESULT",
    "UNTRIAGED",
    "Action",
    "Anchor",
    "Answer",
    "AnswerStatus",
    "Assignment",
    "AuditAction",
    "AuditDraft",
    "AuditEntry",
    "Citation",
    "Dataset",
    "Decision",
    "DecisionRequest",
    "Disclosed",
    "Draft",
    "ErrorCode",
    "Figure",
    "FindingChange",
    "FindingStatus",
    "Limits",
    "Message",
    "ModelCall",
    "ModelReply",
    "Narrative",
    "Pending",
    "Prices",
    "Problem",
    "ReasonCode",
    "Referenced",
    "Review",
    "ReviewDiff",
    "ReviewedFinding",
    "Route",
    "Status",
    "Step",
    "Triage",
    "Turn",
    "Waiver",
    "waiver_id",
]
