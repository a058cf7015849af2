"""One HTML page: no outside request, no script, for a phone, a screen and paper.

Text of the data is made visible and then escaped, all of it and by the environment, so that no template can forget it.
The page's own policy allows its one style sheet, by its digest, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from checks.plain import count_of, visible
from checks.vocabulary import Finding
from review_graph.core.reporting import headline
from review_graph.core.wording import (
    anchor_command,
    approval_text,
    change_text,
    changes,
    closing_text,
    diff_headline,
    narrative_note,
    scope_text,
)
from review_graph.reports.drawing import drawings
from review_graph.reports.facts import listed_text, severity_of, totals, unsure, value_text
from review_graph.vocabulary import FindingStatus, Review, ReviewedFinding

if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True, kw_only=True)
class _Table:
    """The evidence of a finding."""

    caption: str
    keys: tuple[str, ...]
    values: tuple[str, ...]
    noted: bool


def html(reviews: Sequence[Review]) -> str:
    """Return reviews as one page."""
    from markupsafe import Markup

    environment = _environment()
    style = _source(environment, "report.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    title = f"Review of {reviews[0].dataset.name if len(reviews) == 1 else count_of(len(reviews), 'dataset')}"
    template = environment.get_template("report.html")
    return template.render(
        title=title,
        style=Markup(style),  # noqa: S704 - our own file
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        reviews=reviews,
        totals=totals(reviews),
    )


def _table(finding: Finding) -> _Table | None:
    """What the evidence table looks like; None where there is no evidence."""
    if not finding.evidence:
        return None
    keys = dict.fromkeys(name for evidence in finding.evidence for name in evidence.key)
    values = dict.fromkeys(name for evidence in finding.evidence for name in evidence.values if name not in keys)
    return _Table(
        caption=f"Offending rows: {listed_text(finding)}",
        keys=tuple(keys),
        values=tuple(values),
        noted=any(evidence.note for evidence in finding.evidence),
    )


def _is_open(item: ReviewedFinding) -> bool:
    return item.status is FindingStatus.OPEN


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("review_graph.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {
        "anchor_command": anchor_command,
        "approval_text": approval_text,
        "change_text": change_text,
        "changes": changes,
        "closing_text": closing_text,
        "count_of": count_of,
        "diff_headline": diff_headline,
        "drawings": drawings,
        "headline": headline,
        "is_open": _is_open,
        "narrative_note": narrative_note,
        "scope_text": scope_text,
        "severity_of": severity_of,
        "table_of": _table,
        "unsure": unsure,
        "value_text": value_text,
    }
    return environment


def _shown(value: object) -> object:
    """Text without control characters; what is marked as markup is our own."""
    return visible(value) if type(value) is str else value


def _source(environment: Environment, name: str) -> str:
    assert environment.loader is not None  # noqa: S101 - set above
    return environment.loader.get_source(environment, name)[0]
