from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from review_graph.adapters.sources import decode, fingerprint
from review_graph.adapters.sources.formats import FORMATS, format_of
from review_graph.errors import InputError

V5 = b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!" + b"0" * 30 + b"  "
V8 = b"HEADER RECORD*******LIBV8   HEADER RECORD!!!!!!!" + b"0" * 30 + b"  "
PARQUET = b"PAR1\x15\x04\x15\x10PAR1"
SAS = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
XLSX = b"PK\x03\x04\x14\x00\x06\x00\x08\x00" + b"\x00" * 20 + b"[Content_Types].xml"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("x.csv", PARQUET, "holds a Parquet file, not CSV text; rename it to x.parquet", id="Parquet"),
        pytest.param("x.parquet", V5, "holds a SAS transport file (XPT v5), not Parquet; rename it to x.xpt", id="v5"),
        pytest.param("x.tsv", V8, "holds a SAS transport file (XPT v8), not TSV text; rename it to x.xpt", id="v8"),
        pytest.param(
            "x.parquet",
            b"A,B\n1,2\n",
            "holds text, not Parquet; if it is delimited text, rename it to x.csv",
            id="text",
        ),
        pytest.param("x.csv", b"A\x00B\n", "holds binary data (NUL bytes), not CSV text", id="NUL"),
        pytest.param("x.csv", XLSX, "holds an Excel workbook, not CSV text; rename it to x.xlsx", id="Excel"),
        pytest.param("x.csv", b"PK\x03\x04" + b"\x00" * 40, "holds a ZIP archive, not CSV text; unpack", id="ZIP"),
        pytest.param("x.csv", b"\x1f\x8b\x08\x00", "holds gzip-compressed data, not CSV text; unpack", id="gzip"),
        pytest.param("x.csv", b'{"a": 1}', "holds JSON, not CSV text; export", id="JSON"),
        pytest.param("x.csv", b'[\n {"a": 1}]', "holds JSON, not CSV text; export", id="JSON array"),
        pytest.param("x.csv", b"<!DOCTYPE html><html>", "holds XML or HTML, not CSV text", id="HTML"),
        pytest.param("x.xpt", SAS, "holds a SAS dataset (SAS7BDAT), not a SAS transport file (XPT); ", id="SAS7BDAT"),
        pytest.param("x.xpt", b"**COMPRESSED** **COM", "holds a SAS CPORT file, not a SAS transport file", id="CPORT"),
        pytest.param("x.parquet", b"\x00" * 9000, "holds only NUL bytes, not Parquet", id="lost content"),
        pytest.param("x.csv", b"", "is empty (0 bytes), not CSV text; copy it again", id="empty"),
        pytest.param(
            "x.dat",
            PARQUET,
            "has the suffix '.dat', for which there is no reader, and holds a Parquet file; rename it to x.parquet",
            id="unknown suffix",
        ),
        pytest.param("x", b"\x00\x01", "has no suffix, for which there is no reader, and holds binary", id="no suffix"),
    ],
)
def test_content_that_is_not_what_the_suffix_says_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        decode(path)
    assert str(refused.value).startswith(f"{path} {message}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("x.csv", b"PAR1,PAR2\n1,2\n", id="a header that begins like Parquet"),
        pytest.param("x.CSV", b"[ID],[NAME]\n1,2\n", id="a header in brackets, suffix in capitals"),
        pytest.param("x.csv", b"{id},B\n1,2\n", id="a header in braces"),
    ],
)
def test_a_harmless_likeness_is_no_obstacle(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert decode(path).frame.collect().shape == (1, 2)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for name, message in {
        "": "is a folder, not a file",
        "absent.csv": "does not exist",
        "pipe.csv": "is a device or a pipe, not a file",
        "pipe.csv/x.csv": "does not exist",
        "nul\0.csv": "does not exist",
        "n" * 300 + ".csv": "cannot be read (File name too long)",
    }.items():
        with pytest.raises(InputError) as refused:
            decode(tmp_path / name)
        assert message in str(refused.value), name


@pytest.mark.parametrize(
    ("error", "message"),
    [
        pytest.param(PermissionError(13, "Permission denied"), "may not be read by this user", id="permission"),
        pytest.param(OSError(5, "Input/output error"), r"cannot be read \(Input/output error\)", id="broken drive"),
    ],
)
def test_what_the_system_refuses_is_an_input_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, message: str
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("A\n1\n", encoding="utf-8")

    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=message):
        decode(path)
    with pytest.raises(InputError, match=r"cannot be read \("):
        fingerprint(path)


def test_a_drive_that_fails_while_reading_is_an_input_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.csv"
    path.write_text("A\n1\n", encoding="utf-8")

    def refuse(_: Path) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InputError, match=r"cannot be read \(Input/output error\)"):
        decode(path)


def test_a_name_that_is_no_text_can_be_shown(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        decode(tmp_path / os.fsdecode(b"a\xff\nb.csv"))
    assert str(refused.value) == f"{tmp_path}/a\\xff\\nb.csv does not exist; check the path and the spelling"


def test_the_fingerprint_is_the_sha256_of_the_content(tmp_path: Path) -> None:
    path = tmp_path / "any.thing"
    path.write_bytes(b"abc" * 100_000)
    assert fingerprint(path) == hashlib.sha256(b"abc" * 100_000).hexdigest()


BEGINNINGS = {
    ".arrow": b"ARROW1\0\0",
    ".feather": b"ARROW1\0\0",
    ".gz": b"\x1f\x8b",
    ".ipc": b"ARROW1\0\0",
    ".json": b'{"datasetJSONVersion": "1.1"}',
    ".ndjson": b'{"name": "DM", "datasetJSONVersion": "1.1"}',
    ".parquet": PARQUET,
    ".sas7bdat": SAS,
    ".xlsx": XLSX,
    ".xpt": V8,
    ".zst": b"\x28\xb5\x2f\xfd",
}


@pytest.mark.parametrize("suffix", FORMATS)
def test_suffixes_are_found_whatever_their_case(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x{suffix.upper()}"
    path.write_bytes(BEGINNINGS.get(suffix) or BEGINNINGS.get(path.suffix.lower(), b"A\n"))
    assert format_of(path) is FORMATS[suffix]


def test_importing_the_readers_imports_nothing_heavy() -> None:
    program = (
        "import sys; before = set(sys.modules); import review_graph.ports; ports = set(sys.modules) - before;"
        "import review_graph.adapters.sources;"
        "print(*sorted({'pandas', 'pyarrow', 'pyreadstat', 'polars', 'python_calamine'} & (set(sys.modules) - ports)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603 - our own text
    assert done.stdout.split() == []


def test_a_parquet_file_with_a_readable_name_is_scanned(tmp_path: Path) -> None:
    path = tmp_path / "a[1]*.parquet"
    pl.DataFrame({"A": [1]}).write_parquet(path)
    pl.DataFrame({"A": [2]}).write_parquet(tmp_path / "a1x.parquet")
    assert decode(path).frame.collect().to_dicts() == [{"A": 1}]
