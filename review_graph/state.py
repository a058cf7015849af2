"""What the graph remembers: channels, their reducers, and the way to and from the vocabulary.

State is plain JSON data. Findings and decisions are facts that never change once written; a finding's
status and the severity are derived from both, so that they cannot contradict each other.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from typing_extensions import TypedDict  # pydantic, and with it LangGraph's server, needs this one before Python 3.12

from checks.spec import PolicySpec, Spec
from checks.vocabulary import JSON, Finding, Severity, Verdict, canonical
from review_graph.core.approving import is_recorded
from review_graph.core.diffing import diff
from review_graph.core.persons import says_something
from review_graph.core.triage import apply_decisions, judge
from review_graph.core.waiving import Waived, apply_waivers
from review_graph.vocabulary import (
    Action,
    Dataset,
    Decision,
    FindingStatus,
    Narrative,
    Review,
    ReviewDiff,
    ReviewedFinding,
    Status,
    Triage,
    Waiver,
)

Keyed = dict[str, dict[str, JSON]]
"""Plain records by their id."""


def merge_keyed(left: Keyed | None, right: Keyed | None) -> Keyed:
    """Put two sets of records together by id.

    Idempotent, commutative and associative, so that branches may end in any order and a step may run
    twice. Should two different records claim one id, the one that lets less through wins on every side.
    """
    merged = dict(left or {})
    for key, record in (right or {}).items():
        present = merged.get(key)
        merged[key] = record if present is None else max(present, record, key=_strictness)
    return dict(sorted(merged.items()))


_STRICT_ACTIONS = (Action.CONFIRM, Action.COMMENT, Action.REOPEN)
"""What never lets a review pass, from the least strict on."""


def _strictness(record: dict[str, JSON]) -> tuple[bool, int, bool, int, str]:
    """More severe before less; what waits before what counts, and what lowers nothing before what does.

    A decision of nobody lets nothing pass, and gives way to any that is somebody's.
    """
    is_somebodys = all(isinstance(record.get(of), str) and says_something(record[of]) for of in ("by", "reason"))
    severities = [severity.value for severity in Severity]
    severity = record.get("severity")
    rank = severities.index(severity) if severity in severities else 0
    action = record.get("action")
    place = _STRICT_ACTIONS.index(action) if action in _STRICT_ACTIONS else -1
    return (is_somebodys, rank, record.get("needs_approval") is True, place, canonical(record))


class ReviewInput(TypedDict):
    """What a caller hands in: one key, so that no key of a parent graph is touched by accident."""

    review_request: dict[str, JSON]


class ReviewOutput(TypedDict):
    """What a caller gets back: the review in the JSON contract."""

    review: dict[str, JSON]


class ReviewState(ReviewInput, ReviewOutput, total=False):
    """All channels.

    Attributes:
        graph_version: Version of the graph that started the review.
        review_id: Id of the review.
        dataset: `Dataset` as plain data.
        spec: `Spec` as plain data.
        folder: Where the files of the review go; None when none are kept.
        today: The date that `today` means, ISO 8601.
        waivers: The waivers at hand when the review was last judged, and the day on which that was.
        previous: What the review before of the same dataset found; None when there was none.
        findings: Findings by id.
        verdicts: Verdicts by family and position.
        decisions: Decisions by number.
        severity: Severity after triage.
        needs_human: Whether a human is needed after triage.
    """

    graph_version: int
    review_id: str
    dataset: dict[str, JSON]
    spec: dict[str, JSON]
    folder: str | None
    today: str
    waivers: dict[str, JSON]
    previous: dict[str, JSON] | None
    findings: Annotated[Keyed, merge_keyed]
    verdicts: Annotated[Keyed, merge_keyed]
    decisions: Annotated[Keyed, merge_keyed]
    severity: str
    needs_human: bool


Values = Mapping[str, Any]
"""The state as LangGraph hands it out."""


MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What reading a channel raises that holds anything else than a node writes."""


def findings_of(values: Values) -> tuple[Finding, ...]:
    """The findings, most severe first."""
    findings = (Finding.from_plain(plain) for plain in (values.get("findings") or {}).values())
    return tuple(sorted(findings, key=lambda finding: finding.sort_key))


def verdicts_of(values: Values) -> tuple[Verdict, ...]:
    """The verdicts, sorted by code."""
    verdicts = (Verdict.from_plain(plain) for plain in (values.get("verdicts") or {}).values())
    return tuple(sorted(verdicts, key=lambda verdict: verdict.sort_key))


def decisions_of(values: Values) -> tuple[Decision, ...]:
    """The decisions in the order in which they were made; one without a name or a reason is none."""
    decisions = (Decision.from_plain(plain) for plain in (values.get("decisions") or {}).values())
    return tuple(sorted(filter(is_recorded, decisions), key=lambda decision: decision.number))


def policy_of(values: Values) -> PolicySpec:
    """The triage policy of the spec."""
    return PolicySpec.model_validate((values.get("spec") or {}).get("policy", {}))


def spec_of(values: Values) -> Spec:
    """The spec."""
    return Spec.from_plain(values["spec"])


def triage_of(values: Values) -> Triage:
    """The triage, recomputed from findings and decisions; what `severity` says is never trusted."""
    return judge(findings_of(values), verdicts_of(values), decisions_of(values), policy_of(values), waived_of(values))


def waived_of(values: Values) -> Waived:
    """What the waivers that the review was given do to its findings.

    They hold as on the day they were given on, so that a review that ended stays as it ended.
    """
    name = (values.get("dataset") or {}).get("name", "")
    given = values.get("waivers") or {}
    if not given:
        return Waived(dataset=name)
    waivers = [Waiver.from_plain(plain) for plain in given["waivers"]]
    return apply_waivers(findings_of(values), waivers, dataset=name, today=dt.date.fromisoformat(given["on"]))


def waiver_values(waivers: Sequence[Waiver], on: dt.date) -> dict[str, JSON]:
    """Waivers as channel values, with the day on which they are held against the findings."""
    return {"waivers": {"on": on.isoformat(), "waivers": [waiver.to_plain() for waiver in waivers]}}


def waivers_matter(values: Values, waivers: Mapping[str, JSON]) -> bool:
    """Whether waivers, as channel values, do something else to a review than those it was judged with."""
    return "severity" in values and _effect({**values, **waivers}) != _effect(values)


def _effect(values: Values) -> object:
    """What waivers do to the findings of a review: which of them they cover, and what is said of the others."""
    waived = waived_of(values)
    items = apply_decisions(findings_of(values), decisions_of(values), waived)
    return [(item.finding.id, item.status, [w.id for w in item.waivers]) for item in items], sorted(waived.notices)


def previous_values(review: Review, *, same_spec: bool) -> dict[str, JSON]:
    """What a later review of the same dataset needs of a review to say what changed: no evidence, no drawings."""
    findings = [
        item.to_plain() | {"evidence": [], "evidence_file": None, "distributions": []} for item in review.findings
    ]
    return {"id": review.id, "same_spec": same_spec, "findings": findings}


def _changes(review: Review, previous: dict[str, JSON] | None) -> ReviewDiff | None:
    if previous is None:
        return None
    findings = tuple(
        ReviewedFinding(finding=Finding.from_plain(plain), status=FindingStatus(plain["status"]))
        for plain in previous["findings"]
    )
    before = replace(review, id=previous["id"], findings=findings, verdicts=(), decisions=())
    return diff(before, review, same_spec=previous["same_spec"])


def triage_values(judged: Triage) -> dict[str, JSON]:
    """The channels that hold a triage; they are only ever written together."""
    return {"severity": judged.severity.value, "needs_human": judged.needs_human}


def finding_values(findings: tuple[Finding, ...]) -> Keyed:
    """Findings as channel values."""
    return {finding.id: finding.to_plain() for finding in findings}


def verdict_values(family: str, verdicts: tuple[Verdict, ...]) -> Keyed:
    """Verdicts of one family as channel values."""
    return {f"{family}.{number:04d}": verdict.to_plain() for number, verdict in enumerate(verdicts)}


def decision_values(*decisions: Decision) -> dict[str, Keyed]:
    """Decisions as channel values."""
    return {"decisions": {f"{decision.number:04d}": decision.to_plain() for decision in decisions}}


def review_of(values: Values, status: Status, **more: Any) -> Review:  # noqa: ANN401 - fields of Review
    """Assemble the review from the state.

    Args:
        values: The state.
        status: Where the review stands.
        **more: Further fields of `Review`, known only outside the state.
    """
    decisions, waived = decisions_of(values), waived_of(values)
    was_triaged = "severity" in values
    fields: dict[str, Any] = {
        "id": values.get("review_id"),
        "dataset": Dataset.from_plain(values["dataset"]),
        "status": status,
        "verdicts": verdicts_of(values),
        "findings": apply_decisions(findings_of(values), decisions, waived),
        "notices": waived.notices,
        "decisions": decisions,
        "spec_name": (values.get("spec") or {}).get("name"),
        "today": values.get("today"),
        "report": (values.get("review") or {}).get("report"),
        "queries": (values.get("review") or {}).get("queries"),
    }
    if narrative := (values.get("review") or {}).get("narrative"):
        fields["narrative"] = Narrative.from_plain(narrative)
    if was_triaged:
        fields["triage"] = triage_of(values)
    review = Review(**fields | more)
    return replace(review, diff=_changes(review, values.get("previous"))) if was_triaged else review
