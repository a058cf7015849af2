"""How fast a batch goes and whether its memory stays flat, against bare code that does the same work.

python tests/benchmarks/batch_rate.py [--datasets 1000] [--rounds 3] [--workers 2]

Every contender opens the same files, runs the same checks and writes the same reports, in a process of its own
whose first few datasets are not timed. The bare loop keeps nothing; the bare graph has our nodes and our saver, and
neither a list of reviews nor a lock. Starting workers is part of a batch and is timed. Processor time is that of
all threads and workers together; on a machine that does other things too, its ratio is the one to believe.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import polars as pl

from checks import Examination, adopt, load_spec, run_families
from review_graph import Settings
from review_graph.adapters.checkpoints import SqliteCheckpoints
from review_graph.adapters.datasets import Datasets
from review_graph.adapters.files import ReviewFiles
from review_graph.adapters.sources.columnar import ColumnarCache
from review_graph.adapters.sources.files import decode, fingerprint
from review_graph.batch import Task, run_batch
from review_graph.core.reporting import report
from review_graph.core.triage import apply_decisions, triage
from review_graph.gate import system_clock
from review_graph.graph import compile_graph
from review_graph.nodes import Nodes
from review_graph.vocabulary import Dataset, Review, Status

ROWS = 100
WARM_UP = 5
SPEC = {
    "name": "demographics",
    "primaryKey": ["USUBJID"],
    "fields": [
        {"name": "STUDYID", "type": "string", "constraints": {"required": True}},
        {"name": "USUBJID", "type": "string", "identifier": True, "constraints": {"required": True}},
        {"name": "SITEID", "type": "string", "constraints": {"pattern": "[0-9]{3}"}},
        {"name": "SEX", "type": "string", "constraints": {"enum": ["F", "M", "U"]}},
        {"name": "AGE", "type": "integer", "unit": "years", "constraints": {"minimum": 18, "maximum": 90}},
        {"name": "ARM", "type": "string", "constraints": {"enum": ["Placebo", "Active"]}},
        {"name": "RFSTDTC", "type": "date"},
        {"name": "RFENDTC", "type": "date"},
        {"name": "HEIGHT", "type": "number", "unit": "cm", "constraints": {"minimum": 120, "maximum": 220}},
        {"name": "WEIGHT", "type": "number", "unit": "kg", "constraints": {"minimum": 35, "maximum": 200}},
    ],
    "rules": [{"id": "ends-after-start", "title": "the end is not before the start", "compare": "RFSTDTC <= RFENDTC"}],
}
FAULTS: tuple[dict[str, Any], ...] = ({}, {"AGE": 130}, {"RFENDTC": "2020-01-01", "SEX": "X", "HEIGHT": 1.7})
"""Clean, minor and major in turn."""

Contender = Callable[[Sequence[Path], Path, Path, int], Iterator[object]]
"""Works off datasets, with a spec, in a folder, with so many workers; yields after each dataset."""


def make_dataset(path: Path, number: int) -> None:
    """Write one small table of subjects."""
    chance = random.Random(number)  # noqa: S311 - not for secrets
    start = dt.date(2024, 1, 1)
    rows = []
    for subject in range(ROWS):
        begun = start + dt.timedelta(days=chance.randrange(300))
        rows.append(
            {
                "STUDYID": f"STUDY-{number % 7}",
                "USUBJID": f"{number:04}-{subject:04}",
                "SITEID": f"{chance.randrange(100, 140)}",
                "SEX": chance.choice("FM"),
                "AGE": chance.randrange(18, 90),
                "ARM": chance.choice(["Placebo", "Active"]),
                "RFSTDTC": begun.isoformat(),
                "RFENDTC": (begun + dt.timedelta(days=84)).isoformat(),
                "HEIGHT": round(chance.uniform(150, 200), 1),
                "WEIGHT": round(chance.uniform(50, 120), 1),
            }
        )
    rows[chance.randrange(ROWS)] |= FAULTS[number % len(FAULTS)]
    pl.DataFrame(rows).write_parquet(path)


def bare_loop(paths: Sequence[Path], spec_path: Path, folder: Path, _: int) -> Iterator[object]:
    """No graph, no database: the checks, the triage and the report."""
    spec, today = load_spec(spec_path), system_clock().date()
    files = ReviewFiles(folder / "reviews")
    for path in paths:
        kept = files.folder(path.stem) or ""
        table = adopt(decode(path).frame)
        found = run_families(Examination(table=table, spec=spec, today=today), files.evidence_sink(kept))
        judged = triage(found.findings, (), spec.policy)
        if not judged.needs_human:
            dataset = Dataset(
                name=path.stem,
                uri=str(path),
                fingerprint=fingerprint(path),
                rows=found.rows,
                columns=len(table.columns),
            )
            review = Review(
                id=path.stem,
                dataset=dataset,
                status=Status.SUMMARISED,
                triage=judged,
                verdicts=found.verdicts,
                findings=apply_decisions(found.findings, ()),
                spec_name=spec.name,
                today=today.isoformat(),
            )
            files.write(kept, "report.md", report(review))
        yield judged


def bare_graph(paths: Sequence[Path], spec_path: Path, folder: Path, _: int) -> Iterator[object]:
    """Our nodes and our saver in LangGraph, with nothing of ours around them."""
    spec = load_spec(spec_path).to_plain()
    saver = SqliteCheckpoints(folder / "graph.sqlite")
    nodes = Nodes(
        sources=Datasets(ColumnarCache(folder / "cache")), artifacts=ReviewFiles(folder / "reviews"), clock=system_clock
    )
    graph = compile_graph(nodes, saver)
    for path in paths:
        request: Any = {"review_request": {"path": str(path), "spec": spec}}
        yield graph.invoke(request, {"configurable": {"thread_id": path.stem}}, durability="sync")
    saver.close()


def batch(paths: Sequence[Path], spec_path: Path, folder: Path, workers: int) -> Iterator[object]:
    """What `review-graph run` does."""
    tasks = [Task(path=path, spec=spec_path) for path in paths]
    yield from run_batch(tasks, Settings(db=str(folder / "reviews.sqlite")), workers=workers)


CONTENDERS: dict[str, Contender] = {
    "bare loop": bare_loop,
    "bare graph": bare_graph,
    "batch, one process": lambda paths, spec, folder, _: batch(paths, spec, folder, 0),
    "batch, workers": batch,
}


def peak_mb() -> float:
    """The most memory that this process and its workers have held so far, in MB."""
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if sys.platform == "darwin":
        kilobytes //= 1024
    for child in active_children():
        status = Path(f"/proc/{child.pid}/status")  # elsewhere than on Linux the workers' memory is left out
        lines = status.read_text().splitlines() if status.exists() else []
        kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return kilobytes / 1024


def processor_s() -> float:
    """Processor time of this process and of the workers that have ended."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def measure(name: str, data: Path, folder: Path, workers: int) -> dict[str, float]:
    """Let one contender work in this process; time it without the warm-up."""
    *paths, spec = sorted(data.iterdir())
    for _ in CONTENDERS[name](paths[:WARM_UP], spec, folder / "warm-up", workers if name != "batch, workers" else 0):
        pass
    tenth, early, late = max(len(paths) // 10, 1), 0.0, 0.0
    start, start_cpu = time.perf_counter(), processor_s()
    for done, _ in enumerate(CONTENDERS[name](paths, spec, folder / "work", workers), start=1):
        if done == tenth:
            early = peak_mb()
        if done == len(paths):
            late = peak_mb()
    passed_s, cpu_s = time.perf_counter() - start, processor_s() - start_cpu
    return {"rate": len(paths) / passed_s, "per_cpu_s": len(paths) / cpu_s, "early_mb": early, "late_mb": late}


def elsewhere(name: str, data: Path, workers: int) -> dict[str, float]:
    """Measure in a process of its own."""
    command = [sys.executable, __file__, "--contender", name, "--data", str(data), "--workers", str(workers)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, float] = json.loads(ended.stdout)
    return result


def compare(data: Path, rounds: int, workers: int) -> None:
    """Measure in turn, so that a busy machine slows all alike; print medians and ratios."""
    measured: dict[str, list[dict[str, float]]] = {name: [] for name in CONTENDERS}
    for _ in range(rounds):
        for name, results in measured.items():
            results.append(elsewhere(name, data, workers))
    medians = {
        name: {key: statistics.median(result[key] for result in results) for key in results[0]}
        for name, results in measured.items()
    }
    units = {"rate": "datasets/s", "per_cpu_s": "per CPU s"}
    head = "".join(f"{unit:>12} {'x loop':>7} {'x graph':>8}" for unit in units.values())
    print(f"{'':<20}{head} {'MB at 10 %':>11} {'MB at end':>10}")
    for name, found in medians.items():
        label = f"batch, {workers} workers" if name == "batch, workers" else name
        speeds = ""
        for key in units:
            loop, graph = (found[key] / medians[base][key] for base in ("bare loop", "bare graph"))
            speeds += f"{found[key]:12.1f} {loop:7.2f} {graph:8.2f}"
        print(f"{label:<20}{speeds} {found['early_mb']:11.0f} {found['late_mb']:10.0f}")


def main() -> None:
    """Make the datasets and compare, or be one contender."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--contender", choices=CONTENDERS, help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.contender is not None:
            print(json.dumps(measure(given.contender, given.data, folder, given.workers)))
            return
        for number in range(given.datasets):
            make_dataset(folder / f"dm{number:05}.parquet", number)
        (folder / "spec.json").write_text(json.dumps(SPEC), encoding="utf-8")
        compare(folder, given.rounds, given.workers)


if __name__ == "__main__":
    main()
