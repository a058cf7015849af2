"""What an investigation needs from outside: a model, a ledger, a memory and a log; and a summary its narrator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from checks.vocabulary import JSON
from review_graph.vocabulary import Disclosed, Message, ModelReply, Narrative, Review, Turn


class ChatModel(Protocol):
    """A chat model."""

    @property
    def name(self) -> str:
        """Its name as it is asked for, with its date where it has one."""

    def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, JSON]] = (),
        *,
        seconds: float,
        on_text: Callable[[str], None] | None = None,
    ) -> ModelReply:
        """Answer a conversation, once; nothing is tried again.

        Args:
            messages: The whole conversation.
            tools: What it may call, as JSON Schema of functions; it sees no others.
            seconds: How long it may take as a whole, from the request to the last word.
            on_text: Told each piece of text as it comes.

        Raises:
            ModelTrouble: It gave no answer that can be used; the code says whose fault it is.
        """


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """What was disclosed of a dataset, and how many entries that is."""

    seen: int
    entries: tuple[Disclosed, ...]


class Ledgers(Protocol):
    """What was disclosed of each dataset, for good: by name, over versions of the dataset and over callers."""

    def disclosed(self, dataset: str) -> Ledger:
        """Everything that was disclosed of a dataset, oldest first."""

    def disclose(self, dataset: str, seen: int, entry: Disclosed) -> bool:
        """Enter one more; False, and nothing is entered, when others came since `seen`."""

    def units(self, dataset: str, fingerprint: str) -> bytes | None:
        """The identities of the units of a version of a dataset, in the order of its sets."""

    def keep_units(self, dataset: str, fingerprint: str, units: bytes) -> None:
        """Keep them; what is there stays."""


class Memory(Protocol):
    """Conversations, each under the key of its session, for a time."""

    def turns(self, session: str) -> tuple[Turn, ...]:
        """The turns of a conversation that are not too old, oldest first."""

    def add(self, session: str, turn: Turn) -> None:
        """Add a turn; the conversation lives on from its time."""

    def forget(self, session: str) -> None:
        """Forget a conversation."""


Narrator = Callable[[Review], Narrative | None]
"""Writes of the findings of a review, or has nothing to write; whatever it raises leaves the narrative out."""


class AskLog(Protocol):
    """The account of investigations: a line for each call of a tool and for each end of a run."""

    def write(self, line: Mapping[str, JSON]) -> None:
        """Add one line, for good; `SetupError` when that is not possible."""
