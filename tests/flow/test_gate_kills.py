"""A process killed at any moment of a run, a decision or a resumption: the next run finds everything in its place."""

from __future__ import annotations

import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from review_graph import DecisionRequest, Review, ReviewService, Settings, Status, build
from review_graph.gate import system_clock
from review_graph.vocabulary import AuditAction
from tests.flow.conftest import Built
from tests.flow.things import Forks, many, outcomes

KILLED = -9
DONE = 0
ENDS = {"confirm": Status.ESCALATED, "override": Status.SUMMARISED}
ACTS = ("run major", "run minor", "confirm", "override", "resume")

VARIES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00|^Audit trail: .*$|\b[\w-]+-[0-9a-f]{10}\b", re.MULTILINE)
"""Times, the end of the audit trail, and ids of reviews."""


@dataclass
class Killer:
    """Kills processes at moments that are drawn from the time they would have taken."""

    forks: Forks
    settings: Settings
    datasets: Mapping[str, Path]
    spec: Mapping[str, Any]
    ask: Callable[..., DecisionRequest]
    folder: Path
    chance: random.Random

    def __post_init__(self) -> None:
        self.took_s = {act: statistics.median(self._undisturbed(act, turn) for turn in range(2)) for act in ACTS[:4]}
        self.took_s["resume"] = self.took_s["confirm"]

    def act(self, what: str, name: str) -> list[Any]:
        """What a process is told to do."""
        if what.startswith("run"):
            return ["start", str(self.datasets[what.removeprefix("run ")]), dict(self.spec), name]
        identity = self.found(name).id
        return ["resume", identity] if what == "resume" else ["decide", identity, self.ask(what).to_plain()]

    def found(self, name: str, kind: str = "major") -> Review:
        """The review as the next run finds it, in a process of its own: this one."""
        with build(self.settings) as service:
            return service.start(self.datasets[kind], dict(self.spec), name=name)

    def kill(self, what: str, name: str) -> tuple[int, list[Any]]:
        """Begin and kill; say how it ended and what it had acknowledged."""
        to, act = self.folder / f"{name}-{what}.txt", self.act(what, name)
        number = self.forks.begin(self.settings, [act], to)
        time.sleep(self.chance.uniform(0, self.took_s[what]))
        return self.forks.kill(number), outcomes(to)

    def _undisturbed(self, what: str, turn: int) -> float:
        name = f"undisturbed-{what.replace(' ', '-')}-{turn}"
        act = self.act(what, name)
        begun = time.monotonic()
        assert self.forks.end(self.forks.begin(self.settings, [act], self.folder / name)) == DONE
        return time.monotonic() - begun

    def files(self, review: Review) -> dict[str, str]:
        """The files of a review, without what is different in each."""
        folder = self.settings.out_path / (review.id or "")
        name = review.dataset.name
        return {
            path.name: VARIES.sub("…", path.read_text(encoding="utf-8")).replace(name, "NAME")
            for path in sorted(folder.rglob("[!.]*"))  # a kill may leave a file that was being written, under no name
            if path.is_file()
        }


@pytest.fixture
def killer(
    kept: Settings,
    forks: Forks,
    table: Callable[..., Path],
    spec: dict[str, Any],
    ask: Callable[..., DecisionRequest],
    tmp_path: Path,
) -> Killer:
    datasets = {kind: table(kind) for kind in ("major", "minor")}
    return Killer(forks, kept, datasets, spec, ask, tmp_path, random.Random(20260304))  # noqa: S311 - no secret


def demand_told_once(service: ReviewService, review: Review) -> None:
    acts = Counter(entry.action for entry in service.trail.entries(review.id))
    decided = len(review.decisions)
    was_paused = "major" in review.dataset.uri
    assert acts[AuditAction.REVIEW_STARTED] == 1
    assert acts[AuditAction.REVIEW_PAUSED] == was_paused
    assert acts[AuditAction.REVIEW_FINISHED] == review.status.is_final
    assert acts[AuditAction.DECIDED] == decided
    assert acts[AuditAction.DECISION_APPLIED] <= decided
    assert acts[AuditAction.REVIEW_FAILED] == 0


def killed_once(killer: Killer, what: str, name: str) -> tuple[int, Review]:
    """Kill one process, and return how it ended and the review as the next run left it."""
    if what == "resume":
        killer.kill("confirm", name)
    ended, acknowledged = killer.kill(what, name)
    kind = "minor" if what == "run minor" else "major"
    review = killer.found(name, kind)
    if what.startswith("run"):
        assert (review.status, review.decisions) == (Status.PAUSED if kind == "major" else Status.SUMMARISED, ())
        return ended, review
    action = "confirm" if what == "resume" else what
    if acknowledged and what != "resume":
        assert len(review.decisions) == 1
    if not review.decisions:
        assert review.status is Status.PAUSED
        with build(killer.settings) as service:
            review = service.decide(review.id or "", killer.ask(action))
    assert (review.status, [decision.action.value for decision in review.decisions]) == (ENDS[action], [action])
    return ended, review


def demand_that_kills_leave_no_trace(killer: Killer, built: Built, moments: int) -> None:
    endings: Counter[int] = Counter()
    reviews: dict[str, list[Review]] = {act: [] for act in ACTS}
    while endings[KILLED] < moments:  # what ended before it was killed does not count
        number = endings.total()
        assert number < 5 * moments
        what = ACTS[number % len(ACTS)]
        ended, review = killed_once(killer, what, f"killed-{number}")
        endings[ended] += 1
        reviews[what].append(review)
    assert set(endings) <= {KILLED, DONE}
    service = built(killer.settings, clock=system_clock)
    assert service.trail.verify() is None
    expected = {act: f"undisturbed-{act.replace(' ', '-')}-0" for act in ACTS} | {"resume": "undisturbed-confirm-0"}
    for what, those in reviews.items():
        reference = killer.found(expected[what], "minor" if what == "run minor" else "major")
        for review in those:
            assert killer.files(review) == killer.files(reference)
            demand_told_once(service, review)
            assert service.get(review.id or "").status is review.status


def test_process_killed_at_any_moment_leaves_no_trace(killer: Killer, built: Built) -> None:
    demand_that_kills_leave_no_trace(killer, built, 8)


@pytest.mark.slow
def test_process_killed_at_many_moments_leaves_no_trace(killer: Killer, built: Built) -> None:
    demand_that_kills_leave_no_trace(killer, built, many(50, 200))


def test_eight_processes_write_to_one_database(
    kept: Settings,
    forks: Forks,
    table: Callable[..., Path],
    spec: dict[str, Any],
    ask: Callable[..., DecisionRequest],
    built: Built,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    processes, reviews = 8, 2
    path, service = table("major"), built(kept, clock=system_clock)
    before = {
        (who, n): service.start(path, spec, name=f"p{who}-{n}") for who in range(processes) for n in range(reviews)
    }
    numbers = []
    for who in range(processes):
        decisions = [["decide", before[who, n].id, ask("confirm").to_plain()] for n in range(reviews)]
        starts = [["start", str(path), spec, f"q{who}-{n}"] for n in range(reviews)]
        numbers.append(
            forks.begin(kept, [act for both in zip(starts, decisions, strict=True) for act in both], tmp_path / "o")
        )
    assert [forks.end(number) for number in numbers] == [DONE] * processes
    assert capfd.readouterr().err == ""
    came_to = Counter((outcome[0], outcome[2]) for outcome in outcomes(tmp_path / "o"))
    assert came_to == {("start", "paused"): processes * reviews, ("decide", "escalated"): processes * reviews}
    assert service.trail.verify() is None
