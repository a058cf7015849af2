"""What runs when while a big table is reviewed: the nodes of the graph and, in them, each query that Polars answers.

python -m tests.benchmarks.big_table.timeline FILE

A line for each, with when it began, how long it took and a bar; a query stands under the thread that waits for it.
`structure` and `ranges` begin together, and so do the pass over the rows and the search for repeated keys.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl

from checks import run_family
from review_graph import Settings, nodes, review
from tests.benchmarks.big_table.contestants.our_spec import make_spec

WIDTH = 60
_SHORTEST_S = 0.004
"""Queries that took less are left out, and their number is told."""


@dataclass(frozen=True)
class Span:
    """Something that ran."""

    what: str
    thread: str
    begin_s: float
    end_s: float


class Recorder:
    """Notes when functions begin and end."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._lock = threading.Lock()
        self._start = time.perf_counter()

    def noting(self, function: Callable[..., Any], name: Callable[..., str]) -> Callable[..., Any]:
        """Return the function, noted each time it is called."""

        @wraps(function)
        def noted(*arguments: Any, **more: Any) -> Any:
            begin = time.perf_counter() - self._start
            try:
                return function(*arguments, **more)
            finally:
                span = Span(name(*arguments), threading.current_thread().name, begin, time.perf_counter() - self._start)
                with self._lock:
                    self.spans.append(span)

        return noted


def main() -> None:
    """Review the file and print what ran when."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE")
    path, recorder = parser.parse_args().file, Recorder()
    family = recorder.noting(run_family, lambda family, *_: f"node {family}")
    collect, collect_all, sink = (
        recorder.noting(function, lambda *_: f"  {_asked_by()}")
        for function in (pl.LazyFrame.collect, pl.collect_all, pl.LazyFrame.sink_parquet)
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(nodes, "run_family", family),
        patch.object(pl.LazyFrame, "collect", collect),
        patch.object(pl, "collect_all", collect_all),
        patch.object(pl.LazyFrame, "sink_parquet", sink),
    ):
        review(path, make_spec(), settings=Settings(db=str(Path(folder) / "reviews.sqlite")))
    print(_drawn(recorder.spans))


def _asked_by() -> str:
    """The function of ours that had the query answered, and its module."""
    folders = ("/checks/", "/adapters/")
    ours = [
        frame
        for frame in traceback.extract_stack()
        if any(folder in frame.filename for folder in folders) and frame.name not in ("collected", "<lambda>")
    ]
    return f"{Path(ours[-1].filename).stem}.{ours[-1].name}" if ours else "elsewhere"


def _drawn(spans: list[Span]) -> str:
    nodes_of_graph = [span for span in spans if span.what.startswith("node")]
    begin, end = min(span.begin_s for span in nodes_of_graph), max(span.end_s for span in nodes_of_graph)
    within = [span for span in spans if begin <= span.begin_s <= end]
    shown = [span for span in within if span.end_s - span.begin_s >= _SHORTEST_S]
    threads = list(dict.fromkeys(span.thread for span in sorted(shown, key=lambda span: span.begin_s)))
    lines = [f"{'':<34} {'begin s':>8} {'s':>6}"]
    for number, thread in enumerate(threads, 1):
        lines.append(f"thread {number}")
        for span in sorted((span for span in shown if span.thread == thread), key=lambda span: span.begin_s):
            first, last = (int((at - begin) / (end - begin) * WIDTH) for at in (span.begin_s, span.end_s))
            bar = (" " * first + "█" * max(1, last - first)).ljust(WIDTH)
            lines.append(f"{span.what:<34} {span.begin_s - begin:8.3f} {span.end_s - span.begin_s:6.3f}  |{bar}|")
    left_out = len(within) - len(shown)
    return "\n".join([*lines, f"{left_out} queries of less than {_SHORTEST_S * 1000:.0f} ms are left out"])


if __name__ == "__main__":
    main()
