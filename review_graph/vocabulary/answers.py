"""What an investigation came to: its answer, its steps, where each number comes from, what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Self

from checks.vocabulary import JSON
from review_graph.vocabulary.talking import ErrorCode

SHOWN_RESULT = 400
"""Characters of the result of a call that an answer carries."""


class AnswerStatus(StrEnum):
    """How an investigation ended, or that it waits."""

    ANSWERED = "answered"
    UNGROUNDED = "ungrounded"
    STUCK = "stuck"
    STEP_LIMIT = "step_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - tokens of a model
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    REFUSED = "refused"
    FAILED = "failed"
    WAITING = "waiting"
    """No end: a call waits for somebody's approval."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one investigation may spend. Each is checked before it is spent.

    Attributes:
        steps: Calls of the model.
        tokens: Tokens in and out together.
        cost: US dollars.
        seconds: From the question to the answer, without the time that a person takes to approve.
        request_seconds: One request to the model.
    """

    steps: int = 8
    tokens: int = 60_000
    cost: float = 0.50
    seconds: float = 90.0
    request_seconds: float = 30.0


@dataclass(frozen=True, kw_only=True)
class Prices:
    """What a model costs: credits for a thousand tokens. A credit is a thousandth of a US dollar.

    Attributes:
        tokens_in: Tokens of requests.
        tokens_out: Tokens of replies.
    """

    tokens_in: float = 2.0
    tokens_out: float = 8.0


@dataclass(frozen=True, kw_only=True)
class Step:
    """One call of a tool.

    Attributes:
        step: Which call of the model asked for it, from 1.
        tool: Its name.
        arguments: As they were asked for.
        approved: Whether somebody allowed it; None when it needs no approval.
        ok: Whether it gave a result; an error observation otherwise.
        result: What the model was told, cut at `SHOWN_RESULT` characters.
        rows: Rows of the dataset that it looked at.
        digest: Sha256 of the whole result.
    """

    step: int
    tool: str
    arguments: Mapping[str, JSON]
    approved: bool | None = None
    ok: bool = True
    result: str = ""
    rows: int = 0
    digest: str = ""

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return asdict(self) | {"arguments": dict(self.arguments)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(**plain)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A number of an answer, and what it stands on.

    Attributes:
        written: The number as it is written.
        call: Place of the call among the steps whose result it comes from, from 1; None when it is the question's own.
        recomputed: Whether that call gave the same when it was made again from the data; None where nothing was to
            be made again.
    """

    written: str
    call: int | None = None
    recomputed: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Citation:
    """Something that an answer names and a tool returned.

    Attributes:
        kind: `finding`, `parameter` or `dataset`.
        name: Its id or name.
    """

    kind: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Pending:
    """A call that waits for somebody's approval.

    Attributes:
        tool: The tool.
        arguments: Its arguments.
        digest: Sha256 of both; an approval is for this and nothing else.
    """

    tool: str
    arguments: Mapping[str, JSON]
    digest: str


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What an investigation came to.

    Attributes:
        run_id: Its id, which is also that of its LangGraph thread.
        review_id: The review it is about.
        question: The question.
        text: What the user is shown. Never a number that was not found in the data or the question.
        status: How it ended.
        error: What went wrong, where something did.
        steps: The calls of tools, in order.
        figures: The numbers of the text.
        citations: What the text names and a tool returned.
        model_calls: Calls of the model, the scope gate's not among them.
        tokens_in: Tokens of requests.
        tokens_out: Tokens of replies.
        tokens_estimated: Whether some were counted by their characters, because the model did not say.
        cost: US dollars.
        elapsed: Seconds, without those that a person took to approve.
        model: The model with its dated version.
        pending: What waits for approval.
    """

    run_id: str
    review_id: str
    question: str
    text: str
    status: AnswerStatus
    error: ErrorCode | None = None
    steps: tuple[Step, ...] = ()
    figures: tuple[Figure, ...] = ()
    citations: tuple[Citation, ...] = ()
    model_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_estimated: bool = False
    cost: float = 0.0
    elapsed: float = 0.0
    model: str = ""
    pending: Pending | None = None

    def to_plain(self) -> dict[str, JSON]:
        """Return the JSON contract of one answer."""
        return {
            **asdict(self),
            "status": self.status.value,
            "error": self.error.value if self.error else None,
            "steps": [step.to_plain() for step in self.steps],
            "cost": round(self.cost, 6),
            "elapsed": round(self.elapsed, 2),
        }
