"""Types and codelists of Define-XML in the words of a spec.

Source: CDISC Define-XML 2.1, section 5.3.11 (ItemDef, DataType) and 5.3.12 (CodeList).
"""

from __future__ import annotations

import re
from typing import Any

from checks.drafts.safe_xml import Element

ODM = "http://www.cdisc.org/ns/odm/v1.3"
_DEF = ("http://www.cdisc.org/ns/def/v2.0", "http://www.cdisc.org/ns/def/v2.1")

_PARTIAL = {"type": "string", "format": "iso8601-partial"}
_TYPES: dict[str, dict[str, str]] = {
    "text": {"type": "string"},
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "float": {"type": "number"},
    "double": {"type": "number"},
    "boolean": {"type": "boolean"},
    # Dates of SDTM are text of which the end may be missing, whatever their type in the Define-XML promises.
    **dict.fromkeys(("date", "datetime", "partialDate", "partialDatetime", "incompleteDatetime"), _PARTIAL),
    "intervalDatetime": _PARTIAL,
    "durationDatetime": {"type": "duration"},
    # A time may stop at the hour or minute, which Table Schema's `time` may not.
    "time": {"type": "string"},
    "partialTime": {"type": "string"},
    "incompleteTime": {"type": "string"},
}
_SAS_TYPES = (
    (re.compile(r"(DATETIME|E8601DT|B8601DT|IS8601DT|DATEAMPM)[\d.]*"), "datetime"),
    (re.compile(r"(DATE|E8601DA|B8601DA|IS8601DA|(YYMMDD|DDMMYY|MMDDYY)[BCDNPS]?|WORDDATE|WEEKDATE)[\d.]*"), "date"),
    (re.compile(r"(TIME|TOD|HHMM|E8601TM|B8601TM|IS8601TM)[\d.]*"), "time"),
)
"""Numbers of ADaM with such a display format are dates; a reader of SAS files hands them out as dates."""


def own(element: Element, name: str) -> str | None:
    """Return an attribute of the Define-XML namespace, of 2.0 or 2.1."""
    return next(
        (element.attributes[f"{space} {name}"] for space in _DEF if f"{space} {name}" in element.attributes), None
    )


def type_of(item: Element) -> tuple[dict[str, Any], list[str]]:
    """Return type and format of a variable, and what is to be said of them."""
    declared = item.attributes.get("DataType", "")
    if declared in ("integer", "float"):
        shown = (own(item, "DisplayFormat") or "").upper()
        for pattern, kind in _SAS_TYPES:
            if pattern.fullmatch(shown):
                return {"type": kind}, [f"a number shown as {shown}"]
    said = []
    digits = item.attributes.get("SignificantDigits")
    if digits is not None:
        said.append(f"SignificantDigits {digits}, which is not checked")
    if declared not in _TYPES:
        return {"type": "any"}, [*said, f"DataType {declared or 'not given'}, which is not checked"]
    return dict(_TYPES[declared]), said


def codelist_values(codelist: Element, kind: str) -> tuple[list[str | int | float], str | None]:
    """Return the values of a codelist, and what is to be said where they are not usable.

    Args:
        codelist: The CodeList; coded and enumerated items count alike, extended values among them.
        kind: Type of the field that has it.
    """
    name = codelist.attributes.get("Name", codelist.attributes.get("OID", ""))
    external = codelist.first(f"{ODM} ExternalCodeList")
    if external is not None:
        version = external.attributes.get("Version", "")
        dictionary = " ".join(part for part in (external.attributes.get("Dictionary", name), version) if part)
        return [], f"coded with {dictionary}, which is not read"
    items = [child for tag in ("CodeListItem", "EnumeratedItem") for child in codelist.all(f"{ODM} {tag}")]
    texts = list(dict.fromkeys(text for item in items if (text := item.attributes.get("CodedValue"))))
    if not texts:
        return [], f"the codelist {name!r} has no values"
    if kind not in ("integer", "number"):
        return list(texts), None
    try:
        return [int(text) if kind == "integer" else float(text) for text in texts], None
    except ValueError:
        return [], f"the codelist {name!r} does not hold numbers only"
