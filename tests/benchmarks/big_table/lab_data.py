"""Writes the big table, with planted faults and the truth about them beside it.

python -m tests.benchmarks.big_table.lab_data FILE [--rows 10000000] [--variant faulty] [--seed 8601]

The rows are those of a laboratory dataset as it is delivered: by subject, visit and parameter, 200 a subject, each
subject's age, sex and treatment the same throughout. USUBJID is in the order of site and subject, so the file is
not in the order of its key (PARAMCD stands before AVISITN there). `shuffled` is `faulty` in an order without any sense.
Written by Polars as it does by itself: zstd, statistics, row groups of 262 144 rows.

The truth follows from what was planted where; no check is run.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from tests.benchmarks.big_table.work import AGE, AVAL, CHECKS, SEX, SHOWN, TYPES, VARIANTS, Variant

Rows = np.ndarray[tuple[int], np.dtype[np.int64]]
Days = np.ndarray[tuple[int], np.dtype[np.datetime64]]

SEED: Final = 8601
CHUNK: Final = 1_000_000
ROW_GROUP: Final = 262_144
PER_SUBJECT: Final = 200
VISITS: Final = np.array([0, 2, 4, 6, 8, 12, 16, 20, 24, 26])
PARAMETERS: Final = tuple(
    "ALB ALP ALT AST BILI BUN CA CHOL CK CL CREAT GGT GLUC K PHOS PROT SODIUM TSH URATE VITB12".split()  # noqa: SIM905 - shorter
)
TREATMENTS: Final = ("Placebo", "Xanomeline Low Dose", "Xanomeline High Dose")
PER_SITE: Final = 500
DAY_0, DAYS = np.datetime64("2019-01-01"), 1800
FUTURE: Final = np.datetime64("2099-01-01")

SHARES: Final = {
    "faulty": {"AVAL given": 1e-3, "AVAL": 1e-4, "AGE": 1e-5, "SEX": 2.5e-6, "ADT": 3e-6, "LBDTC": 5e-3, "key": 1.2e-5},
    "heavy": {"AVAL given": 0.05, "AVAL": 0.1, "AGE": 1e-5, "SEX": 0.04, "ADT": 3e-6, "LBDTC": 0.1, "key": 0.01},
}
"""Which share of the rows fails a check; at least one row does, and one group of keys. Of `heavy` 30 % fail."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is planted where: rows are 0-based, in the order of `faulty`.

    Attributes:
        rows: By check, the rows that fail it, ascending.
        source: Rows of one key, the row they take their key from.
        copies: The rows that take it; a source may have two.
    """

    rows: dict[str, Rows]
    source: Rows
    copies: Rows


def make_plan(rows: int, variant: Variant, seed: int) -> Plan:
    """Draw the rows that will fail; no row fails two checks."""
    none = np.empty(0, dtype=np.int64)
    if variant == "clean":
        return Plan(rows=dict.fromkeys(CHECKS, none), source=none, copies=none)
    shares = SHARES["heavy" if variant == "heavy" else "faulty"]
    chance = np.random.default_rng([seed, 1])
    source, copies = _draw_keys(rows, max(4, round(rows * shares["key"])), chance)
    members = np.union1d(source, copies)
    planted = dict.fromkeys(CHECKS, none) | {"key": members}
    wanted = {check: max(1, round(rows * share)) for check, share in shares.items() if check != "key"}
    drawn = chance.choice(rows, sum(wanted.values()) + len(members), replace=False)
    free = drawn[~np.isin(drawn, members)]
    for check, number in wanted.items():
        planted[check], free = np.sort(free[:number]), free[number:]
    return Plan(rows=planted, source=source, copies=copies)


def _draw_keys(rows: int, number: int, chance: np.random.Generator) -> tuple[Rows, Rows]:
    """Pairs of equal keys, half of them neighbours; the last group has three members."""
    blocks = chance.choice(rows // 2, number, replace=False) * 2
    apart = number // 4 * 2
    near = blocks[apart : apart + number // 4]
    source = np.concatenate([blocks[: apart // 2], near, blocks[:1]])
    copies = np.concatenate([blocks[apart // 2 : apart], near + 1, blocks[-1:]])
    return source, copies


def write(path: Path, rows: int, variant: Variant, seed: int = SEED) -> None:
    """Write the table and its truth."""
    plan = make_plan(rows, variant, seed)
    order: Rows | None = np.random.default_rng([seed, 2]).permutation(rows) if variant == "shuffled" else None
    parts: list[Path] = []
    for start in range(0, rows, CHUNK):
        parts.append(path.with_suffix(f".part{len(parts):04}"))
        _chunk(np.arange(start, min(start + CHUNK, rows)), rows, plan, seed).write_parquet(parts[-1], compression="lz4")
    table = pl.scan_parquet(parts)
    unfinished = path.with_suffix(".unfinished")
    if order is None:
        table.sink_parquet(unfinished, compression="zstd", row_group_size=ROW_GROUP)
    else:
        table.collect()[order].write_parquet(unfinished, compression="zstd", row_group_size=ROW_GROUP)
    for part in parts:
        part.unlink()
    path.with_suffix(".truth.json").write_text(json.dumps(truth(plan, rows, order), indent=1), encoding="utf-8")
    unfinished.rename(path)  # last, so that a file that is there is whole


def truth(plan: Plan, rows: int, order: Rows | None) -> dict[str, object]:
    """Say what is right to find: of each check the failing rows, and of the key its groups as well."""
    place = np.arange(rows) if order is None else np.argsort(order)
    checks: dict[str, dict[str, object]] = {}
    for check, failing in plan.rows.items():
        checks[check] = {"failing": len(failing), "first": _numbers(place[failing])}
    groups: dict[int, list[int]] = {}
    for source, copy in zip(plan.source.tolist(), plan.copies.tolist(), strict=True):
        groups.setdefault(source, [source]).append(copy)
    numbered = sorted(sorted((place[members] + 1).tolist()) for members in groups.values())
    checks["key"] |= {"groups": len(groups), "more": len(plan.copies), "first_groups": numbered[:SHOWN]}
    return {"rows": rows, "checks": checks}


def _numbers(rows: Rows) -> list[int]:
    numbers: list[int] = (np.sort(rows)[:SHOWN] + 1).tolist()
    return numbers


def _chunk(at: Rows, rows: int, plan: Plan, seed: int) -> pl.DataFrame:
    """Make some consecutive rows."""
    chance = np.random.default_rng([seed, 3, int(at[0])])
    subjects = _subjects(rows // PER_SUBJECT + 1, seed)
    subject, day = at // PER_SUBJECT, _days(at, subjects["start"].to_numpy())
    parameter = at % len(PARAMETERS)
    aval = np.round(np.exp(chance.normal(1.0 + parameter / 6.0, 0.5)), 2).clip(0.01, 999.0)
    aval[:2] = AVAL  # limits belong to what they limit
    age = subjects["AGE"].to_numpy()[subject]
    age[2:4] = AGE
    planted = {check: found[(found >= at[0]) & (found <= at[-1])] - at[0] for check, found in plan.rows.items()}
    age[planted["AGE"]] = -chance.integers(1, 99, len(planted["AGE"]))
    beyond = chance.uniform(1000.01, 9999.0, len(planted["AVAL"])).round(2)
    aval[planted["AVAL"]] = np.where(chance.random(len(beyond)) < 0.5, beyond, -beyond)
    adt = day.copy()
    adt[planted["ADT"]] = FUTURE + chance.integers(0, 300, len(planted["ADT"]))
    table = _keys(at, plan).with_columns(
        pl.Series("AVAL", aval),
        pl.Series("AGE", age),
        subjects["SEX"].gather(subject),
        pl.Series("ADT", adt.astype("datetime64[D]")),
        _dtc(day, planted["LBDTC"], chance).alias("LBDTC"),
        subjects["TRT01A"].gather(subject),
    )
    wrong_sex = pl.Series(chance.choice(["m", "f", "Male", "X"], len(planted["SEX"])), dtype=pl.String)
    table = table.with_columns(
        table["SEX"].scatter(planted["SEX"], wrong_sex), table["AVAL"].scatter(planted["AVAL given"], None)
    )
    return table.select(*TYPES)


def _subjects(number: int, seed: int) -> pl.DataFrame:
    chance = np.random.default_rng([seed, 4])
    return pl.DataFrame(
        {
            "AGE": chance.integers(18, 90, number),
            "SEX": chance.choice(SEX, number, p=[0.5, 0.499, 0.001]),
            "TRT01A": chance.choice(TREATMENTS, number),
            "start": DAY_0 + chance.integers(0, DAYS, number),
        }
    )


def _days(at: Rows, start: Days) -> Days:
    week = VISITS[at % PER_SUBJECT // len(PARAMETERS)]
    days: Days = (start[at // PER_SUBJECT] + 7 * week).astype("datetime64[D]")
    return days


def _keys(at: Rows, plan: Plan) -> pl.DataFrame:
    """The key of each row: a copy has that of its source."""
    here = (plan.copies >= at[0]) & (plan.copies <= at[-1])
    who = at.copy()
    who[plan.copies[here] - at[0]] = plan.source[here]
    subject, within = np.divmod(who, PER_SUBJECT)
    site, number = np.divmod(subject, PER_SITE)
    columns = pl.DataFrame({"site": 701 + site, "number": 1001 + number})
    return columns.select(
        pl.format("01-{}-{}", "site", "number").alias("USUBJID"),
        pl.Series("PARAMCD", np.array(PARAMETERS)[within % len(PARAMETERS)]),
        pl.Series("AVISITN", VISITS[within // len(PARAMETERS)]),
        pl.Series("LBSEQ", within + 1),
    )


def _dtc(day: Days, malformed: Rows, chance: np.random.Generator) -> pl.Series:
    """Collection dates as they come: with a time or without, partial, and malformed where planned."""
    second = chance.integers(6 * 3600, 20 * 3600, len(day))
    length = chance.choice([16, 10, 19, 7, 4], len(day), p=[0.5, 0.4, 0.06, 0.03, 0.01])
    moment = pl.Series("LBDTC", (day.astype("datetime64[s]") + second).astype("datetime64[ms]"))
    whole = moment.dt.to_string("%Y-%m-%dT%H:%M:%S")
    text = whole.to_frame().select(pl.col("LBDTC").str.head(pl.Series(length))).to_series()
    kind = pl.Series("kind", chance.integers(0, len(_MALFORMED), len(malformed)))
    wrong = whole.gather(malformed).to_frame().with_columns(kind)
    spelled = pl.coalesce(pl.when(pl.col("kind") == n).then(spelling) for n, spelling in enumerate(_MALFORMED))
    return text.scatter(malformed, wrong.select(spelled).to_series())


_DTC: Final = pl.col("LBDTC")
_MALFORMED: Final = (
    _DTC.str.head(10).str.replace_all("-", "", literal=True),  # 20220311
    _DTC.str.head(10).str.replace_all("-", "/", literal=True),  # 2022/03/11
    _DTC.str.head(5) + "13-" + _DTC.str.slice(8, 2),  # month 13
    _DTC.str.head(8) + "32",  # day 32
    _DTC.str.head(10) + " " + _DTC.str.slice(11, 5),  # a blank for the T
    _DTC.str.head(10) + "T25:" + _DTC.str.slice(14, 2),  # hour 25
    _DTC.str.slice(8, 2) + "MAR" + _DTC.str.head(4),  # 11MAR2022
    _DTC.str.head(7) + "-UN",  # day unknown, as it is written on paper
    pl.lit("UNK"),
)


def main() -> None:
    """Write one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--variant", choices=VARIANTS, default="faulty")
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    given.file.parent.mkdir(parents=True, exist_ok=True)
    write(given.file, given.rows, given.variant, given.seed)


if __name__ == "__main__":
    main()
