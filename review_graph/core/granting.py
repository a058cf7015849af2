"""Making a waiver, and taking it back: what is demanded of both."""

from __future__ import annotations

import datetime as dt
import difflib
from dataclasses import replace

from checks.plain import quote
from review_graph.core.persons import MAX_NAME, MAX_REASON, one_line
from review_graph.core.waiving import day_of
from review_graph.errors import DecisionNotAllowed, InvalidDecision
from review_graph.vocabulary import ReasonCode, Waiver, waiver_id

_EXAMPLE_DAYS = 90


def grant(asked: Waiver, *, today: dt.date) -> Waiver:
    """Return a waiver that is in order, with its id.

    Args:
        asked: What is asked for; its id does not matter.
        today: The present day.

    Raises:
        InvalidDecision: Something is missing, unknown or past.
    """
    code = one_line(asked.code, "the code of a check (what is waived)", MAX_NAME)
    if code == f"{code.partition('.')[0]}.not_run":
        raise InvalidDecision(f"{code} cannot be waived: the checks could not judge the dataset")
    if not asked.dataset:
        raise InvalidDecision("a waiver needs the name of the dataset that it is for")
    author = one_line(asked.author, "a name (who decides)", MAX_NAME)
    identity = waiver_id(
        dataset=asked.dataset,
        code=code,
        author=author,
        created_at=asked.created_at,
        columns=asked.columns,
        key=asked.key,
        findings=asked.findings,
    )
    return replace(
        asked,
        id=identity,
        code=code,
        author=author,
        role=optional_line(asked.role, "a role"),
        reason=one_line(asked.reason, "a reason", MAX_REASON),
        reason_code=demand_reason_code(asked.reason_code),
        expires_on=demand_day(asked.expires_on, today),
        max_count=demand_count(asked.max_count),
    )


def revoke(waiver: Waiver, *, by: str, reason: str, at: str) -> Waiver:
    """Return a waiver as taken back.

    Raises:
        InvalidDecision: There is no name or no reason.
        DecisionNotAllowed: It was taken back before.
    """
    if waiver.revoked_at is not None:
        raise DecisionNotAllowed(
            f"waiver {waiver.id} was revoked by {waiver.revoked_by} at {waiver.revoked_at} already"
        )
    name, why = one_line(by, "a name (who decides)", MAX_NAME), one_line(reason, "a reason", MAX_REASON)
    return replace(waiver, revoked_at=at, revoked_by=name, revoked_reason=why)


def demand_day(text: object, today: dt.date) -> str:
    """Return the last day of a waiver as it was given.

    Raises:
        InvalidDecision: It is no date, or past.
    """
    day, example = day_of(text), (today + dt.timedelta(days=_EXAMPLE_DAYS)).isoformat()
    if day is None:
        raise InvalidDecision(
            f"a waiver needs the last day on which it holds, for instance {example}; found {quote(text)}"
        )
    if day < today:
        raise InvalidDecision(
            f"a waiver cannot end before today, {today.isoformat()}: for instance {example}; found {day.isoformat()}"
        )
    return day.isoformat()


def demand_count(count: object) -> int | None:
    """Return how many rows a waiver covers.

    Raises:
        InvalidDecision: It is no whole number above 0.
    """
    if count is None:
        return None
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InvalidDecision(f"a waiver covers at least 1 offending row; found {quote(count)}")
    return count


def demand_reason_code(code: object) -> str:
    """Return a reason code.

    Raises:
        InvalidDecision: There is none, or it is unknown.
    """
    known = [reason.value for reason in ReasonCode]
    if not isinstance(code, str) or code not in known:
        near = difflib.get_close_matches(str(code), known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InvalidDecision(f"a reason code is one of {', '.join(known)}; found {quote(code)}{hint}")
    return code


def optional_line(text: object, what: str) -> str:
    """Return text that may be left out.

    Raises:
        InvalidDecision: It is given and is no line of text.
    """
    return "" if text == "" else one_line(text, what, MAX_NAME)
