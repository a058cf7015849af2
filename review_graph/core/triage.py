"""From findings and decisions to a severity, by a policy that is data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from checks.plain import count_of
from checks.spec import PolicySpec
from checks.vocabulary import Finding, Outcome, Severity, Verdict
from review_graph.vocabulary import Action, Decision, FindingStatus, ReviewedFinding, Triage


def apply_decisions(findings: Iterable[Finding], decisions: Iterable[Decision]) -> tuple[ReviewedFinding, ...]:
    """Return the findings with the status that the decisions give them, most severe first."""
    dismissed = {
        identity for decision in decisions if decision.action is Action.DISMISS for identity in decision.findings
    }
    return tuple(
        ReviewedFinding(
            finding=finding,
            status=FindingStatus.DISMISSED if finding.id in dismissed else FindingStatus.OPEN,
        )
        for finding in sorted(findings, key=lambda finding: finding.sort_key)
    )


def triage(findings: Iterable[Finding], decisions: Sequence[Decision], policy: PolicySpec) -> Triage:
    """Judge a review. A person's override stands; else the open findings decide.

    No open finding is `none`; some minor ones are `minor`; `policy.major_at` of them, or any major one,
    are `major`. A human is needed exactly when it is `major`.

    Args:
        findings: All findings of the review; one that errored counts as an open minor one.
        decisions: What reviewers recorded, in order.
        policy: The thresholds.
    """
    overrides = [decision for decision in decisions if decision.action is Action.OVERRIDE]
    if overrides:
        last = overrides[-1]
        reason = f"{last.by} set {last.severity_to.value} over {last.severity_from.value}: {last.reason}"
        return _triaged(last.severity_to, reason)
    open_ = [item.finding for item in apply_decisions(findings, decisions) if item.status is FindingStatus.OPEN]
    major = sum(finding.severity is Severity.MAJOR for finding in open_)
    minor = sum(finding.severity is Severity.MINOR for finding in open_)
    if major:
        return _triaged(
            Severity.MAJOR, f"{count_of(major, 'major finding')} open, {count_of(minor, 'minor finding')} open"
        )
    if minor >= policy.major_at:
        return _triaged(
            Severity.MAJOR, f"{count_of(minor, 'minor finding')} open; {policy.major_at} make a review major"
        )
    if minor:
        return _triaged(Severity.MINOR, f"{count_of(minor, 'minor finding')} open; fewer than {policy.major_at}")
    if open_:
        return _triaged(Severity.NONE, f"{count_of(len(open_), 'finding')} open, none of any weight")
    return _triaged(Severity.NONE, "no open finding")


def unaccounted(findings: Iterable[Finding], verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """Return the codes of checks that failed or errored according to the verdicts and have no finding."""
    found = {finding.code for finding in findings}
    bad = (Outcome.FAILED, Outcome.ERRORED)
    return tuple(sorted({verdict.code for verdict in verdicts if verdict.outcome in bad} - found))


def _triaged(severity: Severity, reason: str) -> Triage:
    return Triage(severity=severity, needs_human=severity is Severity.MAJOR, reason=reason)
