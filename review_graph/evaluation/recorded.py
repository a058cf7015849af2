"""The model that says what was recorded for a question."""

from __future__ import annotations

from review_graph.adapters.models.langchain_model import LangChainModel
from review_graph.adapters.models.scripted import ScriptedChatModel
from review_graph.evaluation.questions import Question
from review_graph.ports import ChatModel

RECORDED = "recorded-2026-11-30"
"""Its name."""


def recorded_model(question: Question) -> ChatModel:
    """Return the model of a question's recorded turns.

    Where they hold no tokens, it tells none, and they are counted by their characters.

    Raises:
        SetupError: A turn is none.
    """
    turns = question.recorded.turns
    counted = any(isinstance(turn, dict) and "tokens_in" in turn for turn in turns)
    return LangChainModel(ScriptedChatModel.from_plain(turns, model=RECORDED, gives_usage=counted), RECORDED)
