from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_graph.adapters.sources import decode
from review_graph.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from review_graph.ports import Decoded

CP1252_NOTE = "The file is not UTF-8 (line 3, byte 0x92 at offset 11); it was read as Windows-1252 (cp1252)."


def decoded(folder: Path, content: bytes, name: str = "x.csv") -> Decoded:
    path = folder / name
    path.write_bytes(content)
    return decode(path)


def blank_note(lines: str) -> str:
    return f"{lines} before or between rows left out; row numbers do not count such."


def rows(table: Decoded) -> list[tuple[str, ...]]:
    return table.frame.collect().rows()


@pytest.mark.parametrize(
    ("content", "names", "expected"),
    [
        pytest.param(b"A,B\n007,1.0\nNA,1\n", ["A", "B"], [("007", "1.0"), ("NA", "1")], id="nothing is guessed"),
        pytest.param(b"A,B\nA,B\n", ["A", "B"], [("A", "B")], id="a repeated header is a row"),
        pytest.param(b' A,B \n x," y "\n', [" A", "B "], [(" x", " y ")], id="blanks are kept"),
        pytest.param(b'A,B\n,""\n', ["A", "B"], [("", "")], id="empty fields are empty text"),
        pytest.param(b'A,B\n"1\n2","3\r\n4"\n5,6\n', ["A", "B"], [("1\n2", "3\r\n4"), ("5", "6")], id="line breaks"),
        pytest.param(b'"A ""x""",B\n"p ""q""",5" r\n', ['A "x"', "B"], [('p "q"', '5" r')], id="quotes in values"),
        pytest.param(b"A,B\r\n1,2\r\n", ["A", "B"], [("1", "2")], id="Windows line ends"),
        pytest.param(b"A,B\r1,2\r", ["A", "B"], [("1", "2")], id="old Macintosh line ends"),
        pytest.param(b"A,B\n1,2", ["A", "B"], [("1", "2")], id="no line end at the end"),
        pytest.param(b"\n\nA,B\n\n1,2\n\n", ["A", "B"], [("1", "2")], id="blank lines are no rows"),
        pytest.param(b"A\n1\n\n2\n", ["A"], [("1",), ("",), ("2",)], id="except in a table of one column"),
        pytest.param(b"A,B\n", ["A", "B"], [], id="a header only"),
        pytest.param(b"A,B", ["A", "B"], [], id="a header without a line end"),
        pytest.param(b"A,\n1,2\n", ["A", ""], [("1", "2")], id="a column without a name"),
        pytest.param(b"\xef\xbb\xbfA,B\n\xc3\xa9,2\n", ["A", "B"], [("é", "2")], id="UTF-8 with byte order mark"),
        pytest.param("A,B\né,2\n".encode("utf-16"), ["A", "B"], [("é", "2")], id="UTF-16"),
        pytest.param(b"A,B\n\xe9,\x80\n", ["A", "B"], [("é", "€")], id="Windows-1252"),
        pytest.param(b"A;B\n1,5;2\n", ["A", "B"], [("1,5", "2")], id="semicolons"),
        pytest.param(b'"A,C"|B\n1|2\n', ["A,C", "B"], [("1", "2")], id="delimiters in quotes do not count"),
    ],
)
def test_text_is_taken_as_it_stands(
    tmp_path: Path, content: bytes, names: list[str], expected: list[tuple[str, ...]]
) -> None:
    table = decoded(tmp_path, content)
    assert table.frame.collect_schema().names() == names
    assert rows(table) == expected


@pytest.mark.parametrize(
    ("name", "content", "notes"),
    [
        pytest.param("x.csv", b"A,B\n1,2\n", (), id="nothing to say"),
        pytest.param("x.tsv", b"A\tB,C,D\n1\t2\n", (), id="a tab in a TSV"),
        pytest.param("x.csv", b"A;B\n1;2\n", ("Fields are separated by semicolons, not by commas.",), id="semicolons"),
        pytest.param("x.csv", b"A\tB\n1\t2\n", ("Fields are separated by tabs, not by commas.",), id="tabs in a CSV"),
        pytest.param("x.tsv", b"A,B\n1,2\n", ("Fields are separated by commas, not by tabs.",), id="commas in a TSV"),
        pytest.param("x.csv", b"A,,B\n1,2,3\n", ("The header has no name for column 2.",), id="no name"),
        pytest.param("x.csv", b"A,B\n\n1,2\n\n\n3,4\n\n", (blank_note("3 blank lines"),), id="blank lines"),
        pytest.param("x.csv", b"A,B\r\n1,2\r\n\r\n3,4\r\n", (blank_note("1 blank line"),), id="blank, Windows"),
        pytest.param("x.csv", b"A,B\r1,2\r\r3,4\r", (blank_note("1 blank line"),), id="blank, old Macintosh"),
        pytest.param("x.csv", b'A,B\n1,"2\n\n2"\n\n3,4\n', (blank_note("1 blank line"),), id="blank and in quotes"),
        pytest.param("x.csv", b'A,B\n1,"2\n\n2"\n3,4\n', (), id="blank in quotes only"),
        pytest.param("x.csv", b"\n\nA,B\n1,2\n,\n\n\n", (), id="blank at both ends"),
        pytest.param("x.csv", b"A,B\n\n\n", (), id="nothing but blank lines below"),
        pytest.param("x.csv", b"A\n\n1\n", (), id="blank in one column"),
        pytest.param("x.csv", "A\né\n".encode("utf-16"), ("The file is UTF-16 text.",), id="UTF-16"),
        pytest.param(
            "x.csv",
            b"A,B\n01,2\nit\x92s,3\n",
            (CP1252_NOTE,),
            id="Windows-1252",
        ),
        pytest.param(
            "x.csv",
            b"A,B\n\xc3\xa9,2\nit\x92s,3\n",
            (f"{CP1252_NOTE} Other characters in it are valid UTF-8 and may be garbled here.",),
            id="two encodings",
        ),
    ],
)
def test_what_was_decided_is_noted(tmp_path: Path, name: str, content: bytes, notes: tuple[str, ...]) -> None:
    assert decoded(tmp_path, content, name).notes == notes


def test_columns_of_one_name_are_left_out_and_named(tmp_path: Path) -> None:
    table = decoded(tmp_path, b"A,B,A,C,,\n1,2,3,4,5,6\n")
    assert table.duplicate_columns == ("A", "")
    assert table.frame.collect().to_dicts() == [{"B": "2", "C": "4"}]
    assert table.notes == ("The header has no name for column 5, 6.",)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        pytest.param(b"\n \r\n", "nothing but blank lines", id="blank lines"),
        pytest.param(b"A,A\n1,2\n", "no column whose name occurs only once", id="no name is unique"),
        pytest.param(b'A,B\n1,"x', "a quotation mark on line 2", id="open quote, no line end"),
        pytest.param(b'A,B\n1,"x\n2,3\n', "a quotation mark on line 2", id="open quote swallows a row"),
        pytest.param(b'A,B\n1,"x\n', "a quotation mark on line 2", id="open quote in the last line"),
        pytest.param(b'A,B\n1,"x\n2,3\n4,"y\n', "a quotation mark on line 2", id="open quote closed by another"),
        pytest.param(b'\n"A,B\n1,2\n', "a quotation mark on line 2", id="open quote in the header"),
        pytest.param(
            b"A,B\n1,2\n3\n",
            "1 row with another number of fields than its header, which has 2 (line 3 has 1)",
            id="a field is missing",
        ),
        pytest.param(b'A,B\n"1\n\n",2\n\n3,4,5\n', "(line 6 has 3)", id="lines are counted as an editor does"),
        pytest.param(
            b"A,B\n" + b"1,2,3\n" * 5,
            "5 rows with another number of fields than its header, which has 2"
            " (line 2 has 3, line 3 has 3, line 4 has 3, …)",
            id="many rows",
        ),
        pytest.param(
            b"A,B\n1,\x81\n", "neither UTF-8 (line 2, byte 0x81 at offset 6) nor Windows-1252", id="no encoding fits"
        ),
        pytest.param(b"A,B\n\xc3\xa9,\xc3", "cut within its last character", id="cut within a character"),
        pytest.param("A,B\n1,2".encode("utf-16")[:-1], "UTF-16 text that is damaged", id="cut UTF-16"),
        pytest.param(b"A,B\n" + b"1,2\n" * 2000 + b"\x00,3\n", "a NUL byte (line 2002)", id="NUL far down"),
    ],
)
def test_text_that_is_no_table_is_refused_in_one_line(tmp_path: Path, content: bytes, found: str) -> None:
    with pytest.raises(InputError) as refused:
        decoded(tmp_path, content)
    assert found in str(refused.value)
    assert str(refused.value).startswith(f"{tmp_path / 'x.csv'} ")
    assert "\n" not in str(refused.value)


def test_a_row_longer_than_a_block_is_read(tmp_path: Path) -> None:
    long = "x" * 3_000_000
    assert rows(decoded(tmp_path, f'A,B\n"{long}",1\n2,3\n'.encode())) == [(long, "1"), ("2", "3")]


def test_many_columns_are_not_cut_into_chunks_of_a_few_values(tmp_path: Path) -> None:
    width, height = 2_000, 500
    header = ",".join(f"C{number}" for number in range(width))
    content = "\n".join([header, *[",".join(["1.25"] * width)] * height])
    table = decoded(tmp_path, content.encode()).frame.collect()
    assert (table.shape, table.n_chunks()) == ((height, width), 1)


def test_an_open_quote_in_a_long_text_is_found(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a quotation mark on line 3 "):
        decoded(tmp_path, b'A,B\n1,2\n1,"x\n' + b"1,2\n" * 600_000)


VALUES = st.text(alphabet=st.sampled_from('ab0 ,;\t|"\n\ré\u2028'), max_size=6)


@given(
    table=st.integers(2, 4).flatmap(
        lambda width: st.lists(st.lists(VALUES, min_size=width, max_size=width), max_size=5)
    ),
    delimiter=st.sampled_from(",;\t|"),
    style=st.sampled_from([("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)]),
)
def test_what_a_writer_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, table: list[list[str]], delimiter: str, style: tuple[str, Any]
) -> None:
    names = ["A", "B", "C", "D"][: len(table[0])] if table else ["A", "B"]
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=style[0], quoting=style[1])
    writer.writerows([names, *table])
    read = decoded(tmp_path_factory.mktemp("csv"), text.getvalue().encode())
    assert read.frame.collect_schema().names() == names
    assert rows(read) == [tuple(row) for row in table]
