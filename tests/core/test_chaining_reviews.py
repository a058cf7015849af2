"""The audit trail held against the list of reviews."""

from __future__ import annotations

from dataclasses import replace

from review_graph.core.chaining import verify_reviews
from tests.core.test_chaining import trail


def test_a_review_that_is_gone_or_is_of_something_else_is_named() -> None:
    entries = [replace(entry, subject={"dataset": "dm", "fingerprint": "f"}) for entry in trail(3)]
    of = {"dataset": "dm", "fingerprint": "f", "uri": "/not/told/of"}
    assert verify_reviews(entries, {"dm-1": of}) is None
    gone, other = verify_reviews(entries, {}), verify_reviews(entries, {"dm-1": of | {"fingerprint": "0"}})
    assert gone is not None
    assert other is not None
    assert (gone.message, other.message) == (
        "review dm-1, of entry 1, is gone",
        "review dm-1 has another fingerprint than entry 1 tells of: it was edited",
    )
    about_none = [replace(entry, review_id=None) for entry in entries]
    assert verify_reviews(about_none, {}) is None
