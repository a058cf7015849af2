"""What a review must be like by the rules alone, and a way to let its process end in the middle."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from langgraph.pregel import Pregel

from review_graph import gate
from review_graph.adapters.store.facade import SqlStore

SEVERITIES = {"key": "major", "a": "minor", "b": "minor"}
"""A repeated key and two numbers outside their limits."""


@dataclass
class Model:
    """What a review must be like, by the rules alone.

    Attributes:
        major_at: How many minor findings need a human; a major one always does.
        decisions: Action, severity and findings of each decision, in order.
        waivers: Of each waiver its finding, its last day, and whether it was taken back.
    """

    major_at: int
    decisions: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    waivers: dict[str, tuple[str, dt.date, bool]] = field(default_factory=dict)

    def open(self, today: dt.date, own: Mapping[int, str]) -> set[str]:
        """The findings that count on a day; `own` names the waivers that decisions of the review made."""
        covered = {finding for finding, last, revoked in self.waivers.values() if not revoked and last >= today}
        state = {finding: finding not in covered for finding in SEVERITIES}
        for number, (action, _, findings) in enumerate(self.decisions, start=1):
            for finding in findings:
                if action in ("dismiss", "reopen"):
                    state[finding] = action == "reopen"
                elif action == "waive":
                    _, last, revoked = self.waivers[own[number]]
                    state[finding] = state[finding] and (revoked or last < today)
        return {finding for finding, counts in state.items() if counts}

    def severity(self, today: dt.date, own: Mapping[int, str]) -> str:
        standing: str | None = None
        for action, severity, _ in self.decisions:
            standing = severity if action == "override" else None if action == "reopen" else standing
        if standing is not None:
            return standing
        found = [SEVERITIES[finding] for finding in self.open(today, own)]
        return "major" if "major" in found or len(found) >= self.major_at else "minor" if found else "none"

    def status(self, today: dt.date, own: Mapping[int, str]) -> str:
        if self.severity(today, own) != "major":
            return "summarised"
        return "escalated" if any(action == "confirm" for action, _, _ in self.decisions) else "paused"


class Crash(BaseException):
    """The process ends here."""


@contextmanager
def crashing(where: str, times: int, when: str) -> Iterator[None]:
    """Let the process end the n-th time that something is done, before or after it."""
    left = times

    def dying(act: Callable[..., Any]) -> Callable[..., Any]:
        def once(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0 and when == "before":
                raise Crash
            done = act(*arguments, **named)
            if left == 0:
                raise Crash
            return done

        return once

    with pytest.MonkeyPatch.context() as patched:
        if where == "take_up":
            patched.setattr(gate, "take_up", dying(gate.take_up))
        elif where == "invoke":
            patched.setattr(Pregel, "invoke", dying(Pregel.invoke))
        else:
            patched.setattr(SqlStore, where, dying(getattr(SqlStore, where)))
        yield
