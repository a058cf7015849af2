"""What the tests of the whole flow share: a clock that is set by hand, names of findings, processes by the dozen."""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

import psycopg
import pytest

from review_graph import Review, ReviewService, Settings
from review_graph.vocabulary import AuditAction, Waiver
from tests.conftest import NOW

ROOT = Path(__file__).parents[2]

KEY = "structure.duplicate_key"
RANGE = "ranges.outside_limits"
"""The checks that find something in the small tables: the first is major, the second minor."""


on_one_database = pytest.mark.parametrize("kept", ["sqlite"], indirect=True)
"""For what is written through LangGraph: it is the same on both databases."""


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> dt.datetime:
        return self.now

    def go_on(self, **much: float) -> None:
        self.now += dt.timedelta(**much)


def ids(review: Review, code: str | None = None) -> tuple[str, ...]:
    """The findings of a review, or those of one check."""
    return tuple(item.finding.id for item in review.findings if code in (None, item.finding.code))


def states(review: Review) -> dict[str, str]:
    """What became of the findings, by their check and columns."""
    return {f"{item.finding.code} {' '.join(item.finding.columns)}": item.status.value for item in review.findings}


def forged_waivers(review: Review) -> list[dict[str, Any]]:
    """Waivers of all findings of a review that nobody made, as its thread would hold them."""
    return [
        Waiver(
            id="w-000000000000",
            dataset=review.dataset.name,
            code=item.finding.code,
            author="Ada",
            reason="known",
            reason_code="expected",
            created_at="2026-01-01T00:00:00+00:00",
            expires_on="2099-12-31",
        ).to_plain()
        for item in review.findings
    ]


def told(service: ReviewService, review: Review, action: AuditAction) -> int:
    """How often the audit trail tells of an act on a review."""
    return sum(entry.action is action for entry in service.trail.entries(review.id))


def run(kept: Settings, statement: str) -> list[tuple[Any, ...]]:
    """Execute a statement past the store."""
    if kept.db.startswith("postgresql"):
        with psycopg.connect(kept.db, autocommit=True) as server:
            found = server.execute(statement.encode())
            return found.fetchall() if found.description else []
    with closing(sqlite3.connect(kept.db_path)) as file, file:
        return file.execute(statement).fetchall()


def unguarded(kept: Settings, *tables: str) -> None:
    """Take the triggers away, as somebody would who may alter the database."""
    if kept.db.startswith("postgresql"):
        for table in tables:
            run(kept, f"ALTER TABLE {table} DISABLE TRIGGER USER")
        return
    for (name,) in run(kept, "SELECT name FROM sqlite_master WHERE type = 'trigger'"):
        if str(name).partition("_refuses")[0] in tables:
            run(kept, f"DROP TRIGGER {name}")


def thread_of(review: Review) -> Any:
    """The address of its thread."""
    return {"configurable": {"thread_id": review.id}}


class Forks:
    """Processes that need not import anything any more: they begin to work as soon as they are asked for."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    @classmethod
    @contextmanager
    def ready(cls, marks: Path) -> Iterator[Self]:
        """Start what forks them; each escalation is marked in a file."""
        process = subprocess.Popen(  # noqa: S603 - our own
            [sys.executable, "-m", "tests.flow.forking", str(marks)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield cls(process)
        finally:
            process.kill()
            for stream in filter(None, (process.stdin, process.stdout)):
                stream.close()
            process.wait()

    def begin(self, settings: Settings, acts: Sequence[Sequence[Any]], to: Path) -> int:
        """Begin to do one thing after the other in a process of its own; what each came to is added to a file."""
        return int(self._ask({"settings": settings.model_dump(mode="json"), "acts": acts, "to": str(to)}))

    def end(self, number: int) -> int:
        """Wait until a process ended, and say how: 0, an exit code, or the negative of a signal."""
        return int(self._ask({"wait": number}))

    def kill(self, number: int) -> int:
        """Kill a process that may have ended, and say how it ended."""
        os.kill(number, signal.SIGKILL)  # it keeps its number until somebody has waited for it
        return self.end(number)

    def _ask(self, order: Mapping[str, Any]) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "what forks the processes died"
        return answer


def outcomes(file: Path) -> list[Any]:
    """What processes came to, in the order in which they came to it; a line that was cut by a kill is left out."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True) if file.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def many(usual: int, exhaustive: int) -> int:
    """How often the slow tests try something: more often by hand, with EXHAUSTIVE=1, than before each landing."""
    return exhaustive if os.environ.get("EXHAUSTIVE") else usual
