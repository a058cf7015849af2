"""What is asked about in the tests of tools: small tables, a disclosure that allows everything but small groups."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl

from checks import adopt, choose_builtin
from checks.spec import Spec
from checks.table import Table
from review_graph.core.disclosure import Conjunction
from review_graph.tools.disclosing import Disclosure, Group, Told
from review_graph.tools.matter import Matter
from review_graph.tools.toolbox import Observation, Toolbox
from review_graph.tools.units import subject_codes, subject_column
from review_graph.vocabulary import Dataset, Review, ReviewedFinding, Status

ROOT = Path(__file__).parents[2]
ADSL = ROOT / "data" / "adsl.parquet"

K = 5


@dataclass
class Permissive:
    """Tells everything but groups of 1 to 4 subjects, and keeps what it was asked."""

    table: Table
    k: int = K
    asked: list[tuple[Mapping[str, Any], tuple[tuple[Any, ...], ...]]] = field(default_factory=list)

    def tell(self, question: Mapping[str, Any], groups: Sequence[Group]) -> tuple[Told, ...]:
        column = subject_column(self.table)
        codes = np.arange(self.table.rows) if column is None else subject_codes(self.table, column)
        small = [Conjunction(group.parts, codes, self.k).small_part() for group in groups]
        rows = [group.rows if one is None else one for group, one in zip(groups, small, strict=True)]
        told = tuple(self._told(group, len(np.unique(codes[one]))) for group, one in zip(groups, rows, strict=True))
        self.asked.append((json.loads(question["asked"]), tuple(group.label for group in groups)))
        return told

    def _told(self, group: Group, subjects: int) -> Told:
        assert group.rows.dtype == np.bool_
        assert group.rows.shape == (self.table.rows,)
        if 0 < subjects < self.k:
            return Told(label=group.label, subjects=None, records=None, mark=f"<{self.k}")
        return Told(label=group.label, subjects=subjects, records=int(group.rows.sum()), mark="")


def matter_of(
    data: pl.DataFrame | Path | str,
    name: str = "adsl",
    *,
    findings: Sequence[ReviewedFinding] = (),
    spec: Spec | None = None,
    disclosure: Callable[[Table, Dataset], Disclosure] | None = None,
    **options: Any,
) -> Matter:
    """A review that came to an end, of a table in memory or a Parquet file."""
    table = adopt(data)
    dataset = Dataset(name=name, uri="memory:0", fingerprint="0" * 64, rows=table.rows, columns=len(table.schema))
    permissive = cast("Disclosure", Permissive(table))
    return Matter(
        review=Review(
            id="r-1", dataset=dataset, status=Status.SUMMARISED, today="2026-03-04", findings=tuple(findings)
        ),
        table=table,
        spec=choose_builtin(name, table.columns) if spec is None else spec,
        disclosure=permissive if disclosure is None else disclosure(table, dataset),
        **options,
    )


def call(matter: Matter, name: str, /, **arguments: Any) -> Observation:
    """Call a tool of a matter."""
    return Toolbox(matter).call(name, arguments)


def found(matter: Matter, name: str, /, **arguments: Any) -> dict[str, Any]:
    """Call a tool that answers."""
    observation = call(matter, name, **arguments)
    assert observation.ok, observation.text
    return dict(observation.data or {})


def trouble(matter: Matter, name: str, /, **arguments: Any) -> str:
    """Call a tool that does not answer."""
    observation = call(matter, name, **arguments)
    assert not observation.ok, observation.text
    assert observation.data is None
    assert "\n" not in observation.text
    return observation.text


def bds(seed: int, subjects: int = 60) -> pl.DataFrame:
    """A made-up BDS table: two parameters, three visits, some values missing, some records not analysed."""
    draw = np.random.default_rng(seed)
    rows = [
        {
            "STUDYID": "MADE-UP",
            "USUBJID": f"MU-{number:03d}",
            "SAFFL": "Y" if number % 10 else "N",
            "TRTA": ("Placebo", "Low Dose", "High Dose")[number % 3],
            "AGE": float(draw.integers(20, 90)),
            "SEX": "FM"[int(draw.integers(0, 2))],
            "PARAMCD": code,
            "PARAM": text,
            "AVISIT": visit,
            "AVAL": None if draw.random() < 0.1 else round(float(draw.normal(mean, 12.0)), 1),
            "ANL01FL": "Y" if draw.random() < 0.8 else None,
        }
        for number in range(subjects)
        for code, text, mean in (("SYSBP", "Systolic (mmHg)", 130.0), ("DIABP", "Diastolic (mmHg)", 80.0))
        for visit in ("Baseline", "Week 2", "Week 4")
        if not (code == "DIABP" and visit == "Week 4")
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def parquet_bytes(frame: pl.DataFrame) -> bytes:
    """A table as the bytes of a file."""
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()
