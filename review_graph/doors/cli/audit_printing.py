"""The audit trail on stdout."""

from __future__ import annotations

from collections.abc import Sequence

from checks.vocabulary import JSON
from review_graph.core.chaining import Fault
from review_graph.doors.cli.sheets import Listing, Sheet
from review_graph.vocabulary import Anchor, AuditEntry

_COLUMNS = ("no.", "when", "who", "what", "review", "from → to", "more")
_UNSEEN = (
    "without --anchor nobody can see whether the end of the trail was cut off, or all of it written anew: "
    "give the number and hash that a report prints"
)
_FROM_TO = ("from", "to", "why")


def trail_sheet(entries: Sequence[AuditEntry], total: int) -> Sheet:
    """Return entries of the trail.

    Args:
        entries: Those to show, the newest last.
        total: How many there are.
    """
    left_out = total - len(entries)
    cut = f"; {left_out:,} earlier ones are left out: --limit 0 shows all" if left_out else ""
    return Sheet(
        title=f"{len(entries):,} of {_entries(total)}{cut}",
        listings=[Listing(columns=_COLUMNS, rows=[_row(entry) for entry in entries])],
        plain={"entries": [entry.to_plain() for entry in entries], "total": total},
    )


def verified_sheet(fault: Fault | None, last: AuditEntry | None, anchor: Anchor | None) -> Sheet:
    """Return the outcome of a verification."""
    end = "" if last is None else f"{last.number}:{last.hash}"
    title = (
        f"the audit trail is whole: {_entries(0 if last is None else last.number)}, and all decisions are as recorded"
        if fault is None
        else f"the audit trail is NOT whole: {fault.message}"
    )
    facts = [] if fault is None else [("kind", fault.kind.value)]
    facts += [("entry", str(fault.number))] if fault is not None and fault.number is not None else []
    facts += [("end", end)] if end else []
    facts += [("anchor", str(anchor))] if anchor else []
    return Sheet(title=title, facts=facts, notes=_notes(fault, anchor), plain=_plain(fault, end, anchor))


def _notes(fault: Fault | None, anchor: Anchor | None) -> list[str]:
    if fault is not None:
        return []
    if anchor is None:
        return [_UNSEEN]
    return [f"it still leads through entry {anchor.number} as the report has it; what came after that has no witness"]


def _plain(fault: Fault | None, end: str, anchor: Anchor | None) -> dict[str, JSON]:
    told = None if fault is None else {"kind": fault.kind.value, "number": fault.number, "message": fault.message}
    given = None if anchor is None else str(anchor)
    return {"whole": fault is None, "fault": told, "end": end or None, "anchor": given}


def _entries(number: int) -> str:
    return f"{number:,} {'entry' if number == 1 else 'entries'}"


def _row(entry: AuditEntry) -> tuple[str, ...]:
    who = f"{entry.actor} ({entry.role})" if entry.role else entry.actor
    before, after = (_text(entry.detail.get(name)) for name in ("from", "to"))
    review = entry.review_id or _text(entry.subject.get("dataset"))
    change = f"{before} → {after}".strip() if before or after else ""
    return str(entry.number), entry.at, who, entry.action.value, review, change, _more(entry)


def _more(entry: AuditEntry) -> str:
    why = _text(entry.detail.get("why"))
    parts = [f"{name}: {_text(value)}" for name, value in entry.detail.items() if name not in (*_FROM_TO, "digest")]
    return "; ".join(filter(None, [why, *parts]))


def _text(value: JSON) -> str:
    """A value of an entry in a cell: text as it is, what is larger by what names it."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, dict):
        named = value.get("id") or value.get("message") or ", ".join(value)
        return _text(named)
    return str(value)
