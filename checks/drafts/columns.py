"""What one column's profile says of its field: type, format, whether it is required, whether it identifies."""

from __future__ import annotations

import re
from typing import Any

from checks.drafts.keys import is_identifier
from checks.drafts.profile import MIN_OBSERVED, TOKENS, ColumnProfile
from checks.specfile.problems import Path

_PARTIAL = "iso8601-partial"

Said = dict[Path, str]

_SDTM_DATE = re.compile(r"[A-Z0-9]{2,6}DTC")
_MEASURED = re.compile(r"AVAL|BASE|CHG|PCHG|..?STRESN|.*(?:value|result).*", re.IGNORECASE)
_TEXT_TYPES = (
    ("whole", "integer", "text that holds whole numbers"),
    ("number", "number", "text that holds numbers"),
    ("truth", "boolean", "text that holds true and false"),
    ("date", "date", "text that holds dates"),
    ("datetime", "datetime", "text that holds dates with time"),
    ("time", "time", "text that holds times"),
    ("duration", "duration", "text that holds durations"),
)


def draft_field(item: ColumnProfile, label: str | None) -> tuple[dict[str, Any], Said]:
    """Return a field as plain data, and what is guessed in it, by place in the field.

    Args:
        item: What the column holds.
        label: Its label, where the source has one.
    """
    field: dict[str, Any] = {"name": item.name} | ({"label": label} if label else {})
    said: Said = {}
    kind, why = _type_of(item)
    if kind == _PARTIAL:
        field |= {"type": "string", "format": kind}
        said["format",] = why
    elif kind != "any":
        field["type"] = kind
        said |= {("type",): why} if why else {}
    if not item.present:
        field["core"] = "expected"
        said["core",] = "holds no value"
        return field, said
    words = kind != "string" and item.counts.get("token", 0) > 0
    if words:
        field["missingValues"] = ["", *TOKENS]
        said["missingValues",] = "words that stand for a missing value here"
    if item.present == item.rows and not words:
        field["constraints"] = {"required": True}
        said["constraints", "required"] = "no value is missing"
    if kind == "string" and item.kind == "text" and _keeps_text(item.name):
        _identify(item, field, said)
    return field, said


def _identify(item: ColumnProfile, field: dict[str, Any], said: Said) -> None:
    """Add to an identifier's field what is special to identifiers: one case, and mostly one length."""
    if not (item.counts["lower"] and item.counts["upper"]):
        field["identifier"] = True
        said["identifier",] = "by its name"
    if item.counts["shortest"] == item.counts["longest"] and item.distinct >= MIN_OBSERVED:
        length = item.counts["shortest"]
        field["constraints"] = {**field.get("constraints", {}), "minLength": length, "maxLength": length}
        said["constraints", "minLength"] = "all are of this length"


def _type_of(item: ColumnProfile) -> tuple[str, str]:
    """Type of a column by its values, and why, where it is not stored so; `iso8601-partial` for dates with gaps."""
    if item.kind == "number":
        whole = item.all_are("whole") and not (item.stored == "integer" or _MEASURED.fullmatch(item.name))
        return ("integer", "whole numbers, stored as decimals") if whole else (item.stored, "")
    if item.kind == "datetime":
        midnight = item.all_are("midnight")
        return ("date", "stored as dates with time, all at midnight") if midnight else ("datetime", "")
    if item.kind != "text":
        return item.stored, ""
    if not item.present:
        return "any", ""
    if _SDTM_DATE.fullmatch(item.name) and item.all_are("partial"):
        return _PARTIAL, "ISO 8601 dates, and by its name parts may be missing"
    if not _keeps_text(item.name):
        for form, kind, why in _TEXT_TYPES:
            if item.all_are(form):
                return kind, why
        # Four digits alone may be a year, or a site: most must have a month.
        if item.all_are("partial") and item.counts["dashed"] * 2 > item.present:
            return _PARTIAL, "ISO 8601 dates, of which parts may be missing"
    return "string", ""


def _keeps_text(name: str) -> bool:
    """Whether digits in a column are the letters of a name and not a number: in SITEID, not in LBSEQ."""
    return is_identifier(name) and not name.upper().endswith("SEQ")
