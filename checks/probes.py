"""What a check may ask for, and what it may answer. The engine carries the questions out.

A check function only describes: a `RowCheck` is a predicate, a `Measure` some aggregates with a
judgement, a `Query` a question of its own, a `Fact` something known from the schema alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw

from checks.frame import Frame
from checks.vocabulary import JSON, Severity

MAX_DRAWN = 6
"""Drawings of one finding; by parameter, those come first whose names do."""

Note = Callable[[Mapping[str, JSON]], str | None]
"""From the evidence values of a row to what was probably meant."""


@dataclass(frozen=True, kw_only=True)
class _Probe:
    """What all probes have in common.

    Attributes:
        columns: The columns concerned.
        parameters: What is looked for; part of the finding's identity.
        severity: Severity of the finding, where it is not the check's own.
        code: Code of the finding, where the check has one for each rule.
        show: Columns whose values stand in the evidence; `columns` when empty.
        note: What an offending value was probably meant to be.
    """

    columns: tuple[str, ...]
    parameters: Mapping[str, JSON] = field(default_factory=dict)
    severity: Severity | None = None
    code: str | None = None
    show: tuple[str, ...] = ()
    note: Note | None = None


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Numbers held against limits, to be drawn when some lie beyond.

    Attributes:
        value: The numbers as floats; null where there is none.
        failing: True for values beyond the limits; never null.
        minimum: Lower limit.
        maximum: Upper limit.
        unit: Unit of values and limits.
        label: Whose values, where they are those of one parameter.
        whole: Whether all are whole numbers.
    """

    value: nw.Expr
    failing: nw.Expr
    minimum: float | None
    maximum: float | None
    unit: str | None = None
    label: str | None = None
    whole: bool = False


@dataclass(frozen=True, kw_only=True)
class RowCheck(_Probe):
    """A predicate that is true for offending rows.

    Attributes:
        failing: Boolean expression; null counts as not failing.
        says: What is wrong, to follow "n of m rows: ", for instance `AGE is outside 0 to 120 years`.
        breakdown: Kinds of failure by name; those that occur are counted in the message.
        unjudged: Rows that cannot be judged, each with the reason; reported as inconclusive when they occur.
        spreads: What to draw of the column when it fails.
        frame: The rows, with columns of other tables beside those of the table; None for the table as it is.
        by_value: Whether all of it asks something of each value of its one column and of nothing else, so that it
            may be asked of the column's different values instead of its rows.
    """

    failing: nw.Expr
    says: str
    breakdown: Mapping[str, nw.Expr] = field(default_factory=dict)
    unjudged: tuple[tuple[nw.Expr, str], ...] = ()
    spreads: tuple[Spread, ...] = ()
    frame: Frame | None = None
    by_value: bool = False


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What a probe found.

    Attributes:
        message: The whole sentence, count first.
        columns: The columns concerned, where fewer than the probe named.
        failed: Offending rows; 0 when the fault is not in rows.
        groups: Offending groups, where that is the unit.
        offending: The offending rows of the table, with the row number; None when the fault is not in rows.
        spreads: What to draw.
        filtered: Whether the offending rows are the table's own, picked one by one and in order.
    """

    message: str
    columns: tuple[str, ...] | None = None
    failed: int = 0
    groups: int | None = None
    offending: Frame | None = None
    spreads: tuple[Spread, ...] = ()
    filtered: bool = False


@dataclass(frozen=True, kw_only=True)
class Measure(_Probe):
    """Aggregates that are computed in the family's one pass, then judged.

    Attributes:
        aggregates: Expressions that each give one value.
        judge: From these values and the number of rows to a failure, or None when all is well.
    """

    aggregates: Mapping[str, nw.Expr]
    judge: Callable[[Mapping[str, Any], int], Failure | None]


@dataclass(frozen=True, kw_only=True)
class Query(_Probe):
    """A question that cannot be folded into the one pass, for instance a search for duplicates.

    Attributes:
        run: From the number of rows to a failure, or None when all is well.
        by_row: Whether each row fails for itself, so that the first one is an example of the fault.
    """

    run: Callable[[int], Failure | None]
    by_row: bool = False


@dataclass(frozen=True, kw_only=True)
class Fact(_Probe):
    """What the schema alone tells: the failure, or None when all is well."""

    failure: Failure | None


Probe = RowCheck | Measure | Query | Fact
