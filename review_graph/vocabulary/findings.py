"""A finding as a review sees it: whether it still counts, and what it is waived by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from checks.vocabulary import JSON, Finding
from review_graph.vocabulary.waivers import Waiver


class FindingStatus(StrEnum):
    """Whether a finding still counts."""

    OPEN = "open"
    DISMISSED = "dismissed"
    WAIVED = "waived"


@dataclass(frozen=True, kw_only=True)
class ReviewedFinding:
    """A finding as it stands after the waivers and the decisions.

    Attributes:
        finding: The finding.
        status: Whether it still counts.
        waivers: What it is waived by; several where each is for other records.
    """

    finding: Finding
    status: FindingStatus = FindingStatus.OPEN
    waivers: tuple[Waiver, ...] = ()

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data; `waivers` only where there are any."""
        plain = {**self.finding.to_plain(), "status": self.status.value}
        return plain | {"waivers": [waiver.to_plain() for waiver in self.waivers]} if self.waivers else plain
