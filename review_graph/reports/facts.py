"""What several reports say of reviews and their findings, in the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from checks.plain import quote, visible
from checks.vocabulary import JSON, Finding, Outcome, Verdict
from review_graph.vocabulary import Review, Status


def totals(reviews: Iterable[Review]) -> dict[str, int]:
    """Count reviews by status and open findings by severity."""
    listed = list(reviews)
    by_status = Counter(review.status for review in listed)
    severities = Counter(finding.severity.value for review in listed for finding in review.open_findings)
    return {
        "reviews": len(listed),
        **{status.value: by_status[status] for status in Status},
        "findings": sum(severities.values()),
        "major": severities["major"],
        "minor": severities["minor"],
    }


def severity_of(review: Review) -> str:
    """The severity of a review; nothing where it could not be reviewed."""
    return "" if review.status is Status.FAILED else review.triage.severity.value


def listed_text(finding: Finding) -> str:
    """How many of the offending rows are listed, of how many: `all 3 rows`, `first 20 of 1,234 rows`."""
    if not finding.failed:
        return "not a matter of rows"
    listed = len(finding.evidence)
    if listed >= finding.failed:
        return f"all {finding.failed:,} rows"
    return f"first {listed:,} of {finding.failed:,} rows"


def unsure(review: Review) -> tuple[Verdict, ...]:
    """What could not be told; it never counts as passed."""
    return tuple(v for v in review.verdicts if v.outcome in (Outcome.INCONCLUSIVE, Outcome.ERRORED))


def value_text(value: JSON) -> str:
    """A value for a reader: padded text in quotes, so that the padding can be seen."""
    if value is None:
        return "(missing)"
    if isinstance(value, str):
        return quote(value) if value != value.strip() else visible(value)
    return str(value)


def pairs_text(values: Mapping[str, JSON]) -> str:
    """Names and values in one line: `USUBJID=01, AGE=130`."""
    return ", ".join(f"{visible(name)}={value_text(value)}" for name, value in values.items())
