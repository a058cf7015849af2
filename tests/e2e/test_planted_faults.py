"""What was planted is what a review finds: nothing missed, nothing invented."""

from __future__ import annotations

import datetime as dt
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from checks import Finding, adopt, choose_builtin, review_table
from checks.frame import Frame
from review_graph.adapters.sources.files import decode

DATA = Path(__file__).parents[2] / "data"
PROGRAM = DATA / "plant_faults.py"
TODAY = dt.date(2025, 1, 1)
ACCOUNTS: Mapping[str, Any] = {
    path.name.removesuffix(".faults.yaml"): yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((DATA / "faults").glob("*.faults.yaml"))
}
DATASETS = {path.stem: path for path in (DATA / "faults").iterdir() if path.suffix != ".yaml"}
FAULTS = {
    f"{name}-{number}-{fault['what']}": (name, fault)
    for name, account in ACCOUNTS.items()
    for number, fault in enumerate(account["faults"], start=1)
}

Subject = tuple[str, tuple[str, ...]]
"""Code and columns of a finding, the columns in the order of the alphabet."""


@cache
def review(path: Path) -> tuple[dict[Subject, list[int]], dict[Subject, str]]:
    """Rows and severities of all that is found in a file, by code and columns."""
    decoded = decode(path)
    table = adopt(decoded.frame, duplicate_columns=decoded.duplicate_columns, labels=decoded.labels)
    kept: dict[str, list[int]] = {}

    def keep(finding: Finding, offending: Frame) -> str:
        kept[finding.id] = offending.collect(backend="polars")[table.row].to_list()
        return "kept"

    result = review_table(table, choose_builtin(path.stem, table.columns), today=TODAY, sink=keep)
    assert all(finding.outcome == "failed" for finding in result.findings), "no check may crash"
    rows = {of(f): kept.get(f.id, [item.row for item in f.evidence]) for f in result.findings}
    assert len(rows) == len(result.findings)
    assert [len(rows[of(f)]) for f in result.findings] == [f.failed for f in result.findings]
    return rows, {of(finding): finding.severity.value for finding in result.findings}


def of(finding: Finding) -> Subject:
    return finding.code, tuple(sorted(finding.columns))


def recorded(account: Mapping[str, Any]) -> list[tuple[Subject, str, list[int]]]:
    """What the faults of an account must be found as, one entry for each fault and check."""
    return [
        ((found["code"], tuple(sorted(found["columns"]))), found["severity"], found["rows"])
        for fault in account["faults"]
        for found in fault["found_by"]
    ]


def test_each_dataset_has_an_account_and_each_account_a_dataset() -> None:
    assert DATASETS.keys() == ACCOUNTS.keys()


@pytest.mark.parametrize("name", ACCOUNTS)
def test_review_finds_exactly_what_was_planted(name: str) -> None:
    expected: dict[Subject, set[int]] = {}
    for subject, _, rows in recorded(ACCOUNTS[name]):
        expected.setdefault(subject, set()).update(rows)
    in_source, _ = review(DATA / ACCOUNTS[name]["source"])
    found, _ = review(DATASETS[name])
    left_from_source = {
        subject: rows for subject, rows in found.items() if subject not in expected and in_source.get(subject) == rows
    }
    assert found == {subject: sorted(rows) for subject, rows in expected.items()} | left_from_source


@pytest.mark.parametrize("name", ACCOUNTS)
def test_findings_are_as_severe_as_the_account_says(name: str) -> None:
    expected = {subject: severity for subject, severity, _ in recorded(ACCOUNTS[name])}
    _, found = review(DATASETS[name])
    assert {subject: found.get(subject) for subject in expected} == expected


@pytest.mark.parametrize(("name", "fault"), FAULTS.values(), ids=FAULTS)
def test_planted_fault_is_found(name: str, fault: Mapping[str, Any]) -> None:
    found, _ = review(DATASETS[name])
    for subject, _, rows in recorded({"faults": [fault]}):
        assert set(rows) <= set(found[subject])


def test_harmless_changes_are_planted_too() -> None:
    harmless = [fault for _, fault in FAULTS.values() if fault["what"].startswith("harmless")]
    assert len(harmless) >= 10
    assert [fault for _, fault in FAULTS.values() if not fault["found_by"]] == harmless


def plant(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - the project's own program
        [sys.executable, "-B", PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


def test_files_are_what_the_program_makes() -> None:
    result = plant("--check")
    assert (result.returncode, result.stderr) == (0, "")


def test_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("one", "other"):
        assert plant("--out", tmp_path / folder).returncode == 0
    one, other = ({p.name: p.read_bytes() for p in (tmp_path / folder).iterdir()} for folder in ("one", "other"))
    assert one == other
    assert one.keys() == {path.name for path in (DATA / "faults").iterdir()}


def test_check_names_the_files_that_differ(tmp_path: Path) -> None:
    shutil.copytree(DATA / "faults", tmp_path, dirs_exist_ok=True)
    with (tmp_path / "dm_empty.csv").open("a") as stream:
        stream.write("x")
    shutil.copy(DATA / "adsl.parquet", tmp_path / "adsl.parquet")
    (tmp_path / "dm_minor.csv").unlink()
    (tmp_path / "stray.csv").write_text("a\n")
    result = plant("--check", "--out", tmp_path)
    assert result.returncode == 1
    named = [line.split()[0] for line in result.stderr.splitlines()]
    assert named == ["adsl.parquet", "dm_empty.csv", "dm_minor.csv", "stray.csv"]
