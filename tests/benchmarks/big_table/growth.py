"""How ours grows: with rows at eight checks, and with checks at a million rows.

python -m tests.benchmarks.big_table.growth FILE CHECKS
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.big_table.child import clocked
from tests.benchmarks.big_table.child import tell as write
from tests.benchmarks.big_table.line_up import PACKAGE
from tests.benchmarks.big_table.measuring import data_file, run_module

ROWS = (1_000_000, 10_000_000)
CHECKS = (10, 100, 300)
FAILING_EACH = 10
"""One rule in so many fails."""

_RULES = (
    "AGE <= {0} + 1000",
    "AVAL <= {0} + 10000",
    "LBSEQ <> {0} + 1000",
    "AVISITN + {0} >= 0",
    "ADT >= '19{1:02}-01-01'",
    "SEX <> 'S{0}'",
    "PARAMCD <> 'P{0}'",
    "AVAL > -{0} - 10000 OR AVAL IS NULL",
    "TRT01A <> 'T{0}' AND AGE > -{0} - 100",
)


def rules(number: int) -> list[dict[str, str]]:
    """Make so many rules over the columns, no two alike."""
    made = []
    for index in range(number):
        rule = _RULES[index % len(_RULES)].format(index + 1, index % 100)
        if index % FAILING_EACH == 0:
            rule = f"LBSEQ <> {index // FAILING_EACH + 1}"
        made.append({"id": f"rule{index}", "compare": rule})
    return made


def report(folder: Path, rows: int, rounds: int, tell: Callable[[str], None]) -> str:
    """Measure and return two tables with their slopes.

    Args:
        folder: Where the files are or are made.
        rows: The largest table; beyond the usual ones only when asked for.
        rounds: How often each is measured.
        tell: Is told what was done.
    """
    sizes = sorted({size for size in ROWS if size <= rows} | {rows})
    child, ours = "tests.benchmarks.big_table.child", f"{PACKAGE}.ours"
    by_rows = {}
    for size in sizes:
        path = data_file(folder, size, "faulty", tell)
        by_rows[size] = _median(child, (ours, str(path)), rounds)
        tell(f"{size:,} rows: {by_rows[size]}")
    path, by_checks = data_file(folder, min(ROWS[0], rows), "faulty", tell), {}
    for number in CHECKS:
        by_checks[number] = _median("tests.benchmarks.big_table.growth", (str(path), str(number)), rounds)
        tell(f"{number} rules: {by_checks[number]}")
    return "\n".join(
        [
            *_table("rows", by_rows, 1e6, "s a million rows"),
            "",
            *_table("rules", by_checks, 1, "s a rule"),
        ]
    )


def _median(module: str, arguments: tuple[str, ...], rounds: int) -> dict[str, float]:
    found = [json.loads(run_module(sys.executable, module, *arguments)) for _ in range(rounds)]
    return {name: median(each[name] for each in found) for name in ("wall_s", "cpu_s", "peak_mb")}


def _table(what: str, measured: dict[int, dict[str, float]], unit: float, slope: str) -> list[str]:
    """One line a size; the exponent is 1 where time grows as the size does, 0 where it does not grow."""
    lines = [f"{what:>12} {'s':>8} {'CPU s':>8} {'peak MB':>8} {slope:>18} {'exponent':>9}"]
    before: tuple[int, float] | None = None
    for size, found in measured.items():
        line = f"{size:12,} {found['wall_s']:8.2f} {found['cpu_s']:8.2f} {found['peak_mb']:8.0f}"
        if before is not None:
            growth = (found["wall_s"] - before[1]) / (size - before[0]) * unit
            exponent = math.log(found["wall_s"] / before[1]) / math.log(size / before[0])
            line += f" {growth:18.4f} {exponent:9.2f}"
        lines.append(line)
        before = (size, found["wall_s"])
    return lines


def main() -> None:
    """Review one file against so many rules in this process, and print what it took."""
    from checks import review_table

    path, number = Path(sys.argv[1]), int(sys.argv[2])
    spec: dict[str, Any] = {"name": "lab", "fieldsMatch": "partial", "fields": [], "rules": rules(number)}
    result, took = clocked(lambda: review_table(path, spec))
    judged = [verdict for verdict in result.verdicts if verdict.code.startswith("ranges.rule.")]
    failed = [finding for finding in result.findings if finding.code.startswith("ranges.rule.")]
    if len(judged) != number or len(failed) != math.ceil(number / FAILING_EACH):
        raise SystemExit(f"{len(judged)} rules were judged and {len(failed)} failed")
    write(took)


if __name__ == "__main__":
    main()
