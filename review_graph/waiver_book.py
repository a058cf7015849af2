"""Waivers outside of a review: listing them, making one by hand, taking one back."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from review_graph.core.granting import grant
from review_graph.core.persons import MAX_NAME, MAX_REASON, one_line
from review_graph.core.telling import told_of_waiver
from review_graph.errors import DecisionNotAllowed
from review_graph.ports import Clock, Store
from review_graph.vocabulary import AuditAction, Waiver


class WaiverBook:
    """The waivers of a database.

    Args:
        store: Keeps them.
        clock: Gives the present time.
        second_approver: Whether what makes a review pass that needs a human needs a second person; then a waiver
            is made in a review, where another person can approve it.
    """

    def __init__(self, store: Store, clock: Clock, *, second_approver: bool) -> None:
        self._store = store
        self._clock = clock
        self._second_approver = second_approver

    def list(self, dataset: str | None = None, *, active_only: bool = False) -> tuple[Waiver, ...]:
        """Return waivers, oldest first.

        Args:
            dataset: Name of a dataset; all when not given.
            active_only: Leave out those that ended or were taken back.
        """
        return self._store.waivers(dataset=dataset, active_on=self._now().date() if active_only else None)

    def add(self, asked: Waiver) -> Waiver:
        """Make a waiver; its id and time do not matter.

        Raises:
            InvalidDecision: Something is missing, unknown or past.
            DecisionNotAllowed: A second person is demanded.
        """
        if self._second_approver:
            raise DecisionNotAllowed(
                "a second person has to approve what lets a review pass: waive the finding in its review "
                "(decide --action waive), where another person can approve it"
            )
        now = self._now()
        at = now.isoformat(timespec="seconds")
        waiver = grant(replace(asked, created_at=at), today=now.date())
        told = told_of_waiver(
            AuditAction.WAIVER_ADDED, waiver, by=waiver.author, at=at, role=waiver.role, why=waiver.reason
        )
        if not self._store.add_waiver(waiver, audit=[told]):
            raise DecisionNotAllowed(
                f"{waiver.author} made waiver {waiver.id} for the same in this very second: look at it"
            )
        return waiver

    def revoke(self, identity: str, *, by: str, reason: str) -> Waiver:
        """Take a waiver back.

        Raises:
            InvalidDecision: There is no such waiver, no name or no reason.
            DecisionNotAllowed: It was taken back before.
        """
        at = self._now().isoformat(timespec="seconds")
        name, why = one_line(by, "a name (who decides)", MAX_NAME), one_line(reason, "a reason", MAX_REASON)
        known = next((waiver for waiver in self._store.waivers() if waiver.id == identity), None)
        told = [] if known is None else [told_of_waiver(AuditAction.WAIVER_REVOKED, known, by=name, at=at, why=why)]
        return self._store.revoke_waiver(identity, by=name, reason=why, at=at, audit=told)

    def _now(self) -> dt.datetime:
        return self._clock().astimezone(dt.UTC)
