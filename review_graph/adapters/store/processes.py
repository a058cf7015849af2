"""Who holds a lease, said so that another process on the same machine can tell whether that one still lives."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path

_PROC = Path("/proc")
_GONE_STATES = ("Z", "X")
"""A process that was killed and that its parent has not noticed yet."""


def new_holder(name: str | None = None) -> str:
    """Return a name for one claim, different from any other.

    Args:
        name: What to call the holder; this process when not given.
    """
    return f"{_process(os.getpid()) if name is None else name}/{secrets.token_hex(4)}"


def is_gone(holder: str) -> bool:
    """Whether a holder's process is dead for certain. Of another machine, container or name that is never said."""
    process, _, place = holder.rpartition("/")[0].partition("@")
    pid, _, started = process.partition(".")
    if not place or place != _place() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it lives, as somebody else's
        return False
    state, start = _state(pid)
    return state in _GONE_STATES or bool(start and started and start != started)  # the number was given away again


@cache
def _process(pid: int) -> str:
    """Number and start of a process, and the place in which such numbers mean the same."""
    return f"{pid}.{_state(str(pid))[1]}@{_place()}"


def _place() -> str:
    """The machine since it was started, and the space of process numbers; empty where there is no such thing."""
    with suppress(OSError):
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}:{(_PROC / 'self/ns/pid').readlink()}"
    return ""


def _state(pid: str) -> tuple[str, str]:
    with suppress(OSError, IndexError):
        # The program's name stands in brackets before, and may have blanks and brackets of its own.
        fields = (_PROC / pid / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return fields[0], fields[19]
    return "", ""
