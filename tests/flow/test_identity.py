"""R9: the same input is the same review, with the same bytes; anything else is another one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from review_graph import DecisionRequest, ReviewService, Settings, Status, build
from review_graph.nodes import Nodes

Write = Callable[..., Path]


def run_again(_nodes: Nodes, _state: object) -> NoReturn:
    pytest.fail("a finished step ran again")


@pytest.mark.parametrize(
    ("kind", "status"),
    [("clean", Status.SUMMARISED), ("minor", Status.SUMMARISED), ("major", Status.PAUSED)],
    ids=["clean", "minor", "major"],
)
def test_running_the_same_file_again_finds_the_review(
    service: ReviewService,
    settings: Settings,
    table: Write,
    spec: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    status: Status,
) -> None:
    path = table(kind)
    first = service.start(path, spec)
    report = Path(first.report).read_bytes() if first.report else None
    for name in ("intake", "structure", "ranges", "triage", "summarise", "escalate"):
        monkeypatch.setattr(Nodes, name, run_again)
    second = build(settings).start(path, spec)
    assert second == first
    assert second.status is status
    assert (Path(second.report).read_bytes() if second.report else None) == report
    assert len(service.list()) == 1


def test_escalated_review_is_found_again(
    service: ReviewService, table: Write, spec: dict[str, Any], ask: Callable[..., DecisionRequest]
) -> None:
    path = table("major")
    ended = service.decide(service.start(path, spec).id or "", ask("confirm"))
    assert service.start(path, spec) == ended


def test_fresh_starts_another_attempt_and_leaves_the_first(
    service: ReviewService, table: Write, spec: dict[str, Any], ask: Callable[..., DecisionRequest]
) -> None:
    path = table("major")
    first = service.decide(service.start(path, spec).id or "", ask("confirm"))
    again = [service.start(path, spec, fresh=True) for _ in range(2)]
    assert [review.id for review in again] == [f"{first.id}-2", f"{first.id}-3"]
    assert [review.status for review in again] == [Status.PAUSED, Status.PAUSED]
    assert service.get(first.id or "") == first
    assert service.start(path, spec).id == f"{first.id}-3"
    assert [item.finding for item in again[0].findings] == [item.finding for item in first.findings]


def test_two_folders_give_the_same_bytes(
    tmp_path: Path, table: Write, spec: dict[str, Any], clock: Callable[..., Any], ask: Callable[..., DecisionRequest]
) -> None:
    path = table("major")
    written = []
    for folder in ("one", "two"):
        service = build(Settings(db=str(tmp_path / folder / "reviews.sqlite")), clock=clock)
        review = service.decide(service.start(path, spec).id or "", ask("confirm"))
        written.append([Path(review.report or "").read_bytes(), Path(review.queries or "").read_bytes()])
    assert written[0] == written[1]


CHANGES: dict[str, dict[str, Any]] = {
    "another value": {"data": {"A": [1, 2, 34]}},
    "another row": {"data": {"ID": ["S-1", "S-2", "S-3", "S-4"], "A": [1, 2, 33, 4]}},
    "another column": {"data": {"Z": [1, 2, 3]}},
    "another name of the file": {"name": "renamed"},
    "another spec": {"spec": {"policy": {"majorAt": 2}}},
}


@pytest.mark.parametrize("change", list(CHANGES.values()), ids=list(CHANGES))
def test_anything_else_is_another_review(
    service: ReviewService, table: Write, spec: dict[str, Any], change: dict[str, Any]
) -> None:
    first = service.start(table("minor", "dataset"), spec)
    path = table("minor", change.get("name", "dataset"), **change.get("data", {}))
    second = service.start(path, spec | change.get("spec", {}))
    assert second.id not in (first.id, f"{first.id}-2")
    assert {review.id for review in service.list()} == {first.id, second.id}


def test_same_file_in_another_folder_is_the_same_review(
    service: ReviewService, table: Write, spec: dict[str, Any], tmp_path: Path
) -> None:
    first = service.start(table("minor"), spec)
    moved = tmp_path / "elsewhere" / "minor.parquet"
    moved.parent.mkdir()
    moved.write_bytes((tmp_path / "minor.parquet").read_bytes())
    assert service.start(moved, spec).id == first.id


def test_spec_file_and_spec_in_hand_are_the_same_spec(
    service: ReviewService, table: Write, spec: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    path = table("minor")
    assert service.start(path, tmp_path / "spec.json").id == service.start(path, spec).id


def test_order_of_findings_does_not_depend_on_the_order_of_the_spec(
    service: ReviewService, table: Write, spec: dict[str, Any]
) -> None:
    path = table("three-minor", ID=["S-1", "S-1", "S-3"])
    forwards = service.start(path, spec)
    backwards = service.start(path, spec | {"fields": spec["fields"][::-1]})
    assert [item.finding for item in forwards.findings] == [item.finding for item in backwards.findings]
    assert [item.finding.severity.value for item in forwards.findings] == ["major", "minor", "minor", "minor"]


def test_waiting_reviews_are_listed_first_then_the_oldest(
    service: ReviewService, table: Write, spec: dict[str, Any]
) -> None:
    ids = {kind: service.start(table(kind), spec).id for kind in ("clean", "minor", "major")}
    assert [review.id for review in service.list()] == [ids["major"], ids["minor"], ids["clean"]]
