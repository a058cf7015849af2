"""What a file holds, told from its first bytes and never from its name."""

from __future__ import annotations

import re
from dataclasses import dataclass

HEAD_BYTES = 4096
"""How much of a file is looked at. Longer than every signature below."""


@dataclass(frozen=True, kw_only=True)
class Content:
    """A kind of content.

    Attributes:
        title: As it reads after "holds".
        suffix: The suffix a file of this kind should have, when a reader exists for it.
        advice: What to do with a file of this kind, when none does.
    """

    title: str
    suffix: str | None = None
    advice: str = ""


PARQUET = Content(title="a Parquet file", suffix=".parquet")
XPT_V5 = Content(title="a SAS transport file (XPT v5)", suffix=".xpt")
XPT_V8 = Content(title="a SAS transport file (XPT v8)", suffix=".xpt")
SAS7BDAT = Content(title="a SAS dataset (SAS7BDAT)", suffix=".sas7bdat")
EXCEL = Content(title="an Excel workbook", suffix=".xlsx")
ARROW = Content(title="an Arrow IPC (Feather) file", suffix=".arrow")
DATASET_JSON = Content(title="Dataset-JSON", suffix=".json")
JSON = Content(title="JSON", advice="export the table as Dataset-JSON 1.1, CSV or Parquet")
GZIP = Content(title="gzip-compressed data", advice="unpack it first, or name it .csv.gz if it is delimited text")
ZSTD = Content(title="zstd-compressed data", advice="unpack it first, or name it .csv.zst if it is delimited text")
TEXT = Content(title="text", suffix=".csv")
BINARY = Content(title="binary data (NUL bytes)", advice="save it as UTF-8 text, or export it again")
NOTHING = Content(title="only NUL bytes", advice="its content was lost on the way: copy it again")

_UNPACK = "unpack it first"
_EXPORT = "export the table as CSV or Parquet"
SIGNATURES: tuple[tuple[re.Pattern[bytes], Content], ...] = (
    (re.compile(rb"PAR[1E](?:\Z|[\x00-\x08\x0e-\x1f\x80-\xff])"), PARQUET),
    (re.compile(rb"HEADER RECORD\*{7}LIBRARY HEADER RECORD"), XPT_V5),
    (re.compile(rb"HEADER RECORD\*{7}LIBV8 "), XPT_V8),
    (
        re.compile(rb"\*\*COMPRESSED\*\*"),
        Content(title="a SAS CPORT file", advice="make an XPORT file with PROC COPY and the XPORT engine"),
    ),
    (
        re.compile(rb"\x00{12}\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11"),
        SAS7BDAT,
    ),
    (re.compile(rb"PK\x03\x04[\s\S]{26,200}?(?:\[Content_Types\]|_rels/|xl/)"), EXCEL),
    (re.compile(rb"PK[\x03\x05\x07][\x04\x06\x08]"), Content(title="a ZIP archive", advice=_UNPACK)),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), Content(title="an old Excel workbook", advice=_EXPORT)),
    (re.compile(rb"\x1f\x8b"), GZIP),
    (re.compile(rb"BZh[1-9]1AY&SY"), Content(title="bzip2-compressed data", advice=_UNPACK)),
    (re.compile(rb"\xfd7zXZ\x00"), Content(title="xz-compressed data", advice=_UNPACK)),
    (re.compile(rb"\x28\xb5\x2f\xfd"), ZSTD),
    (re.compile(rb"ARROW1\x00\x00"), ARROW),
    (
        re.compile(rb"\xff\xff\xff\xff[\s\S]{4}\x10\x00\x00\x00"),
        Content(title="an Arrow IPC stream", advice="write it as an Arrow IPC file (Feather version 2)"),
    ),
    (re.compile(rb"FEA1"), Content(title="a Feather file of version 1", advice="write it as Feather version 2")),
    (re.compile(rb"%PDF-"), Content(title="a PDF document", advice="ask the sender for the table itself")),
    (re.compile(rb'(?:\xef\xbb\xbf)?\s*\{[\s\S]*?"datasetJSON(?:Version|CreationDateTime)"\s*:'), DATASET_JSON),
    (re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*"'), JSON),
    (
        re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!doctype|html)", re.IGNORECASE),
        Content(
            title="XML or HTML", advice="it may be an error page of the server it came from: fetch the table again"
        ),
    ),
    (re.compile(rb"\xff\xfe|\xfe\xff"), TEXT),  # UTF-16 by its byte order mark
    (re.compile(rb"\x00+\Z"), NOTHING),
)
"""Tried in order; the first that fits the start of the file says what it holds."""


def sniff(head: bytes) -> Content:
    """Return what a file holds.

    Args:
        head: Its first bytes, `HEAD_BYTES` of them or all there are.

    Returns:
        The kind; `TEXT` when no signature fits and there is no NUL byte.
    """
    for signature, content in SIGNATURES:
        if signature.match(head):
            return content
    return BINARY if b"\x00" in head else TEXT
