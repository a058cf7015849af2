"""From findings, waivers and decisions to a severity, by a policy that is data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from checks.plain import count_of
from checks.spec import PolicySpec
from checks.vocabulary import Finding, Outcome, Severity, Verdict
from review_graph.core.approving import effective, waiting_for_approval
from review_graph.core.waiving import NOTHING_WAIVED, Waived, can_be_waived
from review_graph.vocabulary import Action, Decision, FindingStatus, ReviewedFinding, Triage, Waiver


def apply_decisions(
    findings: Iterable[Finding], decisions: Iterable[Decision], waived: Waived = NOTHING_WAIVED
) -> tuple[ReviewedFinding, ...]:
    """Return the findings with the status that waivers and decisions give them, most severe first.

    The last decision on a finding says what it is; a waiver only where there is none.
    """
    items = {
        finding.id: ReviewedFinding(finding=finding)
        for finding in sorted(findings, key=lambda finding: finding.sort_key)
    }
    for identity, waivers in waived.by_finding.items():
        if identity in items:
            finding = items[identity].finding
            items[identity] = ReviewedFinding(finding=finding, status=FindingStatus.WAIVED, waivers=waivers)
    for decision in effective(decisions):
        for identity in decision.findings:
            if identity in items:
                items[identity] = _decided(items[identity], decision, waived)
    return tuple(items.values())


def waiver_of(decision: Decision, finding: Finding, dataset: str) -> Waiver:
    """Return the waiver that a decision makes, as of one of the findings it names; all of them are of one check."""
    return Waiver(
        id=decision.waiver or "",
        dataset=dataset,
        code=finding.code,
        columns=finding.columns,
        findings=decision.findings,
        author=decision.by,
        role=decision.role,
        reason=decision.reason,
        reason_code=decision.reason_code or "",
        created_at=decision.at,
        expires_on=decision.expires or "",
        max_count=decision.max_count,
    )


def judge(
    findings: Sequence[Finding],
    verdicts: Iterable[Verdict],
    decisions: Sequence[Decision],
    policy: PolicySpec,
    waived: Waived = NOTHING_WAIVED,
) -> Triage:
    """Judge a review whose findings may have been tampered with.

    A check that failed and has no finding any more is major, whatever was decided.
    """
    missing = unaccounted(findings, verdicts)
    if missing:
        return _triaged(Severity.MAJOR, f"findings of {', '.join(missing)} are missing from the review")
    return triage(findings, decisions, policy, waived)


def triage(
    findings: Iterable[Finding], decisions: Sequence[Decision], policy: PolicySpec, waived: Waived = NOTHING_WAIVED
) -> Triage:
    """Judge a review. A person's override stands until a finding is reopened; else the open findings decide.

    No open finding is `none`; some minor ones are `minor`; `policy.major_at` of them, or any major one,
    are `major`. A human is needed exactly when it is `major`.

    Args:
        findings: All findings of the review; one that errored counts as an open minor one.
        decisions: What reviewers recorded, in order; what waits for approval has no effect.
        policy: The thresholds.
        waived: What the waivers at hand do to the findings.
    """
    last = _standing_override(decisions)
    if last is not None:
        reason = f"{last.by} set {last.severity_to.value} over {last.severity_from.value}: {last.reason}"
        return _triaged(last.severity_to, reason)
    items = apply_decisions(findings, decisions, waived)
    severity, reason = _by_policy([item.finding for item in items if item.status is FindingStatus.OPEN], policy)
    covered = sum(item.status is FindingStatus.WAIVED for item in items)
    waiting = waiting_for_approval(decisions)
    if covered:
        reason += f"; {covered} waived"
    if waiting:
        reason += f"; decision {', '.join(str(decision.number) for decision in waiting)} waits for another person"
    return _triaged(severity, reason)


def unaccounted(findings: Iterable[Finding], verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    """Return the codes of checks that failed or errored according to the verdicts and have no finding."""
    found = {finding.code for finding in findings}
    bad = (Outcome.FAILED, Outcome.ERRORED)
    return tuple(sorted({verdict.code for verdict in verdicts if verdict.outcome in bad} - found))


def _decided(item: ReviewedFinding, decision: Decision, waived: Waived) -> ReviewedFinding:
    """A finding after one more decision that counts; waivers that were taken back or cannot be are passed over."""
    finding = item.finding
    if decision.action is Action.DISMISS:
        return ReviewedFinding(finding=finding, status=FindingStatus.DISMISSED)
    if decision.action is Action.REOPEN:
        return ReviewedFinding(finding=finding)
    if decision.action is Action.WAIVE and _still_holds(decision, waived) and can_be_waived(finding):
        waiver = waiver_of(decision, finding, waived.dataset)
        return ReviewedFinding(finding=finding, status=FindingStatus.WAIVED, waivers=(waiver,))
    return item


def _still_holds(decision: Decision, waived: Waived) -> bool:
    """Whether the waiver of a decision was neither taken back nor has ended."""
    ended = waived.today is not None and (decision.expires or "") < waived.today.isoformat()
    return decision.waiver not in waived.revoked and not ended


def _standing_override(decisions: Iterable[Decision]) -> Decision | None:
    """The last override, unless somebody said after it that a finding counts again."""
    last = None
    for decision in effective(decisions):
        if decision.action is Action.OVERRIDE:
            last = decision
        elif decision.action is Action.REOPEN:
            last = None
    return last


def _by_policy(open_: Sequence[Finding], policy: PolicySpec) -> tuple[Severity, str]:
    counts = Counter(finding.severity for finding in open_)
    major, minor = counts[Severity.MAJOR], counts[Severity.MINOR]
    if major:
        return Severity.MAJOR, f"{count_of(major, 'major finding')} open, {count_of(minor, 'minor finding')} open"
    if minor >= policy.major_at:
        return Severity.MAJOR, f"{count_of(minor, 'minor finding')} open; {policy.major_at} make a review major"
    if minor:
        return Severity.MINOR, f"{count_of(minor, 'minor finding')} open; fewer than {policy.major_at}"
    if open_:
        return Severity.NONE, f"{count_of(len(open_), 'finding')} open, none of any weight"
    return Severity.NONE, "no open finding"


def _triaged(severity: Severity, reason: str) -> Triage:
    return Triage(severity=severity, needs_human=severity is Severity.MAJOR, reason=reason)
