"""What it costs to keep small groups from coming out, as questions of the tools.

python -m tests.benchmarks.disclosure [--questions 100] [--rows 10000000] [--seed 1]

*Ordinary*: all questions by arm, sex and band of age on the shipped ADSL. *Free*: random conditions on eight variables
of 300 subjects, every other one for the counts of several groups. *Long*: a table of so many rows, 20 a subject: the
first question of it, those that follow, and conditions that are looked at in all their subsets.
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import resource
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.optimize  # noqa: F401 - half a second, once a process, is no cost of a question

from checks.vocabulary import canonical
from review_graph.adapters.in_memory import MemoryLedgers
from review_graph.tools.clinical import BAND_ENDS, BAND_STARTS
from review_graph.tools.disclosing import disclosure_of
from review_graph.tools.matter import Matter
from review_graph.tools.toolbox import Toolbox
from tests.tools.matters import ADSL, matter_of

K = 5
SUBJECTS = 300
RECORDS = 20
"""Rows of a subject of the long table."""

Question = tuple[str, dict[str, Any]]


class Asked:
    """A dataset of which nothing was told yet, and how long its answers take."""

    def __init__(self, data: pl.DataFrame | Path, name: str) -> None:
        self._ledgers, self._name = MemoryLedgers(), name
        self._toolbox = Toolbox(self._matter(data))
        self.seconds: list[float] = []
        self.refused = 0

    def ask(self, question: Question) -> float:
        """Ask, and return the seconds that it took."""
        begun = time.perf_counter()
        told = self._toolbox.call(*question)
        self.seconds.append(time.perf_counter() - begun)
        self.refused += not told.ok
        if not told.ok and "NotAnswered" not in told.text:
            raise SystemExit(f"{question}: {told.text}")
        return self.seconds[-1]

    @property
    def ledger_bytes(self) -> int:
        """Size of all entries."""
        return sum(len(canonical(entry.to_plain())) for entry in self._ledgers.disclosed(self._name).entries)

    def report(self, title: str) -> None:
        """Print the spread."""
        tenths = statistics.quantiles(self.seconds, n=10)
        print(
            f"{title:<40} {len(self.seconds):4} questions   {tenths[0] * 1e3:8.1f} {tenths[4] * 1e3:8.1f} "
            f"{tenths[8] * 1e3:8.1f} {max(self.seconds) * 1e3:8.1f} ms   {self.refused} refused"
        )

    def _matter(self, data: pl.DataFrame | Path) -> Matter:
        return matter_of(
            data,
            self._name,
            can_query=True,
            disclosure=lambda table, dataset: disclosure_of(
                table, dataset, self._ledgers, k=K, clock=lambda: dt.datetime.now(dt.UTC)
            ),
        )


def ordinary() -> list[Question]:
    """By arm, sex and band of age, or any of them."""
    arms: list[str | None] = [None, *sorted(pl.read_parquet(ADSL)["TRT01A"].unique())]
    bands = [(None, None), *zip(BAND_STARTS, BAND_ENDS, strict=True)]
    return [
        ("count_subjects", {"arm": arm, "sex": sex, "age_min": band[0], "age_max": band[1]})
        for arm, sex, band in itertools.product(arms, (None, "F", "M"), bands)
    ]


def free(questions: int, seed: int) -> list[Question]:
    """One to three conditions; for one count, and for those of the values of one more variable."""
    draw = np.random.default_rng(seed)
    asked: list[Question] = []
    for number in range(questions):
        *named, by = draw.permutation(8)[: draw.integers(2, 5)]
        limits = [(f"V{one}", str(draw.choice(["=", "<=", ">="])), int(draw.integers(4))) for one in named]
        if number % 2:
            where = " AND ".join(f"{column} {op} {value}" for column, op, value in limits)
            query = f"SELECT V{by}, COUNT(*) FROM free WHERE {where} GROUP BY V{by}"  # noqa: S608 - nobody's input
            asked.append(("sql", {"query": query}))
        else:
            filters = [{"column": column, "op": op, "value": value} for column, op, value in limits]
            asked.append(("count_rows", {"filter": filters}))
    return asked


def few_variables(seed: int) -> pl.DataFrame:
    """Eight variables of four values each."""
    draw = np.random.default_rng(seed)
    values = {f"V{number}": draw.choice(4, SUBJECTS, p=[0.5, 0.3, 0.15, 0.05]) for number in range(8)}
    return pl.DataFrame({"USUBJID": [f"S{number:04}" for number in range(SUBJECTS)], **values})


def long(rows: int, seed: int, path: Path) -> Path:
    """Write a table with many rows of a subject; in portions, so that the peak of memory is that of the questions."""
    row = pl.col("row")
    subject = row // RECORDS
    pl.LazyFrame({"row": pl.int_range(rows, eager=True)}).select(
        USUBJID=subject.cast(pl.String),
        TRTA=(subject % 3).replace_strict({0: "Placebo", 1: "Low Dose", 2: "High Dose"}),
        SEX=(subject % 2).replace_strict({0: "F", 1: "M"}),
        VISIT=pl.format("Week {}", row % RECORDS),
        AVAL=row.hash(seed) % 1_000 / 10 + 80,
    ).sink_parquet(path)
    return path


def ask_long(asked: Asked) -> None:
    """Print what questions of a long table cost, each asked once."""
    conditions = [
        {"column": "SEX", "op": "=", "value": "F"},
        {"column": "AVAL", "op": ">=", "value": 120},
        {"column": "VISIT", "op": "!=", "value": "Week 3"},
        {"column": "TRTA", "op": "=", "value": "Placebo"},
    ]
    query = "SELECT TRTA, COUNT(*), AVG(AVAL) FROM long WHERE AVAL >= 110 GROUP BY TRTA"
    questions: dict[str, Question] = {
        "the first question": ("count_rows", {"filter": []}),
        "three counts": ("value_counts", {"column": "TRTA"}),
        **{
            f"{number} condition{'s' if number > 1 else ''}": ("count_rows", {"filter": conditions[:number]})
            for number in range(1, 5)
        },
        "SQL: three groups, two aggregates": ("sql", {"query": query}),
    }
    for title, question in questions.items():
        before = asked.ledger_bytes
        seconds = asked.ask(question)
        print(f"  {title:<38} {seconds:7.2f} s   ledger +{(asked.ledger_bytes - before) / 2**20:.2f} MB")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=100, help="with free conditions")
    parser.add_argument("--rows", type=int, default=10_000_000, help="of the long table")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    print(f"{'':<40} {'':>14}   {'1 in 10':>8} {'median':>8} {'9 in 10':>8} {'longest':>8}")
    kinds: dict[str, tuple[Asked, list[Question]]] = {
        "ordinary, 306 subjects": (Asked(ADSL, "adsl"), ordinary()),
        f"free, {SUBJECTS} subjects": (
            Asked(few_variables(given.seed), "free"),
            free(given.questions, given.seed),
        ),
    }
    for title, (asked, questions) in kinds.items():
        for question in questions:
            asked.ask(question)
        asked.report(title)
    with tempfile.TemporaryDirectory() as folder:
        path = long(given.rows, given.seed, Path(folder) / "long.parquet")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begun = time.perf_counter()
        asked = Asked(path, "long")
        seconds = time.perf_counter() - begun
        print(f"long, {given.rows:,} rows, {given.rows // RECORDS:,} subjects: opened in {seconds:.2f} s")
        ask_long(asked)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"  peak memory {peak / 2**20:.2f} GB, of which {before / 2**20:.2f} GB before it was opened")


if __name__ == "__main__":
    main()
