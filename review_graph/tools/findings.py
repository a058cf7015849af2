"""The findings of the review: what was looked for, where it was found, and in how many rows. Never the rows.

The messages of findings hold counts and values, so they are not passed on: the text is that of the catalogue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from pydantic import Field

from checks.plain import quote
from checks.registry import catalogue
from review_graph.errors import SetupError
from review_graph.tools.counting import answer_of, asked, records_of, subjects_of
from review_graph.tools.disclosing import WITHHELD, Group
from review_graph.tools.quoting import listed, shown
from review_graph.tools.tool import Arguments, Result, Tool, UnknownName
from review_graph.tools.view import View
from review_graph.vocabulary import Citation

if TYPE_CHECKING:
    import numpy.typing as npt

    from checks.registry import Check
    from checks.vocabulary import JSON, Finding
    from review_graph.tools.matter import Matter
    from review_graph.vocabulary import ReviewedFinding

MAX_FINDINGS = 100
"""Findings that one result lists."""

MAX_ID = 100


class UnknownFinding(UnknownName):
    """The review has no such finding."""


class ListFindings(Tool[Arguments]):
    """The findings of the review."""

    name: ClassVar[str] = "list_findings"
    description: ClassVar[str] = (
        "Findings of the review, the most severe first: id, what was looked for, severity, status and columns. "
        "finding_detail tells in how many rows."
    )
    arguments: ClassVar[type[Arguments]] = Arguments
    reads_data: ClassVar[bool] = False

    def answer(self, arguments: Arguments, matter: Matter) -> Result:  # noqa: ARG002 - it takes none
        """List them."""
        checks = {check.code: check for check in catalogue()}
        items = visible_findings(matter)
        kept = items[:MAX_FINDINGS]
        data: dict[str, JSON] = {"findings": [_line(item, checks) for item in kept], "findings_in_all": len(items)}
        cited = [Citation(kind="finding", name=item.finding.id) for item in kept]
        return answer_of(matter, data, rows=0, cited=cited)


class FindingArguments(Arguments):
    """Which finding is told about."""

    finding: str = Field(max_length=MAX_ID, description="Id of a finding, as list_findings tells it.")


class FindingDetail(Tool[FindingArguments]):
    """One finding, and in how many rows it was found."""

    name: ClassVar[str] = "finding_detail"
    description: ClassVar[str] = (
        "One finding: what was looked for, why it matters, what to do, and in how many rows and subjects it was found. "
        "Fewer subjects than the threshold are told as '<5'."
    )
    arguments: ClassVar[type[FindingArguments]] = FindingArguments

    def answer(self, arguments: FindingArguments, matter: Matter) -> Result:
        """Tell of it."""
        items = {item.finding.id: item for item in visible_findings(matter)}
        item = items.get(arguments.finding.strip())
        if item is None:
            raise UnknownFinding(f"the review has no finding {quote(arguments.finding)}; it has {listed(items)}")
        checks = {check.code: check for check in catalogue()}
        data = _line(item, checks) | _counts(item.finding, matter)
        if (check := checks.get(item.finding.code)) is not None:
            data |= {"why_it_matters": check.why, "what_to_do": check.what_to_do}
        cited = [Citation(kind="finding", name=item.finding.id)]
        return answer_of(matter, data, cited=cited)


def visible_findings(matter: Matter) -> list[ReviewedFinding]:
    """The findings that name no hidden column."""
    hidden = {name.casefold() for name in matter.hidden}
    items = [item for item in matter.review.findings if not hidden & {name.casefold() for name in item.finding.columns}]
    return sorted(items, key=lambda item: item.finding.sort_key)


def _line(item: ReviewedFinding, checks: dict[str, Check]) -> dict[str, JSON]:
    finding = item.finding
    check = checks.get(finding.code)
    return {
        "finding": finding.id,
        "looked_for": check.summary if check is not None else "",
        "severity": finding.severity.value,
        "status": item.status.value,
        "outcome": finding.outcome.value,
        "columns": [shown(name) for name in finding.columns],
    }


def _counts(finding: Finding, matter: Matter) -> dict[str, JSON]:
    """In how many rows and subjects: only where it is known which rows, so that later questions are held against it."""
    if not finding.failed:
        return {"note": "a matter of the table's shape, not of its rows"}
    rows = _offending(finding, matter)
    if rows is None:
        return {"rows": WITHHELD, "note": "the file of offending rows is not at hand"}
    (told,) = asked(matter, {"tool": FindingDetail.name, "finding": finding.id}, [Group(label=(), rows=rows)])
    counted: dict[str, JSON] = {"rows": records_of(told)}
    return counted if View(matter).subject is None else counted | {"subjects": subjects_of(told)}


def _offending(finding: Finding, matter: Matter) -> npt.NDArray[np.bool_] | None:
    """Which rows of the table offend, by the evidence or the file that keeps all of them."""
    numbers: list[int] | None = None
    if len(finding.evidence) >= finding.failed:
        numbers = [evidence.row for evidence in finding.evidence]
    elif finding.evidence_file is not None and matter.open_rows is not None:
        try:
            kept = matter.open_rows(finding.evidence_file)
        except SetupError:  # it is no longer there
            return None
        numbers = kept[kept.columns[0]].to_list()
    if numbers is None or len(set(numbers)) != finding.failed:
        return None
    rows = np.zeros(matter.table.rows, dtype=np.bool_)
    rows[np.array(numbers) - 1] = True
    return rows
