"""Who takes part: one file a contestant, by hand first, then ours, then the peers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["hand", "ours", "peer"]
KeyUnit = Literal["failing", "more", "groups"]

PACKAGE: Final = "tests.benchmarks.big_table.contestants"


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """One way of doing the work.

    Attributes:
        name: What it is called in tables and after `--only`.
        module: Its file; has `run(path)`.
        kind: Written by hand for this file, ours, or a library for the purpose.
        needs: Distributions it needs; the version of the first is shown.
        rows: Which offending rows it gives.
        keys: What it counts of repeated keys: all failing rows, those beyond the distinct ones, or the groups.
    """

    name: str
    module: str
    kind: Kind
    needs: tuple[str, ...]
    rows: str
    keys: KeyUnit = "failing"


def _hand(name: str, *needs: str) -> Contestant:
    return Contestant(name=name, module=name.replace("-", "_"), kind="hand", needs=needs, rows="first 20")


def _ours(name: str, rows: str) -> Contestant:
    return Contestant(name=name, module=name.replace("-", "_"), kind="ours", needs=("review-graph",), rows=rows)


def _peer(name: str, rows: str, *needs: str, keys: KeyUnit = "failing") -> Contestant:
    module = f"peer_{name.replace('-', '_')}"
    return Contestant(name=name, module=module, kind="peer", needs=needs, rows=rows, keys=keys)


LINE_UP: Final = (
    _hand("hand-overlapped", "polars"),
    _hand("hand-one-pass", "polars"),
    _hand("hand-in-memory", "polars"),
    _hand("hand-collect-all", "polars"),
    _hand("hand-group-by", "polars"),
    _hand("duckdb-hash", "duckdb"),
    _hand("duckdb-exact", "duckdb"),
    _hand("pandas-hand", "pandas", "pyarrow"),
    _ours("ours", "first 20"),
    _ours("ours-every-check", "first 20"),
    _ours("ours-review", "all, in files"),
    _peer("patito", "none", "patito"),
    _peer("pandera-polars", "all", "pandera", "polars"),
    _peer("pointblank", "up to 500", "pointblank", "polars"),
    _peer("dataframely", "all", "dataframely", "polars"),
    _peer("cuallee", "none", "cuallee", "polars"),
    _peer("soda", "none", "soda-duckdb", "duckdb", keys="more"),
    _peer("pandera-pandas", "all", "pandera", "pandas", "pyarrow"),
    _peer("pointblank-pandas", "up to 500", "pointblank", "pandas", "pyarrow"),
    _peer("great-expectations", "first 20", "great-expectations", "pandas", "pyarrow"),
)
