"""What a reviewer cannot do is refused before anything is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status
from review_graph.errors import DecisionConflict, DecisionNotAllowed, InvalidDecision, ReviewNotFound

Ask = Callable[..., DecisionRequest]
Everything = list[tuple[str, list[tuple[Any, ...]]]]


@pytest.fixture
def paused(service: ReviewService, table: Callable[..., Path], spec: dict[str, Any]) -> Review:
    """A review with three findings of which any makes it major."""
    return service.start(table("three-minor"), spec | {"policy": {"majorAt": 1}})


@pytest.fixture
def written(settings: Settings) -> Callable[[], Everything]:
    """Everything that is in the database, checkpoints and all."""

    def read() -> Everything:
        with closing(sqlite3.connect(settings.db_path)) as connection:
            names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return [
                (name, connection.execute(f'SELECT * FROM "{name}" ORDER BY rowid').fetchall())  # noqa: S608 - our own
                for name in sorted(names)
            ]

    return read


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no name": ({"by": ""}, "needs a name"),
    "blank name": ({"by": " \t "}, "needs a name"),
    "name of signs": ({"by": "-.-"}, "needs a name"),
    "name with an escape code": ({"by": "Ada\x1b[31m"}, "control characters"),
    "name on two lines": ({"by": "Ada\nBob"}, "one line"),
    "name with a NUL": ({"by": "Ada\x00"}, "control characters"),
    "name that turns the writing round": ({"by": "Ada\u202ebboB"}, "control characters"),
    "name without end": ({"by": "A" * 101}, "100 characters"),
    "no reason": ({"reason": ""}, "needs a reason"),
    "blank reason": ({"reason": "   "}, "needs a reason"),
    "no-break blank reason": ({"reason": "\u00a0\u2003"}, "needs a reason"),
    "zero-width reason": ({"reason": "\u200b"}, "needs a reason"),
    "reason on two lines": ({"reason": "because\nof this"}, "one line"),
    "reason without end": ({"reason": "x" * 2001}, "2000 characters"),
    "unknown action": ({"action": "assent"}, "confirm, override, dismiss"),
    "action in capitals": ({"action": "CONFIRM"}, "confirm, override, dismiss"),
    "no action": ({"action": ""}, "confirm, override, dismiss"),
    "unknown severity": ({"action": "override", "severity": "trivial"}, "none, minor"),
    "severity that is not lower": ({"action": "override", "severity": "major"}, "use confirm"),
    "override to nothing": ({"action": "override", "severity": None}, "none, minor"),
    "severity with confirm": ({"severity": "minor"}, "goes with override"),
    "severity with dismiss": ({"action": "dismiss", "severity": "minor"}, "goes with override"),
    "finding with confirm": ({"findings": ("ranges.outside_limits-00000000",)}, "go with dismiss"),
    "finding with override": ({"action": "override", "findings": ("x",)}, "go with dismiss"),
    "dismissal of nothing": ({"action": "dismiss"}, "names the findings"),
    "unknown finding": ({"action": "dismiss", "findings": ("ranges.outside_limits-00000000",)}, "no finding"),
    "blank finding": ({"action": "dismiss", "findings": ("",)}, "no finding"),
}


@pytest.mark.parametrize(("fields", "says"), list(REFUSED.values()), ids=list(REFUSED))
def test_refused_and_nothing_written(
    service: ReviewService,
    paused: Review,
    written: Callable[[], Everything],
    ask: Ask,
    fields: dict[str, Any],
    says: str,
) -> None:
    before = written()
    with pytest.raises(InvalidDecision, match=says) as refusal:
        service.decide(paused.id or "", ask(**fields))
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert written() == before
    assert service.get(paused.id or "") == paused


def test_one_unknown_finding_among_known_ones_refuses_all(
    service: ReviewService, paused: Review, written: Callable[[], Everything], ask: Ask
) -> None:
    before = written()
    known = paused.findings[0].finding.id
    with pytest.raises(InvalidDecision, match="did you mean"):
        service.decide(paused.id or "", ask("dismiss", findings=(known, f"{known}0")))
    assert written() == before


@pytest.mark.parametrize("identity", ["", " ", "three-minor-0000000000", "../etc/passwd", "' OR 1=1 --", "x\x00y", "%"])
def test_unknown_review_is_refused(
    service: ReviewService, paused: Review, written: Callable[[], Everything], ask: Ask, identity: str
) -> None:
    before = written()
    with pytest.raises(ReviewNotFound, match="no review has the id"):
        service.decide(identity, ask())
    with pytest.raises(ReviewNotFound, match="no review has the id"):
        service.get(identity)
    with pytest.raises(ReviewNotFound, match="no review has the id"):
        service.resume(identity)
    assert written() == before
    assert service.list() == (paused,)


def test_dismissed_finding_is_not_dismissed_again(
    service: ReviewService, paused: Review, written: Callable[[], Everything], ask: Ask
) -> None:
    one = (paused.findings[0].finding.id,)
    assert service.decide(paused.id or "", ask("dismiss", findings=one)).status is Status.PAUSED
    before = written()
    with pytest.raises(InvalidDecision, match="dismissed already: Ada recorded dismiss"):
        service.decide(paused.id or "", ask("dismiss", by="Bob", findings=one))
    assert written() == before


@pytest.mark.parametrize("first", ["confirm", "override"])
@pytest.mark.parametrize("second", ["confirm", "override"])
def test_second_decision_gets_a_conflict_that_names_the_first(
    service: ReviewService, paused: Review, written: Callable[[], Everything], ask: Ask, first: str, second: str
) -> None:
    ended = service.decide(paused.id or "", ask(first, reason="seen by two"))
    before = written()
    with pytest.raises(DecisionConflict, match=f"Ada recorded {first} at 2026-03-04T05:06:07.*: seen by two"):
        service.decide(paused.id or "", ask(second, by="Bob"))
    assert written() == before
    assert service.get(paused.id or "") == ended


def test_decision_on_what_the_reviewer_has_not_seen_is_a_conflict(
    service: ReviewService, paused: Review, written: Callable[[], Everything], ask: Ask
) -> None:
    one = (paused.findings[0].finding.id,)
    service.decide(paused.id or "", ask("dismiss", findings=one))
    before = written()
    with pytest.raises(DecisionConflict, match="Ada recorded dismiss"):
        service.decide(paused.id or "", ask("confirm", by="Bob", expected_decisions=0))
    assert written() == before


def test_finished_review_has_nothing_to_decide(
    service: ReviewService,
    table: Callable[..., Path],
    spec: dict[str, Any],
    written: Callable[[], Everything],
    ask: Ask,
) -> None:
    review = service.start(table("clean"), spec)
    before = written()
    with pytest.raises(DecisionNotAllowed, match="summarised and not paused"):
        service.decide(review.id or "", ask())
    assert written() == before
