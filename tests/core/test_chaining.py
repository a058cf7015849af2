"""The audit trail: whoever changes, removes, swaps or cuts, or edits a decision, is found out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.vocabulary import Severity
from review_graph.core.chaining import (
    FaultKind,
    chain,
    decided_detail,
    hash_of,
    is_tied,
    verify,
    verify_decisions,
)
from review_graph.vocabulary import FIRST_PREVIOUS, Anchor, AuditAction, AuditDraft, AuditEntry, Decision

MakeDecision = Callable[..., Decision]


def trail(length: int) -> list[AuditEntry]:
    drafts = [
        AuditDraft(
            at=f"2026-03-04T05:06:{number:02}+00:00",
            actor="Ada",
            role="data manager",
            action=AuditAction.INSPECTED,
            review_id="dm-1",
            subject={"dataset": "dm"},
            detail={"n": number},
        )
        for number in range(length)
    ]
    return list(chain(drafts, None))


LENGTHS = st.integers(2, 12)


@st.composite
def trail_and_place(draw: st.DrawFn) -> tuple[list[AuditEntry], int]:
    entries = trail(draw(LENGTHS))
    return entries, draw(st.integers(0, len(entries) - 1))


def test_entries_are_numbered_and_tied_to_the_one_before() -> None:
    entries = trail(3)
    assert [entry.number for entry in entries] == [1, 2, 3]
    assert [entry.previous for entry in entries] == [FIRST_PREVIOUS, entries[0].hash, entries[1].hash]
    assert all(entry.hash == hash_of(entry) for entry in entries)


def test_the_hash_is_of_the_canonical_json_of_all_the_rest() -> None:
    import hashlib

    (entry,) = trail(1)
    plain = entry.to_plain()
    stated = plain.pop("hash")
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() == stated


@given(LENGTHS, st.data())
def test_it_does_not_matter_in_how_many_steps_a_trail_was_written(length: int, data: st.DataObject) -> None:
    whole = trail(length)
    cut = data.draw(st.integers(1, length - 1))
    drafts = [AuditDraft(**{name: getattr(entry, name) for name in AuditDraft.__dataclass_fields__}) for entry in whole]
    first = chain(drafts[:cut], None)
    assert [*first, *chain(drafts[cut:], first[-1])] == whole


@given(LENGTHS)
def test_an_untouched_trail_verifies_also_after_it_was_kept_as_json(length: int) -> None:
    entries = [AuditEntry.from_plain(json.loads(json.dumps(entry.to_plain()))) for entry in trail(length)]
    assert verify(entries) is None
    for entry in entries:
        assert verify(entries, anchor=Anchor.of(entry)) is None


def test_an_empty_trail_verifies() -> None:
    assert verify([]) is None
    assert verify([], anchor=Anchor(number=0, hash=FIRST_PREVIOUS)) is None


CHANGES: Mapping[str, Any] = {
    "at": "2020-01-01T00:00:00+00:00",
    "actor": "Bob",
    "role": "",
    "action": AuditAction.EXPORTED,
    "review_id": None,
    "subject": {},
    "detail": {"n": "0"},
    "hash": "f" * 64,
}


@given(trail_and_place(), st.sampled_from(sorted(CHANGES)))
def test_a_changed_entry_is_named(of: tuple[list[AuditEntry], int], name: str) -> None:
    entries, place = of
    entries[place] = replace(entries[place], **{name: CHANGES[name]})
    fault = verify(entries)
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.CHANGED, place + 1)


@given(trail_and_place())
def test_an_entry_that_was_changed_and_sealed_anew_breaks_the_next(of: tuple[list[AuditEntry], int]) -> None:
    entries, place = of
    last = entries[-1]
    forged = replace(entries[place], actor="Bob")
    entries[place] = replace(forged, hash=hash_of(forged))
    fault = verify(entries, anchor=Anchor.of(last))
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.CHANGED, min(place + 2, last.number))


@given(trail_and_place())
def test_a_removed_entry_is_named(of: tuple[list[AuditEntry], int]) -> None:
    entries, place = of
    last = entries[-1]
    del entries[place]
    fault = verify(entries, anchor=Anchor.of(last))
    assert fault is not None
    kind = FaultKind.REMOVED if place < len(entries) else FaultKind.CUT
    assert (fault.kind, fault.number) == (kind, place + 1)


@given(trail_and_place())
def test_an_entry_that_was_removed_and_whose_followers_were_renumbered_is_found(
    of: tuple[list[AuditEntry], int],
) -> None:
    entries, place = of
    last = entries[-1]
    del entries[place]
    entries = [replace(entry, number=number) for number, entry in enumerate(entries, start=1)]
    fault = verify(entries, anchor=Anchor.of(last))
    assert fault is not None
    assert fault.number == place + 1


@given(trail_and_place(), st.data())
def test_swapped_entries_are_named(of: tuple[list[AuditEntry], int], data: st.DataObject) -> None:
    entries, place = of
    other = data.draw(st.integers(0, len(entries) - 1).filter(lambda other: other != place))
    entries[place], entries[other] = entries[other], entries[place]
    fault = verify(entries)
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.SWAPPED, max(place, other) + 1)


@given(trail_and_place(), st.data())
def test_entries_whose_contents_were_swapped_under_their_numbers_are_named(
    of: tuple[list[AuditEntry], int], data: st.DataObject
) -> None:
    entries, place = of
    other = data.draw(st.integers(0, len(entries) - 1).filter(lambda other: other != place))
    first, second = entries[place], entries[other]
    entries[place], entries[other] = replace(second, number=first.number), replace(first, number=second.number)
    fault = verify(entries)
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.SWAPPED, min(place, other) + 1)


@given(trail_and_place())
def test_a_removed_tail_is_found_by_an_anchor_and_by_nothing_else(of: tuple[list[AuditEntry], int]) -> None:
    entries, place = of
    last = entries[-1]
    kept = entries[:place]
    assert verify(kept) is None
    fault = verify(kept, anchor=Anchor.of(last))
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.CUT, place + 1)
    assert f"the trail ends at entry {place}, and a report tells of entry {last.number}" in fault.message


@given(trail_and_place())
def test_a_trail_written_anew_is_found_by_an_anchor(of: tuple[list[AuditEntry], int]) -> None:
    entries, place = of
    anchor = entries[place]
    entries = list(chain([replace(AuditDraft(at="", actor="Bob", action=AuditAction.EXPORTED))] * len(entries), None))
    assert verify(entries) is None
    fault = verify(entries, anchor=Anchor.of(anchor))
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.CHANGED, anchor.number)


EDITS: Sequence[Mapping[str, Any]] = (
    {"by": "Bob"},
    {"reason": "other"},
    {"role": "chief"},
    {"at": "2026-03-04T05:06:08+00:00"},
    {"severity_to": Severity.NONE},
    {"findings": ("ranges.rule-1",)},
    {"needs_approval": True},
    {"expires": "2030-01-01"},
    {"max_count": 0},
    {"approves": 0},
)


def audited(decisions: Sequence[Decision]) -> tuple[AuditEntry, ...]:
    inspected = AuditDraft(at="", actor="Ada", action=AuditAction.INSPECTED, review_id="dm-1")
    return chain(
        [
            inspected,
            *(
                replace(inspected, action=AuditAction.DECIDED, detail=decided_detail(decision))
                for decision in decisions
            ),
        ],
        None,
    )


@pytest.fixture(scope="module")
def decisions(decided: MakeDecision) -> list[Decision]:
    return [decided("comment", number=number) for number in range(1, 6)]


def test_decisions_that_are_stored_as_they_were_made_are_in_order(decisions: list[Decision]) -> None:
    kept = [Decision.from_plain(json.loads(json.dumps(decision.to_plain()))) for decision in decisions]
    assert verify_decisions(audited(decisions), {"dm-1": kept}) is None


@given(place=st.integers(0, 4), edit=st.sampled_from(EDITS))
def test_an_edited_decision_is_named(decisions: list[Decision], place: int, edit: Mapping[str, Any]) -> None:
    edited = [*decisions]
    edited[place] = replace(edited[place], **edit)
    fault = verify_decisions(audited(decisions), {"dm-1": edited})
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.DECISION, place + 2)
    assert f"decision {place + 1} of review dm-1 is not what entry {place + 2} says" in fault.message


@given(place=st.integers(0, 4))
def test_a_decision_that_is_gone_or_was_never_made_is_named(decisions: list[Decision], place: int) -> None:
    fewer = decisions[:place] + decisions[place + 1 :]
    gone = verify_decisions(audited(decisions), {"dm-1": fewer})
    assert gone is not None
    assert (gone.number, gone.message) == (
        place + 2,
        f"decision {place + 1} of review dm-1, of entry {place + 2}, is gone",
    )
    added = verify_decisions(audited(fewer), {"dm-1": decisions})
    assert added is not None
    assert (added.number, added.kind) == (None, FaultKind.DECISION)
    assert f"decision {place + 1} of review dm-1 is in no entry" in added.message


@given(trail_and_place())
def test_an_entry_is_tied_to_its_neighbours_and_to_its_own_fields(of: tuple[list[AuditEntry], int]) -> None:
    entries, place = of
    entry = entries[place]
    before = entries[place - 1].hash if place else None
    after = entries[place + 1].previous if place + 1 < len(entries) else None
    assert is_tied(entry, before, after)
    assert not is_tied(replace(entry, actor="Bob"), before, after)
    assert not is_tied(entry, before, "f" * 64)
    forged = replace(entry, actor="Bob")
    assert is_tied(replace(forged, hash=hash_of(forged)), before, after) == (after is None)
    if place:
        assert not is_tied(entry, "f" * 64, after)
        assert not is_tied(entry, None, after)


@given(st.integers(-5, 0), st.booleans())
def test_an_entry_with_a_number_that_no_trail_has_is_named(number: int, is_sealed: bool) -> None:
    first, *rest = trail(3)
    forged = replace(first, number=number)
    fault = verify([replace(forged, hash=hash_of(forged)) if is_sealed else forged, first, *rest])
    assert fault is not None
    assert (fault.kind, fault.number) == (FaultKind.CHANGED, number)
    assert "was added past the gate" in fault.message


def test_a_decision_from_before_there_were_roles_keeps_its_digest(decided: MakeDecision) -> None:
    decision = decided("confirm")
    old = {
        key: decision.to_plain()[key] for key in ("number", "action", "by", "at", "reason", "from", "to", "findings")
    }
    assert Decision.from_plain(old) == decision
    assert Decision.from_plain(old).digest == decision.digest
