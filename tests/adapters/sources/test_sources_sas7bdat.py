"""Two real SAS datasets, since nothing but SAS writes them; faults are put in where the content is known."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from review_graph.adapters.sources import decode
from review_graph.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMATS = Path(__file__).parents[3] / "data" / "formats"
EX, SPECIAL = FORMATS / "ex.sas7bdat", FORMATS / "special_missings.sas7bdat"


def changed(folder: Path, source: Path, changes: Mapping[bytes, bytes]) -> Path:
    """A copy with other bytes of the same length."""
    content = source.read_bytes()
    for old, new in changes.items():
        assert old in content
        assert len(old) == len(new)
        content = content.replace(old, new)
    path = folder / source.name
    path.write_bytes(content)
    return path


def test_text_and_numbers_are_read() -> None:
    table = decode(EX)
    frame = table.frame.collect()
    assert frame.shape == (159, 20)
    assert frame["EXTRT"].to_list()[:3] == ["STATIN", "PLACEBO", "STATIN"]
    assert frame["EXDOSE"].to_list()[:3] == [20.0, 0.0, 10.0]
    assert {frame[name].dtype for name in frame.columns} == {pl.String(), pl.Float64()}
    assert table.name == "EX"
    assert table.notes == ()


def test_special_missings_are_missing_and_counted_by_column_and_letter() -> None:
    table = decode(SPECIAL)
    frame = table.frame.collect()
    assert frame.row(0) == (*[None] * 8, 1.0)
    assert frame.schema == dict.fromkeys(frame.columns, pl.Float64())
    said = "var1 .A (1); var2 .B (1); var3 .C (1); var4 .X (1); var5 .Y (1); var6 .Z (1); var7 ._ (1)"
    assert table.notes == (f"Special missing values, taken as missing: {said}.",)


def test_a_sas_format_makes_a_date(tmp_path: Path) -> None:
    frame = decode(changed(tmp_path, EX, {b"BEST": b"DATE"}))
    days = frame.frame.collect()["EXSTDY"]
    assert days.dtype == pl.Date()
    assert days.to_list()[0] == dt.date(1960, 1, 2)


def test_text_in_another_encoding_than_declared_is_read_and_noted(tmp_path: Path) -> None:
    path = changed(tmp_path, EX, {b"STATIN": b"STAT\xe9N"})
    content = bytearray(path.read_bytes())
    content[70] = 20  # the code of UTF-8
    path.write_bytes(content)
    table = decode(path)
    assert table.frame.collect()["EXTRT"].to_list()[0] == "STATéN"
    assert table.notes == (
        "The text in the file is not in the encoding that it declares; it was read as Windows-1252 (cp1252).",
    )


@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.75, 0.999])
def test_a_cut_file_is_refused(tmp_path: Path, share: float) -> None:
    content = EX.read_bytes()
    path = tmp_path / "ex.sas7bdat"
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(InputError, match="is a truncated or damaged SAS dataset") as refused:
        decode(path)
    assert str(refused.value).isprintable()


def test_no_name_no_type_and_no_text_is_believed(tmp_path: Path) -> None:
    """Bytes of the page of metadata are changed in turn: it is a table or refused, whatever they say."""
    content = EX.read_bytes()
    meaning = [position for position, byte in enumerate(content) if byte]
    path = tmp_path / "ex.sas7bdat"
    outcomes: set[str] = set()
    for step, position in enumerate(meaning[:: max(1, len(meaning) // 300)]):
        path.write_bytes(content[:position] + bytes([step % 256]) + content[position + 1 :])
        outcomes.add(outcome(path))
    assert "a table" in outcomes
    assert all(said == "a table" or said.startswith(f"{path} ") for said in outcomes)
    assert all(said.isprintable() for said in outcomes)
    assert len(outcomes) > 1


def outcome(path: Path) -> str:
    try:
        decode(path).frame.collect()
    except InputError as refused:
        return str(refused)
    return "a table"
