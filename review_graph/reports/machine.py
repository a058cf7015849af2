"""JSON and NDJSON. Both are ASCII: no terminal and no encoding can make anything else of them.

NDJSON is one event a line. Each has `schema_version`, `type`, and the `review` (null for a dataset that could not be
read) and the name of the `dataset` that it is about; the rest is what the JSON contract says of the same thing:

=========== ============================================================================================
`dataset`   `uri`, `fingerprint`, `rows`, `columns`, `notes`, `spec`, `today`, `created_at`; opens a review
`check`     one entry of `checks[]`
`finding`   one entry of `findings[]`
`decision`  one entry of `decisions[]`
`review`    `status`, `severity`, `needs_human`, `triage`, `actions`, `report`, `queries`, `error`, `notices`,
            `diff`, `anchor`, `narrative`; closes it
`summary`   `totals`, `skipped`; the last line, without `review` and `dataset`: where it lacks, the file was cut
=========== ============================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from checks.vocabulary import JSON
from review_graph.reports.facts import totals
from review_graph.vocabulary import SCHEMA_VERSION, Review

_OF_DATASET = ("spec", "today", "created_at")
_OF_REVIEW = (
    *("status", "severity", "needs_human", "triage", "actions", "report", "queries", "error"),
    *("notices", "diff", "anchor", "narrative"),
)


def json_text(reviews: Sequence[Review], skipped: Sequence[str] = (), *, alone: bool = False) -> str:
    """Return reviews as JSON, as the contract has it.

    Args:
        reviews: The reviews.
        skipped: Files that are not tables and were left out.
        alone: Whether the one review is printed as such.
    """
    if alone:
        (review,) = reviews
        return json_of(review.to_plain())
    return json_of(
        {
            "schema_version": SCHEMA_VERSION,
            "reviews": [review.to_plain() for review in reviews],
            "totals": totals(reviews),
            "skipped": list(skipped),
        }
    )


def json_of(plain: JSON) -> str:
    """Return plain data as indented JSON text."""
    return json.dumps(encodable(plain), indent=2, allow_nan=False) + "\n"


def ndjson(reviews: Sequence[Review], skipped: Sequence[str] = ()) -> str:
    """Return reviews as events, one a line."""
    events = [event for review in reviews for event in _events(review)]
    events.append({"type": "summary", "totals": totals(reviews), "skipped": list(skipped)})
    return "".join(
        json.dumps(encodable({"schema_version": SCHEMA_VERSION} | event), allow_nan=False) + "\n" for event in events
    )


def _events(review: Review) -> Iterator[dict[str, JSON]]:
    plain = review.to_plain()
    about = {"review": review.id, "dataset": review.dataset.name}
    dataset = {key: value for key, value in plain["dataset"].items() if key != "name"}
    yield {"type": "dataset"} | about | dataset | {key: plain[key] for key in _OF_DATASET}
    for kind, listed in (("check", "checks"), ("finding", "findings"), ("decision", "decisions")):
        for entry in plain[listed]:
            yield {"type": kind} | about | entry
    yield {"type": "review"} | about | {key: plain[key] for key in _OF_REVIEW}


def encodable(plain: JSON) -> JSON:
    """Plain data whose text every encoding of Unicode can hold: half a character is written as its number."""
    if isinstance(plain, str):
        return plain.encode(errors="backslashreplace").decode()
    if isinstance(plain, dict):
        return {encodable(key): encodable(value) for key, value in plain.items()}
    return [encodable(item) for item in plain] if isinstance(plain, list) else plain
