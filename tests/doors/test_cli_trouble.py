"""Trouble around a run: pipes, folders that cannot be used, a disk that is full."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LIMIT_S = 60.0


@pytest.fixture
def command(tmp_path: Path, table: Callable[..., Path], spec: dict[str, Any]) -> Callable[..., tuple[int, str]]:
    table("major")
    (tmp_path / "spec.json").write_text(json.dumps(spec), encoding="utf-8")

    def run(*arguments: str, most_bytes: int | None = None) -> tuple[int, str]:
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes or 0, most_bytes or 0))

        ran = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "review_graph", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
            preexec_fn=limit if most_bytes else None,
        )
        assert "Traceback" not in ran.stderr
        return ran.returncode, ran.stderr

    return run


def test_a_pipe_is_refused_and_not_waited_for(command: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    code, err = command("run", "pipe.csv")
    assert (code, "pipe.csv is no plain file" in err) == (2, True)
    code, err = command("run", "major.parquet", "--spec", "pipe.csv")
    assert (code, "pipe.csv: is no plain file" in err) == (2, True)


def test_a_folder_that_cannot_be_used_is_not_remembered(
    command: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    (tmp_path / "blocker").write_text("a file", encoding="utf-8")
    code, err = command("run", "major.parquet", "--spec", "spec.json", "--out", "blocker")
    assert (code, "cannot keep files in blocker" in err) == (2, True)
    assert command("run", "major.parquet", "--spec", "spec.json", "--out", "good")[0] == 3


@pytest.mark.parametrize("most_bytes", [1_000, 30_000, 60_000])
def test_a_full_disk_is_a_matter_of_set_up_and_nothing_is_lost(
    command: Callable[..., tuple[int, str]], most_bytes: int
) -> None:
    code, err = command("run", "major.parquet", "--spec", "spec.json", most_bytes=most_bytes)
    assert code == 2, err
    assert "bug" not in err
    assert command("run", "major.parquet", "--spec", "spec.json")[0] == 3
