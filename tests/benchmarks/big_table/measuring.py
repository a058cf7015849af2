"""Lets contestants work in processes of their own, in turn, and holds their answers against the truth."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.big_table.line_up import PACKAGE, Contestant
from tests.benchmarks.big_table.quiet import wait_for_quiet
from tests.benchmarks.big_table.work import CHECKS, Variant

ROOT: Final = Path(__file__).parents[3]
PATIENCE_S: Final = 900

_VERSIONS = """
import json, sys
from importlib.metadata import PackageNotFoundError, version
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = version(name)
    except PackageNotFoundError:
        pass
print(json.dumps(found))
"""


@dataclass(frozen=True, kw_only=True)
class Ready:
    """A contestant, the interpreter that has what it needs, and the version of its library."""

    contestant: Contestant
    python: str
    version: str


@dataclass(kw_only=True)
class Record:
    """What a contestant did over the rounds.

    Attributes:
        ready: Who.
        wall_s: From path to answers, imports left out.
        cpu_s: Processor time of all threads over the same stretch.
        process_s: The whole process, start and imports included.
        peak_mb: Peak resident memory of the whole process.
        troubles: Wrong answers and crashes.
    """

    ready: Ready
    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    process_s: list[float] = field(default_factory=list)
    peak_mb: list[float] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    @property
    def median_s(self) -> float | None:
        """Median wall time; None where it is worth nothing."""
        return statistics.median(self.wall_s) if self.wall_s and not self.troubles else None


def run_module(python: str, module: str, *arguments: str) -> str:
    """Run a module of ours to its end and return the last line it printed.

    Raises:
        RuntimeError: It failed; the message is the end of what it said.
    """
    command = [python, "-m", module, *arguments]
    try:
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"not done after {PATIENCE_S} s") from None
    if ended.returncode:
        said = ended.stderr.strip().splitlines() or ["nothing said"]
        raise RuntimeError(f"exit code {ended.returncode}: {said[-1]}")
    return (ended.stdout.strip().splitlines() or [""])[-1]


def data_file(folder: Path, rows: int, variant: Variant, tell: Callable[[str], None]) -> Path:
    """Return the file with so many rows, made when needed, in a process of its own: this one is to stay small."""
    path = folder / f"lab-{rows}-{variant}.parquet"
    if not path.exists():
        tell(f"writing {path}")
        arguments = [str(path), "--rows", str(rows), "--variant", variant]
        run_module(sys.executable, "tests.benchmarks.big_table.lab_data", *arguments)
    return path


def truth_of(path: Path) -> dict[str, Any]:
    """Return what was planted in a file, by check."""
    recorded: dict[str, Any] = json.loads(path.with_suffix(".truth.json").read_text(encoding="utf-8"))
    planted: dict[str, Any] = recorded["checks"]
    return planted


def find_ready(line_up: Sequence[Contestant], pythons: Sequence[str]) -> tuple[list[Ready], list[str]]:
    """Find for each contestant the first interpreter that has all it needs; say why others are left out."""
    needed = sorted({name for contestant in line_up for name in contestant.needs})
    installed = {python: _versions(python, needed) for python in pythons}
    ready, left_out = [], []
    for contestant in line_up:
        able = [python for python in pythons if set(contestant.needs) <= set(installed[python])]
        if able:
            version = f"{contestant.needs[0]} {installed[able[0]][contestant.needs[0]]}"
            ready.append(Ready(contestant=contestant, python=able[0], version=version))
        else:
            lacking = [name for name in contestant.needs if name not in installed[pythons[0]]]
            left_out.append(f"{contestant.name}: left out, {' and '.join(lacking)} not installed")
    return ready, left_out


def measure(
    line_up: Sequence[Ready], path: Path, rounds: int, patience_s: float, tell: Callable[[str], None]
) -> list[Record]:
    """Let all work on the same file in turn, so that a busy machine slows all alike.

    Args:
        line_up: Who.
        path: The file; its truth lies beside it.
        rounds: How often each works.
        patience_s: How long to wait each time until nobody else works on this machine.
        tell: Is told what was done.
    """
    truth = truth_of(path)
    records = [Record(ready=ready) for ready in line_up]
    for number in range(1, rounds + 1):
        for record in records:
            _warm(path)
            wait_for_quiet(patience_s)
            _one(record, path, truth)
            said = record.troubles[-1] if record.troubles else f"{record.wall_s[-1]:.2f} s"
            tell(f"round {number} of {rounds}: {record.ready.contestant.name}: {said}")
    return records


def judge(answers: Mapping[str, tuple[int, list[int] | None]], truth: Mapping[str, Any], keys: str) -> list[str]:
    """List what is not as it was planted."""
    wrong = []
    for check in CHECKS:
        if check not in answers:
            wrong.append(f"{check}: no answer")
            continue
        (count, rows), right = answers[check], truth[check]
        expected = right[keys] if check == "key" else right["failing"]
        if count != expected:
            wrong.append(f"{check}: {count} and not {expected}")
        elif rows is not None and rows != right["first"]:
            wrong.append(f"{check}: rows {rows} and not {right['first']}")
    return wrong


def _one(record: Record, path: Path, truth: Mapping[str, Any]) -> None:
    contestant = record.ready.contestant
    start = time.perf_counter()
    try:
        line = run_module(
            record.ready.python, "tests.benchmarks.big_table.child", f"{PACKAGE}.{contestant.module}", str(path)
        )
    except RuntimeError as failure:
        record.troubles.append(f"FAILED, {failure}")
        return
    record.process_s.append(time.perf_counter() - start)
    found = json.loads(line)
    record.troubles += [f"WRONG, {wrong}" for wrong in judge(found["answers"], truth, contestant.keys)]
    record.wall_s.append(found["wall_s"])
    record.cpu_s.append(found["cpu_s"])
    record.peak_mb.append(found["peak_mb"])


def _versions(python: str, names: Sequence[str]) -> dict[str, str]:
    ended = subprocess.run([python, "-c", _VERSIONS, *names], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, str] = json.loads(ended.stdout)
    return found


def _warm(path: Path) -> None:
    """Read the file once, so that nobody waits for the disk."""
    with path.open("rb") as stream:
        while stream.read(1 << 24):
            pass
