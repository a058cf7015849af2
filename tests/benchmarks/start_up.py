"""How long the command line takes, as ratios to the bare import of what it stands on, measured in the same run.

python tests/benchmarks/start_up.py [--rounds 7]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DATA = Path(__file__).parents[2] / "data"
FLOOR = "import langgraph.graph, polars"


def seconds(arguments: list[str], folder: Path) -> float:
    """Wall time of one process; 3 is the exit code of a paused review."""
    start = time.perf_counter()
    code = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, check=False).returncode
    if code not in (0, 3):
        raise SystemExit(f"{arguments} ended with {code}")
    return time.perf_counter() - start


def main() -> None:
    """Measure in turn, so that a busy machine slows all alike; print medians and ratios to the floor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            f"floor: {FLOOR}": ["-c", FLOOR],
            "review-graph --help": ["-m", "review_graph", "--help"],
            "review-graph run adsl.parquet": ["-m", "review_graph", "run", str(DATA / "adsl.parquet"), "--fresh"],
            "review-graph list": ["-m", "review_graph", "list"],
        }
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, arguments in commands.items():
                taken[name].append(seconds(arguments, Path(folder)))
    floor = statistics.median(next(iter(taken.values())))
    print(f"{'':<40} {'median s':>9} {'best s':>9} {'x floor':>9}")
    for name, times in taken.items():
        median = statistics.median(times)
        print(f"{name:<40} {median:9.3f} {min(times):9.3f} {median / floor:9.2f}")


if __name__ == "__main__":
    main()
