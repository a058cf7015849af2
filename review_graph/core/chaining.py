"""The audit trail as a chain of hashes: adding to it, and finding where somebody meddled with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from checks.vocabulary import JSON, canonical, digest
from review_graph.core.storing import storable_plain
from review_graph.vocabulary import FIRST_PREVIOUS, Anchor, AuditAction, AuditDraft, AuditEntry, Decision, Waiver


class FaultKind(StrEnum):
    """What is wrong with a trail."""

    CHANGED = "changed"
    REMOVED = "removed"
    SWAPPED = "swapped"
    CUT = "cut"
    DECISION = "decision"
    WAIVER = "waiver"
    REVIEW = "review"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """The first thing that is wrong with a trail.

    Attributes:
        kind: What it is.
        number: Number of the entry at which it shows; None where no entry tells of it.
        message: One line for a person.
    """

    kind: FaultKind
    number: int | None
    message: str


def chain(drafts: Iterable[AuditDraft], last: AuditEntry | None) -> tuple[AuditEntry, ...]:
    """Give what happened its place in the trail.

    Args:
        drafts: What happened, in order.
        last: The last entry of the trail; None when it is empty.
    """
    entries: list[AuditEntry] = []
    for draft in drafts:
        fields = {name: getattr(draft, name) for name in AuditDraft.__dataclass_fields__}
        number, previous = (last.number + 1, last.hash) if last else (1, FIRST_PREVIOUS)
        unsealed = AuditEntry(**fields, number=number, previous=previous, hash="")
        last = replace(unsealed, hash=hash_of(unsealed))
        entries.append(last)
    return tuple(entries)


def hash_of(entry: AuditEntry) -> str:
    """Return the hash that an entry must have: sha256 of the canonical JSON of all its other fields."""
    plain = entry.to_plain()
    del plain["hash"]
    return digest(plain)


def is_tied(entry: AuditEntry, before: str | None, after: str | None) -> bool:
    """Whether an entry is what was written in its place, as far as its neighbours can tell.

    Args:
        entry: The entry.
        before: Hash of the entry with the number before; None where there is none.
        after: What the entry with the next number has for its `previous`; None where there is none.
    """
    due = FIRST_PREVIOUS if entry.number == 1 else before
    return entry.previous == due and after in (None, entry.hash) and hash_of(entry) == entry.hash


def verify(entries: Iterable[AuditEntry], *, anchor: Anchor | None = None) -> Fault | None:
    """Return the first fault of a whole trail, or None.

    A chain alone cannot show that its end was cut off, or that all of it was written anew: that takes an anchor
    from outside, which is a number and a hash in a report.

    Args:
        entries: The trail, in the order in which it is kept.
        anchor: What a report says of it.
    """
    trail = tuple(entries)
    previous = FIRST_PREVIOUS
    for number, entry in enumerate(trail, start=1):
        fault = _misplaced(entry, number, trail) or _altered(entry, previous, trail)
        if fault is not None:
            return fault
        previous = entry.hash
    return None if anchor is None else _off_anchor(trail, anchor)


def decided_detail(decision: Decision) -> dict[str, JSON]:
    """Return what the entry of a decision says of it, its digest among it."""
    return {
        "decision": decision.number,
        "digest": decision.digest,
        "action": decision.action.value,
        "from": decision.severity_from.value,
        "to": decision.severity_to.value,
        "why": decision.reason,
        "findings": list(decision.findings),
    }


def verify_decisions(
    entries: Iterable[AuditEntry], decisions_by_review: Mapping[str, Sequence[Decision]]
) -> Fault | None:
    """Return the first difference between what the trail says was decided and what is stored, or None.

    Args:
        entries: The trail, which `verify` found in order.
        decisions_by_review: The decisions as they are stored, by id of their review.
    """
    stored = {(review, decision.number): decision for review, of in decisions_by_review.items() for decision in of}
    told: set[tuple[str, int]] = set()
    for entry in entries:
        if entry.action is not AuditAction.DECIDED:
            continue
        place = (entry.review_id or "", entry.detail.get("decision", 0))
        told.add(place)
        name = f"decision {place[1]} of review {place[0]}"
        if place not in stored:
            return Fault(
                kind=FaultKind.DECISION, number=entry.number, message=f"{name}, of entry {entry.number}, is gone"
            )
        if stored[place].digest != entry.detail.get("digest"):
            message = f"{name} is not what entry {entry.number} says was decided: it was edited"
            return Fault(kind=FaultKind.DECISION, number=entry.number, message=message)
    for review, number in sorted(set(stored) - told):
        message = f"decision {number} of review {review} is in no entry: it was added past the gate"
        return Fault(kind=FaultKind.DECISION, number=None, message=message)
    return None


def verify_waivers(entries: Iterable[AuditEntry], waivers: Iterable[Waiver]) -> Fault | None:
    """Return the first difference between the waivers the trail tells of and those that are stored, or None.

    Args:
        entries: The trail, which `verify` found in order.
        waivers: All waivers as they are stored.
    """
    told = _told_waivers(entries)
    for waiver in sorted(waivers, key=lambda waiver: waiver.id):
        if waiver.id not in told:
            message = f"waiver {waiver.id} is in no entry: it was added past the gate"
            return Fault(kind=FaultKind.WAIVER, number=None, message=message)
        number, plain = told.pop(waiver.id)
        if canonical(plain) != _as_told(waiver):
            message = f"waiver {waiver.id} is not what entry {number} tells of: it was edited"
            return Fault(kind=FaultKind.WAIVER, number=number, message=message)
    for identity, (number, _) in sorted(told.items()):
        return Fault(kind=FaultKind.WAIVER, number=number, message=f"waiver {identity}, of entry {number}, is gone")
    return None


def standing_waivers(entries: Iterable[AuditEntry], waivers: Iterable[Waiver]) -> tuple[Waiver, ...]:
    """Return those waivers that are what the trail tells of; the others never passed the gate and do not hold.

    Args:
        entries: The entries of the trail that tell of waivers, in order.
        waivers: Waivers as they are stored.
    """
    told = _told_waivers(entries)
    return tuple(w for w in waivers if w.id in told and canonical(told[w.id][1]) == _as_told(w))


def verify_reviews(entries: Iterable[AuditEntry], subjects: Mapping[str, Mapping[str, JSON]]) -> Fault | None:
    """Return the first review that is not what the trail tells of, or None.

    Args:
        entries: The trail, which `verify` found in order.
        subjects: What each review is of, as it is stored, by its id and by the names that the trail uses.
    """
    for entry in entries:
        if entry.review_id is None:
            continue
        of = f"review {entry.review_id}"
        if entry.review_id not in subjects:
            return Fault(kind=FaultKind.REVIEW, number=entry.number, message=f"{of}, of entry {entry.number}, is gone")
        for name, value in subjects[entry.review_id].items():
            if name in entry.subject and entry.subject[name] != value:
                message = f"{of} has another {name} than entry {entry.number} tells of: it was edited"
                return Fault(kind=FaultKind.REVIEW, number=entry.number, message=message)
    return None


def verify_rows(decisions: Iterable[tuple[str, int]], waivers: Iterable[str]) -> Fault | None:
    """Return the first row that says the same as its entry and was edited all the same, or None.

    Args:
        decisions: Review and number of the decisions that are not kept as they are written.
        waivers: Ids of such waivers.
    """
    for review, number in decisions:
        message = f"decision {number} of review {review} is not kept as it is written: its row was edited"
        return Fault(kind=FaultKind.DECISION, number=None, message=message)
    for identity in waivers:
        message = f"waiver {identity} is not kept as it is written: its row was edited"
        return Fault(kind=FaultKind.WAIVER, number=None, message=message)
    return None


def _as_told(waiver: Waiver) -> str:
    """A waiver as an entry holds it."""
    return canonical(storable_plain(waiver.to_plain()))


def _told_waivers(entries: Iterable[AuditEntry]) -> dict[str, tuple[int, JSON]]:
    """What the trail says of each waiver, and the number of the entry that said it last."""
    told: dict[str, tuple[int, JSON]] = {}
    for entry in entries:
        waiver = entry.detail.get("waiver")
        if not isinstance(waiver, Mapping):
            continue
        if entry.action is AuditAction.WAIVER_ADDED:
            told[str(waiver.get("id"))] = (entry.number, dict(waiver))
        elif entry.action is AuditAction.WAIVER_REVOKED:
            revoked = {"revoked_at": entry.at, "revoked_by": entry.actor, "revoked_reason": entry.detail.get("why")}
            told[str(waiver.get("id"))] = (entry.number, {**waiver, **revoked})
    return told


def _misplaced(entry: AuditEntry, due: int, trail: Sequence[AuditEntry]) -> Fault | None:
    """An entry with another number than is due: one before it was taken out, or it stands in another's place."""
    if entry.number == due:
        return None
    if entry.number < 1:
        message = f"entry {entry.number} was added past the gate: the trail begins with entry 1"
        return Fault(kind=FaultKind.CHANGED, number=entry.number, message=message)
    if entry.number > due and not any(later.number == due for later in trail):
        gap = str(due) if entry.number == due + 1 else f"{due} to {entry.number - 1}"
        return Fault(kind=FaultKind.REMOVED, number=due, message=f"entry {gap} was removed: {entry.number} comes next")
    message = f"entry {entry.number} stands where entry {due} belongs: they were swapped"
    return Fault(kind=FaultKind.SWAPPED, number=entry.number, message=message)


def _altered(entry: AuditEntry, previous: str, trail: Sequence[AuditEntry]) -> Fault | None:
    """An entry in its place whose content is not what was written there."""
    number = entry.number
    if hash_of(entry) == entry.hash:
        if entry.previous == previous:
            return None
        message = f"entry {number} does not follow from the one before: one of the two was rewritten, or one removed"
        return Fault(kind=FaultKind.CHANGED, number=number, message=message)
    for other in trail:
        if other.number != number and hash_of(replace(entry, number=other.number)) == entry.hash:
            message = f"entry {number} holds what was written as entry {other.number}: they were swapped"
            return Fault(kind=FaultKind.SWAPPED, number=number, message=message)
    return Fault(kind=FaultKind.CHANGED, number=number, message=f"entry {number} was changed: its hash does not fit")


def _off_anchor(trail: Sequence[AuditEntry], anchor: Anchor) -> Fault | None:
    number, printed = anchor.number, anchor.hash
    if number > len(trail):
        message = f"the trail ends at entry {len(trail)}, and a report tells of entry {number}: its end was cut off"
        return Fault(kind=FaultKind.CUT, number=len(trail) + 1, message=message)
    found = trail[number - 1].hash if number > 0 else FIRST_PREVIOUS
    if found == printed:
        return None
    message = f"entry {number} has not the hash that a report prints: the trail was written anew"
    return Fault(kind=FaultKind.CHANGED, number=number, message=message)
