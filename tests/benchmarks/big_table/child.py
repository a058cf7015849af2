"""One contestant in this process: imports first, then the work against the clock; the outcome goes to the last line.

python -m tests.benchmarks.big_table.child MODULE FILE
"""

from __future__ import annotations

import contextlib
import importlib
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")


def clocked(work: Callable[[], Result]) -> tuple[Result, dict[str, float]]:
    """Do some work; return its result, its wall and processor time, and this process's peak memory."""
    with contextlib.redirect_stdout(sys.stderr):  # some libraries print on their way
        before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
        result = work()
        wall_s, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return result, {
        "wall_s": wall_s,
        "cpu_s": cpu_s,
        "peak_mb": after.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024),
    }


def tell(outcome: object) -> None:
    """Print an outcome as JSON on a line of its own."""
    sys.stdout.write(f"\n{json.dumps(outcome)}\n")


def main() -> None:
    """Do the work and print what came of it."""
    module, path = sys.argv[1:]
    with contextlib.redirect_stdout(sys.stderr):
        contestant = importlib.import_module(module)
    answers, took = clocked(lambda: contestant.run(Path(path)))
    tell({"answers": answers, **took})


if __name__ == "__main__":
    main()
