"""R1: both families start together, run once each, and meet once at triage, whatever they take or raise."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from checks import Examination, Measure, Outcome, Severity, check, run_family
from checks.registry import unregister
from review_graph import ReviewService, Settings, Status, build
from review_graph.nodes import Nodes

STEPS = ("intake", "structure", "ranges", "triage", "summarise", "escalate")
FAMILIES = ("structure", "ranges")

Build = Callable[[], ReviewService]


@pytest.fixture
def build_here(settings: Settings) -> Build:
    """Builds the service after the test has changed its parts."""
    return lambda: build(settings)


@pytest.fixture
def trace(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What started and ended, in order."""
    events: list[str] = []

    def traced(step: str) -> Callable[..., Any]:
        original = getattr(Nodes, step)

        @wraps(original)  # LangGraph reads the signature
        def node(*arguments: Any, **named: Any) -> Any:
            events.append(f"{step} starts")
            try:
                return original(*arguments, **named)
            finally:
                events.append(f"{step} ends")

        return node

    for step in STEPS:
        monkeypatch.setattr(Nodes, step, traced(step))
    return events


def starts(events: list[str]) -> Counter[str]:
    return Counter(event.removesuffix(" starts") for event in events if event.endswith(" starts"))


def break_family(monkeypatch: pytest.MonkeyPatch, broken: tuple[str, ...], crash: BaseException) -> None:

    def run(family: str, *arguments: Any) -> Any:
        if family in broken:
            raise crash
        return run_family(family, *arguments)

    monkeypatch.setattr("review_graph.nodes.run_family", run)


def test_families_run_at_the_same_time(
    monkeypatch: pytest.MonkeyPatch, build_here: Build, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    together = threading.Barrier(2, timeout=10)

    def run(family: str, *arguments: Any) -> Any:
        together.wait()  # one after the other, the first would wait in vain and the family be reported as not run
        return run_family(family, *arguments)

    monkeypatch.setattr("review_graph.nodes.run_family", run)
    assert build_here().start(table("clean"), spec).status is Status.SUMMARISED


@pytest.mark.parametrize("slow", FAMILIES)
def test_triage_waits_for_the_slower_family_and_runs_once(
    monkeypatch: pytest.MonkeyPatch,
    trace: list[str],
    build_here: Build,
    table: Callable[..., Path],
    spec: dict[str, Any],
    slow: str,
) -> None:

    def run(family: str, *arguments: Any) -> Any:
        if family == slow:
            time.sleep(0.3)
        return run_family(family, *arguments)

    monkeypatch.setattr("review_graph.nodes.run_family", run)
    review = build_here().start(table("minor"), spec)
    assert review.status is Status.SUMMARISED
    assert starts(trace) == {"intake": 1, "structure": 1, "ranges": 1, "triage": 1, "summarise": 1}
    assert trace.index("triage starts") > trace.index(f"{slow} ends")


@pytest.mark.parametrize(
    "broken", [("structure",), ("ranges",), ("structure", "ranges")], ids=["structure", "ranges", "both"]
)
@pytest.mark.parametrize(
    "crash", [RuntimeError("no\nluck"), MemoryError(), KeyError("x")], ids=["runtime", "memory", "key"]
)
def test_family_that_cannot_run_is_a_major_finding_and_its_sibling_goes_on(
    monkeypatch: pytest.MonkeyPatch,
    trace: list[str],
    build_here: Build,
    table: Callable[..., Path],
    spec: dict[str, Any],
    broken: tuple[str, ...],
    crash: BaseException,
) -> None:
    break_family(monkeypatch, broken, crash)
    review = build_here().start(table("major"), spec)
    found = {item.finding.code: item.finding for item in review.findings}
    for family in broken:
        assert found[f"{family}.not_run"].severity is Severity.MAJOR
        assert found[f"{family}.not_run"].outcome is Outcome.ERRORED
    assert ("structure.duplicate_key" in found) is ("structure" not in broken)
    assert ("ranges.outside_limits" in found) is ("ranges" not in broken)
    assert (review.status, review.triage.needs_human) == (Status.PAUSED, True)
    assert starts(trace) == {"intake": 1, "structure": 1, "ranges": 1, "triage": 1}


def test_family_that_cannot_run_pauses_a_clean_dataset(
    monkeypatch: pytest.MonkeyPatch, build_here: Build, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    break_family(monkeypatch, ("ranges",), RuntimeError("out of luck"))
    review = build_here().start(table("clean"), spec)
    assert [item.finding.message for item in review.findings] == [
        "the ranges checks could not run: RuntimeError: 'out of luck'"
    ]
    assert review.status is Status.PAUSED


@pytest.fixture(params=["while it is planned", "when it judges"])
def crashing_check(request: pytest.FixtureRequest) -> Iterator[str]:
    """A check of our own that divides by zero; its code."""
    code = "ranges.crashes_in_a_test"

    def crash(examination: Examination) -> Measure:
        """Crash."""
        if request.param == "while it is planned":
            raise ZeroDivisionError(examination.table.row)
        return Measure(columns=(), aggregates={}, judge=lambda _, rows: rows / 0)  # type: ignore[arg-type, return-value]

    crash.__annotations__ = {"examination": Examination, "return": Measure}
    check(code, severity=Severity.MAJOR)(crash)
    yield code
    unregister(code)


def test_check_that_crashes_counts_as_an_open_minor_finding(
    build_here: Build, table: Callable[..., Path], spec: dict[str, Any], crashing_check: str
) -> None:
    review = build_here().start(table("minor"), spec)
    found = {item.finding.code: (item.finding.severity, item.finding.outcome) for item in review.findings}
    assert found == {
        "ranges.outside_limits": (Severity.MINOR, Outcome.FAILED),
        crashing_check: (Severity.MINOR, Outcome.ERRORED),
    }
    assert (review.status, review.triage.severity) == (Status.SUMMARISED, Severity.MINOR)
    assert [verdict.outcome for verdict in review.verdicts if verdict.code == crashing_check] == [Outcome.ERRORED]


def test_interrupt_inside_a_family_is_not_taken_for_a_crash(
    monkeypatch: pytest.MonkeyPatch, build_here: Build, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    path = table("clean")
    with monkeypatch.context() as patched:
        break_family(patched, ("ranges",), KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            build_here().start(path, spec)
    review = build_here().start(path, spec)
    assert (review.status, review.findings) == (Status.SUMMARISED, ())


def test_dataset_that_changes_under_review_fails_and_goes_on_when_it_is_put_back(
    monkeypatch: pytest.MonkeyPatch, build_here: Build, table: Callable[..., Path], spec: dict[str, Any]
) -> None:
    path = table("major")
    content = path.read_bytes()
    intake = Nodes.intake

    @wraps(intake)  # LangGraph reads the signature
    def spoil(*arguments: Any, **named: Any) -> Any:
        update = intake(*arguments, **named)
        path.write_bytes(table("clean", "other").read_bytes())
        return update

    with monkeypatch.context() as patched:
        patched.setattr(Nodes, "intake", spoil)
        failed = build_here().start(path, spec)
    assert failed.status is Status.FAILED
    assert failed.problem is not None
    assert "changed" in failed.problem.message
    assert failed.triage.needs_human

    path.write_bytes(content)
    again = build_here().start(path, spec)
    assert (again.id, again.status, again.problem) == (failed.id, Status.PAUSED, None)
