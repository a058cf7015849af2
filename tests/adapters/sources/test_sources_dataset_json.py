from __future__ import annotations

import json
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from review_graph.adapters.sources import dataset_json, decode, find_tables
from review_graph.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from review_graph.ports import Decoded

DATA = Path(__file__).parents[3] / "data"


def described(name: str = "V", data_type: str = "string", **more: object) -> dict[str, Any]:
    return {"itemOID": f"IT.{name}", "name": name, "label": f"Label of {name}", "dataType": data_type, **more}


def document(columns: Sequence[object], rows: Sequence[object] | None, **more: object) -> dict[str, Any]:
    head = {"datasetJSONCreationDateTime": "2024-11-11T15:09:15", "datasetJSONVersion": "1.1.0", "name": "DM"}
    body = {} if rows is None else {"rows": list(rows)}
    return {**head, "records": len(rows or ()), "columns": list(columns), **more, **body}


def write(folder: Path, content: dict[str, Any], form: str = "json") -> Path:
    path = folder / f"x.{form}"
    if form == "ndjson":
        rows = content.pop("rows", [])
        path.write_text("".join(f"{json.dumps(line)}\n" for line in (content, *rows)), encoding="utf-8")
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


def column(folder: Path, values: Sequence[Any], **said: Any) -> Decoded:
    return decode(write(folder, document([described(**said)], [[value] for value in values])))


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_a_real_file_holds_what_its_xpt_twin_holds(form: str) -> None:
    """An integer is an integer here, and a 64-bit float there; nothing else differs."""
    twin, table = decode(DATA / "dm.xpt"), decode(DATA / "formats" / f"dm.{form}")
    frame = table.frame.collect()
    assert frame.schema["AGE"] == pl.Int64
    assert frame.with_columns(pl.col("AGE").cast(pl.Float64)).equals(twin.frame.collect())
    assert table.labels == twin.labels
    assert (table.name, table.key, table.notes) == ("DM", ("STUDYID", "USUBJID"), ())
    assert twin.name == "DM"


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_null_and_empty_text_stay_apart(tmp_path: Path, form: str) -> None:
    table = decode(write(tmp_path, document([described()], [["x"], [None], [""], [" é"]]), form))
    assert table.frame.collect()["V"].to_list() == ["x", None, "", " é"]


DATE, DATETIME, TIME = ({"data_type": name, "targetDataType": "integer"} for name in ("date", "datetime", "time"))


@pytest.mark.parametrize(
    ("said", "values", "expected"),
    [
        pytest.param({"data_type": "integer"}, [1, None, 2**53 + 1], [1, None, 2**53 + 1], id="integers"),
        pytest.param({"data_type": "integer"}, [1.0, 2], [1, 2], id="integers with a fraction of 0"),
        pytest.param({"data_type": "float"}, [1, 0.1, None], [1.0, 0.1, None], id="floats"),
        pytest.param({"data_type": "double"}, [1, 2], [1.0, 2.0], id="doubles without a fraction"),
        pytest.param({"data_type": "boolean"}, [True, None], [True, None], id="truth values"),
        pytest.param({"data_type": "URI"}, ["urn:x"], ["urn:x"], id="URI"),
        pytest.param(
            {"data_type": "decimal", "targetDataType": "decimal"},
            ["30.8983333232059", "1,000.10", "-2E-3", "", None],
            [Decimal("30.8983333232059"), Decimal("1000.10"), Decimal("-0.002"), None, None],
            id="decimals are exact",
        ),
        pytest.param({"data_type": "date"}, ["2014-03", "2014-03-01"], ["2014-03", "2014-03-01"], id="SDTM dates"),
        pytest.param(DATE, ["2014-03-01", "", None], [date(2014, 3, 1), None, None], id="ADaM dates"),
        pytest.param(
            {**DATE, "displayFormat": "DATE9."}, [19783, None], [date(2014, 3, 1), None], id="days since 1960"
        ),
        pytest.param(
            DATETIME,
            ["2014-03-01T08:30", "2014-03-01T08:30:15.25"],
            [datetime(2014, 3, 1, 8, 30), datetime(2014, 3, 1, 8, 30, 15, 250_000)],  # noqa: DTZ001 - there is no zone
            id="ADaM datetimes",
        ),
        pytest.param(DATETIME, [1709281815], [datetime(2014, 3, 1, 8, 30, 15)], id="seconds since 1960"),  # noqa: DTZ001 - the same
        pytest.param(TIME, ["08:30", "23:59:59"], [time(8, 30), time(23, 59, 59)], id="ADaM times"),
        pytest.param(
            {"data_type": "integer", "displayFormat": "DATE9."}, [19783], [date(2014, 3, 1)], id="a number with format"
        ),
        pytest.param(
            {"data_type": "float", "displayFormat": "TIME8."}, [30600.0], [time(8, 30)], id="a float with format"
        ),
        pytest.param({"data_type": "float", "displayFormat": "8.2"}, [1.5], [1.5], id="a format of numbers"),
    ],
)
def test_types_are_those_that_the_file_declares(
    tmp_path: Path, said: dict[str, Any], values: list[Any], expected: list[Any]
) -> None:
    table = column(tmp_path, values, **said)
    assert table.frame.collect()["V"].to_list() == expected
    assert table.notes == ()


@pytest.mark.parametrize(
    ("said", "dtype"),
    [
        pytest.param({"data_type": "string"}, pl.String(), id="text"),
        pytest.param({"data_type": "date"}, pl.String(), id="date as text"),
        pytest.param(DATE, pl.Date(), id="date"),
        pytest.param(DATETIME, pl.Datetime("us"), id="datetime"),
        pytest.param(TIME, pl.Time(), id="time"),
        pytest.param({"data_type": "integer"}, pl.Int64(), id="integer"),
        pytest.param({"data_type": "double"}, pl.Float64(), id="double"),
        pytest.param({"data_type": "decimal"}, pl.Decimal(38, 0), id="decimal"),
        pytest.param({"data_type": "boolean"}, pl.Boolean(), id="truth value"),
    ],
)
@pytest.mark.parametrize("values", [[], [None]], ids=["no rows", "no values"])
def test_nothing_has_a_type(tmp_path: Path, said: dict[str, Any], dtype: pl.DataType, values: list[None]) -> None:
    frame = column(tmp_path, values, **said).frame.collect()
    assert frame.schema == {"V": dtype}
    assert len(frame) == len(values)


@pytest.mark.parametrize(
    ("said", "values", "expected", "noted"),
    [
        pytest.param({"data_type": "integer"}, [1, "x"], ["1", "x"], "holds text and other values", id="mixed"),
        pytest.param({"data_type": "integer"}, [True, 1], ["true", "1"], "holds text and other", id="truth and number"),
        pytest.param({"data_type": "integer"}, ["1"], ["1"], "but holds text", id="text for integers"),
        pytest.param({"data_type": "integer"}, [1.5, 2], [1.5, 2.0], "numbers that are not whole", id="no integers"),
        pytest.param({"data_type": "integer"}, [2**70], [str(2**70)], "text and other values", id="too large"),
        pytest.param({"data_type": "string"}, [1], [1], "but holds numbers", id="numbers for text"),
        pytest.param({"data_type": "boolean"}, ["Y"], ["Y"], "but holds other values", id="text for truth values"),
        pytest.param({"data_type": "decimal"}, [0.1], [0.1], "JSON numbers in place of text", id="decimal as number"),
        pytest.param({"data_type": "decimal"}, ["1", "x"], ["1", "x"], "text that is no number", id="no decimal"),
        pytest.param({"data_type": "decimal"}, ["NaN"], ["NaN"], "text that is no number", id="not a number"),
        pytest.param({"data_type": "decimal"}, ["1e99"], ["1e99"], "more than 38 digits", id="long decimal"),
        pytest.param(
            DATE,
            ["2014-03", "2014-02-30", "2014-3-1", "2014-03-01", ""],
            ["2014-03", "2014-02-30", "2014-3-1", "2014-03-01", ""],
            "3 of 5 values that are no whole dates",
            id="partial and impossible dates",
        ),
        pytest.param(
            DATETIME,
            ["2014-03-01T08:30:00Z"],
            ["2014-03-01T08:30:00Z"],
            "1 of 1 values that are no whole datetimes",
            id="time zone",
        ),
        pytest.param(DATE, [0.5], [0.5], "1 value is not a date", id="half a day"),
        pytest.param({"data_type": "text"}, ["x"], ["x"], "which the standard does not have", id="unknown type"),
    ],
)
def test_values_that_do_not_fit_are_kept_and_noted(
    tmp_path: Path, said: dict[str, Any], values: list[Any], expected: list[Any], noted: str
) -> None:
    table = column(tmp_path, values, **said)
    assert table.frame.collect()["V"].to_list() == expected
    (note,) = table.notes
    assert note.startswith("V has the ")
    assert noted in note


@pytest.mark.parametrize(
    ("values", "expected", "notes"),
    [
        pytest.param([1, 2, 0.5, 3], [1.0, 2.0, 0.5, 3.0], 0, id="integers, then a fraction"),
        pytest.param([1, 2, "x", 3], ["1", "2", "x", "3"], 1, id="numbers, then text"),
        pytest.param([None, None, 1.5, 3], [None, None, 1.5, 3.0], 0, id="nothing, then numbers"),
    ],
)
def test_a_column_has_one_type_however_it_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: list[Any], expected: list[Any], notes: int
) -> None:
    monkeypatch.setattr(dataset_json, "ROWS_AT_ONCE", 2)
    content = document([described(data_type="double")], [[value] for value in values])
    table = decode(write(tmp_path, content, "ndjson"))
    assert table.frame.collect()["V"].to_list() == expected
    assert len(table.notes) == notes


def test_columns_of_one_name_are_left_out_and_named(tmp_path: Path) -> None:
    table = decode(write(tmp_path, document([described("A"), described("B"), described("A")], [["1", "2", "3"]])))
    assert table.duplicate_columns == ("A",)
    assert table.frame.collect().to_dicts() == [{"B": "2"}]
    assert table.labels == {"B": "Label of B"}


def test_metadata_without_rows_is_a_table_without_rows(tmp_path: Path) -> None:
    assert decode(write(tmp_path, document([described()], None))).frame.collect().schema == {"V": pl.String}


ONE = document([described()], [["x"]])


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        pytest.param(
            "x.json", {"fields": []}, "is JSON, but not Dataset-JSON: it has no datasetJSONVersion", id="spec"
        ),
        pytest.param("x.json", [{"a": 1}], "is JSON, but not Dataset-JSON", id="an array"),
        pytest.param("x.ndjson", {"event": 1}, "is JSON, but not Dataset-JSON", id="other lines"),
        pytest.param("x.json", ONE | {"datasetJSONVersion": "1.0.0"}, "of version 1.0.0, expected 1.1", id="old"),
        pytest.param("x.json", ONE | {"datasetJSONVersion": "1.10"}, "of version 1.10, expected 1.1", id="new"),
        pytest.param("x.json", ONE | {"datasetJSONVersion": 1.1}, "of version 1.1, expected 1.1", id="number"),
        pytest.param("x.json", ONE | {"records": 2}, "is truncated: it declares 2 records and holds 1", id="fewer"),
        pytest.param("x.json", ONE | {"records": 0}, "is damaged: it declares 0 records and holds 1", id="more"),
        pytest.param("x.json", ONE | {"records": True}, "is damaged: it declares True records", id="no number"),
        pytest.param("x.json", ONE | {"columns": []}, "without columns", id="no columns"),
        pytest.param("x.json", ONE | {"columns": [{"name": "A"}]}, "column 1 has no name or no dataType", id="no type"),
        pytest.param("x.json", ONE | {"columns": ["A"]}, "column 1 has no name", id="column is no object"),
        pytest.param(
            "x.json", ONE | {"columns": [described(), described("W")]}, "row 1 holds 1 values", id="too few values"
        ),
        pytest.param("x.json", ONE | {"rows": [{"V": "x"}]}, "row 1 holds no array", id="row is an object"),
        pytest.param("x.json", ONE | {"rows": {}}, "whose rows are no array", id="rows are no array"),
        pytest.param("x.json", ONE | {"rows": [[["x"]]]}, "an array or an object as a value of column V", id="nested"),
        pytest.param("x.json", ONE | {"rows": [["\ud800"]]}, "holds half a character in column V", id="surrogate"),
        pytest.param("x.ndjson", ONE, "is Dataset-JSON in one document, not NDJSON; rename it to x.json", id="form"),
        pytest.param(
            "x.json",
            document([described()] * 2, [["x", "y"]]),
            "has no column whose name occurs only once",
            id="no name is unique",
        ),
    ],
)
def test_what_is_not_dataset_json_is_refused_in_one_line(
    tmp_path: Path, name: str, content: object, found: str
) -> None:
    (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        decode(tmp_path / name)
    assert str(refused.value).startswith(str(tmp_path / name))
    assert found in str(refused.value)
    assert str(refused.value).isprintable()


TEXT = json.dumps(ONE)


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        pytest.param("x.json", TEXT[:-1], "is truncated or damaged JSON (Expecting ',' delimiter: line 1", id="cut"),
        pytest.param("x.json", TEXT + "\n[1]", "rename it to x.ndjson", id="lines in a .json"),
        pytest.param("x.ndjson", TEXT.replace("{", "{\n", 1), "rename it to x.json", id="a document in a .ndjson"),
        pytest.param("x.json", TEXT.replace('"x"', "NaN"), "is damaged JSON (NaN is no JSON)", id="NaN"),
        pytest.param("x.json", TEXT.replace('"x"', "[" * 100_000), "is damaged JSON (", id="deep"),
        pytest.param("x.json", TEXT.replace('"x"', "9" * 5000), "is damaged JSON (", id="very long number"),
        pytest.param("x.json", TEXT.replace('"x"', '"\udce9"'), "is not UTF-8 (byte 0xE9)", id="encoding"),
        pytest.param("x.json", "A,B\n1,2\n", "holds text, not Dataset-JSON", id="text"),
    ],
)
def test_what_is_no_json_is_refused_in_one_line(tmp_path: Path, name: str, content: str, found: str) -> None:
    (tmp_path / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as refused:
        decode(tmp_path / name)
    assert found in str(refused.value)
    assert str(refused.value).isprintable()


def test_a_byte_order_mark_and_pretty_print_are_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(ONE, indent=2).encode())
    assert decode(tmp_path / "x.json").frame.collect().to_dicts() == [{"V": "x"}]


def test_a_file_that_does_not_count_its_records_is_read_and_noted(tmp_path: Path) -> None:
    content = {name: value for name, value in ONE.items() if name != "records"}
    assert decode(write(tmp_path, content)).notes == (
        "The file does not say how many records it has, so that a cut cannot be noticed.",
    )


def test_a_line_that_is_lost_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path, document([described()], [["x"], ["y"]]), "ndjson")
    path.write_bytes(path.read_bytes().rsplit(b"\n", 2)[0] + b"\n")
    with pytest.raises(InputError, match="is truncated: it declares 2 records and holds 1"):
        decode(path)


def test_in_a_folder_only_what_begins_as_dataset_json_is_data(tmp_path: Path) -> None:
    write(tmp_path, ONE)
    for name, content in {"spec.json": '{"fields": []}', "events.ndjson": '{"event": 1}\n', "e.json": ""}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    for argument in (str(tmp_path), f"{tmp_path}/*"):
        found = find_tables([argument])
        assert [path.name for path in found.tables] == ["x.json"]
        assert [path.name for path in found.skipped] == ["e.json", "events.ndjson", "spec.json"]
    assert [path.name for path in find_tables([str(tmp_path / "spec.json")]).tables] == ["spec.json"]
