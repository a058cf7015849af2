"""Waits until nobody else works, so that a measurement on a shared machine means something (Linux only)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

_STAT: Final = Path("/proc/stat")
_LOOK_S: Final = 0.4
_IDLE: Final = 0.9
"""Share of the processors' time that must be free."""


def wait_for_quiet(patience_s: float) -> None:
    """Return as soon as the processors are idle, or when patience is at an end."""
    until = time.monotonic() + patience_s
    while _STAT.exists() and time.monotonic() < until and _idle_share() < _IDLE:
        pass


def _idle_share() -> float:
    idle, total = _ticks()
    time.sleep(_LOOK_S)
    idle_later, total_later = _ticks()
    return (idle_later - idle) / max(total_later - total, 1)


def _ticks() -> tuple[int, int]:
    """Processor time so far: idle or waiting for the disk, and in all."""
    numbers = [int(number) for number in _STAT.read_text(encoding="ascii").splitlines()[0].split()[1:]]
    return numbers[3] + numbers[4], sum(numbers)
