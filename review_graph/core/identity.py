"""The id of a review, derived from what is reviewed and against what."""

from __future__ import annotations

import re
from collections.abc import Iterable

from checks.vocabulary import digest

_SLUG_CHARACTERS = 40


def review_id(
    dataset_name: str,
    fingerprint: str,
    spec_digest: str,
    attempt: int = 1,
    references: Iterable[str] = (),
) -> str:
    """Return the id, which is also the LangGraph thread id.

    Args:
        dataset_name: Name of the dataset; its plain characters stay readable in the id.
        fingerprint: Sha256 of the content.
        spec_digest: Sha256 of the spec.
        attempt: 1 for the first review of this content; more for those started afresh.
        references: What tells the other datasets it is held against: with another DM, other things may be found.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", dataset_name.casefold()).strip("-")[:_SLUG_CHARACTERS] or "dataset"
    identity = f"{slug}-{digest([dataset_name, fingerprint, spec_digest, *references])[:10]}"
    return identity if attempt == 1 else f"{identity}-{attempt}"
