"""The shipped datasets end as their README says, and each has an origin and a licence."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import polars as pl
import pytest
import yaml

from checks import load_spec, review_table
from checks.registry import codes
from review_graph import ReviewService, Settings, Status, build
from review_graph.adapters.sources.files import decode
from review_graph.adapters.sources.formats import is_recognised

DATA = Path(__file__).parents[2] / "data"
README = (DATA / "README.md").read_text(encoding="utf-8")
LICENSES = (DATA / "LICENSES.md").read_text(encoding="utf-8")
SITES, SITES_SPEC = DATA / "sites.csv", DATA / "specs" / "sites.yaml"
TODAY = dt.date(2025, 1, 1)
ROW = re.compile(
    r"^\| `(?P<file>[^`]+)` \| (?P<what>[^|]+) \| (?P<origin>[^|]+) \| (?P<licence>[^|]+) \| (?P<ending>\w+) \|$",
    re.MULTILINE,
)
TABLE = {match["file"]: match for match in ROW.finditer(README)}
SUMMARISED_AS = {"none": "clean", "minor": "minor"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> ReviewService:
    folder = tmp_path_factory.mktemp("reviews")
    return build(Settings(db=str(folder / "reviews.sqlite"), out=folder / "out", cache=folder / "cache"))


def ending(service: ReviewService, path: Path, spec: Path | None = None) -> str:
    review = service.start(path, spec)
    if review.status is Status.SUMMARISED:
        return SUMMARISED_AS[review.triage.severity.value]
    return review.status.value


def test_readme_lists_the_datasets_that_are_there() -> None:
    there = {path.relative_to(DATA).as_posix() for path in DATA.rglob("*") if is_recognised(path)}
    assert TABLE.keys() == there


@pytest.mark.parametrize("file", TABLE)
def test_dataset_ends_as_the_readme_says(service: ReviewService, file: str) -> None:
    assert ending(service, DATA / file) == TABLE[file]["ending"]


def test_all_endings_are_shown() -> None:
    assert {match["ending"] for match in TABLE.values()} == {"clean", "minor", "paused"}


@pytest.mark.parametrize("file", [file for file in TABLE if file.startswith("faults/")])
def test_account_and_readme_agree_on_the_ending(file: str) -> None:
    account = (DATA / file).with_suffix(".faults.yaml").read_text(encoding="utf-8")
    assert yaml.safe_load(account)["ending"] == TABLE[file]["ending"]


@pytest.mark.parametrize("file", TABLE)
def test_dataset_has_an_origin_and_stands_under_its_licence(file: str) -> None:
    assert TABLE[file]["origin"].strip()
    sections = dict(section.partition("\n")[::2] for section in LICENSES.split("\n## ")[1:])
    listed_under = [licence for licence, text in sections.items() if f"`{file}`" in text]
    assert listed_under == [TABLE[file]["licence"]]
    assert ("changed" in TABLE[file]["origin"]) == file.startswith("faults/")


def test_licence_texts_travel_with_the_files() -> None:
    assert "Permission is hereby granted, free of charge" in LICENSES
    assert "Apache License" in (DATA.parent / "LICENSE").read_text(encoding="utf-8")


def test_example_table_is_clean_with_its_spec_and_without(service: ReviewService) -> None:
    assert ending(service, SITES, SITES_SPEC) == "clean"
    assert ending(service, SITES) == "clean"


FAULTS = {
    "site-without-zero": ("site", "101", "structure.pattern_mismatch"),
    "site-missing": ("site", "", "structure.null_in_key"),
    "site-twice": ("site", "0102", "structure.duplicate_key"),
    "country-not-listed": ("country", "NAM", "ranges.not_in_codelist"),
    "country-missing": ("country", "", "structure.missing_values"),
    "city-twice": ("city", "Chur", "structure.duplicate_key"),
    "city-too-short": ("city", "W", "structure.length_outside_limits"),
    "city-padded": ("city", "Windhoek ", "structure.padded_text"),
    "opened-no-date": ("opened", "14.03.2023", "structure.wrong_type"),
    "opened-too-early": ("opened", "2022-12-31", "ranges.outside_limits"),
    "opened-in-the-future": ("opened", "2025-01-02", "ranges.outside_limits"),
    "closed-before-opened": ("closed", "2023-03-13", "ranges.rule.opened-before-closed"),
    "too-warm-for-a-fridge": ("temperature_c", "20", "ranges.outside_limits"),
    "more-than-planned": ("enrolled", "25", "ranges.rule.enrolled-as-planned"),
    "half-a-patient": ("enrolled", "11.5", "structure.wrong_type"),
    "closed-without-date": ("status", "closed", "ranges.rule.closed-has-date"),
    "planned-with-patients": ("status", "planned", "ranges.rule.planned-is-empty"),
}


@pytest.mark.parametrize(("column", "value", "code"), FAULTS.values(), ids=FAULTS)
def test_example_spec_sees(column: str, value: str, code: str) -> None:
    sites = decode(SITES).frame.with_row_index()
    first = pl.when(pl.col("index") == 0).then(pl.lit(value)).otherwise(pl.col(column)).alias(column)
    result = review_table(sites.with_columns(first).drop("index"), SITES_SPEC, today=TODAY)
    assert {finding.code for finding in result.findings} >= {code}
    rows = {item.row for finding in result.findings if finding.code == code for item in finding.evidence}
    assert 1 in rows


def test_example_spec_sees_two_leading_sites() -> None:
    sites = decode(SITES).frame.with_columns(lead=pl.lit("Y"))
    findings = review_table(sites, SITES_SPEC, today=TODAY).findings
    assert [(finding.code, finding.groups) for finding in findings] == [("ranges.rule.one-lead", 5)]


def test_example_spec_names_checks_that_exist() -> None:
    assert load_spec(SITES_SPEC).checks.keys() <= set(codes())
