"""Waivers on stdout."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from checks.plain import count_of, names_text
from review_graph.core.wording import records_text
from review_graph.doors.cli.console import present_time
from review_graph.doors.cli.sheets import Listing, Sheet
from review_graph.vocabulary import Waiver

_COLUMNS = ("waiver", "state", "dataset", "check", "for", "by", "why")


def waivers_sheet(waivers: Sequence[Waiver]) -> Sheet:
    """Return a list of waivers."""
    today = present_time().date()
    rows = [
        (w.id, _state(w, today), w.dataset, w.code, _scope(w), _who(w), f"{w.reason_code}: {w.reason}") for w in waivers
    ]
    return Sheet(
        title=count_of(len(waivers), "waiver"),
        listings=[Listing(columns=_COLUMNS, rows=rows)],
        plain={"waivers": [waiver.to_plain() for waiver in waivers]},
    )


def waiver_sheet(waiver: Waiver, done: str) -> Sheet:
    """Return one waiver, and what was done to it."""
    facts = [
        ("dataset", waiver.dataset),
        ("check", waiver.code),
        ("for", _scope(waiver)),
        ("by", f"{_who(waiver)} at {waiver.created_at}"),
        ("why", f"{waiver.reason_code}: {waiver.reason}"),
        ("until", waiver.expires_on),
    ]
    if waiver.revoked_at is not None:
        facts.append(("revoked", f"{waiver.revoked_at} by {waiver.revoked_by}: {waiver.revoked_reason}"))
    return Sheet(title=f"waiver {waiver.id} is {done}", facts=facts, plain={"waiver": waiver.to_plain()})


def _state(waiver: Waiver, today: dt.date) -> str:
    if waiver.revoked_at is not None:
        return f"revoked {waiver.revoked_at[:10]} by {waiver.revoked_by}: {waiver.revoked_reason}"
    if waiver.expires_on < today.isoformat():
        return f"expired {waiver.expires_on}"
    return f"until {waiver.expires_on}"


def _scope(waiver: Waiver) -> str:
    parts = [
        names_text(waiver.columns) if waiver.columns else "any columns",
        f"records with {records_text(waiver)}" if waiver.key else "",
        f"findings {', '.join(waiver.findings)}" if waiver.findings else "",
        f"at most {count_of(waiver.max_count, 'row')}" if waiver.max_count is not None else "any number of rows",
    ]
    return "; ".join(filter(None, parts))


def _who(waiver: Waiver) -> str:
    return f"{waiver.author} ({waiver.role})" if waiver.role else waiver.author
