"""Bytes of a text file into UTF-8 bytes, with a note wherever that took a decision."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from review_graph.adapters.sources.refusal import refusal

if TYPE_CHECKING:
    from pathlib import Path

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_SAVE_AS_UTF8 = "save it as UTF-8"


def to_utf8(path: Path, data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return the text as UTF-8 without byte order mark, and what a reviewer should know about it.

    UTF-8 is believed when it is valid; UTF-16 by its byte order mark; anything else is taken for
    Windows-1252, the usual encoding of SAS and Excel on Windows, and a note says so.

    Args:
        path: For messages.
        data: The content of the file.

    Raises:
        InputError: NUL bytes, damaged UTF-16, a file cut within a character, or bytes that
            Windows-1252 does not define.
    """
    notes: tuple[str, ...] = ()
    if data.startswith(_UTF16):
        data = _from_utf16(path, data)
        notes = ("The file is UTF-16 text.",)
    data = data.removeprefix(codecs.BOM_UTF8)
    if (nul := data.find(b"\x00")) >= 0:
        raise refusal(path, f"holds a NUL byte (line {line_of(data, nul)}) and so is no text", _SAVE_AS_UTF8)
    if data.isascii():
        return data, notes
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return _from_cp1252(path, data, error)
    return data, notes


def line_of(data: bytes, position: int) -> int:
    """Return the 1-based number of the line in which a byte stands, by whichever line end the text uses."""
    line_end = b"\n" if b"\n" in data else b"\r"
    return 1 + data.count(line_end, 0, position)


def _from_utf16(path: Path, data: bytes) -> bytes:
    try:
        return data.decode("utf-16").encode()
    except UnicodeDecodeError as error:
        raise refusal(path, f"is UTF-16 text that is damaged at byte {error.start}", _SAVE_AS_UTF8) from error


def _from_cp1252(path: Path, data: bytes, invalid: UnicodeDecodeError) -> tuple[bytes, tuple[str, ...]]:
    start = invalid.start
    where = f"line {line_of(data, start)}, byte 0x{data[start]:02X} at offset {start}"
    valid_before = not data[:start].isascii()
    if valid_before and invalid.reason == "unexpected end of data":
        raise refusal(path, "is UTF-8 text that was cut within its last character", "copy it again") from invalid
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as undefined:
        found = f"is neither UTF-8 ({where}) nor Windows-1252 (byte 0x{data[undefined.start]:02X} at {undefined.start})"
        raise refusal(path, found, _SAVE_AS_UTF8) from undefined
    note = f"The file is not UTF-8 ({where}); it was read as Windows-1252 (cp1252)."
    if valid_before:
        note += " Other characters in it are valid UTF-8 and may be garbled here."
    return text.encode(), (note,)
