"""A process that only looks must not disturb one that works: SQLite's locks survive every look at the database."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, ReviewService, Settings, Status, build

LOOK = """
import sys
from review_graph import Settings, build
with build(Settings(db=sys.argv[1])) as service:
    print(len(service.list()))
"""
DECIDE = """
import sys
from review_graph import DecisionRequest, Settings, build
with build(Settings(db=sys.argv[1])) as service:
    service.decide(sys.argv[2], DecisionRequest(action="confirm", by="Ada", reason="seen"))
"""


def elsewhere(program: str, *arguments: str) -> str:
    ran = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)  # noqa: S603 - our own
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to see which files are held open")
def test_the_log_of_an_open_database_is_not_deleted_by_a_look(
    service: ReviewService, settings: Settings, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    service.start(table("minor"), spec)
    elsewhere(LOOK, settings.db)
    links = [link for link in Path("/proc/self/fd").iterdir() if os.path.lexists(link)]
    held = [os.readlink(link) for link in links]  # noqa: PTH115 - what it names may be deleted
    assert any(name.endswith("reviews.sqlite-wal") for name in held)
    assert not [name for name in held if "reviews.sqlite" in name and name.endswith("(deleted)")]


def test_a_decision_of_another_process_is_seen_and_kept(
    service: ReviewService, settings: Settings, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    paused = service.start(table("major"), spec)
    elsewhere(LOOK, settings.db)
    elsewhere(DECIDE, settings.db, paused.id or "")
    elsewhere(LOOK, settings.db)
    assert service.get(paused.id or "").status is Status.ESCALATED
    assert service.start(table("clean"), spec).status is Status.SUMMARISED
    service.close()
    with build(settings) as again:
        assert again.get(paused.id or "").status is Status.ESCALATED
        assert len(again.list()) == 2


def test_a_refused_decision_disturbs_nobody(
    service: ReviewService, settings: Settings, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    paused = service.start(table("major"), spec)
    elsewhere(LOOK, settings.db)
    decided = service.decide(paused.id or "", DecisionRequest(action="override", severity="minor", by="A", reason="b"))
    assert decided.status is Status.SUMMARISED
    assert elsewhere(LOOK, settings.db).strip() == "1"
