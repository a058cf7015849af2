"""What whoever waits for an answer is told on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from checks.vocabulary import JSON
from review_graph.vocabulary import Pending, Step


@dataclass(frozen=True)
class Wrote:
    """The model wrote a piece of text; nobody has checked it yet."""

    text: str


@dataclass(frozen=True)
class Calls:
    """A tool is about to be called."""

    tool: str
    arguments: Mapping[str, JSON]


@dataclass(frozen=True)
class Called:
    """A tool was called."""

    step: Step


@dataclass(frozen=True)
class Replaced:
    """What was written so far does not stand; this does."""

    text: str


Event = Wrote | Calls | Called | Replaced
Listener = Callable[[Event], None]


@dataclass(frozen=True, kw_only=True)
class Approval:
    """What a person said to a call that has an effect.

    Attributes:
        approved: Whether it may be made.
        by: Who said so.
    """

    approved: bool
    by: str


Approver = Callable[[Pending], Approval]
"""Asks a person."""


def nobody(event: Event) -> None:
    """Tell nobody."""
