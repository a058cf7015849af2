from __future__ import annotations

from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd
import polars as pl
import pyreadstat
import pytest

from review_graph.adapters.sources import decode
from review_graph.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

COLUMNS: dict[str, list[Any]] = {"SUBJ": ["01-001", "", "  x"], "AGE": [64.0, None, 0.1]}


def write(
    path: Path, columns: Mapping[str, Sequence[object]], version: Literal[5, 8] = 5, **options: Mapping[str, str]
) -> Path:
    pyreadstat.write_xport(pd.DataFrame(columns), path, table_name="DM", file_format_version=version, **options)  # type: ignore[arg-type]
    return path


@pytest.mark.parametrize("version", [5, 8])
def test_text_numbers_and_labels_are_read(tmp_path: Path, version: Literal[5, 8]) -> None:
    table = decode(write(tmp_path / "dm.xpt", COLUMNS, version, column_labels={"SUBJ": "Subject"}))
    frame = table.frame.collect()
    assert frame.to_dict(as_series=False) == {"SUBJ": ["01-001", "", "  x"], "AGE": [64.0, None, 0.1]}
    assert frame.schema == {"SUBJ": pl.String, "AGE": pl.Float64}
    assert table.labels == {"SUBJ": "Subject"}
    assert table.notes == ()


@pytest.mark.parametrize("version", [5, 8])
def test_no_rows_keep_their_types(tmp_path: Path, version: Literal[5, 8]) -> None:
    empty = {"SUBJ": pd.Series([], dtype="str"), "AGE": pd.Series([], dtype="float64")}
    path = tmp_path / "dm.xpt"
    pyreadstat.write_xport(pd.DataFrame(empty), path, file_format_version=version)
    frame = decode(path).frame.collect()
    assert frame.shape == (0, 2)
    assert frame.schema == {"SUBJ": pl.String, "AGE": pl.Float64}


@pytest.mark.parametrize(
    ("sas_format", "values", "expected"),
    [
        pytest.param(
            "DATE9.", [-1.0, 0.0, 21915.0], [date(1959, 12, 31), date(1960, 1, 1), date(2020, 1, 1)], id="DATE"
        ),
        pytest.param("E8601DA10.", [21915.0], [date(2020, 1, 1)], id="E8601DA"),
        pytest.param("yymmdd10.", [21915.0, None], [date(2020, 1, 1), None], id="missing"),
        pytest.param("DATE9.", [2936549.0], [date.max], id="last day"),
        pytest.param(
            "DATETIME20.",
            [1893467045.25, -0.5],
            [datetime(2020, 1, 1, 3, 4, 5, 250_000), datetime(1959, 12, 31, 23, 59, 59, 500_000)],  # noqa: DTZ001 - SAS has no zone
            id="DATETIME",
        ),
        pytest.param("TIME8.", [0.0, 86399.0], [time(0, 0), time(23, 59, 59)], id="TIME"),
        pytest.param("BEST12.", [21915.0], [21915.0], id="a number"),
    ],
)
def test_sas_formats_make_dates(tmp_path: Path, sas_format: str, values: list[Any], expected: list[Any]) -> None:
    path = write(tmp_path / "dm.xpt", {"V": values}, 8, variable_format={"V": sas_format})
    table = decode(path)
    assert table.frame.collect()["V"].to_list() == expected
    assert table.notes == ()


@pytest.mark.parametrize(
    ("sas_format", "values", "said"),
    [
        pytest.param("DATE9.", [21915.5, 1.0], "1 value is not a date", id="part of a day"),
        pytest.param("DATE9.", [1e9, 1e9], "2 values are not a date", id="after the year 9999"),
        pytest.param("DATETIME20.", [1e15], "1 value is not a datetime", id="datetime after the year 9999"),
        pytest.param("TIME8.", [90000.0, None], "1 value is not a time of day", id="a duration"),
    ],
)
def test_numbers_that_do_not_fit_their_format_stay_numbers(
    tmp_path: Path, sas_format: str, values: list[Any], said: str
) -> None:
    table = decode(write(tmp_path / "dm.xpt", {"V": values}, 8, variable_format={"V": sas_format}))
    assert table.frame.collect()["V"].to_list() == values
    assert len(table.notes) == 1
    assert said in table.notes[0]


def changed(path: Path, old: bytes, new: bytes) -> Path:
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    return path


def test_windows_1252_is_read_and_noted(tmp_path: Path) -> None:
    path = changed(write(tmp_path / "dm.xpt", {"A": ["cafX"]}), b"cafX", b"caf\xe9")
    table = decode(path)
    assert table.frame.collect()["A"].to_list() == ["café"]
    assert table.notes == ("The text in the file is not UTF-8; it was read as Windows-1252 (cp1252).",)


def test_variables_of_one_name_are_left_out_and_named(tmp_path: Path) -> None:
    path = changed(write(tmp_path / "dm.xpt", {"AA": ["x"], "AB": [1.0], "B": [2.0]}), b"AB      ", b"AA      ")
    table = decode(path)
    assert table.duplicate_columns == ("AA",)
    assert table.frame.collect().to_dicts() == [{"B": 2.0}]


def test_several_datasets_in_one_file_are_refused_by_name(tmp_path: Path) -> None:
    path, other = write(tmp_path / "dm.xpt", COLUMNS), tmp_path / "ae.xpt"
    pyreadstat.write_xport(pd.DataFrame(COLUMNS), other, table_name="AE", file_format_version=5)
    path.write_bytes(path.read_bytes() + other.read_bytes()[240:])
    with pytest.raises(InputError, match=r"holds 2 datasets \(DM, AE\), expected one; write each"):
        decode(path)


ROWS: dict[str, list[Any]] = {"A": [f"subject {number:03} " + "x" * 61 for number in range(20)], "N": [1.0] * 20}


@pytest.mark.parametrize("version", [5, 8])
def test_a_cut_file_is_refused_wherever_it_is_cut(tmp_path: Path, version: Literal[5, 8]) -> None:
    """Version 5 does not say how many rows it has; these are of 81 bytes, so that no row ends with a record."""
    whole = write(tmp_path / "dm.xpt", ROWS, version).read_bytes()
    path = tmp_path / "cut.xpt"
    without_rows = whole.index(b"subject 000")
    for size in range(1, len(whole) - 80):
        if version == 5 and size == without_rows:
            continue
        path.write_bytes(whole[:size])
        with pytest.raises(InputError):
            decode(path)


@pytest.mark.parametrize(
    ("size", "found"),
    [
        pytest.param(100, "is truncated: 100 bytes are no multiple of the 80-byte records", id="in a record"),
        pytest.param(480, "its headers are not complete", id="in the headers"),
        pytest.param(1200, "it ends within a row", id="in a row"),
    ],
)
def test_a_cut_file_says_where(tmp_path: Path, size: int, found: str) -> None:
    path = write(tmp_path / "dm.xpt", ROWS)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(InputError, match=found):
        decode(path)


def test_version_8_says_how_many_rows_there_should_be(tmp_path: Path) -> None:
    path = write(tmp_path / "dm.xpt", {"A": ["x" * 80] * 4}, 8)
    path.write_bytes(path.read_bytes()[:-160])
    with pytest.raises(InputError, match="it declares 4 rows and holds 2"):
        decode(path)


def test_a_format_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "dm.xpt", {"A": [1.0]}, variable_format={"A": "DATE9."})
    changed(path, b"DATE    ", b"\xe9ATE    ")
    with pytest.raises(InputError, match="a name or a format is not UTF-8"):
        decode(path)
