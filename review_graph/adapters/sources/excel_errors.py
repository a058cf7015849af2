"""Cells of a worksheet that hold an error, such as `#N/A`: the reader of workbooks gives them as empty.

Source: ECMA-376, Office Open XML, part 1, 18.3.1.4 (a cell whose type is `e` holds an error).
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from pathlib import Path

_CELL = re.compile(rb"<(?:\w+:)?c\s([^>]*\bt=[\"']e[\"'][^>]*)>(?:(?!</(?:\w+:)?c>)[\s\S])*?<(?:\w+:)?v>([^<]*)<")
_PLACE = re.compile(rb"\br=[\"']([A-Z]+[0-9]+)[\"']")
_SHEET = "{*}sheets/{*}sheet"
_RELATION_ID = re.compile(r"\}id$")


def cells_with_errors(path: Path, sheet: str) -> list[tuple[str, str]]:
    """Return place and error of the cells with an error, for instance `("M2", "#N/A")`; in file order.

    Nothing is returned for a workbook whose parts cannot be told apart: its values were read, and are believed.

    Args:
        path: A workbook that could be read.
        sheet: Name of the worksheet.
    """
    try:
        with zipfile.ZipFile(path) as package:
            part = _part_of(package, sheet)
            content = package.read(part) if part else b""
    except (zipfile.BadZipFile, KeyError, ET.ParseError, OSError, ValueError, NotImplementedError):
        return []
    found = []
    for match in _CELL.finditer(content):
        place = _PLACE.search(match[1])
        found.append((place[1].decode() if place else "?", match[2].decode("utf-8", "replace")))
    return found


def _part_of(package: zipfile.ZipFile, sheet: str) -> str | None:
    """Return the name of the part that holds a worksheet."""
    workbook = ET.fromstring(package.read("xl/workbook.xml"))  # noqa: S314 - expat bounds what entities grow to
    relations = ET.fromstring(package.read("xl/_rels/workbook.xml.rels"))  # noqa: S314 - the same
    targets = {relation.get("Id"): relation.get("Target", "") for relation in relations}
    for entry in workbook.iterfind(_SHEET):
        if entry.get("name") == sheet:
            identities = [value for name, value in entry.items() if _RELATION_ID.search(name)]
            target = targets.get(identities[0], "") if identities else ""
            return posixpath.normpath(posixpath.join("xl", target)).removeprefix("/") if target else None
    return None
