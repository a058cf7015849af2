"""Disks that are soon full, for tests that are allowed to mount one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def mount(folder: Path, options: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603 - a constant
    except FileNotFoundError:
        return False


@contextmanager
def small_disk(folder: Path, megabytes: int, otherwise: str) -> Iterator[Path]:
    """Mount a disk; where that is not allowed, skip and say what stands for the test."""
    folder.mkdir()
    if not mount(folder, f"size={megabytes}m"):
        pytest.skip(f"mounting needs more rights; {otherwise}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)  # noqa: S603, S607 - a constant
