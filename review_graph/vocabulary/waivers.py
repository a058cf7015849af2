"""A waiver: known findings that are accepted until a day, over runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Self

from checks.vocabulary import JSON, digest


@dataclass(frozen=True, kw_only=True)
class Waiver:
    """What a named person accepts of a dataset, why, and until when.

    Attributes:
        id: Its id, from `waiver_id`.
        dataset: Name of the dataset.
        code: Code of the check.
        columns: The columns of the finding; empty for any.
        key: Values by column of the records it is for; empty for all rows.
        findings: Ids of the findings it is for; empty for any of the check.
        author: Who accepts.
        role: In what role.
        reason: Why; never empty.
        reason_code: A `ReasonCode`.
        created_at: Since when, ISO 8601 in UTC.
        expires_on: Last day on which it holds, ISO 8601.
        max_count: How many offending rows of a finding it covers; None when it sets no bound.
        revoked_at: When it was taken back, ISO 8601 in UTC; None while it was not.
        revoked_by: Who took it back.
        revoked_reason: Why.
    """

    id: str
    dataset: str
    code: str
    author: str
    reason: str
    reason_code: str
    created_at: str
    expires_on: str
    columns: tuple[str, ...] = ()
    key: Mapping[str, JSON] = field(default_factory=dict)
    findings: tuple[str, ...] = ()
    role: str = ""
    max_count: int | None = None
    revoked_at: str | None = None
    revoked_by: str | None = None
    revoked_reason: str | None = None

    def to_plain(self) -> dict[str, JSON]:
        """Return plain JSON data."""
        lists = {"columns": list(self.columns), "findings": list(self.findings)}
        return {**asdict(self), "key": dict(self.key), **lists}

    @classmethod
    def from_plain(cls, plain: Mapping[str, JSON]) -> Self:
        """Rebuild from `to_plain`."""
        return cls(**{**plain, "columns": tuple(plain["columns"]), "findings": tuple(plain.get("findings", ()))})


def waiver_id(
    *,
    dataset: str,
    code: str,
    author: str,
    created_at: str,
    columns: tuple[str, ...] = (),
    key: Mapping[str, JSON] | None = None,
    findings: tuple[str, ...] = (),
) -> str:
    """Return the id of a waiver, from its scope, its author and when it was made."""
    scope = [dataset, code, list(columns), dict(key or {}), list(findings)]
    return f"w-{digest([scope, author, created_at])[:12]}"
