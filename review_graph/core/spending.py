"""What an investigation has spent, and whether its next call of the model would be too much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import Self

from checks.vocabulary import JSON, canonical
from review_graph.vocabulary import AnswerStatus, Limits, Message, ModelReply, Prices

CHARACTERS_A_TOKEN = 4
"""Of a text whose tokens nobody counted."""

CREDITS_A_DOLLAR = 1000

FAR_OFF = 20
"""How many times fewer tokens than estimated are too few to be believed; no language is so terse."""

MOST_TOKENS = 100_000_000
"""More is not believed of one call."""


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What was spent so far: plain data, kept with the run, so that a pause resets nothing.

    Attributes:
        calls: Calls of the model.
        tokens_in: Tokens of requests.
        tokens_out: Tokens of replies.
        estimated: Whether some of them were counted by their characters.
        seconds: Of the stretches that are over; the time in which a person is waited for is in none.
        since: When the present stretch began, in seconds of a clock; None while a person is waited for.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: bool = False
    seconds: float = 0.0
    since: float | None = None

    @property
    def tokens(self) -> int:
        """Tokens in and out together."""
        return self.tokens_in + self.tokens_out

    def elapsed(self, now: float) -> float:
        """Seconds until now; a clock that was set back takes nothing away."""
        return self.seconds + (0.0 if self.since is None else max(0.0, now - self.since))

    def going(self, now: float) -> Self:
        """Begin a stretch; one that has begun goes on."""
        return replace(self, since=now) if self.since is None else self

    def halted(self, now: float) -> Self:
        """End the present stretch."""
        return replace(self, seconds=self.elapsed(now), since=None)

    def with_reply(self, reply: ModelReply, request: int) -> Self:
        """Count a call of the model.

        Args:
            reply: What came of it; tokens that it does not tell, or that cannot be, are estimated.
            request: The estimate of what it was sent.
        """
        tokens_in, tokens_out = _believed(reply.tokens_in, request), _believed(reply.tokens_out, reply_tokens(reply))
        return replace(
            self,
            calls=self.calls + 1,
            tokens_in=self.tokens_in + tokens_in,
            tokens_out=self.tokens_out + tokens_out,
            estimated=self.estimated or (tokens_in, tokens_out) != (reply.tokens_in, reply.tokens_out),
        )

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(**plain)


def _believed(told: int | None, estimate: int) -> int:
    """What an endpoint says of tokens, where it can be so: a run that it counts for nothing would never end."""
    if told is None or isinstance(told, bool) or not estimate / FAR_OFF <= told <= MOST_TOKENS:
        return estimate
    return told


def estimated_tokens(text: str) -> int:
    """Return how many tokens a text has, when nobody says: a quarter of its characters, rounded up."""
    return ceil(len(text) / CHARACTERS_A_TOKEN)


def request_tokens(messages: Sequence[Message], tools: Sequence[Mapping[str, JSON]] = ()) -> int:
    """Return the estimate for a request: every message before counts again, and so do the tools that are shown."""
    parts = [_written(str(message["content"]), message.get("calls", ())) for message in messages]
    return estimated_tokens("".join([*parts, canonical(list(tools)) if tools else ""]))


def reply_tokens(reply: ModelReply) -> int:
    """Return the estimate for a reply."""
    return estimated_tokens(_written(reply.text, [call.to_plain() for call in reply.calls]))


def credits_of(tokens_in: int, tokens_out: int, prices: Prices) -> float:
    """Return what so many tokens cost, in credits."""
    return (tokens_in * prices.tokens_in + tokens_out * prices.tokens_out) / 1000


def cost_of(spent: Spent, prices: Prices) -> float:
    """Return what was spent, in US dollars."""
    return credits_of(spent.tokens_in, spent.tokens_out, prices) / CREDITS_A_DOLLAR


def next_stop(spent: Spent, limits: Limits, prices: Prices, *, request: int, now: float) -> AnswerStatus | None:
    """Return the limit that forbids the next call of the model; None when it may be made.

    A limit that is used up forbids it, and so does one that the request alone would break. What the reply will cost is
    not known before; it is held against the call after. A limit of zero allows no call.

    Args:
        spent: What was spent so far.
        limits: What may be.
        prices: What tokens cost.
        request: Tokens of the request that would be sent.
        now: The present time, in seconds of the clock of `spent`.
    """
    wanted = replace(spent, tokens_in=spent.tokens_in + request)
    if spent.calls >= limits.steps:
        return AnswerStatus.STEP_LIMIT
    if spent.tokens >= limits.tokens or wanted.tokens > limits.tokens:
        return AnswerStatus.TOKEN_LIMIT
    if cost_of(spent, prices) >= limits.cost or cost_of(wanted, prices) > limits.cost:
        return AnswerStatus.COST_LIMIT
    return AnswerStatus.TIME_LIMIT if spent.elapsed(now) >= limits.seconds else None


def _written(text: str, calls: Sequence[JSON]) -> str:
    return text + canonical(list(calls)) if calls else text
