"""What changed between two reviews, and what became of old ones, on stdout."""

from __future__ import annotations

from collections.abc import Sequence

from checks.plain import count_of, names_text
from review_graph.core.wording import KINDS, change_text
from review_graph.doors.cli.sheets import Listing, Sheet
from review_graph.vocabulary import ReviewDiff


def diff_sheet(identity: str, diff: ReviewDiff | None) -> Sheet:
    """Return what changed up to a review."""
    if diff is None:
        title = f"{identity}: first review of this dataset"
        return Sheet(title=title, plain={"review": identity, "diff": None})
    listings = []
    for kind, word in KINDS.items():
        found = getattr(diff, kind)
        rows = [
            (
                change.finding.severity.value,
                change.finding.code,
                names_text(change.finding.columns),
                change_text(change),
                change.finding.id,
            )
            for change in found
        ]
        columns = ("severity", "check", "columns", "rows", "finding")
        listings.append(Listing(title=f"{word} ({len(found)})", columns=columns, rows=rows))
    return Sheet(
        title=f"{diff.dataset}: {', '.join(f'{len(getattr(diff, kind))} {word}' for kind, word in KINDS.items())}",
        facts=[("before", diff.before or "-"), ("after", diff.after or "-")],
        listings=listings,
        notes=[] if diff.same_spec else ["the two were held against different specs"],
        plain={"review": identity, "diff": diff.to_plain()},
    )


def migrated_sheet(results: Sequence[tuple[str, str, str]]) -> Sheet:
    """Return what became of reviews: id, outcome, and more of it."""
    taken = sum(outcome == "taken over" for _, outcome, _ in results)
    return Sheet(
        title=f"{taken} of {count_of(len(results), 'review')} taken over",
        listings=[Listing(columns=("review", "outcome", "more"), rows=results)],
        plain={"reviews": [{"id": name, "outcome": outcome, "message": more} for name, outcome, more in results]},
    )
