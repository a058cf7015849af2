"""Whether an answer is right: held against the data, whatever the investigator itself thinks of it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum

from review_graph.core.grounding import Number, numbers_in, supporting
from review_graph.evaluation.questions import Expected
from review_graph.vocabulary import Answer, AnswerStatus


class Verdict(StrEnum):
    """What became of a question."""

    RIGHT = "right"
    WRONG = "wrong"
    """Something was shown that is not true, or that should not be shown."""
    NONE = "none"
    """No answer was shown."""


def judge(answer: Answer, expected: Expected, truth: Sequence[float], *, smallest: int) -> Verdict:
    """Return the verdict on an answer.

    Args:
        answer: What was answered.
        expected: What a right answer is.
        truth: What the figures of `expected` really are, in its order.
        smallest: Groups of fewer are not told.
    """
    if answer.status.value != expected.ends:
        return Verdict.WRONG if answer.status is AnswerStatus.ANSWERED else Verdict.NONE
    if expected.ends == "refused":
        return Verdict.RIGHT
    if expected.cannot:
        is_right = all(figure.call is None for figure in answer.figures)
    else:
        is_right = _holds_all(answer, expected, truth, smallest)
    return Verdict.RIGHT if is_right else Verdict.WRONG


def _holds_all(answer: Answer, expected: Expected, truth: Sequence[float], smallest: int) -> bool:
    written, text = numbers_in(answer.text), answer.text.casefold()
    cited = {f"{citation.kind}:{citation.name}" for citation in answer.citations}
    return (
        all(
            _is_bound(written, smallest) and 0 < true < smallest
            if known.small
            else any(number.decimals >= known.decimals and _is(number, true) for number in written)
            for known, true in zip(expected.figures, truth, strict=True)
        )
        and all(phrase.casefold() in text for phrase in expected.says)
        and cited.issuperset(expected.cites)
    )


def _is_bound(written: Sequence[Number], smallest: int) -> bool:
    return any(number.below and number.value == Decimal(smallest) for number in written)


def _is(number: Number, true: float) -> bool:
    return supporting(number, f"{true:.12g}")
