"""Runs families of checks over a table: one pass for all counts, then evidence only where something failed.

A check that crashes is a finding of its own and never keeps its siblings from running.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from checks.column import Column
from checks.counting import Counting, Counts
from checks.distribution import distributions
from checks.errors import CannotJudge
from checks.evidence import example, first_rows, shown_rows
from checks.examination import Examination, Key, Rule
from checks.frame import CRASH, Frame
from checks.plain import count_of, quote
from checks.probes import Fact, Failure, Measure, Probe, Query, RowCheck, Spread
from checks.registry import Answer, Check, catalogue, families
from checks.spec import CheckSettings
from checks.vocabulary import (
    Distribution,
    Finding,
    Outcome,
    Severity,
    TableReview,
    Verdict,
    merge_verdicts,
)

EvidenceSink = Callable[[Finding, Frame], str | None]
"""Keeps all offending rows of a finding somewhere and says where; the frame holds row number, key and values."""

_SUBJECTS: Mapping[object, Callable[[Examination], Iterable[Any]]] = {
    Column: lambda examination: examination.columns,
    Key: lambda examination: examination.keys,
    Rule: lambda examination: examination.rules,
    Examination: lambda examination: (examination,),
}


@dataclass(frozen=True, kw_only=True)
class _Planned:
    """A probe, the check that asks for it, and the severity its finding would have."""

    check: Check
    probe: Probe
    severity: Severity

    @property
    def code(self) -> str:
        return self.probe.code or self.check.code


def run_family(
    family: str, examination: Examination, sink: EvidenceSink | None = None, *, draw: bool = True
) -> TableReview:
    """Run one family of checks.

    Args:
        family: `structure`, `ranges`, or any other family that has a registered check.
        examination: The table and its spec.
        sink: Keeps all offending rows of a finding that has more than its evidence holds.
        draw: Whether to count what drawings of the findings need.

    Returns:
        Findings and verdicts of the family, sorted.
    """
    return _run((family,), examination, sink, draw=draw)


def run_families(examination: Examination, sink: EvidenceSink | None = None, *, draw: bool = True) -> TableReview:
    """Run all families as one: a column that several of them look at is read once."""
    return _run(families(), examination, sink, draw=draw)


def _run(names: Sequence[str], examination: Examination, sink: EvidenceSink | None, *, draw: bool) -> TableReview:
    run = _Run(examination, sink)
    run.judge([item for name in names for check in catalogue(name) for item in run.plan(check)])
    if draw:
        run.draw()
    findings = sorted((run.completed(finding) for finding in run.findings), key=lambda f: f.sort_key)
    return TableReview(rows=run.rows, findings=tuple(findings), verdicts=merge_verdicts(run.verdicts))


class _Run:
    """One table, while families of checks run over it."""

    def __init__(self, examination: Examination, sink: EvidenceSink | None) -> None:
        self.examination = examination
        self.sink = sink
        self.counting = Counting(examination, whole=sink is not None)
        self.counting.count_rows()
        self.capped: dict[str, Frame] = {}
        self.spreads: dict[str, Sequence[Spread]] = {}
        self.drawn: Mapping[str, tuple[Distribution, ...]] = {}
        self.findings: list[Finding] = []
        self.verdicts: list[Verdict] = []

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.counting.rows

    def plan(self, check: Check) -> list[_Planned]:
        """Ask a check what it wants to know of each of its subjects."""
        planned = []
        for subject in _SUBJECTS[check.subject](self.examination):
            code = f"{check.code}.{subject.spec.id}" if isinstance(subject, Rule) else check.code
            settings = self.examination.settings(code, check.code)
            if not settings.enabled or _is_left_out(subject, settings.except_columns):
                continue
            try:
                for probe in _probes(check.function(subject)):
                    declared = subject.field.severity if isinstance(subject, Column) and check.of_field else None
                    own = settings.severity if isinstance(subject, Rule) else None
                    severity = own or probe.severity or declared or settings.severity or check.severity
                    _demand_rows(settings, self.rows)
                    planned.append(_Planned(check=check, probe=replace(probe, code=code), severity=severity))
            except CannotJudge as reason:
                self._verdict(code, Outcome.INCONCLUSIVE, _columns_of(subject), str(reason))
            except CRASH as crash:
                self._crashed(code, _columns_of(subject), crash)
        return planned

    def judge(self, planned: Sequence[_Planned]) -> None:
        """Answer all planned probes; in a big table, queries run beside the pass that does all the counting."""
        with ThreadPoolExecutor(1) as beside:
            queried = {
                n: beside.submit(item.probe.run, self.rows) if self.counting.is_big else None
                for n, item in enumerate(planned)
                if isinstance(item.probe, Query)
            }
            answers = self.counting.answers([item.probe for item in planned])
            for n, (item, answer) in enumerate(zip(planned, answers, strict=True)):
                if isinstance(answer, BaseException):
                    self._crashed(item.code, item.probe.columns, answer)
                    continue
                try:
                    self._answer(item, answer, queried.get(n))
                except CannotJudge as reason:
                    self._verdict(item.code, Outcome.INCONCLUSIVE, item.probe.columns, str(reason))
                except CRASH as crash:
                    self._crashed(item.code, item.probe.columns, crash)

    def draw(self) -> None:
        """Count what drawings need; when that cannot be done, findings stand without."""
        with suppress(*CRASH):
            self.drawn = distributions(self.spreads, self.examination.table.frame)

    def completed(self, finding: Finding) -> Finding:
        """Add to a finding what was not known when it was made.

        The sink is called here, outside all checks: when it cannot keep the rows, no check has crashed.
        """
        shown = self.capped.get(finding.id)
        file = self.sink(finding, shown) if self.sink is not None and shown is not None else None
        return replace(finding, evidence_file=file, distributions=self.drawn.get(finding.id, ()))

    def _answer(self, item: _Planned, counts: Counts, queried: Future[Failure | None] | None) -> None:
        probe = item.probe
        failure: Failure | None
        if isinstance(probe, RowCheck):
            failure = self._row_failure(probe, counts)
            for number, (_, reason) in enumerate(probe.unjudged):
                if count := int(counts.values[f"unjudged{number}"] or 0):
                    self._verdict(
                        item.code, Outcome.INCONCLUSIVE, probe.columns, f"{_of_rows(count, self.rows)}: {reason}"
                    )
        elif isinstance(probe, Measure):
            failure = probe.judge(counts.values, self.rows)
        elif isinstance(probe, Query):
            failure = probe.run(self.rows) if queried is None else queried.result()
        else:
            failure = probe.failure
        if failure is None:
            self._verdict(item.code, Outcome.PASSED, probe.columns)
            return
        finding = self._finding(item, failure, counts)
        self.findings.append(finding)
        self._verdict(item.code, Outcome.FAILED, finding.columns)

    def _row_failure(self, probe: RowCheck, counted: Counts) -> Failure | None:
        failed = int(counted.values["failed"] or 0)
        if not failed:
            return None
        kinds = ""
        if probe.breakdown:
            counts = self.counting.count(probe, probe.breakdown) if counted.kinds is None else counted.kinds
            kinds = ", ".join(f"{counts[name]} {name}" for name in probe.breakdown if counts[name])
        message = f"{_of_rows(failed, self.rows)}: {probe.says}" + (f" ({kinds})" if kinds else "")
        offending = self.counting.offending(probe)
        return Failure(
            message=message,
            failed=failed,
            offending=offending,
            spreads=probe.spreads,
            filtered=probe.frame is None,
        )

    def _finding(self, item: _Planned, failure: Failure, counts: Counts) -> Finding:
        finding = Finding(
            code=item.code,
            severity=item.severity,
            columns=item.probe.columns if failure.columns is None else failure.columns,
            message=failure.message,
            failed=failure.failed,
            rows=self.rows,
            groups=failure.groups,
            parameters=item.probe.parameters,
        )
        if failure.offending is None:
            return finding
        shown = shown_rows(self.examination, item.probe, failure, failure.offending, counts.first)
        evidence = first_rows(self.examination, item.probe, shown, counts.first)
        finding = replace(finding, evidence=evidence, message=finding.message + example(item.probe, evidence))
        if failure.failed > len(evidence):
            self.capped[finding.id] = shown
        if failure.spreads:
            self.spreads[finding.id] = failure.spreads
        return finding

    def _verdict(self, code: str, outcome: Outcome, columns: tuple[str, ...], reason: str | None = None) -> None:
        self.verdicts.append(Verdict(code=code, outcome=outcome, columns=columns, reason=reason))

    def _crashed(self, code: str, columns: tuple[str, ...], crash: BaseException) -> None:
        reason = f"{type(crash).__name__}: {quote(str(crash).partition(chr(10))[0])}"
        self._verdict(code, Outcome.ERRORED, columns, reason)
        self.findings.append(
            Finding(
                code=code,
                severity=Severity.MINOR,
                columns=columns,
                message=f"the check crashed and gave no verdict: {reason}",
                failed=0,
                rows=self.rows,
                outcome=Outcome.ERRORED,
            )
        )


def _demand_rows(settings: CheckSettings, rows: int) -> None:
    if settings.min_rows is not None and rows < settings.min_rows:
        raise CannotJudge(f"the table has fewer than {count_of(settings.min_rows, 'row')} (minRows)")


def _is_left_out(subject: object, names: Sequence[str]) -> bool:
    """Whether a subject is a column that may be absent and is, or one that the spec excepts."""
    if isinstance(subject, Column):
        return subject.may_be_absent or subject.name in names
    return isinstance(subject, Key) and not set(names).isdisjoint(subject.columns)


def _probes(answer: Answer) -> Iterable[Probe]:
    if answer is None:
        return ()
    return (answer,) if isinstance(answer, RowCheck | Measure | Query | Fact) else answer


def _of_rows(count: int, rows: int) -> str:
    return f"{count:,} of {count_of(rows, 'row')}"


def _columns_of(subject: object) -> tuple[str, ...]:
    if isinstance(subject, Column):
        return (subject.name,)
    return subject.columns if isinstance(subject, Key | Rule) else ()
