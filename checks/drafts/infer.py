"""A draft of a spec from a dataset that somebody trusts: what holds in it is taken for what shall hold.

Everything that is a guess says so in a comment. The same dataset gives the same draft, byte by byte.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from checks.drafts.columns import draft_field
from checks.drafts.draft import Draft
from checks.drafts.keys import candidate_key
from checks.drafts.observed import limits_by_parameter, limits_of_numbers, listed_values, words_for_missing
from checks.drafts.profile import MIN_OBSERVED, profile
from checks.engine import run_families
from checks.errors import TableError
from checks.examination import Examination
from checks.plain import count_of, names_text, visible
from checks.spec import Spec
from checks.specfile.problems import Path
from checks.table import Table
from checks.vocabulary import Finding

_OF_TEXT = ("structure.blank_text", "structure.padded_text")

_ANY_DAY = dt.date(2000, 1, 1)


def infer(table: Table, *, name: str, origin: str = "a table", fingerprint: str | None = None) -> Draft:
    """Return a draft of a spec for tables like this one.

    Args:
        table: The dataset. It should be one that somebody has looked at: its faults would become rules.
        name: Name of the dataset.
        origin: Name of its file, for the comment above the draft.
        fingerprint: Sha256 of its content, for the same.

    Raises:
        TableError: Nothing can be learned from it: no rows, no columns, or ambiguous column names.
    """
    if table.duplicate_columns or table.unusable_columns:
        raise TableError(f"{origin}: columns without a name of their own cannot be described; rename them first")
    profiles = profile(table)
    rows = profiles[0].rows if profiles else 0
    if not rows:
        raise TableError(f"{origin}: has no rows, so nothing can be learned from it; take a dataset with records")
    draft = _Growing(table, name)
    for item in profiles:
        draft.add_field(*draft_field(item, table.labels.get(item.name)))
    examination = draft.examination()
    for column, words in words_for_missing(examination).items():
        draft.field(column)["missingValues"] = ["", *words]
    for column, values in listed_values(examination, profiles).items():
        draft.constrain(column, {"enum": values}, "every value there is")
    blocks, said = limits_by_parameter(examination)
    draft.set("limits", blocks, said)
    for column, (bounds, observed) in limits_of_numbers(examination, profiles).items():
        if column not in {block["of"] for block in blocks}:
            draft.constrain(column, bounds, f"observed {observed}")
    key = candidate_key(examination, profiles)
    draft.set("primaryKey", list(key), {(): "no two records alike, none without"})
    excepted, left = _excepted(run_families(draft.examination()).findings)
    draft.set(
        "checks", excepted, {(code,): "the dataset itself fails here; mend it, then delete this" for code in excepted}
    )
    header = _header(origin, fingerprint, rows, len(profiles))
    if not key:
        header.append("No primaryKey: no small set of complete columns tells all records apart.")
    return Draft(spec=draft.spec(), notes=draft.notes, header=(*header, *left))


class _Growing:
    """A draft while it is put together."""

    def __init__(self, table: Table, name: str) -> None:
        self.notes: dict[Path, str] = {}
        self._table = table
        self._fields: list[dict[str, Any]] = []
        self._plain: dict[str, Any] = {"name": name, "fields": self._fields}

    def spec(self) -> Spec:
        """The spec as far as it goes."""
        return Spec.from_plain(self._plain)

    def examination(self) -> Examination:
        """The dataset held against the spec as far as it goes."""
        return Examination(table=self._table, spec=self.spec(), today=_ANY_DAY)

    def add_field(self, field: dict[str, Any], said: Mapping[Path, str]) -> None:
        """Add a field and what is said of it."""
        self._note(("fields", len(self._fields)), said)
        self._fields.append(field)

    def field(self, column: str) -> dict[str, Any]:
        """The field of a column."""
        return self._fields[self._place(column)]

    def constrain(self, column: str, constraints: Mapping[str, Any], said: str) -> None:
        """Add constraints to a column; what is said stands beside the first."""
        field = self.field(column)
        field["constraints"] = {**field.get("constraints", {}), **constraints}
        self._note(("fields", self._place(column), "constraints", next(iter(constraints))), {(): said})

    def set(self, key: str, value: list[Any] | dict[str, Any], said: Mapping[Path, str]) -> None:
        """Set a property beside the fields, unless it is empty."""
        if value:
            self._plain[key] = value
            self._note((key,), said)

    def _place(self, column: str) -> int:
        return next(index for index, field in enumerate(self._fields) if field["name"] == column)

    def _note(self, place: Path, said: Mapping[Path, str]) -> None:
        self.notes |= {(*place, *below): f"draft: {text}" for below, text in said.items()}


def _header(origin: str, fingerprint: str | None, rows: int, columns: int) -> list[str]:
    content = f"sha256 {fingerprint}, " if fingerprint else ""
    return [
        f"Draft of a spec, inferred from {visible(origin)}",
        f"({content}{count_of(rows, 'row')}, {count_of(columns, 'column')}).",
        "What is marked `draft` is a guess from this one dataset: confirm, correct or delete it, then delete the mark.",
        "Types without a mark are as stored. Limits are wider than what was observed. Codelists hold every value; of",
        f"others the least and the greatest are written, of dates their years, of fewer than {MIN_OBSERVED} nothing.",
    ]


def _excepted(findings: Sequence[Finding]) -> tuple[dict[str, Any], list[str]]:
    """What no spec can make right, such as outer blanks: columns to leave out by check, and lines on the rest."""
    excepted: dict[str, Any] = {}
    left = []
    for finding in findings:
        if finding.code in _OF_TEXT:
            excepted.setdefault(finding.code, {"except": []})["except"].extend(finding.columns)
        else:
            where = names_text(finding.columns) or "the table"
            left.append(
                f"The dataset itself fails {finding.code} ({where}, {count_of(finding.failed, 'row')}): mend it."
            )
    return excepted, left
