"""What a tool is: a narrow question about one review, answered in aggregates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from checks.vocabulary import JSON
from review_graph.vocabulary import Citation

if TYPE_CHECKING:
    from review_graph.tools.matter import Matter

MAX_REASONING = 500
"""Characters of `reasoning` that a call may carry."""


class Arguments(BaseModel):
    """Arguments of a tool: nothing else is taken, and nothing is turned into another type.

    Attributes:
        reasoning: Why the call is made. Kept in the trace; never shown, never compared.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    reasoning: str = Field(default="", max_length=MAX_REASONING, description="Why this call is made.")


class ToolTrouble(Exception):  # noqa: N818 - the model reads it as `error: UnknownParameter: …`
    """A question that cannot be answered as it was asked; the text says what can be asked instead.

    Its subclasses name the kinds; the name of the class is part of what the model is told.
    """


class InvalidArguments(ToolTrouble):
    """An argument is missing, unknown or of the wrong type or range."""


class UnknownName(ToolTrouble):
    """Something that was named does not exist; the text lists what does."""


class NoRecords(ToolTrouble):
    """What was named exists, but not together."""


class NotAnswered(ToolTrouble):
    """The answer together with earlier ones would give away a few subjects. Says nothing of how many."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a tool found.

    Attributes:
        data: The answer as plain JSON data: aggregates, names and the filter that was used. Never a row.
        rows: How many rows of the dataset were looked at.
        names: What it returned that an answer may cite.
        echo: Keys of the data that repeat what the caller wrote: what stands there was not found.
    """

    data: Mapping[str, JSON]
    rows: int = 0
    names: frozenset[Citation] = field(default_factory=frozenset)
    echo: frozenset[str] = field(default_factory=frozenset)


A = TypeVar("A", bound=Arguments)


class Tool(ABC, Generic[A]):
    """One question that can be asked of the review in hand.

    Attributes:
        name: Its name, in snake case.
        description: What it answers, for the model.
        arguments: Its arguments.
        needs_approval: Whether somebody has to allow each call: it has an effect outside.
        reads_data: Whether its numbers come from the dataset and can be computed again from it.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    arguments: ClassVar[type[Arguments]]
    needs_approval: ClassVar[bool] = False
    reads_data: ClassVar[bool] = True

    @abstractmethod
    def answer(self, arguments: A, matter: Matter) -> Result:
        """Answer.

        Raises:
            ToolTrouble: It cannot be answered as it was asked.
        """

    def applies_to(self, matter: Matter) -> bool:  # noqa: ARG002 - for those that ask
        """Whether the dataset has what the tool asks about; one that does not apply is not offered."""
        return True
