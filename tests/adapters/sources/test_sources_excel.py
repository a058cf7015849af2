from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
import xlsxwriter

from checks import review_table
from review_graph.adapters.sources import decode, find_tables
from review_graph.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from review_graph.ports import Decoded

ERROR = "=NA()"


def write(path: Path, sheets: Mapping[str, Sequence[Sequence[Any]]]) -> Path:
    formats = {dt.datetime: "yyyy-mm-dd hh:mm:ss", dt.date: "yyyy-mm-dd", dt.time: "hh:mm:ss", dt.timedelta: "[h]:mm"}
    with xlsxwriter.Workbook(path) as book:
        styles = {kind: book.add_format({"num_format": shown}) for kind, shown in formats.items()}
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                for position, cell in enumerate(row):
                    if cell == ERROR:
                        sheet.write_formula(number, position, cell, None, "#N/A")
                    elif isinstance(cell, str) and cell.startswith("="):
                        sheet.write_formula(number, position, cell, None, 42)
                    elif isinstance(cell, str):
                        sheet.write_string(number, position, cell)
                    elif cell is not None:
                        sheet.write(number, position, cell, styles.get(type(cell)))
    return path


def sheet(folder: Path, *rows: Sequence[Any], **others: Sequence[Sequence[Any]]) -> Decoded:
    return decode(write(folder / "x.xlsx", {"DM": rows, **others}))


DAY, MOMENT = dt.date(2020, 1, 2), dt.datetime(2020, 1, 2, 3, 4, 5)  # noqa: DTZ001 - Excel has no zone


@pytest.mark.parametrize(
    ("cells", "dtype", "expected"),
    [
        pytest.param(["007", " x ", None, "NA"], pl.String(), ["007", " x ", "", "NA"], id="text as it is"),
        pytest.param([1.5, None, 3], pl.Float64(), [1.5, None, 3.0], id="numbers"),
        pytest.param([True, False, None], pl.Boolean(), [True, False, None], id="truth values"),
        pytest.param([DAY, None], pl.Date(), [DAY, None], id="dates"),
        pytest.param([MOMENT, None], pl.Datetime("us"), [MOMENT, None], id="datetimes"),
        pytest.param(
            [MOMENT, dt.datetime(2020, 1, 2)],  # noqa: DTZ001 - the same
            pl.Datetime("us"),
            [MOMENT, dt.datetime(2020, 1, 2)],  # noqa: DTZ001 - the same
            id="a datetime at midnight",
        ),
        pytest.param([dt.time(3, 4, 5)], pl.Time(), [dt.time(3, 4, 5)], id="times"),
        pytest.param(["=6*7"], pl.Float64(), [42.0], id="what a formula gave"),
        pytest.param([None], pl.String(), [""], id="nothing"),
    ],
)
def test_columns_are_what_their_cells_are(
    tmp_path: Path, cells: list[Any], dtype: pl.DataType, expected: list[Any]
) -> None:
    table = sheet(tmp_path, ["ID", "V"], *([f"S{number}", cell] for number, cell in enumerate(cells)))
    frame = table.frame.collect()
    assert frame["V"].dtype == dtype
    assert frame["V"].to_list() == expected
    assert table.notes == ()


@pytest.mark.parametrize(
    ("cells", "expected", "words"),
    [
        pytest.param(["<5", 7, 0.25], ["<5", "7", "0.25"], "numbers and text", id="numbers and text"),
        pytest.param([DAY, "UNK"], ["2020-01-02", "UNK"], "dates and text", id="dates and text"),
        pytest.param([True, 1], ["TRUE", "1"], "numbers and truth values", id="truth values and numbers"),
    ],
)
def test_a_column_that_mixes_is_text_and_noted(
    tmp_path: Path, cells: list[Any], expected: list[str], words: str
) -> None:
    table = sheet(tmp_path, ["V"], *([cell] for cell in cells))
    assert table.frame.collect()["V"].to_list() == expected
    assert table.notes == (f"V holds {words}; the column was read as text.",)


def test_durations_are_text(tmp_path: Path) -> None:
    table = sheet(tmp_path, ["V"], [dt.timedelta(hours=30)])
    assert table.frame.collect()["V"].to_list() == ["1 day, 6:00:00"]


def test_other_worksheets_are_named_and_empty_ones_are_not(tmp_path: Path) -> None:
    path = write(tmp_path / "x.xlsx", {"Cover": [], "DM": [["A"], [1]], "Codes": [["B"]], "Notes": [["C"]]})
    table = decode(path)
    assert table.frame.collect().to_dicts() == [{"A": 1.0}]
    assert table.notes == ("The worksheet 'DM' was read; not read: 'Codes', 'Notes'.",)


def test_errors_are_missing_and_named(tmp_path: Path) -> None:
    table = sheet(tmp_path, ["A", "B"], [1, ERROR], [2, 5], [ERROR, 6])
    assert table.frame.collect().to_dict(as_series=False) == {"A": [1.0, 2.0, None], "B": [None, 5.0, 6.0]}
    assert table.notes == ("2 cells hold an Excel error, taken as missing: B2 #N/A, A4 #N/A.",)


def test_a_table_may_begin_anywhere(tmp_path: Path) -> None:
    table = sheet(tmp_path, [], [None, "A", "B"], [None, 1, "x"], [None, 2, "y"])
    assert table.frame.collect().to_dict(as_series=False) == {"A": [1.0, 2.0], "B": ["x", "y"]}
    assert table.notes == ()


def test_empty_rows_between_others_count_and_lack_their_values(tmp_path: Path) -> None:
    table = sheet(tmp_path, ["A", "B"], [], [1, "x"], [], ["", ""], [5000, "y"])
    assert table.frame.collect().to_dict(as_series=False) == {
        "A": [None, 1.0, None, None, 5000.0],
        "B": ["", "x", "", "", "y"],
    }
    assert table.notes == ("3 empty rows between others were read as missing.",)
    fields = [{"name": "A", "constraints": {"maximum": 100}}, {"name": "B"}]
    found = review_table(table.frame, {"primaryKey": ["B"], "fields": fields}).findings
    rows = {finding.code: [item.row for item in finding.evidence] for finding in found}
    assert rows == {"ranges.outside_limits": [5], "structure.null_in_key": [1, 3, 4]}


def test_empty_rows_at_the_end_are_no_rows(tmp_path: Path) -> None:
    table = sheet(tmp_path, ["A", "B"], [1, "x"], ["", ""])
    assert table.frame.collect().to_dicts() == [{"A": 1.0, "B": "x"}]
    assert table.notes == ("1 empty row at the end was left out.",)


def test_names_that_repeat_or_lack_are_told(tmp_path: Path) -> None:
    table = sheet(tmp_path, ["A", None, "A", 2024], [1, 2, 3, 4])
    assert table.duplicate_columns == ("A",)
    assert table.frame.collect().to_dicts() == [{"": 2.0, "2024": 4.0}]
    assert table.notes == ("The header has no name for column 2.",)


def test_a_header_only_is_a_table(tmp_path: Path) -> None:
    assert sheet(tmp_path, ["A", "B"]).frame.collect().schema == {"A": pl.String, "B": pl.String}


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        pytest.param([], "has no worksheet with content", id="nothing"),
        pytest.param([["A", "A"], [1, 2]], "has no column whose name occurs only once", id="one name"),
    ],
)
def test_a_workbook_without_a_table_is_refused(tmp_path: Path, rows: list[list[Any]], found: str) -> None:
    with pytest.raises(InputError, match=found):
        sheet(tmp_path, *rows)


def test_a_workbook_that_is_open_in_excel_leaves_no_second_table(tmp_path: Path) -> None:
    write(tmp_path / "dm.xlsx", {"DM": [["A"], [1]]})
    (tmp_path / "~$dm.xlsx").write_bytes(b"\x05Anna")
    found = find_tables([str(tmp_path)])
    assert [path.name for path in found.tables] == ["dm.xlsx"]
    assert [path.name for path in found.skipped] == ["~$dm.xlsx"]
