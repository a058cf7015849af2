"""What the service does where a batch meets trouble."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from review_graph import ReviewService, Status
from review_graph.nodes import Nodes


def test_a_bug_fails_its_dataset_and_no_other(
    service: ReviewService, table: Callable[..., Path], spec: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a\nb")

    with monkeypatch.context() as patched:
        patched.setattr("review_graph.tables.adopt", broken)
        failed = service.start(table("minor"), spec)
    assert failed.status is Status.FAILED
    assert failed.problem is not None
    assert (failed.problem.kind, failed.triage.needs_human) == ("bug", True)
    assert failed.problem.message.endswith("please report it: ZeroDivisionError: a\\nb")
    assert service.start(table("clean"), spec).status is Status.SUMMARISED


def test_a_file_that_was_moved_is_the_same_dataset(
    service: ReviewService,
    table: Callable[..., Path],
    spec: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    path = table("minor")
    with monkeypatch.context() as patched:
        patched.setattr(Nodes, "_family", killed)
        with pytest.raises(KeyboardInterrupt):
            service.start(path, spec)
    moved = tmp_path / "elsewhere" / path.name
    moved.parent.mkdir()
    shutil.move(path, moved)
    assert service.start(moved, spec).status is Status.SUMMARISED
