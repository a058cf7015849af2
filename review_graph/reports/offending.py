"""All offending rows of reviews as one table: a row an offending row of a finding.

The fixed columns come first, then the columns of the data, as text: the record's key and the values looked at.
`failed` is the true total of the finding, `closed_by` says who dismissed or waived it, why and until when, and `change`
what became of it since the review before. What was fixed since then has no rows and is not here, and neither are
decisions and notices, which concern no row: the other formats have them. Rows of a finding with few are those of its
evidence, where text is cut at 200 characters and says so; rows of the others come whole from the file that keeps them
all.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from checks.plain import plain_value
from checks.vocabulary import Finding
from review_graph.core.reporting import cell
from review_graph.core.wording import change_of, closing_text
from review_graph.reports.machine import encodable
from review_graph.vocabulary import Review, ReviewedFinding

if TYPE_CHECKING:
    import polars as pl

OpenRows = Callable[[str], "pl.DataFrame"]
"""Reads a file of offending rows; its first column is the row number."""

FIXED = (
    *("review", "dataset", "finding", "code", "severity", "status", "columns", "failed", "row", "note"),
    *("closed_by", "change"),
)
_COUNTS = ("failed", "row")


def offending_csv(reviews: Sequence[Review], open_rows: OpenRows) -> str:
    """Return all offending rows as CSV; no cell is a formula or holds a control character."""
    frame = offending_rows(reviews, open_rows)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([cell(name) for name in frame.columns])
    writer.writerows([cell(value) for value in row] for row in frame.iter_rows())
    return out.getvalue()


def offending_parquet(reviews: Sequence[Review], open_rows: OpenRows) -> bytes:
    """Return all offending rows as Parquet, with the values of the data exactly as they are.

    Its metadata name the anchors of the reviews under `review_graph.anchor`, each once.
    """
    out = io.BytesIO()
    anchors = dict.fromkeys(str(review.anchor) for review in reviews if review.anchor)
    offending_rows(reviews, open_rows).write_parquet(out, metadata={"review_graph.anchor": " ".join(anchors)})
    return out.getvalue()


def offending_rows(reviews: Sequence[Review], open_rows: OpenRows) -> pl.DataFrame:
    """Return all offending rows, in the order of reviews and findings, then in file order."""
    import polars as pl

    empty = pl.DataFrame(schema={name: pl.Int64 if name in _COUNTS else pl.String for name in FIXED})
    frames = [_of_finding(review, item, open_rows) for review in reviews for item in review.findings]
    return pl.concat([empty, *frames], how="diagonal")


def _of_finding(review: Review, item: ReviewedFinding, open_rows: OpenRows) -> pl.DataFrame:
    import polars as pl

    finding = item.finding
    rows, values = _from_evidence(finding)
    if finding.evidence_file is not None:
        rows, values = _from_file(open_rows(finding.evidence_file))
    notes = {evidence.row: evidence.note for evidence in finding.evidence}
    fixed = {
        "review": review.id,
        "dataset": review.dataset.name,
        "finding": finding.id,
        "code": finding.code,
        "severity": finding.severity.value,
        "status": item.status.value,
        "columns": ", ".join(finding.columns),
    }
    columns = [_text_column(name, [value] * len(rows)) for name, value in fixed.items()]
    columns += [pl.Series("failed", [finding.failed] * len(rows), pl.Int64), pl.Series("row", rows, pl.Int64)]
    columns.append(_text_column("note", [notes.get(row) for row in rows]))
    word, _ = change_of(review).get(finding.id, (None, None))
    for name, value in (("closed_by", closing_text(review, item) or None), ("change", word)):
        columns.append(_text_column(name, [value] * len(rows)))
    taken = set(FIXED)
    for name, texts in values.items():
        columns.append(_text_column(_free(name, taken), texts))
        taken.add(columns[-1].name)
    return pl.DataFrame(columns)


def _from_evidence(finding: Finding) -> tuple[list[int], Mapping[str, list[str | None]]]:
    merged = [{**evidence.key, **evidence.values} for evidence in finding.evidence]
    names = dict.fromkeys(name for values in merged for name in values)
    columns = {name: [_as_text(values.get(name)) for values in merged] for name in names}
    return [evidence.row for evidence in finding.evidence], columns


def _from_file(frame: pl.DataFrame) -> tuple[list[int], Mapping[str, list[str | None]]]:
    number, *names = frame.columns
    return frame[number].to_list(), {name: [_as_text(value) for value in frame[name]] for name in names}


def _as_text(value: object) -> str | None:
    """A value as text: whole, and written as the evidence writes it."""
    plain = value if isinstance(value, str) else plain_value(value)
    if plain is None:
        return None
    return str(plain).lower() if isinstance(plain, bool) else str(plain)


def _text_column(name: str, texts: Sequence[str | None]) -> pl.Series:
    import polars as pl

    return pl.Series(encodable(name), [encodable(text) for text in texts], pl.String)


def _free(name: str, taken: set[str]) -> str:
    """The name of a column of the data, told apart from the fixed columns."""
    return next(free for free in _names(encodable(name)) if free not in taken)


def _names(name: str) -> Iterator[str]:
    yield name
    while True:
        name = f"{name} (data)"
        yield name
