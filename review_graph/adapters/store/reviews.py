"""Rows of reviews: entering, finding, listing, and moving on by compare-and-swap."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, Select, and_, bindparam, or_, select

from checks.plain import quote
from checks.vocabulary import Severity
from review_graph.adapters.store.schema import REVIEWS
from review_graph.core.transitions import demand
from review_graph.errors import DecisionConflict, ReviewNotFound
from review_graph.ports import Entry, Located, ReviewFilter
from review_graph.vocabulary import Assignment, Problem, Status

# Statements that are asked for each review are made once: making one takes longer than asking it.
_ONE = select(REVIEWS).where(REVIEWS.c.id == bindparam("id"))
_LATEST = select(REVIEWS).where(REVIEWS.c.first_id == bindparam("first_id")).order_by(REVIEWS.c.attempt.desc()).limit(1)
_PREVIOUS = (
    select(REVIEWS)
    .where(
        REVIEWS.c.name == bindparam("name"),
        REVIEWS.c.id != bindparam("id"),
        REVIEWS.c.status.in_([status.value for status in (Status.PAUSED, Status.SUMMARISED, Status.ESCALATED)]),
    )
    .order_by(REVIEWS.c.created_at.desc(), REVIEWS.c.attempt.desc(), REVIEWS.c.id.desc())
    .limit(1)
)
_EDITED = Problem(
    kind="setup",
    message="the review's row in the database was changed by another program and says what no review can be: "
    "`review-graph audit verify` names it; restore it from a copy, or review the dataset with --fresh",
)

_INSERT = REVIEWS.insert()


def add(connection: Connection, entry: Entry, now: str) -> bool:
    """Enter a review; say whether it was not there before."""
    if _row(connection, entry.id) is not None:
        return False
    first_id = entry.id if entry.attempt == 1 else entry.id.rpartition("-")[0]
    row = {
        "id": entry.id,
        "first_id": first_id,
        "attempt": entry.attempt,
        "name": entry.located.name,
        "uri": entry.located.uri,
        "fingerprint": entry.located.fingerprint,
        "spec_digest": entry.spec_digest,
        "created_at": entry.created_at,
        "status": entry.status.value,
        "severity": entry.severity.value,
        "version": entry.version,
        "graph_version": entry.graph_version,
        "assignee": entry.assignee or None,
        "updated_at": now,
        **problem_values(entry.problem),
    }
    connection.execute(_INSERT, row)
    return True


def get(connection: Connection, review_id: str) -> Entry | None:
    """Return one review."""
    row = _row(connection, review_id)
    return None if row is None else _entry(row)


def known(connection: Connection, review_id: str) -> Entry:
    """Return one review.

    Raises:
        ReviewNotFound: No review has that id.
    """
    entry = get(connection, review_id)
    if entry is None:
        raise ReviewNotFound(f"no review has the id {quote(review_id)}: `review-graph list` shows the ids")
    return entry


def latest(connection: Connection, first_id: str) -> Entry | None:
    """Return the latest attempt at a review."""
    row = connection.execute(_LATEST, {"first_id": first_id}).first()
    return None if row is None else _entry(row)


def previous(connection: Connection, entry: Entry) -> Entry | None:
    """Return the latest other review of a dataset that came to a triage."""
    row = connection.execute(_PREVIOUS, {"name": entry.located.name, "id": entry.id}).first()
    return None if row is None else _entry(row)


def page(connection: Connection, wanted: ReviewFilter, after: Entry | None, limit: int) -> tuple[Entry, ...]:
    """Return reviews, oldest first: an order that none leaves while others are read."""
    found = _filtered(select(REVIEWS), wanted).order_by(REVIEWS.c.created_at, REVIEWS.c.id).limit(limit)
    if after is not None:
        same_time = and_(REVIEWS.c.created_at == after.created_at, REVIEWS.c.id > after.id)
        found = found.where(or_(REVIEWS.c.created_at > after.created_at, same_time))
    return tuple(_entry(row) for row in connection.execute(found))


def move(connection: Connection, entry: Entry, to: Status, now: str, **changes: Any) -> int:  # noqa: ANN401 - column values
    """Bring a review to a status and return its new version.

    Raises:
        DecisionNotAllowed: The status does not follow from the present one.
        DecisionConflict: It moved on meanwhile.
    """
    demand(entry.status, to)
    return advance(connection, entry, now, status=to.value, **changes)


def advance(connection: Connection, entry: Entry, now: str, **changes: Any) -> int:  # noqa: ANN401 - column values
    """Change columns of a review that is still at the version that was read; return the next version.

    Raises:
        DecisionConflict: It moved on meanwhile.
    """
    version = entry.version + 1
    same = and_(REVIEWS.c.id == entry.id, REVIEWS.c.version == entry.version)
    changed = connection.execute(REVIEWS.update().where(same).values(version=version, updated_at=now, **changes))
    if changed.rowcount != 1:
        raise moved(entry)
    return version


def moved(entry: Entry) -> DecisionConflict:
    """Say that a review is no longer as it was seen."""
    return DecisionConflict(
        f"review {entry.id} moved on since you looked at it: it is {entry.status.value} now; look at it again"
    )


def assign(connection: Connection, assignment: Assignment) -> None:
    """Keep whose review it is."""
    known(connection, assignment.review_id)
    values = {"assignee": assignment.assignee or None, "updated_at": assignment.at}
    connection.execute(REVIEWS.update().where(REVIEWS.c.id == assignment.review_id).values(**values))


def problem_values(problem: Problem | None) -> dict[str, str | None]:
    """Return a problem as columns."""
    kind, message = (problem.kind, problem.message) if problem else (None, None)
    return {"problem_kind": kind, "problem_message": message}


def _row(connection: Connection, review_id: str) -> Row[Any] | None:
    return connection.execute(_ONE, {"id": review_id}).first()


def _filtered(found: Select[Any], wanted: ReviewFilter) -> Select[Any]:
    if wanted.status:
        found = found.where(REVIEWS.c.status.in_([status.value for status in wanted.status]))
    if wanted.severity:
        found = found.where(REVIEWS.c.severity.in_([severity.value for severity in wanted.severity]))
    if wanted.dataset is not None:
        found = found.where(REVIEWS.c.name == wanted.dataset)
    if wanted.assignee is not None:
        found = found.where(REVIEWS.c.assignee == wanted.assignee if wanted.assignee else REVIEWS.c.assignee.is_(None))
    if wanted.created_before is not None:
        found = found.where(REVIEWS.c.created_at < wanted.created_before)
    return found


def _entry(row: Row[Any]) -> Entry:
    """A row as it is; one that says what no review can be has failed by itself, and keeps nobody from the others."""
    problem = Problem(kind=row.problem_kind, message=row.problem_message) if row.problem_kind else None
    try:
        status, severity = Status(row.status), Severity(row.severity)
    except ValueError:
        status, severity, problem = Status.FAILED, Severity.MAJOR, _EDITED
    return Entry(
        id=row.id,
        located=Located(name=row.name, uri=row.uri, fingerprint=row.fingerprint),
        spec_digest=row.spec_digest,
        attempt=row.attempt,
        created_at=row.created_at,
        problem=problem,
        status=status,
        severity=severity,
        version=row.version,
        graph_version=row.graph_version,
        assignee=row.assignee or "",
        updated_at=row.updated_at,
    )
