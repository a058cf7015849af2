"""Where reviewers work: looking at what a decision would do, gathering drafts, deciding, assigning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from checks.vocabulary import digest
from review_graph import gate
from review_graph.core.chaining import decided_detail
from review_graph.core.deciding import Preview
from review_graph.core.granting import optional_line
from review_graph.core.persons import MAX_NAME, one_line
from review_graph.core.routing import route
from review_graph.core.telling import waiver_detail
from review_graph.errors import DecisionConflict, DecisionNotAllowed, InvalidDecision
from review_graph.look import Look
from review_graph.ports import Entry, Lease, Store
from review_graph.vocabulary import Action, Assignment, AuditAction, DecisionRequest, Draft, Status

if TYPE_CHECKING:
    from review_graph.advancing import Advancing
    from review_graph.vocabulary import AuditDraft


class Desk:
    """What reviewers do to reviews.

    Args:
        store: What is known of reviews.
        advancing: Works on them.
        second_approver: Whether what makes a review pass that needs a human needs a second person.
    """

    def __init__(self, store: Store, advancing: Advancing, *, second_approver: bool) -> None:
        self._store = store
        self._advancing = advancing
        self._second_approver = second_approver

    def decide(self, entry: Entry, requests: Sequence[DecisionRequest], *, draft_of: str | None = None) -> None:
        """Record decisions on a review, all or none, and go on with it as far as they carry.

        Args:
            entry: The review.
            requests: What is asked for, in order.
            draft_of: Whose draft they come from; it is dropped.

        Raises:
            GateError: One is refused; nothing was written.
            GraphVersionError: The review was paused under another version of the graph.
        """
        with self._store.claim(entry.id) as lease:
            if lease is None:
                raise DecisionConflict(f"another process is still working on review {entry.id}: look again later")
            look = self._advancing.look(entry.id)
            if Status.PAUSED in (look.dossier.entry.status, look.by_thread) or look.decided_before:
                # What another process left half done comes first: a pause not put down, a decision not taken up.
                self._advancing.advance(entry.id, None, lease)
            else:
                self._advancing.settle(entry.id, lease)  # it may have ended, and nobody been told
            look = self._advancing.look(entry.id)
            _demand_sound(look, requests)
            self._record(look, requests, draft_of, lease)
            if look.dossier.entry.status is Status.PAUSED:
                self._advancing.advance(entry.id, None, lease)

    def preview(self, entry: Entry, requests: Sequence[DecisionRequest]) -> Preview:
        """Say what decisions would do, one after the other, without recording them.

        Raises:
            GateError: One would be refused.
        """
        look = self._advancing.look(entry.id)
        _demand_sound(look, requests)
        found = self._considered(look, requests)[-1]
        return Preview(decision=found.decision, triage=found.triage, route=route(found.triage))

    def save_draft(self, entry: Entry, author: str, requests: Sequence[DecisionRequest]) -> Draft:
        """Keep what a reviewer means to decide, in place of what they meant before.

        Raises:
            InvalidDecision: There is no name, or a request is somebody else's.
        """
        name = one_line(author, "a name (whose draft it is)", MAX_NAME)
        _demand_own(name, requests)
        at = self._advancing.now().isoformat(timespec="seconds")
        draft = Draft(review_id=entry.id, author=name, requests=tuple(requests), saved_at=at)
        detail = {"decisions": len(draft.requests), "digest": _digest(draft)}
        told = self._advancing.told(AuditAction.DRAFT_SAVED, entry, detail, by=name)
        self._store.save_draft(draft, audit=[told])
        return draft

    def submit_draft(self, entry: Entry, author: str) -> None:
        """Decide what a reviewer gathered, all or none.

        Raises:
            GateError: There is no draft, or a decision in it is refused; the draft stays.
        """
        draft = self._store.draft(entry.id, author.strip())
        if draft is None or not draft.requests:
            raise InvalidDecision(f"there is no draft of {author} for review {entry.id}")
        _demand_own(author.strip(), draft.requests)
        self._demand_as_saved(draft)
        self.decide(entry, draft.requests, draft_of=draft.author)

    def assign(self, entry: Entry, assignee: str, *, by: str) -> None:
        """Say whose review it is; nobody's with an empty name.

        Raises:
            InvalidDecision: A name is no name.
        """
        who = optional_line(assignee, "a name (whose review it is)")
        name = one_line(by, "a name (who says so)", MAX_NAME)
        at = self._advancing.now().isoformat(timespec="seconds")
        told = self._advancing.told(AuditAction.ASSIGNED, entry, {"from": entry.assignee, "to": who}, by=name)
        self._store.assign(Assignment(review_id=entry.id, assignee=who, by=name, at=at), audit=[told])

    def _record(self, look: Look, requests: Sequence[DecisionRequest], draft_of: str | None, lease: Lease) -> None:
        entry, found = look.dossier.entry, self._considered(look, requests)
        told, audit = self._advancing.told, list["AuditDraft"]()
        waivers = [waiver for one in found for waiver in one.waivers]
        for one in found:
            decision = one.decision
            detail = decided_detail(decision)
            audit.append(told(AuditAction.DECIDED, entry, detail, by=decision.by, role=decision.role))
            for waiver in one.waivers:
                made = waiver_detail(waiver, waiver.reason)
                audit.append(told(AuditAction.WAIVER_ADDED, entry, made, by=waiver.author, role=waiver.role))
        if draft_of is not None:
            audit.append(told(AuditAction.DRAFT_SUBMITTED, entry, {"decisions": len(found)}, by=draft_of))
        self._store.record(
            entry,
            [one.decision for one in found],
            severity=found[-1].triage.severity if entry.status is Status.PAUSED else None,
            waivers=waivers,
            draft_of=draft_of,
            lease=lease,
            audit=audit,
        )

    def _demand_as_saved(self, draft: Draft) -> None:
        """Refuse a draft that is not the one which its author saved last, as the audit trail has it."""
        acts = (AuditAction.DRAFT_SAVED, AuditAction.DRAFT_SUBMITTED, AuditAction.DRAFT_DROPPED)
        dossier = self._store.dossier(draft.review_id)
        told = [entry for entry in dossier.told if entry.action in acts and entry.actor == draft.author]
        is_saved = bool(told) and told[-1].action is AuditAction.DRAFT_SAVED
        if not is_saved or told[-1].detail.get("digest", _digest(draft)) != _digest(draft):
            raise InvalidDecision(
                f"the draft is not what {draft.author} saved: another program changed it; save it anew"
            )

    def _considered(self, look: Look, requests: Sequence[DecisionRequest]) -> list[gate.Considered]:
        """Hold requests against the review one after the other, each as if those before were recorded."""
        snapshot, now = look.thread, self._advancing.now()
        recorded, found = list(look.dossier.decisions), []
        for place, request in enumerate(requests):
            seen = request.expected_decisions
            asked = replace(request, expected_decisions=None if seen is None else seen + place)
            one = gate.considered(snapshot, asked, now, recorded, second_approver=self._second_approver)
            recorded.append(one.decision)
            found.append(one)
            if one.decision.action is Action.CONFIRM and place + 1 < len(requests):
                raise InvalidDecision("a confirmation sends the review on: it comes last among decisions made together")
        return found


def _demand_sound(look: Look, requests: Sequence[DecisionRequest]) -> None:
    """Refuse to decide on a review that failed or was written to past the gate; a comment on one harms nobody."""
    problem = look.review.problem
    if problem is None or (look.is_readable and all(request.action == Action.COMMENT for request in requests)):
        return
    raise DecisionNotAllowed(f"the review is {look.review.status.value}: {problem.message}")


def _digest(draft: Draft) -> str:
    """What tells a draft from any other; one saved before this was told of has none in the trail."""
    return digest([request.to_plain() for request in draft.requests])


def _demand_own(author: str, requests: Sequence[DecisionRequest]) -> None:
    if any(request.by != author for request in requests):
        raise InvalidDecision(f"a draft of {author} holds decisions of {author} alone")
