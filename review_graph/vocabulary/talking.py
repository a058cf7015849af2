"""What goes to and comes from a chat model, and what is remembered of it. Plain JSON data throughout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Self

from checks.vocabulary import JSON

Message = Mapping[str, JSON]
"""One message: `role` (system, user, assistant, tool) and `content`.

That of an assistant that calls tools has `calls`, each with `id`, `name` and `arguments` (or `broken`, what could not
be read); that of a tool has `call_id`.
"""


class ErrorCode(StrEnum):
    """What a user is told of something that went wrong; the detail goes to the log."""

    USAGE_LIMIT = "usage_limit"
    MODEL_UNAVAILABLE = "model_unavailable"
    MODEL_ERROR = "model_error"
    NOT_PERMITTED = "not_permitted"
    GENERIC = "generic"


@dataclass(frozen=True, kw_only=True)
class ModelCall:
    """A call of a tool that a model asks for.

    Attributes:
        id: What its answer has to name.
        name: The tool; it may not exist.
        arguments: None when what was written is no JSON object.
        broken: What was written then.
    """

    id: str
    name: str
    arguments: Mapping[str, JSON] | None
    broken: str = ""

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data, as a message holds it."""
        plain: dict[str, JSON] = {"id": self.id, "name": self.name}
        return plain | ({"broken": self.broken} if self.arguments is None else {"arguments": dict(self.arguments)})

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(**{"arguments": None, **plain})


@dataclass(frozen=True, kw_only=True)
class ModelReply:
    """What a model answered.

    Attributes:
        text: Its text.
        calls: The tools it asks for; none for a final answer.
        tokens_in: Tokens of the request; None when the model does not say.
        tokens_out: Tokens of the reply.
        model: Name of the model by its own account, with its date; empty when it does not say.
    """

    text: str
    calls: tuple[ModelCall, ...] = ()
    tokens_in: int | None = None
    tokens_out: int | None = None
    model: str = ""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """A question and its answer, as a conversation remembers them.

    Attributes:
        question: The question.
        answer: What the user was shown.
        at: When, ISO 8601 in UTC.
    """

    question: str
    answer: str
    at: str

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(**plain)


@dataclass(frozen=True, kw_only=True)
class Disclosed:
    """What one question told of a dataset, kept so that later ones cannot be subtracted from it.

    Attributes:
        question: Sha256 of the canonical question; the same question gets the same answer.
        fingerprint: Which version of the dataset.
        groups: Of each group its sets of units, packed, and whether its count was shown, told to be small, or withheld.
        refused: The question was refused as a whole. It told nothing; its groups are what the refusal itself implies.
        at: When, ISO 8601 in UTC.
    """

    question: str
    fingerprint: str
    groups: tuple[Mapping[str, JSON], ...]
    at: str
    refused: bool = False

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return {
            "question": self.question,
            "fingerprint": self.fingerprint,
            "groups": [dict(group) for group in self.groups],
            "at": self.at,
            "refused": self.refused,
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(**{**plain, "groups": tuple(plain["groups"])})
