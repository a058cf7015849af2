"""Where limits hold that are not for all records of their parameter."""

from __future__ import annotations

import narwhals as nw

from checks.conditions import Condition, condition_expr, parse_condition
from checks.errors import CannotJudge
from checks.examination import Examination
from checks.plain import names_text, quote
from checks.ranges.ground import operand_if_there
from checks.spec import LimitsSpec


class Wheres:
    """The conditions of one block of limits, each once.

    Attributes:
        holds: By condition, where it holds; never null.
        columns: The columns they ask about.
        untold: Why a condition cannot be told in this table; it then holds nowhere.

    Args:
        examination: The table held against its spec.
        block: The limits.
    """

    def __init__(self, examination: Examination, block: LimitsSpec) -> None:
        self.holds: dict[str, nw.Expr] = {}
        self.untold: list[str] = []
        bounds = (bounds for by_unit in block.values.values() for bounds in by_unit)
        conditions = [parse_condition(text) for text in dict.fromkeys(one.where for one in bounds) if text is not None]
        self.columns = tuple(dict.fromkeys(name for condition in conditions for name in condition.columns))
        self._absent = [name for name in self.columns if not examination.column(name).exists]
        for condition in conditions:
            try:
                self.holds[condition.text] = _holds(examination, condition)
            except CannotJudge as reason:
                self.untold.append(f"limits where {quote(condition.text)} hold nowhere: {reason}")

    @property
    def absent_text(self) -> str:
        """Which of the columns are not in the table, as the end of a message; empty where all are."""
        return f" ({names_text(self._absent)} not in the table)" if self._absent else ""


def _holds(examination: Examination, condition: Condition) -> nw.Expr:
    """Where a condition holds; one that asks about a single column of few values is looked up."""
    columns = [examination.column(name) for name in condition.columns]
    holds = condition_expr(
        condition,
        lambda name, _: operand_if_there(examination.column(name)),
        today=examination.today,
    )
    # Where only absent columns are named there is one answer; it is that of each record.
    holds = (holds & ~nw.col(examination.table.row).is_null()).fill_null(value=False)
    there = [column for column in columns if column.exists]
    domain = there[0].domain if len(there) == 1 else None
    return holds if domain is None else domain.rows_with(holds)
