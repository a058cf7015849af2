"""Reviews of datasets that refer to others: which one it was is part of the review."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from langgraph.checkpoint.memory import InMemorySaver

from review_graph import ReviewService, Settings, Status, build_graph, review
from review_graph.errors import InputError

SPEC: dict[str, Any] = {
    "name": "visits",
    "fields": [{"name": "ID"}, {"name": "DAY", "type": "date"}],
    "foreignKeys": [{"fields": "ID", "reference": {"resource": "subjects", "fields": "ID"}}],
    "rules": [{"id": "alive", "severity": "major", "compare": "DAY <= subjects.DEATH"}],
}
LINKED = ("ranges.rule.alive", "structure.foreign_key")


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    path = tmp_path / "visits.csv"
    path.write_text("ID,DAY\nS-1,2024-01-01\nS-2,2024-01-02\nS-3,2024-01-03\n")
    return path


@pytest.fixture
def subjects(tmp_path: Path) -> Path:
    path = tmp_path / "subjects.csv"
    path.write_text("ID,DEATH\nS-1,2023-12-31\nS-2,\n")
    return path


def outcomes(done: Any) -> dict[str, str]:
    return {verdict.code: verdict.outcome.value for verdict in done.verdicts if verdict.code in LINKED}


def test_a_review_is_held_against_the_dataset_it_refers_to(
    service: ReviewService, visits: Path, subjects: Path
) -> None:
    done = service.start(visits, SPEC, references={"SUBJECTS": subjects, "sites": "nowhere.csv"})
    assert done.status is Status.PAUSED
    assert {item.finding.code: item.finding.failed for item in done.findings} == dict.fromkeys(LINKED, 1)
    plain = done.to_plain()["dataset"]
    assert plain["references"] == [
        {"name": "subjects", "uri": str(subjects), "fingerprint": plain["references"][0]["fingerprint"]}
    ]
    assert f"held against subjects: {subjects}" in plain["notes"]


def test_without_it_nothing_is_judged_and_that_is_said(service: ReviewService, visits: Path) -> None:
    done = service.start(visits, SPEC)
    assert outcomes(done) == dict.fromkeys(LINKED, "inconclusive")
    assert any("subjects was not given" in note and "--with subjects=PATH" in note for note in done.dataset.notes)


def test_another_dataset_to_refer_to_makes_another_review(service: ReviewService, visits: Path, subjects: Path) -> None:
    first = service.start(visits, SPEC, references={"subjects": subjects})
    again = service.start(visits, SPEC, references={"subjects": subjects})
    alone = service.start(visits, SPEC)
    subjects.write_text("ID,DEATH\nS-1,\nS-2,\nS-3,\n")
    mended = service.start(visits, SPEC, references={"subjects": subjects})
    assert first.id == again.id
    assert len({first.id, alone.id, mended.id}) == 3
    assert (mended.status, mended.findings) == (Status.SUMMARISED, ())


def test_one_that_cannot_be_read_leaves_the_rest_to_be_judged(
    service: ReviewService, visits: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "subjects.xpt"
    broken.write_bytes(b"no transport file")
    for place in (broken, tmp_path / "gone.csv"):
        done = service.start(visits, SPEC, references={"subjects": place})
        assert outcomes(done) == dict.fromkeys(LINKED, "inconclusive")
        assert any("subjects cannot be used" in note for note in done.dataset.notes)
        assert done.status is Status.SUMMARISED


def test_frames_refer_to_frames_and_files(settings: Settings, subjects: Path) -> None:
    visits = pl.DataFrame({"ID": ["S-1", "S-3"], "DAY": [dt.date(2024, 1, 1)] * 2})
    for other in (subjects, pd.read_csv(subjects), pl.read_csv(subjects)):
        done = review(visits, SPEC, name="visits", references={"subjects": other}, settings=settings)
        assert {item.finding.code for item in done.findings} == set(LINKED)


def test_the_graph_takes_them_in_the_request(visits: Path, subjects: Path) -> None:
    graph = build_graph(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    request = {"path": str(visits), "spec": SPEC, "references": {"subjects": str(subjects)}}
    graph.invoke({"review_request": request}, config)
    state = graph.get_state(config)
    assert state.next == ("escalate",)
    assert state.values["dataset"]["references"][0]["name"] == "subjects"  # noqa: PD011 - a snapshot, no frame


@pytest.mark.parametrize("references", [["subjects"], {"subjects": 1}, "subjects.csv"], ids=["list", "number", "text"])
def test_a_request_with_other_references_is_refused(references: object, visits: Path) -> None:
    graph = build_graph(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    with pytest.raises(InputError, match="references of a review_request are names and paths"):
        graph.invoke({"review_request": {"path": str(visits), "references": references}}, config)


def test_a_decision_needs_no_dataset_to_refer_to(
    service: ReviewService, visits: Path, subjects: Path, ask: Callable[..., Any]
) -> None:
    done = service.start(visits, SPEC, references={"subjects": subjects})
    subjects.unlink()
    assert service.decide(done.id or "", ask()).status is Status.ESCALATED
