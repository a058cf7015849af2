"""The review of a big table: by hand, ours and the peers, on the same file, checked against the planted truth.

python -m tests.benchmarks.big_table [--rows 10000000] [--rounds 3] [--only ours,duckdb-hash] [--variant faulty]
                                     [--python PATH] [--data FOLDER] [--patience 0] [--markdown] [--write] [--growth]

Each contestant works in a fresh process, round by round in turn, on a file that is in the page cache. Timed is the
way from the path to the answers; imports and the start of the interpreter are left out and stand under `process s`.
Peak memory is that of the whole process, as the system counts it: pages of a mapped file are among it.
The floor is the best plan by hand of the run; `x floor` and `x ours` are ratios of medians. On a machine that does
other things too, `CPU s` and `best s` are the numbers to believe, and `--patience` waits before each run until they
are done. A wrong answer is shown and makes the exit code 1.

What is not installed is left out; `--python` names another interpreter in which to look for it, more than once.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.big_table import growth, pages, tables
from tests.benchmarks.big_table.line_up import LINE_UP
from tests.benchmarks.big_table.measuring import data_file, find_ready, measure
from tests.benchmarks.big_table.work import VARIANTS


def main() -> None:
    """Make the file where it is not there yet, let all work, print the table."""
    given = _arguments()
    names = given.only.split(",") if given.only else [contestant.name for contestant in LINE_UP]
    if unknown := sorted(set(names) - {contestant.name for contestant in LINE_UP}):
        raise SystemExit(f"unknown: {', '.join(unknown)}; known: {', '.join(each.name for each in LINE_UP)}")
    if given.growth:
        print(growth.report(given.data, given.rows, given.rounds, _tell))
        return
    line_up = [contestant for contestant in LINE_UP if contestant.name in names]
    ready, left_out = find_ready(line_up, [sys.executable, *given.python])
    path = data_file(given.data, given.rows, given.variant, _tell)
    before = tables.load()
    records = measure(ready, path, given.rounds, given.patience, _tell)
    title = f"{given.rows:,} rows, {path.stat().st_size / 1e6:.0f} MB, {given.variant}, {given.rounds} rounds"
    if given.write:
        pages.write(pages.ROOT / "docs" / "performance.md", tables.markdown(records, title))
        pages.write(pages.ROOT / "README.md", pages.short(tables.rows_of(records)))
    if given.markdown:
        print(tables.markdown(records, title))
    else:
        print(f"{title}; load before {before}, after {tables.load()}\n{tables.machine()}\n\n{tables.plain(records)}")
    troubles = [f"{r.ready.contestant.name}: {said}" for r in records for said in dict.fromkeys(r.troubles)]
    print("\n".join([*left_out, *troubles]), file=sys.stderr)
    sys.exit(1 if troubles else 0)


def _tell(progress: str) -> None:
    print(progress, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="names, with commas")
    parser.add_argument("--variant", choices=VARIANTS, default="faulty")
    parser.add_argument("--patience", type=float, default=0, help="seconds to wait for a quiet machine before each run")
    parser.add_argument("--python", action="append", default=[], help="another interpreter that has peers")
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "review-graph-big-table")
    parser.add_argument("--markdown", action="store_true", help="the table as docs/performance.md has it")
    parser.add_argument("--write", action="store_true", help="put it there, and its short form into README.md")
    parser.add_argument("--growth", action="store_true", help="ours alone: more rows, more checks")
    return parser.parse_args()


if __name__ == "__main__":
    main()
