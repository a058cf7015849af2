"""Makes `faults/`: real datasets with planted faults, and beside each an account of what was planted.

    python data/plant_faults.py              writes the files
    python data/plant_faults.py --check      exits with 1 when the files are not what this program makes

The same seed gives the same bytes. The accounts say what a review must find. They follow from the planting and
from what the built-in specs say, never from a run of the checks; `tests/e2e/test_planted_faults.py` holds the
checks against them.
"""  # noqa: INP001 - a program, not a package

from __future__ import annotations

import argparse
import csv
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pyreadstat
import yaml
from adsl_faults import TEXT_COLUMNS, plant_adsl
from planting import Planter, Value, major, minor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DATA = Path(__file__).parent
SEED = 19970703


def plant_dm_minor(dm: dict[str, list[Value]]) -> Planter:
    """Plant two minor faults; everything else that looks odd is right."""
    planter = Planter(dm, SEED)
    planter.convert("harmless: leading zeros", "SUBJID", lambda text: str(text).zfill(6))
    planter.change("above 120", {"AGE": "130"}, minor("ranges.outside_limits", "AGE"))
    planter.change(
        "blank before", {"SITEID": lambda row: f" {row['SITEID']}"}, minor("structure.padded_text", "SITEID")
    )
    month = {"RFSTDTC": lambda row: str(row["RFENDTC"])[:7]}
    planter.change("harmless: the month in which it ended", month, where=lambda row: row["RFENDTC"] != "")
    return planter


def plant_dm_empty(dm: dict[str, list[Value]]) -> Planter:
    """Leave nothing but a header with a missing column; the caller writes RACE twice."""
    planter = Planter({name: [] for name in dm}, SEED)
    planter.shape("no records", {"from": f"{len(dm['USUBJID'])} rows", "to": "0 rows"}, major("structure.empty_table"))
    planter.drop("AGE", major("structure.missing_column", "AGE"))
    twice = major("structure.duplicate_column_name", "RACE")
    planter.shape("a column name twice", {"column": "RACE", "from": "once", "to": "twice"}, twice)
    return planter


def make() -> dict[str, bytes]:
    """Return the content of all files by name."""
    source = pl.read_parquet(DATA / "adsl.parquet")
    adsl = plant_adsl(source, SEED)
    dm = read_dm()
    dm_minor, dm_empty = plant_dm_minor(dm), plant_dm_empty(dm)
    return {
        "adsl.parquet": parquet_bytes(adsl, source.schema),
        "adsl.faults.yaml": account(adsl, "adsl.parquet", "paused"),
        "dm_minor.csv": csv_bytes(list(dm_minor.columns), list(zip(*dm_minor.columns.values(), strict=True))),
        "dm_minor.faults.yaml": account(dm_minor, "dm.xpt", "minor"),
        "dm_empty.csv": csv_bytes([*dm_empty.columns, "RACE"], []),
        "dm_empty.faults.yaml": account(dm_empty, "dm.xpt", "paused"),
    }


def read_dm() -> dict[str, list[Value]]:
    """Return DM as text, as it stands in a CSV file."""
    frame, _ = pyreadstat.read_xport(str(DATA / "dm.xpt"))
    return {name: [_text(value) for value in frame[name].tolist()] for name in frame.columns}


def _text(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return "" if value != value else f"{value:g}"  # noqa: PLR0124 - NaN is what differs from itself


def parquet_bytes(planter: Planter, source: Mapping[str, pl.DataType]) -> bytes:
    """Return a table as Parquet; columns keep the type they had, unless the planting changed it."""
    changed: dict[str, pl.DataType] = {**dict.fromkeys(TEXT_COLUMNS, pl.String()), "RANDDT": pl.Float64()}
    types = {name: changed.get(name) or source.get(name) or pl.String() for name in planter.columns}
    buffer = io.BytesIO()
    pl.DataFrame(planter.columns, schema=types).write_parquet(buffer)
    return buffer.getvalue()


def csv_bytes(header: Sequence[str], rows: Sequence[Sequence[Value]]) -> bytes:
    """Return a table as CSV in UTF-8."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue().encode()


def account(planter: Planter, source: str, ending: str) -> bytes:
    """Return the account of what was planted, as YAML."""
    content = {"source": source, "seed": SEED, "ending": ending, "faults": planter.faults}
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
    return f"# Made by plant_faults.py, which says more; rows are counted from 1.\n{text}".encode()


def differing(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """Name the files that are absent or not as they should be, and those that should not be there."""
    here = {path.name for path in folder.iterdir()}
    wrong = [name for name in files if name not in here or not _same(folder / name, files[name])]
    return sorted([*wrong, *(here - files.keys())])


def _same(path: Path, wanted: bytes) -> bool:
    """Compare bytes; Parquet by its values and types, since another version of Polars may pack them otherwise."""
    if path.suffix != ".parquet":
        return path.read_bytes() == wanted
    found, expected = pl.read_parquet(path), pl.read_parquet(wanted)
    return found.schema == expected.schema and found.equals(expected)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files, or check them; return the exit code."""
    parser = argparse.ArgumentParser(description="Plant faults in real datasets.")
    parser.add_argument("--check", action="store_true", help="compare with the files on disk and write nothing")
    parser.add_argument("--out", type=Path, default=DATA / "faults", help="folder of the files (default: %(default)s)")
    given = parser.parse_args(arguments)
    files = make()
    if given.check:
        wrong = differing(given.out, files)
        sys.stderr.writelines(f"{name} is not what plant_faults.py makes: run it again\n" for name in wrong)
        return 1 if wrong else 0
    given.out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (given.out / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
